import type { Clock } from '../../lib/clock.ts';
import { createListIndex, type ListIndex } from '../../list-index/list-index.ts';
import type { Snapshot } from '../../list-index/snapshot.ts';
import type { Database } from '../dynamodb/database.ts';
import { type Listed, readRows } from './read-list-index.ts';
import { type Progress, startProgress, updateListIndex } from './update-list-index.ts';
import { WIDEST } from './windows.ts';

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
  /** Tells an organization from an earlier one of the same name. */
  readonly externalId: string;
  readonly listIndex: ListIndex;
  readonly loadedAt: number;
  readonly shards: number;
  readonly progress: Progress;
  /** Time of an update for a request that has not opened the list index yet. */
  refreshedAt: number | undefined;
}

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
) => {
  const loaded = new Map<string, Loaded>();

  const update = (name: string, { listIndex, shards, progress }: Loaded): Promise<void> =>
    updateListIndex(database, listIndex, { name, shards }, { progress, now: clock() });

  const isYoung = (now: number, at = Number.NEGATIVE_INFINITY): boolean => now - at <= SNAPSHOT_LIFETIME;

  const readUsableSnapshot = async (organization: Listed, now: number): Promise<Snapshot | undefined> => {
    const snapshot = isYoung(now, organization.snapshotAt) ? await snapshots?.read(organization) : undefined;
    return snapshot !== undefined && isYoung(now, snapshot.at) ? snapshot : undefined;
  };

  /** Loads a snapshot and the changes since, or all rows. */
  const load = async (organization: Listed): Promise<Loaded> => {
    const now = clock();
    const snapshot = await readUsableSnapshot(organization, now);
    const listIndex = createListIndex(snapshot?.contents);
    const times = await readRows(database, listIndex, organization, now, snapshot && snapshot.at - WIDEST.back);
    const { name, externalId, shards, snapshotAt } = organization;
    // The snapshot of an organization that has become small is removed when the next one is requested.
    const isDue = snapshotAt === undefined ? listIndex.size() > snapshotRows : now - snapshotAt > SNAPSHOT_FRESH;
    const unusable = snapshot === undefined ? snapshotAt : undefined;
    if (isDue || unusable !== undefined) await snapshots?.request(name, unusable);
    return { externalId, listIndex, loadedAt: now, shards, progress: startProgress(now, times), refreshedAt: now };
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
    /**
     * Updates the list index of an organization if it is in memory. Otherwise it updates the one that was opened last,
     * because a caller without permission must not learn from the reads whether the organization exists (PERM-21).
     */
    refresh: async (organization: string): Promise<void> => {
      const own = loaded.get(organization);
      const [name, state] = own === undefined ? ([...loaded].at(-1) ?? []) : [organization, own];
      if (name === undefined || state === undefined || clock() - state.loadedAt > LIFETIME) return;
      await update(name, state);
      // Only a request about the organization itself opens the list index next.
      if (own !== undefined) own.refreshedAt = clock();
    },

    /** Returns the list index of an organization, loaded or updated unless `refresh` was just called. */
    open: async (organization: Listed): Promise<ListIndex> => {
      const { name, externalId } = organization;
      let state = loaded.get(name);
      const isUsable = state?.externalId === externalId && clock() - state.loadedAt <= LIFETIME;
      if (state === undefined || !isUsable) state = await load(organization);
      else if (clock() - (state.refreshedAt ?? Number.NEGATIVE_INFINITY) > FRESH) await update(name, state);
      state.listIndex.expireLocks(clock());
      state.refreshedAt = undefined;
      loaded.delete(name);
      loaded.set(name, state);
      evictLeastRecentlyUsed();
      return state.listIndex;
    },
  };
};
