import type { Organization } from '../../domain/directory/records.ts';
import { DomainError } from '../../domain/errors.ts';
import { LATEST } from '../../domain/timestamps.ts';
import { createSemaphore } from '../../lib/concurrency.ts';
import { backoff, retry } from '../../lib/retry.ts';
import { createListIndex, type ListIndex } from '../../list-index/list-index.ts';
import type { Database } from '../dynamodb/database.ts';
import { type Item, listPartition, sortableTime } from '../dynamodb/keys.ts';
import { applyItems } from '../items/index-rows.ts';
import { MANY_ROWS, WIDEST } from './windows.ts';

/** The attributes of an organization that are needed to list its workspaces. */
export type Listed = Pick<Organization, 'name' | 'externalId' | 'shards' | 'snapshotAt'>;

/** The partitions of the table's index that hold the rows of an organization. */
export type Partitions = Pick<Listed, 'name' | 'shards'>;

/** Time, in milliseconds, by which changes during a load are looked for again: clocks differ and the index lags. */
const LOAD_OVERLAP = 30_000;
/** Number of ranges of one partition that are read in parallel. */
const LANES = 4;
/**
 * Number of pages in flight over all partitions, and rows on each. More of either costs memory, because a page takes
 * many times its size while it is parsed, and saves no time, because one processor applies them.
 */
const PAGES = 4;
const PAGE_ROWS = 2_000;
/** Attempts to read a page, and the first pause between them in milliseconds: a load outlives a throttled page. */
const PAGE_ATTEMPTS = 3;
const PAGE_PAUSE = 200;

/**
 * Reads all rows of the index, or those that changed since a time. The distribution of a partition's rows over time is
 * not known: a lane that has not read its range after one page hands the later half of the rest to a free lane.
 * @returns the change times of the rows that changed within the widest window.
 */
export const readRows = async (
  database: Database,
  listIndex: ListIndex,
  { name, shards }: Partitions,
  now: number,
  since = 0,
): Promise<readonly number[]> => {
  let pages = 0;
  const recent: number[] = [];
  const limitPages = createSemaphore(PAGES);
  const readPage = (...query: Parameters<Database['page']>): ReturnType<Database['page']> =>
    retry(() => database.page(...query), {
      attempts: PAGE_ATTEMPTS,
      pause: backoff(PAGE_PAUSE),
      retryOn: (error) => error instanceof DomainError && error.code === 'unavailable',
    });
  const readPartition = async (partition: string): Promise<void> => {
    let lanes = 0;
    const read = async (from: number, until: number): Promise<void> => {
      const others: Promise<void>[] = [];
      let end = until;
      let start: Item | undefined;
      lanes++;
      try {
        do {
          const range = { from: sortableTime(from), until: sortableTime(end) };
          const after = start;
          const next = await limitPages(async () => {
            const page = await readPage({ index: 'list', partition, ...range, limit: PAGE_ROWS }, after);
            applyItems(listIndex, name, page.items);
            recent.push(...page.items.map(timeOf).filter((time) => time >= now - WIDEST.back));
            return page.next;
          });
          pages++;
          start = next;
          const reached = Number(next?.['lk']);
          const middle = Math.floor((reached + Math.min(end, now)) / 2);
          if (lanes < LANES && reached <= middle && middle < end) {
            others.push(read(middle + 1, end));
            end = middle;
          }
        } while (start !== undefined);
      } finally {
        lanes--;
        await Promise.allSettled(others);
      }
      await Promise.all(others);
    };
    await read(Math.max(0, since), LATEST);
  };
  await Promise.all(listPartition.allWorkspaces(name, shards).map(readPartition));
  // A row that changed during the load may have moved from a range not yet read to a range already read.
  if (pages > shards) await readChanges(database, listIndex, { name, shards }, now - LOAD_OVERLAP);
  return recent;
};

interface Changes {
  /** Change times of the rows that were not known. */
  readonly fresh: readonly number[];
  /** Change times of the rows that were known. */
  readonly known: readonly number[];
}

