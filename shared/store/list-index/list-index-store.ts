import type { Clock } from '../../lib/clock.ts';
import { createListIndex, type ListIndex } from '../../list-index/list-index.ts';
import type { Snapshot } from '../../list-index/snapshot.ts';
import type { Database } from '../dynamodb/database.ts';
import { type Listed, MANY_ROWS, readChanges, readListIndex, readRows } from './read-list-index.ts';

export interface ListIndexes {
  /** Updates the list index of an organization if it is in memory. */
  readonly refresh: (organization: string) => Promise<void>;
  /** Returns the list index of an organization, loaded or updated unless `refresh` was just called. */
  readonly open: (organization: Listed) => Promise<ListIndex>;
}

/** Snapshots, from which the list indexes of large organizations are loaded. Neither function throws or takes long. */
export interface Snapshots {
  /** Reads the snapshot of an organization; undefined if there is none that can be used. */
  readonly read: (organization: Listed) => Promise<Snapshot | undefined>;
  /**
   * Requests a new snapshot.
   * @param unusable time of the existing snapshot if it could not be used; it is replaced however recent it is.
   */
  readonly request: (organization: string, unusable?: number) => Promise<void>;
}

interface Loaded {
  readonly listIndex: ListIndex;
  readonly loadedAt: number;
  readonly shards: number;
  /** For each window, the time of the last look that reached back as far. */
  readonly known: number[];
  /** For each window, the approximate number of rows that changed within it. */
  readonly changed: number[];
  /** Time of an update for a request that has not opened the list index yet. */
  refreshedAt: number | undefined;
  /** Time until which the list index is not updated, because the last update returned many rows. */
  restUntil: number;
}

/**
 * Windows of an update, in milliseconds: how far it looks back from the last look (`back`), and how often it does so
 * (`every`). A change gets its time before it is written, clocks differ, and the index lags behind the table, usually
 * by milliseconds; writers give up after 8 seconds. The wider windows find what the narrow ones missed. A row that is
 * older than the widest window is not read again, so a list in which nothing changes costs the same at any size.
 *
 * A window with many changes is read less often (`everyIfMany`). Rows that are newer than the last look are
 * found nevertheless; a row that is late by more than the narrowest window is found a moment later.
 */
export const WINDOWS = [
  { back: 500, every: 0, everyIfMany: 0 },
  { back: 3_000, every: 0, everyIfMany: 1_000 },
  { back: 30_000, every: 5_000, everyIfMany: 5_000 },
  { back: 15 * 60_000, every: 60_000, everyIfMany: 60_000 },
] as const;
const USUAL = 1;
const WIDEST = WINDOWS[3].back;
/**
 * Number of changes in three seconds (700 per second) above which updates pause for one second. All lists of an
 * organization read the same newest rows of the same partitions, so the load on them grows with the number of
 * instances, not with the number of lists.
 */
const MANY_CHANGES = 2_000;
const REST = 1_000;
/** Returns the time, in milliseconds, without updates after one that found this many changes in three seconds. */
export const restAfter = (rows: number): number => (rows > MANY_CHANGES ? REST : 0);
/** Age, in milliseconds, at which a list index is loaded again, well before a tombstone (7 days) can be missed. */
const LIFETIME = 6 * 60 * 60_000;
/** Age at which a snapshot is not used any more: before the first tombstone that it lacks may be removed. */
const SNAPSHOT_LIFETIME = 6 * 24 * 60 * 60_000;
/** Age, in milliseconds, above which a snapshot is used and a new one is requested. */
export const SNAPSHOT_FRESH = 60 * 60_000;
/** Number of rows above which an organization has snapshots; fewer rows are loaded as fast from the index. */
export const SNAPSHOT_ROWS = 20_000;
/** Maximum number of rows in memory over all organizations: about 150 MB, with many tags 400 MB. */
const CAPACITY = 600_000;
/** Time, in milliseconds, for which `refresh` counts: the request that called it may have ended before it opened. */
const FRESH = 2_000;
interface ListIndexesOptions {
  readonly snapshots?: Snapshots | undefined;
  /** Number of rows above which an organization has snapshots. */
  readonly snapshotRows?: number;
  /** Maximum number of rows in memory; one organization may exceed it. */
  readonly capacity?: number;
}

