import {
  MANY_ROWS,
  NARROWEST_SLICED,
  restAfter,
  sliceRows,
  WIDEST,
  WINDOWS,
  type Window,
} from '../../shared/store/list-index/windows.ts';
import { ROW_BYTES } from './demand.ts';

/** Bytes that DynamoDB reads for one page of a query. */
export const PAGE_BYTES = 2 ** 20;
/** Simulated duration, several times the interval of the widest window. */
const MILLISECONDS = 300_000;

/** Computes the expected number of distinct rows that change within some seconds. */
const changedIn = (seconds: number, changes: number, workspaces: number): number =>
  workspaces * (1 - Math.exp((-changes * seconds) / workspaces));

interface Organization {
  readonly shards: number;
  readonly workspaces: number;
  /** Listed changes per second, evenly distributed. */
  readonly changes: number;
}

interface Lister extends Organization {
  /** Seconds between two lists of the instance. */
  readonly every: number;
  /** Whether the instance never pauses after many changes. */
  readonly isRestless?: boolean;
}

/** Pages and rows of the index that the lists of one instance read. */
export interface ListPages extends Lister {
  /** Most pages that one list reads, in all shards. */
  readonly most: number;
  /** Most pages that one list would read if windows were not divided into slices. */
  readonly undivided: number;
  /** Seconds between two updates. */
  readonly updatesEvery: number;
  /** Average number of rows of an update, in all shards. */
  readonly rows: number;
}

interface Look {
  readonly window: Window;
  known: number;
  /** Rows of one shard that an unfinished look has not read, and the time of its start. */
  unread: { rows: number; readonly startedAt: number } | undefined;
}

/** Simulates the updates of one instance with the product's windows and slices. */
export const measureListPages = (lister: Lister): ListPages => {
  const { shards, workspaces, changes, every, isRestless = false } = lister;
  const rowsIn = (milliseconds: number): number => changedIn(milliseconds / 1_000, changes, workspaces);
  const pagesOf = (rows: number): number => Math.max(1, Math.ceil((rows / shards) * (ROW_BYTES / PAGE_BYTES)));
  const looks: Look[] = WINDOWS.map((window) => ({ window, known: 0, unread: undefined }));
  const hasMany = ({ window }: Look): boolean => rowsIn(window.back) > MANY_ROWS;
  const pause = isRestless ? 0 : restAfter(rowsIn(NARROWEST_SLICED.back));
  const step = Math.max(1_000 * every, pause);
  let [most, rows, updates] = [0, 0, 0];
  for (let now = step; now <= MILLISECONDS; now += step) {
    const due = looks.filter(
      (look) => now - look.known >= (hasMany(look) ? look.window.everyIfMany : look.window.every),
    );
    const isSliced = (look: Look): boolean => hasMany(look) && look.window.back >= NARROWEST_SLICED.back;
    const recent = due.filter((look) => !isSliced(look));
    const back = Math.max(...recent.map(({ window, known }) => window.back + now - known));
    const known = rowsIn(Math.max(...recent.map(({ window }) => window.back)));
    const isKeysFirst = known > MANY_ROWS * shards;
    let pages = pagesOf(rowsIn(back)) + (isKeysFirst ? pagesOf(known) : 0);
    rows += rowsIn(back);
    const waited = (look: Look): number => (now - look.known) / look.window.everyIfMany;
    const [sliced] = due.filter(isSliced).sort((a, b) => waited(b) - waited(a));
    if (sliced !== undefined) {
      sliced.unread ??= { rows: rowsIn(sliced.window.back + now - sliced.known) / shards, startedAt: now };
      const slice = Math.min(sliced.unread.rows, sliceRows(step));
      sliced.unread.rows -= slice;
      rows += slice * shards;
      pages += pagesOf(slice * shards);
      if (sliced.unread.rows === 0) {
        sliced.known = sliced.unread.startedAt;
        sliced.unread = undefined;
      }
    }
    for (const look of recent) look.known = now;
    most = Math.max(most, pages * shards);
    updates++;
  }
  const undivided = shards * pagesOf(rowsIn(WIDEST.back + Math.max(WIDEST.everyIfMany, step)));
  return { ...lister, most, undivided, updatesEvery: step / 1_000, rows: rows / updates };
};
