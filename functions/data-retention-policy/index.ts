import { endpoints } from '../../shared/http/endpoints.ts';
import { openServices } from '../../shared/services.ts';

const services = openServices('data-retention-policy');

export const handler = endpoints('data-retention-policy', {}, services);
