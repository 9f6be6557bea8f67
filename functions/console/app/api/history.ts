import type { InfiniteData } from '@tanstack/react-query';
import {
  type HistoryEntry,
  type HistoryFilter,
  listAuditTrail,
  listHistory,
} from '../../../../shared/client/history.ts';
import { hasText } from '../lib/history-search.ts';
import { cursorPagesQuery } from './query-client.ts';

/** Number of entries of a page of which the console shows only those with a text: the largest one (HTTP-20). */
const SEARCHED = 100;

interface HistoryPage {
  readonly data: readonly HistoryEntry[];
}

/** Keeps the entries with a text. */
const search =
  (text: string) =>
  <P extends HistoryPage, C>(found: InfiniteData<P, C>): InfiniteData<P, C> =>
    text === ''
      ? found
      : {
          ...found,
          pages: found.pages.map((page) => ({ ...page, data: page.data.filter((entry) => hasText(entry, text)) })),
        };

const sizeFor = (text: string): number | undefined => (text === '' ? undefined : SEARCHED);

/** Builds the query of the history of a workspace. @param text which the entries contain */
export const historyQuery = (workspace: string, filter: HistoryFilter, text = '') => ({
  ...cursorPagesQuery((after) => listHistory(workspace, filter, after, sizeFor(text))),
  select: search(text),
});

/** Builds the query of the audit trail of an organization. @param text which the entries contain */
export const auditTrailQuery = (organization: string, filter: HistoryFilter, text = '') => ({
  ...cursorPagesQuery((after) => listAuditTrail(organization, filter, after, sizeFor(text))),
  select: search(text),
});
