import { endpoints } from '../../shared/http/endpoints.ts';
import { openServices } from '../../shared/services.ts';

const services = openServices('remote-state-consumers');

export const handler = endpoints('remote-state-consumers', {}, services);
