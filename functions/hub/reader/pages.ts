import { DomainError } from '../../../shared/domain/errors.ts';
import type { Member } from '../../../shared/domain/hub/hub-row.ts';
import {
  cursorAfter,
  memberKey,
  memberKeyIn,
  type Position,
  positionFrom,
  type StoredRow,
} from '../../../shared/store/hub/hub-items.ts';
import type { HubStore, RowPage } from '../../../shared/store/hub/hub-store.ts';
import type { HubIndexName } from '../../../shared/store/hub/hub-table.ts';

/** Returns whether a page contains the row. */
export type RowFilter = (row: StoredRow) => boolean;

interface PageParameters {
  readonly limit?: number;
  readonly cursor?: string;
}

const DEFAULT_LIMIT = 100;
/** Rows that one query reads at most, so that a filter that few rows match ends in time. */
export const MAX_READ = 20_000;

/** Reads a cursor. @throws DomainError 422 unless it is the cursor of a page of such a query. */
const readCursor = (index: HubIndexName, cursor: string | undefined): Position | undefined => {
  const position = cursor === undefined ? undefined : positionFrom(index, cursor);
  if (cursor === undefined || position !== undefined) return position;
  const detail = 'cursor is not the member next of a response to the same query.';
  throw new DomainError('unprocessable', detail, { source: { pointer: '/cursor' } });
};

/**
 * Reads the rows of one place after another until the page is full.
 * @returns `next` is the cursor of the next page; null after the last one.
 */
const fillPage = async (
  index: HubIndexName,
  places: readonly ((start: Position | undefined) => Promise<RowPage>)[],
  start: Position | undefined,
  matches: RowFilter,
  limit: number = DEFAULT_LIMIT,
) => {
  const rows: StoredRow[] = [];
  let read = 0;
  let last: StoredRow | undefined;
  for (const [number, readPage] of places.entries()) {
    let position = number === 0 ? start : undefined;
    do {
      const page = await readPage(position);
      for (const row of page.rows) {
        const isFull = rows.length === limit || read === MAX_READ;
        if (last !== undefined && isFull) return { rows, next: cursorAfter(index, last) };
        if (matches(row)) rows.push(row);
        read += 1;
        last = row;
      }
      position = page.next;
    } while (position !== undefined);
  }
  return { rows, next: null };
};

/**
 * Reads a page of the workspaces of some members, by account, region, organization and name. A page may have fewer rows than
 * its limit, even none, although others follow (HUB-6).
 * @param members in their order.
 */
export const listPage = (
  store: Pick<HubStore, 'findByName'>,
  members: readonly Member[],
  matches: RowFilter,
  { limit, cursor }: PageParameters,
) => {
  const start = readCursor('names', cursor);
  const first = start === undefined ? '' : memberKeyIn(start);
  const left = members.filter((member) => memberKey(member) >= first);
  const places = left.map((member) => (position: Position | undefined) => store.findByName(member, position));
  const isWithin = left[0] !== undefined && memberKey(left[0]) === first;
  return fillPage('names', places, isWithin ? start : undefined, matches, limit);
};

/** Reads a page of locked workspaces, the oldest lock first. */
export const locksPage = (store: Pick<HubStore, 'findLocked'>, matches: RowFilter, { limit, cursor }: PageParameters) =>
  fillPage('locks', [store.findLocked], readCursor('locks', cursor), matches, limit);
