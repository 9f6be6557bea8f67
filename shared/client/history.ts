import { apiRequest } from './request.ts';
import type { FiltersOf, Schemas } from './types.ts';

export type HistoryEntry = Schemas['HistoryEntry'];

const HISTORY = '/api/v2/workspaces/{workspace_id}/history';
const TRAIL = '/api/v2/organizations/{organization_name}/audit-trail';

/** Filters of a history; empty texts filter nothing. */
export type HistoryFilter = Readonly<Record<FiltersOf<typeof HISTORY | typeof TRAIL>, string>>;

const PAGE_SIZE = 50;

const toQuery = (filter: HistoryFilter, after: string | undefined, size: number) => ({
  ...filter,
  'page[size]': size,
  ...(after !== undefined && { 'page[after]': after }),
});

/** Describes the request of one page of the history of a workspace (HIST-8). */
export const listHistory = (workspace: string, filter: HistoryFilter, after?: string, size = PAGE_SIZE) =>
  apiRequest('get', HISTORY, {
    path: { workspace_id: workspace },
    query: toQuery(filter, after, size),
  });

/** Describes the request of one page of the audit trail of an organization (HIST-11). */
export const listAuditTrail = (organization: string, filter: HistoryFilter, after?: string, size = PAGE_SIZE) =>
  apiRequest('get', TRAIL, {
    path: { organization_name: organization },
    query: toQuery(filter, after, size),
  });

/** Returns the cursor of the link to the next page. */
export const cursorOf = (next: string | null | undefined): string | undefined =>
  next == null ? undefined : (new URLSearchParams(next.slice(next.indexOf('?') + 1)).get('page[after]') ?? undefined);
