import type { ListIndex } from '../../list-index/list-index.ts';
import type { Database } from '../dynamodb/database.ts';
import { type Partitions, readChanges, readSlice, type Slices, startSlices } from './read-list-index.ts';
import { MANY_ROWS, NARROWEST_SLICED, restAfter, sliceRows, WINDOWS, type Window } from './windows.ts';

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
  /** Time until which the list index is not updated, because the last update found many changes. */
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
  restUntil: now,
});

const hasMany = ({ changed }: WindowState): boolean => changed > MANY_ROWS;
const isSliced = (state: WindowState): boolean => hasMany(state) && state.window.back >= NARROWEST_SLICED.back;
const pauseOf = (state: WindowState): number => (hasMany(state) ? state.window.everyIfMany : state.window.every);
const lastLook = ({ known }: WindowState, now: number): number => Math.min(known, now);

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
  if (now < progress.restUntil) return;
  const { windows } = progress;
  const due = windows.filter((state) => now - lastLook(state, now) >= pauseOf(state));
  const recent = due.filter((state) => !isSliced(state));
  const since = Math.min(...recent.map((state) => lastLook(state, now) - state.window.back));
  const expected = Math.max(...recent.map(({ changed }) => changed));

  // The window that waited longest, measured by how often it is due.
  const waited = (state: WindowState): number => (now - lastLook(state, now)) / state.window.everyIfMany;
  const [sliced] = due.filter(isSliced).sort((a, b) => waited(b) - waited(a));
  if (sliced !== undefined) {
    sliced.slicedLook ??= {
      startedAt: now,
      slices: startSlices(partitions, { from: lastLook(sliced, now) - sliced.window.back, until: since - 1 }),
      newer: 0,
    };
  }
  const slicedLook = sliced?.slicedLook;
  const elapsed = Math.min(...windows.map((state) => now - lastLook(state, now)));

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
  progress.restUntil = now + restAfter(windows.find(({ window }) => window === NARROWEST_SLICED)?.changed ?? 0);
};
