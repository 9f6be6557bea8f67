import { endpoints } from '../../shared/http/endpoints.ts';
import { openServices } from '../../shared/services.ts';

const services = openServices('variables');

export const handler = endpoints('variables', {}, services);