/** Opens the list indexes that this instance keeps in memory. */
export const openListIndexes = (
  database: Database,
  clock: Clock,
  { snapshots, snapshotRows = SNAPSHOT_ROWS, capacity = CAPACITY }: ListIndexesOptions = {},
): ListIndexes => {
  const loaded = new Map<string, Loaded>();

  const update = async (organization: string, state: Loaded): Promise<void> => {
    const now = clock();
    if (now < state.restUntil) return;
    const due = WINDOWS.map(({ back, every, everyIfMany }, window) => {
      const known = Math.min(state.known[window] ?? 0, now);
      const pause = (state.changed[window] ?? 0) > MANY_ROWS ? everyIfMany : every;
      return { window, since: known - back, isDue: now - known >= pause };
    }).filter(({ isDue }) => isDue);
    const { listIndex, shards } = state;
    const expected = Math.max(...due.map(({ window }) => state.changed[window] ?? 0));
    const since = Math.min(...due.map((one) => one.since));
    const { fresh, known } = await readChanges(database, listIndex, { name: organization, shards }, since, expected);
    for (const window of WINDOWS.keys()) state.changed[window] = (state.changed[window] ?? 0) + fresh.length;
    for (const { window, since: from } of due) {
      state.known[window] = now;
      state.changed[window] = [...fresh, ...known].filter((time) => time >= from).length;
    }
    // Wider windows return more rows, but not with every list.
    if (due.every(({ window }) => window <= USUAL)) state.restUntil = now + restAfter(state.changed[USUAL] ?? 0);
  };

  const isYoung = (now: number, at = Number.NEGATIVE_INFINITY): boolean => now - at <= SNAPSHOT_LIFETIME;

  /** Loads a snapshot and the changes since. */
  const readSnapshot = async (organization: Listed, now: number): Promise<ListIndex | undefined> => {
    const snapshot = isYoung(now, organization.snapshotAt) ? await snapshots?.read(organization) : undefined;
    if (snapshot === undefined || !isYoung(now, snapshot.at)) return undefined;
    const listIndex = createListIndex(snapshot.contents);
    await readRows(database, listIndex, organization, now, snapshot.at - WIDEST);
    return listIndex;
  };

  const load = async (organization: Listed): Promise<Loaded> => {
    const now = clock();
    const fromSnapshot = await readSnapshot(organization, now);
    const listIndex = fromSnapshot ?? (await readListIndex(database, organization, now));
    const { name, shards, snapshotAt } = organization;
    // The snapshot of an organization that has become small is removed when the next one is requested.
    const isDue = snapshotAt === undefined ? listIndex.size() > snapshotRows : now - snapshotAt > SNAPSHOT_FRESH;
    const unusable = fromSnapshot === undefined ? snapshotAt : undefined;
    if (isDue || unusable !== undefined) await snapshots?.request(name, unusable);
    return {
      listIndex,
      loadedAt: now,
      shards,
      known: WINDOWS.map(() => now),
      changed: WINDOWS.map(() => 0),
      refreshedAt: now,
      restUntil: now,
    };
  };

  const evictLeastRecentlyUsed = (): void => {
    let rows = [...loaded.values()].reduce((sum, { listIndex }) => sum + listIndex.size(), 0);
    for (const [organization, { listIndex }] of loaded) {
      if (rows <= capacity || loaded.size === 1) return;
      loaded.delete(organization);
      rows -= listIndex.size();
    }
  };

  return {
    refresh: async (organization) => {
      const state = loaded.get(organization);
      if (state === undefined || clock() - state.loadedAt > LIFETIME) return;
      await update(organization, state);
      state.refreshedAt = clock();
    },

    open: async (organization) => {
      const { name, shards } = organization;
      let state = loaded.get(name);
      // The number of shards only grows: a lower number comes from an older record.
      const isUsable = state !== undefined && clock() - state.loadedAt <= LIFETIME && state.shards >= shards;
      if (state === undefined || !isUsable) state = await load(organization);
      else if (clock() - (state.refreshedAt ?? Number.NEGATIVE_INFINITY) > FRESH) await update(name, state);
      state.refreshedAt = undefined;
      loaded.delete(name);
      loaded.set(name, state);
      evictLeastRecentlyUsed();
      return state.listIndex;
    },
  };
};
