/**
 * Windows of an update, in milliseconds: how far it looks back from the last look (`back`), and how often it does so
 * (`every`). A change gets its time before it is written, clocks differ, and the index lags behind the table, usually
 * by milliseconds; writers give up after 8 seconds. The wider windows find what the narrow ones missed. A row that is
 * older than the widest window is not read again, so a list in which nothing changes costs the same at any size.
 *
 * A window with many changes is read less often (`everyIfMany`). Rows that are newer than the last look are
 * found nevertheless; a row that is late by more than the narrowest window is found a moment later. A wide window with
 * many changes is divided into slices, one for each list, so that no list reads all of it.
 */
export const WINDOWS = [
  { back: 100, every: 0, everyIfMany: 0 },
  { back: 500, every: 0, everyIfMany: 100 },
  { back: 3_000, every: 0, everyIfMany: 1_000 },
  { back: 30_000, every: 5_000, everyIfMany: 5_000 },
  { back: 15 * 60_000, every: 60_000, everyIfMany: 60_000 },
] as const;
export type Window = (typeof WINDOWS)[number];

/** The narrowest window that is divided into slices. */
export const NARROWEST_SLICED = WINDOWS[2];
export const WIDEST = WINDOWS[4];

/** Number of rows above which a window has many changes. */
export const MANY_ROWS = 100;

/**
 * Number of changes in three seconds (700 per second) above which updates pause for one second. All lists of an
 * organization read the same newest rows of the same partitions, so the load on them grows with the number of
 * instances, not with the number of lists.
 */
const MANY_CHANGES = 2_000;
/** Longest time without updates, in milliseconds. */
export const LONGEST_REST = 1_000;
/** Returns the pause, in milliseconds, after an update that found this many changes in three seconds. */
export const restAfter = (rows: number): number => (rows > MANY_CHANGES ? LONGEST_REST : 0);

/** Rows of a slice, in one partition: the fewest, the most, and how many for each millisecond since the last update. */
const SLICE = { fewest: 250, most: 2_000, perMillisecond: 2 };
/**
 * Returns the maximum number of rows of a slice. An instance with few lists reads larger slices, so that it keeps up.
 * @param elapsed milliseconds since the last update.
 */
export const sliceRows = (elapsed: number): number =>
  Math.min(SLICE.most, Math.max(SLICE.fewest, SLICE.perMillisecond * elapsed));
