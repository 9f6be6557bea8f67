import { apiRequest } from './request.ts';

const PATH = '/api/v2/workspaces/{workspace_id}/relationships/remote-state-consumers';

/** Number of consumers of a page. */
export const CONSUMERS_PAGE_SIZE = 20;

/** Describes the request of one page of the workspaces that may read the state of a workspace (CONS-1). */
export const listConsumers = (workspace: string, page: number, size = CONSUMERS_PAGE_SIZE) =>
  apiRequest('get', PATH, {
    path: { workspace_id: workspace },
    query: { 'page[number]': page, 'page[size]': size },
  });

const toBody = (ids: readonly string[]) => ({ data: ids.map((id) => ({ type: 'workspaces' as const, id })) });

/** Describes the addition of consumers (CONS-3). */
export const addConsumers = (workspace: string, ids: readonly string[]) =>
  apiRequest('post', PATH, { path: { workspace_id: workspace }, body: toBody(ids) });

/** Describes the replacement of all consumers (CONS-3). */
export const replaceConsumers = (workspace: string, ids: readonly string[]) =>
  apiRequest('patch', PATH, { path: { workspace_id: workspace }, body: toBody(ids) });

/** Describes the removal of consumers (CONS-3). */
export const removeConsumers = (workspace: string, ids: readonly string[]) =>
  apiRequest('delete', PATH, { path: { workspace_id: workspace }, body: toBody(ids) });
