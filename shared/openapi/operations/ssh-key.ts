import type { sshKey as routes } from '../../routes/ssh-key.ts';
import type { Group } from '../operation.ts';

/** The SSH key of a workspace (spec 4.2). */
export const sshKey: Group<keyof typeof routes> = {
  name: 'SSH key',
  description: 'The key with which runs of a workspace fetch modules.',
  operations: {},
};
