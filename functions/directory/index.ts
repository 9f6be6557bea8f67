import { endpoints } from '../../shared/http/endpoints.ts';
import { openServices } from '../../shared/services.ts';

const services = openServices('directory');

export const handler = endpoints('directory', {}, services);
