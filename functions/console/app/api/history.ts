import { infiniteQueryOptions } from '@tanstack/react-query';
import { apiRequest } from '../../../../shared/client/request.ts';
import type { FiltersOf, Schemas } from '../../../../shared/client/types.ts';
import { queryKeyOf } from './query-client.ts';
import { send } from './send.ts';

export type HistoryEntry = Schemas['HistoryEntry'];

const HISTORY = '/api/v2/workspaces/{workspace_id}/history';
const TRAIL = '/api/v2/organizations/{organization_name}/audit-trail';

/** Filters of a history; empty texts filter nothing. */
export type HistoryFilter = Readonly<Record<FiltersOf<typeof HISTORY | typeof TRAIL>, string>>;

const toQuery = (filter: HistoryFilter, after: string | undefined) => ({
  ...filter,
  'page[size]': 50,
  ...(after !== undefined && { 'page[after]': after }),
});

/** Describes the request of one page of the history of a workspace (HIST-8). */
export const listHistory = (workspace: string, filter: HistoryFilter, after?: string) =>
  apiRequest('get', HISTORY, {
    path: { workspace_id: workspace },
    query: toQuery(filter, after),
  });

/** Describes the request of one page of the audit trail of an organization (HIST-11). */
export const listAuditTrail = (organization: string, filter: HistoryFilter, after?: string) =>
  apiRequest('get', TRAIL, {
    path: { organization_name: organization },
    query: toQuery(filter, after),
  });

/** Builds the query of all pages of a history, newest first. A page can be empty and have a next one. */
const pagesQuery = (request: (after?: string) => ReturnType<typeof listHistory | typeof listAuditTrail>) =>
  infiniteQueryOptions({
    queryKey: queryKeyOf(request().url),
    queryFn: async ({ pageParam, signal }) => (await send(request(pageParam), { signal })).document,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ links }) => cursorOf(links?.next),
  });

/** Builds the query of the history of a workspace. */
export const historyQuery = (workspace: string, filter: HistoryFilter) =>
  pagesQuery((after) => listHistory(workspace, filter, after));

/** Builds the query of the audit trail of an organization. */
export const auditTrailQuery = (organization: string, filter: HistoryFilter) =>
  pagesQuery((after) => listAuditTrail(organization, filter, after));

/** Returns the cursor of the link to the next page. */
const cursorOf = (next: string | null | undefined): string | undefined =>
  next == null ? undefined : (new URL(next, window.location.origin).searchParams.get('page[after]') ?? undefined);
