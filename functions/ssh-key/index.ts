import { createHandler } from '../../shared/http/stack.ts';
import { openServices } from '../../shared/runtime/services.ts';
import { sshKeyAssignment } from '../../shared/schemas/compiled/bodies.js';
import { assignKey } from './assign.ts';

const services = openServices('ssh-key');

export const handler = createHandler(
  'ssh-key',
  { 'ssh-key.assign': assignKey(services) },
  { ...services, validators: { sshKeyAssignment } },
);
