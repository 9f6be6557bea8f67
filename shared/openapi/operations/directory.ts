import type { directory as routes } from '../../routes/directory.ts';
import type { Group } from '../operation.ts';

/** The records around workspaces (contract 8). */
export const directory: Group<keyof typeof routes> = {
  name: 'Directory',
  description: 'Organizations, and the records around their workspaces.',
  operations: {},
};
