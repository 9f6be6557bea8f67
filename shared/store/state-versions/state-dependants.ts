import type { StateVersion } from '../../domain/state-versions/state-version.ts';
import type { Database, Item } from '../dynamodb/database.ts';
import { render } from '../dynamodb/expressions.ts';
import { cleanupPartition, type Key, keys, prefixes, sortableTime } from '../dynamodb/keys.ts';
import { SCHEMA_VERSION } from '../dynamodb/schema-version.ts';

/** Whose objects are left of a state version that is deleted. */
export type StateDependants = Pick<StateVersion, 'workspace' | 'id' | 'createdAt'>;

/** The cleanup looks after them only when whoever deleted the version should be long through, in milliseconds. */
const ABANDONED = 15 * 60_000;

/**
 * What is left of a deleted state version: its objects, for good only once nothing leads to them any more. It is noted
 * where the cleanup looks, by the write that deletes the version.
 */
export const dependantsItem = (
  { workspace, id, createdAt }: StateDependants,
  now: number,
): { readonly key: Key; readonly item: Item } => {
  const key = keys.stateDependants(workspace, createdAt, id);
  const mark = { d: cleanupPartition(key.pk), dk: sortableTime(now + ABANDONED) };
  return { key, item: { ...key, ...mark, ty: 'state-remains', v: SCHEMA_VERSION, workspace, id, createdAt } };
};

export const isDependantsKey = ({ sk }: Key): boolean => sk.startsWith(prefixes.stateDependants);

/** @param removeObjects takes away every version of the objects; it may be done again. */
export const openStateDependants = (database: Database, removeObjects: (whose: StateDependants) => Promise<void>) => ({
  finish: async (key: Key): Promise<void> => {
    const item = await database.get(key, true);
    if (item === undefined) return;
    await removeObjects(item as unknown as StateDependants);
    await database.write({ kind: 'delete', key, ...render({}) });
  },
});
