import { endpoints } from '../../shared/http/endpoints.ts';
import { openServices } from '../../shared/services.ts';

const services = openServices('workspace-tags');

export const handler = endpoints('workspace-tags', {}, services);
