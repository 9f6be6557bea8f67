import { workspace } from '../../resources/workspaces/openapi.ts';
import type { sshKey as routes } from '../../routes/ssh-key.ts';
import { type Group, one } from '../operation.ts';

/** The SSH key of a workspace (docs/reference/ssh-keys.md). */
export const sshKey: Group<keyof typeof routes> = {
  name: 'SSH key',
  description: 'The key with which runs of a workspace fetch modules.',
  operations: {
    'ssh-key.assign': {
      summary: 'Assign an SSH key to a workspace, or unassign it',
      description: 'The caller needs admin access; a token of an organization may not.',
      rule: 'SSH-1',
      body: "The workspace with the key's id as its attribute `id`, or the key itself, `ssh-keys` and its `id`; null takes the key away.",
      answers: one(workspace),
      refuses: { 404: 'The workspace, or the key in its organization, is not there, or not for the caller.' },
    },
  },
};
