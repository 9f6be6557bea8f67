import { type Routes, WORKSPACE } from './route.ts';

/** The SSH key of a workspace (docs/reference/ssh-keys.md). */
export const sshKey = {
  'ssh-key.assign': {
    method: 'PATCH',
    path: `${WORKSPACE}/relationships/ssh-key`,
    function: 'ssh-key',
    status: 200,
    conditional: true,
    body: { schema: 'sshKeyAssignment', required: true },
  },
} as const satisfies Routes;
