import { endpoints } from '../../shared/http/endpoints.ts';
import { organization } from '../../shared/schemas/compiled/bodies.js';
import { organizations } from './organizations.ts';
import { openDirectoryServices } from './services.ts';

const services = openDirectoryServices();

export const handler = endpoints('directory', organizations(services), {
  ...services,
  validators: { organization },
});