const timeOf = (item: Item): number => Number(item['lk']);
const isKnown = (listIndex: ListIndex, item: Item): boolean => listIndex.isUpToDate(String(item['id']), timeOf(item));

/**
 * Reads the rows that changed since a time, in epoch milliseconds.
 * @param expected approximate number of known rows. If a partition has more than `MANY_ROWS` on average, their keys are
 * read first, and whole rows from the first unknown one on.
 */
export const readChanges = async (
  database: Database,
  listIndex: ListIndex,
  { name, shards }: Partitions,
  since: number,
  expected = 0,
): Promise<Changes> => {
  const [fresh, known]: [number[], number[]] = [[], []];
  /** Skips rows that are known. @returns the change time of the first row that is not. */
  const skipKnown = async (pages: AsyncIterable<readonly Item[]>): Promise<number | undefined> => {
    for await (const items of pages) {
      for (const item of items) {
        if (!isKnown(listIndex, item)) return timeOf(item);
        known.push(timeOf(item));
      }
    }
    return undefined;
  };

  await Promise.all(
    listPartition.allWorkspaces(name, shards).map(async (partition) => {
      const rows = { index: 'list', partition } as const;
      let start: number | undefined = Math.max(0, since);
      if (expected > MANY_ROWS * shards)
        start = await skipKnown(database.pages({ ...rows, from: sortableTime(start), only: ['id', 'lk'] }));
      if (start === undefined) return;
      for await (const items of database.pages({ ...rows, from: sortableTime(start) })) {
        for (const item of items) (isKnown(listIndex, item) ? known : fresh).push(timeOf(item));
        applyItems(listIndex, name, items);
      }
    }),
  );
  return { fresh, known };
};

/** Range of sort keys that is left to read, after the key `start` if there is one. */
interface Unread {
  readonly from: string;
  readonly until: string;
  readonly start?: Item;
}

/** A range of change times that is read slice by slice, one page of each partition at a time. */
export interface Slices {
  /** The rest of each unfinished partition. */
  readonly unread: Map<string, Unread>;
  /** Change times of the rows that were read. */
  readonly times: number[];
}

/** Creates the slices of a range of change times, in epoch milliseconds, both inclusive. */
export const startSlices = (
  { name, shards }: Partitions,
  { from, until }: { readonly from: number; readonly until: number },
): Slices => {
  const range = { from: sortableTime(Math.max(0, from)), until: sortableTime(Math.max(0, from, until)) };
  const partitions = listPartition.allWorkspaces(name, shards);
  return { unread: new Map(partitions.map((partition) => [partition, range])), times: [] };
};

/**
 * Reads the next page of each partition by id and time. A page with an unknown row is read once more in full.
 * @param limit maximum number of rows of a page.
 * @returns the number of unknown rows.
 */
export const readSlice = async (
  database: Database,
  listIndex: ListIndex,
  organization: string,
  { unread, times }: Slices,
  limit: number,
): Promise<number> => {
  let late = 0;
  const readPartition = async (partition: string, { start, ...range }: Unread): Promise<void> => {
    const page = { index: 'list', partition, ...range, limit } as const;
    const { items, next } = await database.page({ ...page, only: ['id', 'lk'] }, start);
    const unknown = items.filter((item) => !isKnown(listIndex, item)).length;
    if (unknown > 0) applyItems(listIndex, organization, (await database.page(page, start)).items);
    late += unknown;
    times.push(...items.map(timeOf));
    if (next === undefined) unread.delete(partition);
    else unread.set(partition, { ...range, start: next });
  };
  await Promise.all(Array.from(unread, ([partition, rest]) => readPartition(partition, rest)));
  return late;
};

/** Loads the list index of an organization from all rows of the table's index. */
export const readListIndex = async (database: Database, organization: Listed, now: number): Promise<ListIndex> => {
  const listIndex = createListIndex();
  await readRows(database, listIndex, organization, now);
  return listIndex;
};
