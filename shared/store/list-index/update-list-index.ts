import type { ListIndex } from '../../list-index/list-index.ts';
import type { Database } from '../dynamodb/database.ts';
import { type Partitions, readChanges, readSlice, type Slices, startSlices } from './read-list-index.ts';
import { LONGEST_REST, MANY_ROWS, NARROWEST_SLICED, restAfter, sliceRows, WINDOWS, type Window } from './windows.ts';

/** State of one window in an instance. */
interface WindowState {
  readonly window: Window;
  /** Time of the last look that reached back as far. */
  known: number;
  /** Approximate number of rows that changed within the window. */
  changed: number;
  /** Unfinished look that is divided into slices. */
  slicedLook: SlicedLook | undefined;
}

interface SlicedLook {
  readonly startedAt: number;
  readonly slices: Slices;
  /** Number of rows that are newer than the slices. */
  newer: number;
}

/** Progress of the updates of one list index. */
export interface Progress {
  readonly windows: readonly WindowState[];
  /** Time until which the list index is not updated, because the last update found many changes; 0 if it did not. */
  restUntil: number;
}

const countSince = (times: readonly number[], since: number): number => times.filter((time) => time >= since).length;

/**
 * Creates the progress of a list index that was just loaded.
 * @param times change times of the rows that changed within the widest window.
 */
export const startProgress = (now: number, times: readonly number[]): Progress => ({
  windows: WINDOWS.map((window) => ({
    window,
    known: now,
    changed: countSince(times, now - window.back),
    slicedLook: undefined,
  })),
  restUntil: 0,
});

const hasMany = ({ changed }: WindowState): boolean => changed > MANY_ROWS;
const isSliced = (state: WindowState): boolean => hasMany(state) && state.window.back >= NARROWEST_SLICED.back;
const pauseOf = (state: WindowState): number => (hasMany(state) ? state.window.everyIfMany : state.window.every);

/**
 * Reads what changed since the last update, and one slice of a window with many changes (INDEX-2, INDEX-13). A failed
 * update loses nothing: the next one begins where it began.
 */
export const updateListIndex = async (
  database: Database,
  listIndex: ListIndex,
  partitions: Partitions,
  { progress, now }: { readonly progress: Progress; readonly now: number },
): Promise<void> => {
  const { windows } = progress;
  // The clock may have been set back, which must delay neither an update nor the wide windows.
  if (now < progress.restUntil && progress.restUntil <= now + LONGEST_REST) return;
  for (const state of windows) state.known = Math.min(state.known, now);
  const due = windows.filter((state) => now - state.known >= pauseOf(state));
  const recent = due.filter((state) => !isSliced(state));
  const since = Math.min(...recent.map((state) => state.known - state.window.back));
  const expected = Math.max(...recent.map(({ changed }) => changed));

  // The window that waited longest, measured by how often it is due.
  const waited = (state: WindowState): number => (now - state.known) / state.window.everyIfMany;
  const [sliced] = due.filter(isSliced).sort((a, b) => waited(b) - waited(a));
  if (sliced !== undefined) {
    sliced.slicedLook ??= {
      startedAt: now,
      slices: startSlices(partitions, { from: sliced.known - sliced.window.back, until: since - 1 }),
      newer: 0,
    };
  }
  const slicedLook = sliced?.slicedLook;
  const elapsed = Math.min(...windows.map((state) => now - state.known));

  const [{ fresh, known }, late = 0] = await Promise.all([
    readChanges(database, listIndex, partitions, since, expected),
    slicedLook && readSlice(database, listIndex, partitions.name, slicedLook.slices, sliceRows(elapsed)),
  ]);

  for (const state of windows) {
    state.changed += fresh.length + late;
    if (state.slicedLook !== undefined) state.slicedLook.newer += fresh.length;
  }
  for (const state of recent) {
    state.known = now;
    state.changed = countSince([...fresh, ...known], now - state.window.back);
  }
  if (sliced !== undefined && slicedLook?.slices.unread.size === 0) {
    sliced.known = slicedLook.startedAt;
    sliced.changed = countSince(slicedLook.slices.times, slicedLook.startedAt - sliced.window.back) + slicedLook.newer;
    sliced.slicedLook = undefined;
  }
  const rest = restAfter(windows.find(({ window }) => window === NARROWEST_SLICED)?.changed ?? 0);
  progress.restUntil = rest === 0 ? 0 : now + rest;
};
