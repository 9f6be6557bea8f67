import type { StateVersion } from '../../domain/state-versions/state-version.ts';
import type { Database } from '../dynamodb/database.ts';
import { cleanupPartition, type Key, keys, sortableTime } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { itemWrite, remove } from '../items/item-write.ts';

/** A deleted state version whose stored objects have yet to be removed. */
export type StateDependants = Pick<StateVersion, 'workspace' | 'id' | 'createdAt'>;

/** Time in milliseconds after which the cleanup function takes over from the request that deleted the version. */
export const ABANDONED = 15 * 60_000;

/**
 * Builds the write that puts the stored objects of a deleted state version on the cleanup queue. The write that deletes
 * the version also writes this item, so the objects are removed only once nothing refers to them.
 * @param due time from which the cleanup function removes the objects.
 */
export const dependantsWrite = ({ workspace, id, createdAt }: StateDependants, due: number): Write => {
  const { pk } = keys.stateDependants(workspace, createdAt, id);
  return itemWrite('state-remains', { workspace, id, createdAt, d: cleanupPartition(pk), dk: sortableTime(due) });
};

/** @param removeObjects removes every version of the stored objects; it may be repeated. */
export const openStateDependants = (database: Database, removeObjects: (version: StateDependants) => Promise<void>) => {
  const finish = async (key: Key): Promise<void> => {
    const item = await database.get(key, true);
    if (item === undefined) return;
    await removeObjects(item as unknown as StateDependants);
    await database.write(remove(key));
  };
  return {
    /** Deletes the dependants of the deleted state version that an entry of the cleanup queue names. */
    finish,
    /** Deletes the dependants of a state version that was just deleted, without waiting for the cleanup function. */
    finishVersion: ({ workspace, createdAt, id }: StateDependants): Promise<void> =>
      finish(keys.stateDependants(workspace, createdAt, id)),
  };
};

export type StateDependantsRemoval = ReturnType<typeof openStateDependants>;
