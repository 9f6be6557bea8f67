import { type HistoryFilter, listAuditTrail, listHistory } from '../../../../shared/client/history.ts';
import { cursorPagesQuery } from './query-client.ts';

/** Builds the query of the history of a workspace. */
export const historyQuery = (workspace: string, filter: HistoryFilter) =>
  cursorPagesQuery((after) => listHistory(workspace, filter, after));

/** Builds the query of the audit trail of an organization. */
export const auditTrailQuery = (organization: string, filter: HistoryFilter) =>
  cursorPagesQuery((after) => listAuditTrail(organization, filter, after));
