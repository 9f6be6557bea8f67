import { type ApiRequest, apiRequest } from './request.ts';
import type { FiltersOf, Workspace } from './types.ts';

const LIST = '/api/v2/organizations/{organization_name}/deleted-workspaces';

/** Filters of the list, which has none. */
const filters: Record<FiltersOf<typeof LIST>, string> = {};

/** Describes the request of one page of the deleted workspaces of an organization (DEL-17). */
export const listDeletedWorkspaces = (organization: string, page: number, size = 20) =>
  apiRequest('get', LIST, {
    path: { organization_name: organization },
    query: { ...filters, 'page[number]': page, 'page[size]': size },
  });

/** Describes the request of a deleted workspace that the caller may restore (DEL-17). */
export const showDeletedWorkspace = (id: string) =>
  apiRequest('get', '/api/v2/deleted-workspaces/{workspace_id}', { path: { workspace_id: id } });

/** A restored workspace, and what it has lost. */
interface RestoredDocument {
  readonly data: Workspace;
  readonly meta?: { readonly dropped?: readonly { readonly type: string; readonly id: string }[] };
}

/** Describes the restoration of a deleted workspace, with its name at the deletion or with another one (DEL-18). */
export const restoreWorkspace = (id: string, name?: string) =>
  apiRequest('post', '/api/v2/deleted-workspaces/{workspace_id}/actions/restore', {
    path: { workspace_id: id },
    ...(name !== undefined && { body: { data: { attributes: { name } } } }),
  }) as ApiRequest<RestoredDocument>;

/** Describes the permanent deletion of a deleted workspace. */
export const purgeWorkspace = (id: string) =>
  apiRequest('delete', '/api/v2/deleted-workspaces/{workspace_id}', { path: { workspace_id: id } });
