import type { tags as routes } from '../../routes/tags.ts';
import type { Group } from '../operation.ts';

/** Tags and tag bindings (spec 4.4, contract 4.4). */
export const tags: Group<keyof typeof routes> = {
  name: 'Tags',
  description: 'What workspaces are grouped and found by: flat names, and keys with values.',
  operations: {},
};
