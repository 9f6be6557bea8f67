import { infiniteQueryOptions } from '@tanstack/react-query';
import { cursorOf, type HistoryFilter, listAuditTrail, listHistory } from '../../../../shared/client/history.ts';
import { queryKeyOf } from './query-client.ts';
import { send } from './send.ts';

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
