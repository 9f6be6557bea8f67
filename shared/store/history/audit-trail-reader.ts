import { ID_BODY, prefixes } from '../../domain/ids.ts';
import { LATEST } from '../../domain/timestamps.ts';
import type { Database } from '../dynamodb/database.ts';
import { auditPartitions, type Item, sortableTime } from '../dynamodb/keys.ts';
import { keyOf } from '../items/item-write.ts';
import { entryOf, type HistoryFilter, type HistoryPage, READ_LIMIT, TIME_MARGIN } from './history-reader.ts';

/** A pointer of the audit trail to an entry. */
type Pointer = Item;

/** The newest pointers of an organization that a request has read, newest first. */
interface Pointers {
  readonly pointers: readonly Pointer[];
  /** Sort key of the oldest pointer up to which all of them are known; undefined if there are no older ones. */
  readonly horizon: string | undefined;
}

/**
 * Longest time between a request and the last write of its change, in milliseconds. The cleanup makes the last write of the
 * deletion of a record, within two minutes unless it has to be repeated (EVENT-18).
 */
export const LATE_MILLISECONDS = 60 * 60_000;
/** Maximum number of entries that a numbered page counts, and to which it leads. */
const COUNTED = 10_000;

const CURSOR = new RegExp(`^(\\d{13})-(${prefixes.event}${ID_BODY})$`);

/** Returns whether a text has the form of a cursor of the audit trail. */
export const isTrailCursor = (text: string): boolean => CURSOR.test(text);

const sortKeyOf = ({ sk }: Pointer): string => String(sk);
const cursorOf = (sortKey: string): string => sortKey.replace('#', '-');
const sortKeyFrom = (cursor: string): string => cursor.replace('-', '#');

const isWithin = (at: number, { since, until }: HistoryFilter): boolean =>
  (since === undefined || at >= since) && (until === undefined || at <= until);

/** Tells whether a pointer passes a filter. One of an earlier release lacks the time of its change. */
const passes = (pointer: Pointer, filter: HistoryFilter): boolean => {
  const { actions, actors } = filter;
  return (
    (pointer['at'] === undefined || isWithin(Number(pointer['at']), filter)) &&
    (actions === undefined || actions.includes(String(pointer['type']))) &&
    (actors === undefined || actors.includes(String(pointer['actor'])))
  );
};

/**
 * Opens the reads of audit trails: the changes of all resources of an organization. Every partition of the organization is read
 * once for each page.
 */
export const openAuditTrailReader = (database: Database) => {
  /** Reads the newest pointers of all partitions. @param limit of each partition. @param after sort key, exclusive. */
  const readPointers = async (
    organization: string,
    { from: earliest = 0, until = LATEST }: { readonly from?: number; readonly until?: number },
    limit: number,
    after?: string,
  ): Promise<Pointers> => {
    const from = sortableTime(Math.max(0, earliest));
    // Sort keys continue after the time, so the range ends with the next millisecond.
    const latest = sortableTime(Math.min(until + 1, LATEST));
    const end = after === undefined || after > latest ? latest : after;
    if (end < from) return { pointers: [], horizon: undefined };
    const pages = await Promise.all(
      auditPartitions(organization).map(async (partition) => {
        const page = { partition, from, until: end, descending: true, limit: limit + 1 };
        const { items, next } = await database.page(page);
        return {
          items: items.filter((item) => sortKeyOf(item) !== after).slice(0, limit),
          hasMore: next !== undefined,
        };
      }),
    );
    const horizons = pages.flatMap(({ items, hasMore }) => {
      const last = items.at(-1);
      return hasMore && last !== undefined ? [sortKeyOf(last)] : [];
    });
    const horizon = horizons.sort().at(-1);
    const pointers = pages
      .flatMap(({ items }) => items)
      .filter((item) => horizon === undefined || sortKeyOf(item) >= horizon)
      .sort((a, b) => (sortKeyOf(a) > sortKeyOf(b) ? -1 : 1));
    return { pointers, horizon };
  };

  /** Reads the entries of pointers. Entries that are not written yet or have expired are left out. */
  const readEntries = async (pointers: readonly Pointer[]): Promise<HistoryPage['entries']> => {
    const wanted = pointers.map((pointer) => keyOf(pointer['entry'] as Item));
    const found = new Map((await database.getAll(wanted)).map((item) => [`${item['pk']} ${item['sk']}`, item]));
    return pointers.flatMap((pointer, index) => {
      const item = found.get(`${wanted[index]?.pk} ${wanted[index]?.sk}`);
      return item === undefined ? [] : [{ entry: entryOf(item), cursor: cursorOf(sortKeyOf(pointer)) }];
    });
  };

  return {
    /**
     * Reads a page of the audit trail, newest first (HIST-12). It reads at most `READ_LIMIT` pointers if there is a filter.
     * @param after cursor of the previous page.
     */
    findPage: async (
      organization: string,
      filter: HistoryFilter,
      size: number,
      after: string | undefined,
    ): Promise<HistoryPage> => {
      const { since, until, actions, actors } = filter;
      const isFiltered = actions !== undefined || actors !== undefined;
      const limit = READ_LIMIT / auditPartitions(organization).length;
      const range = {
        ...(since !== undefined && { from: since - TIME_MARGIN }),
        ...(until !== undefined && { until: until + LATE_MILLISECONDS }),
      };
      const read = async (count: number, cursor: string | undefined) => {
        const { pointers, horizon } = await readPointers(organization, range, count, cursor);
        return { matching: pointers.filter((pointer) => passes(pointer, filter)), horizon };
      };
      let { matching, horizon } = await read(isFiltered ? limit : size + 1, after && sortKeyFrom(after));
      // The newest pointers may all be of changes after `until`.
      const rest = limit - size - 1;
      if (until !== undefined && !isFiltered && matching.length < size && horizon !== undefined && rest > 0) {
        const more = await read(rest, horizon);
        matching = [...matching, ...more.matching];
        horizon = more.horizon;
      }
      const shown = matching.slice(0, size);
      const last = matching.length > size ? shown.at(-1) : undefined;
      const next = last === undefined ? horizon : sortKeyOf(last);
      const entries = (await readEntries(shown)).filter(({ entry: { at } }) => isWithin(at, filter));
      return { entries, ...(next !== undefined && { next: cursorOf(next) }) };
    },

    /**
     * Reads a page by its number, and counts the entries, up to `COUNTED` (HIST-13).
     * @param since earliest time at which DynamoDB stored the change, in milliseconds. A client that requests new
     *   entries also gets change records that are stored late, for example for the deletion of a record (EVENT-18).
     */
    findNumberedPage: async (
      organization: string,
      since: number | undefined,
      { number, size }: { readonly number: number; readonly size: number },
    ) => {
      // A change that DynamoDB made in a later second than its own has the beginning of that second.
      const range = since === undefined ? {} : { from: since - (since % 1_000) };
      const { pointers } = await readPointers(organization, range, COUNTED / auditPartitions(organization).length);
      const entries = await readEntries(pointers.slice((number - 1) * size, number * size));
      return { entries, total: pointers.length };
    },
  };
};

export type AuditTrailReader = ReturnType<typeof openAuditTrailReader>;
