import { ORGANIZATION, type Routes, WORKSPACE, workspaceIncludes } from './route.ts';

const ofOrganization = `${ORGANIZATION}/workspaces` as const;
const byName = `${ofOrganization}/{name}` as const;

/** Workspaces, their locks and their deletion (docs/reference/workspaces.md). */
export const workspaces = {
  'workspaces.create': {
    method: 'POST',
    path: ofOrganization,
    function: 'workspaces',
    status: 201,
    body: { schema: 'workspace', required: true },
  },
  'workspaces.show': {
    method: 'GET',
    path: WORKSPACE,
    function: 'workspaces',
    status: 200,
    includes: workspaceIncludes,
  },
  'workspaces.show-by-name': {
    method: 'GET',
    path: byName,
    function: 'workspaces',
    status: 200,
    includes: workspaceIncludes,
  },
  'workspaces.update': {
    method: 'PATCH',
    path: WORKSPACE,
    function: 'workspaces',
    status: 200,
    conditional: true,
    dryRun: true,
    body: { schema: 'workspace', required: true },
  },
  'workspaces.update-by-name': {
    method: 'PATCH',
    path: byName,
    function: 'workspaces',
    status: 200,
    conditional: true,
    dryRun: true,
    body: { schema: 'workspace', required: true },
  },

  'workspaces.list': {
    method: 'GET',
    path: ofOrganization,
    function: 'workspace-list',
    status: 200,
    includes: workspaceIncludes,
  },

  'workspaces.lock': {
    method: 'POST',
    path: `${WORKSPACE}/actions/lock`,
    function: 'workspace-locks',
    status: 200,
    body: { schema: 'workspaceLock', required: false },
  },
  'workspaces.unlock': {
    method: 'POST',
    path: `${WORKSPACE}/actions/unlock`,
    function: 'workspace-locks',
    status: 200,
  },
  'workspaces.renew-lock': {
    method: 'POST',
    path: `${WORKSPACE}/actions/renew-lock`,
    function: 'workspace-locks',
    status: 200,
    body: { schema: 'workspaceLockRenewal', required: false },
  },
  'workspaces.force-unlock': {
    method: 'POST',
    path: `${WORKSPACE}/actions/force-unlock`,
    function: 'workspace-locks',
    status: 200,
    body: { schema: 'workspaceForceUnlock', required: false },
  },

  'workspaces.safe-delete': {
    method: 'POST',
    path: `${WORKSPACE}/actions/safe-delete`,
    function: 'workspace-deletion',
    status: 204,
    conditional: true,
    dryRun: true,
  },
  'workspaces.safe-delete-by-name': {
    method: 'POST',
    path: `${byName}/actions/safe-delete`,
    function: 'workspace-deletion',
    status: 204,
    conditional: true,
    dryRun: true,
  },
  'workspaces.force-delete': {
    method: 'DELETE',
    path: WORKSPACE,
    function: 'workspace-deletion',
    status: 204,
    conditional: true,
    dryRun: true,
  },
  'workspaces.force-delete-by-name': {
    method: 'DELETE',
    path: byName,
    function: 'workspace-deletion',
    status: 204,
    conditional: true,
    dryRun: true,
  },
} as const satisfies Routes;
