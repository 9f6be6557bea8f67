import type { consumers as routes } from '../../routes/consumers.ts';
import type { Group } from '../operation.ts';

/** Remote state consumers (spec 4.3). */
export const consumers: Group<keyof typeof routes> = {
  name: 'Remote state consumers',
  description: 'The workspaces that may read the state of a workspace.',
  operations: {},
};
