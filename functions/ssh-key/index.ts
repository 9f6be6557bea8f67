import { endpoints } from '../../shared/http/endpoints.ts';
import { openServices } from '../../shared/services.ts';

const services = openServices('ssh-key');

export const handler = endpoints('ssh-key', {}, services);
