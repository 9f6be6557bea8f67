import { endpoints } from '../../shared/http/endpoints.ts';
import { openServices } from '../../shared/runtime/services.ts';
import { sshKeyAssignment } from '../../shared/schemas/compiled/bodies.js';
import { assignKey } from './assign.ts';

const services = openServices('ssh-key');

export const handler = endpoints(
  'ssh-key',
  { 'ssh-key.assign': assignKey(services) },
  { ...services, validators: { sshKeyAssignment } },
);
