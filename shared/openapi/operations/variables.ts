import type { variables as routes } from '../../routes/variables.ts';
import type { Group } from '../operation.ts';

/** Variables, by the deprecated paths and by their successors (spec 4.6). */
export const variables: Group<keyof typeof routes> = {
  name: 'Variables',
  description: 'What runs of a workspace are given.',
  operations: {},
};
