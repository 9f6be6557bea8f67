import { absent, any, equals } from '../../domain/changes/conditions.ts';
import { conflict } from '../../domain/errors.ts';
import { mapWithConcurrency } from '../../lib/concurrency.ts';
import { base58 } from '../../lib/random.ts';
import { conditionHolds } from '../dynamodb/errors.ts';
import { type Item, keys } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { persistWrite, type Table } from '../dynamodb/retry-writes.ts';
import { openStoredItems, type StoredItems } from '../dynamodb/stored-items.ts';
import { put, remove } from '../items/item-write.ts';

/** One page of items as they are stored. */
export interface TablePage {
  readonly items: readonly Item[];
  /** True if no item of the segment precedes the page. */
  readonly isFirst: boolean;
  /** True if no item of the segment follows the page. */
  readonly isLast: boolean;
  /** True if the page is the whole table. */
  readonly isTable: boolean;
}

/** A job that visits every item of the table. `R` is its report, whose size must not depend on the size of the table. */
export interface TableJob<R> {
  readonly name: string;
  /** Whatever the job depends on. A job that was started with other parameters is not continued. */
  readonly parameters: string;
  readonly empty: R;
  /** Handles one page. A page is visited again when the function crashed before it stored its progress. */
  readonly visit: (page: TablePage) => Promise<R>;
  readonly merge: (one: R, other: R) => R;
}

interface WalkedTable extends Table {
  /** Reads of the items; reads of the table unless a test replaces them. */
  readonly stored?: StoredItems | undefined;
}

export interface WalkOptions {
  /** Returns the remaining time of the call, in milliseconds. */
  readonly remaining?: () => number;
  /** Starts again instead of continuing. */
  readonly restart?: boolean | undefined;
  /** Number of parts of the table, which are read in parallel. Of a table of 100 GB, one of 64 has about 1.6 GB. */
  readonly segments?: number;
  /** Maximum number of items on a page; as many as DynamoDB returns if absent. */
  readonly pageSize?: number;
  /** Time between two writes of the progress, in milliseconds. */
  readonly saveEvery?: number;
}

/** Result of one call. */
export interface Walked<R> {
  readonly report: R;
  /** Number of segments that are still to be visited by another call. */
  readonly left: number;
}

/** Stored progress of a job. */
interface Progress<R> {
  readonly report: R;
  readonly segments: number;
  /** Number of segments that were begun. They are begun in order. */
  readonly begun: number;
  /** The last key that was visited in each segment that was begun and is not complete. */
  readonly open: Readonly<Record<string, Item>>;
}

const SEGMENTS = 64;
/** Number of segments that are visited concurrently. */
const CONCURRENCY = 4;
/** A call ends this long before its time limit, in milliseconds. */
const MARGIN = 15_000;
const SAVE_EVERY = 5_000;
/** Time in seconds after which an unfinished job is forgotten. */
const JOB_SECONDS = 24 * 60 * 60;

/**
 * Continues a job over the whole table, or starts it, until it is complete or the time of the call is up (STORE-32). The
 * progress is stored in the table, so that the command can be sent again from anywhere, also after a crash.
 * @throws DomainError 409 if another call continued the job at the same time.
 */
export const walkTable = async <R>(
  { database, clock, stored = openStoredItems(database) }: WalkedTable,
  { name, parameters, empty, visit, merge }: TableJob<R>,
  {
    remaining = () => Number.POSITIVE_INFINITY,
    restart = false,
    segments = SEGMENTS,
    pageSize,
    saveEvery = SAVE_EVERY,
  }: WalkOptions = {},
): Promise<Walked<R>> => {
  const key = keys.job(name);
  const saved = await database.get(key, true);
  if (saved === undefined) {
    // A table of one page needs no progress.
    const { items, next } = await stored.page({ segment: 0, segments: 1, limit: pageSize });
    if (next === undefined)
      return { report: await visit({ items, isFirst: true, isLast: true, isTable: true }), left: 0 };
  }
  const isContinued = saved?.['parameters'] === parameters && !restart && Number(saved['ttl']) > clock() / 1000;
  const startedAt = isContinued ? Number(saved['startedAt']) : clock();
  let revision = Number(saved?.['revision'] ?? 0);
  let progress = (isContinued ? saved['progress'] : { report: empty, segments, begun: 0, open: {} }) as Progress<R>;

  const left = (): number => progress.segments - progress.begun + Object.keys(progress.open).length;

  /** Visits one page of some of the segments that are not complete. */
  const visitPages = async (): Promise<void> => {
    const { begun, segments: total } = progress;
    const open = Object.entries(progress.open).map(([segment, start]) => ({ segment: Number(segment), start }));
    const unopened = Array.from({ length: Math.min(CONCURRENCY - open.length, total - begun) }, (_, index) => ({
      segment: begun + index,
      start: undefined,
    }));
    const visited = await mapWithConcurrency([...open, ...unopened], CONCURRENCY, async ({ segment, start }) => {
      const { items, next } = await stored.page({ segment, segments: total, limit: pageSize }, start);
      const [isFirst, isLast] = [start === undefined, next === undefined];
      const report = await visit({ items, isFirst, isLast, isTable: false });
      return { segment, next, report };
    });
    progress = {
      report: visited.reduce((sum, { report }) => merge(sum, report), progress.report),
      segments: total,
      begun: begun + unopened.length,
      open: Object.fromEntries(visited.flatMap(({ segment, next }) => (next === undefined ? [] : [[segment, next]]))),
    };
  };

  const send = async (write: Write): Promise<void> => {
    if (await conditionHolds(persistWrite('job', { database, clock }, write))) return;
    throw conflict('The job is being continued by another call. Send the command again in a minute.');
  };
  const call = base58(12);
  // A write of this call whose response was lost is repeated.
  const isOwn = () => any(absent('pk'), equals('revision', revision), equals('call', call));
  const save = async (): Promise<void> => {
    const ttl = Math.ceil(clock() / 1000) + JOB_SECONDS;
    const item = { id: name, parameters, startedAt, revision: revision + 1, call, progress, ttl };
    await send(put(key, 'job', item, isOwn()));
    revision++;
  };

  let savedAt = clock();
  do {
    await visitPages();
    if (left() > 0 && clock() - savedAt >= saveEvery) {
      await save();
      savedAt = clock();
    }
  } while (left() > 0 && remaining() > MARGIN);
  if (left() > 0) await save();
  else if (revision > 0) await send(remove(key, isOwn()));
  return { report: progress.report, left: left() };
};
