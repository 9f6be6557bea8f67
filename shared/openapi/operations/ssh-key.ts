import { type Group, one } from '../operation.ts';
import { workspace } from '../resources.ts';

/** The SSH key of a workspace (docs/reference/ssh-keys.md). */
export const sshKey = {
  name: 'SSH key',
  description: 'The key that the runs of a workspace use to fetch modules.',
  operations: {
    'ssh-key.assign': {
      summary: 'Assign an SSH key to a workspace, or unassign it',
      description: 'The caller needs admin access. Organization tokens cannot assign SSH keys.',
      rule: 'SSH-1',
      body: 'A resource of type `workspaces` with the id of the key in the attribute `id`, or a resource of type `ssh-keys` with that id. Null unassigns the key.',
      response: one(workspace),
      errors: { 404: 'The workspace, or the key in its organization, does not exist, or the caller may not see it.' },
    },
  },
} satisfies Group;
