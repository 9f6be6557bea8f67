import { BASE_PATH } from './api.ts';
import { ORGANIZATION, type Routes } from './route.ts';

const byId = `${BASE_PATH}/deleted-workspaces/{workspace_id}` as const;

/** Deleted workspaces that can be restored (docs/reference/deletion.md). */
export const deletedWorkspaces = {
  'deleted-workspaces.list': {
    method: 'GET',
    path: `${ORGANIZATION}/deleted-workspaces`,
    function: 'workspace-list',
    status: 200,
  },
  'deleted-workspaces.show': { method: 'GET', path: byId, function: 'workspace-deletion', status: 200 },
  'deleted-workspaces.restore': {
    method: 'POST',
    path: `${byId}/actions/restore`,
    function: 'workspace-deletion',
    status: 200,
    body: { schema: 'restoration', required: false },
  },
  'deleted-workspaces.purge': { method: 'DELETE', path: byId, function: 'workspace-deletion', status: 204 },
} as const satisfies Routes;
