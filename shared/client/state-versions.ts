import { apiRequest } from './request.ts';
import type { Schemas } from './types.ts';

export type StateVersion = Schemas['StateVersion'];

/** Number of state versions of a page. */
export const STATES_PAGE_SIZE = 20;

/**
 * Describes the request of one page of the state versions of a workspace, newest first (STATE-12).
 * @param source only versions that were imported from this id (STATE-25).
 */
export const listStateVersions = (
  organization: string,
  workspace: string,
  page: number,
  size = STATES_PAGE_SIZE,
  source?: string,
) =>
  apiRequest('get', '/api/v2/state-versions', {
    query: {
      'filter[organization][name]': organization,
      'filter[workspace][name]': workspace,
      ...(source !== undefined && { 'filter[imported-from][id]': source }),
      'page[number]': page,
      'page[size]': size,
    },
  });

/** Describes the request of one state version. */
export const showStateVersion = (version: string) =>
  apiRequest('get', '/api/v2/state-versions/{state_version_id}', { path: { state_version_id: version } });

/** Describes the request of the current state version of a workspace. Without one, it fails with 404. */
export const showCurrentState = (workspace: string) =>
  apiRequest('get', '/api/v2/workspaces/{workspace_id}/current-state-version', { path: { workspace_id: workspace } });

/** Describes the request of the outputs of the current state of a workspace. Values of sensitive ones are null (STATE-14). */
export const listCurrentOutputs = (workspace: string) =>
  apiRequest('get', '/api/v2/workspaces/{workspace_id}/current-state-version-outputs', {
    path: { workspace_id: workspace },
  });

/** Describes the request of the outputs of a state version. */
export const listOutputs = (version: string) =>
  apiRequest('get', '/api/v2/state-versions/{state_version_id}/outputs', { path: { state_version_id: version } });

/** Describes the request of the number of resources of the current state by type and by module (STATE-23). */
export const countResources = (workspace: string) =>
  apiRequest('get', '/api/v2/workspaces/{workspace_id}/resources', {
    path: { workspace_id: workspace },
    query: { 'page[size]': 1 },
  });

/** Describes the rollback of a workspace to an older state version (STATE-21). The caller needs the lock. */
export const rollBackState = (workspace: string, version: string) =>
  apiRequest('patch', '/api/v2/workspaces/{workspace_id}/state-versions', {
    path: { workspace_id: workspace },
    body: { data: { relationships: { 'rollback-state-version': { data: { id: version } } } } },
  });

/** Describes the download of the raw state of a version (STATE-13). */
export const downloadState = (version: string) =>
  apiRequest(
    'get',
    '/api/v2/state-versions/{state_version_id}/download',
    { path: { state_version_id: version } },
    { isRedirected: true },
  );
