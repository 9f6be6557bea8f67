import { all, type Condition, equals, exists } from '../../../domain/changes/conditions.ts';
import type { Item } from '../../dynamodb/item.ts';
import { cleanupPartition, type Key, sortableTime } from '../../dynamodb/keys.ts';
import { type Guarded, OPEN, update } from '../../items/record-items.ts';
import { commit, done, type Table, unguarded } from '../records/commit.ts';

/** Returns whether an item is a project. Projects are listed with the workspaces. */
export const isProject = ({ ty }: Item): boolean => ty === 'project';

/**
 * Advances the position of a project in the list index, which is ordered by the time of the last change. Functions that
 * keep the list index in memory find the change by it. Other records keep their position.
 */
export const advanceListPosition = (item: Item, now: number): { readonly set: Item; readonly asSeen: Condition } =>
  isProject(item)
    ? {
        set: { lk: sortableTime(Math.max(now, Number(item['lk']) + 1)) },
        asSeen: equals('lk', String(item['lk'])),
      }
    : { set: {}, asSeen: all() };

/** Opens the first step of a deletion (REMOVE-1): the mark `closing`, which every reader treats as deleted. */
export const openClosing = (table: Table) => {
  const { database } = table;

  return {
    /**
     * Marks a record as closing, unless it is. The mark is also in the index `due`, where the cleanup finds it.
     * @param wait milliseconds from the mark to the removal.
     * @returns the time from which the record may be removed.
     */
    close: (key: Key, wait: number, additionalWrites: readonly Guarded[]): Promise<number> =>
      commit(table, async (now) => {
        const item = await database.get(key, true);
        if (item === undefined) return done(now);
        if (item['closing'] !== undefined) return done(Number(item['closing']) + wait);
        const mark = { closing: now, d: cleanupPartition(key.pk), dk: sortableTime(now + wait) };
        const { set, asSeen } = advanceListPosition(item, now);
        const gone = isProject(item) && { gone: now };
        const writes = [
          { write: update(key, { set: { ...mark, ...set, ...gone } }, all(OPEN, asSeen)) },
          ...additionalWrites,
        ];
        return { writes, result: now + wait };
      }),

    /** Takes the mark away, so that the record is in service again. */
    reopen: (key: Key): Promise<void> =>
      commit(table, async (now) => {
        const item = await database.get(key, true);
        if (item === undefined) return done(undefined);
        const { set, asSeen } = advanceListPosition(item, now);
        // A change of the project that its workspaces have not copied yet stays in the index `due`.
        const dueKeys = item['untold'] === undefined ? ['d', 'dk'] : [];
        const change = { set, remove: ['closing', 'gone', ...dueKeys] };
        return { writes: unguarded([update(key, change, all(exists('pk'), asSeen))]), result: undefined };
      }),
  };
};

export type Closing = ReturnType<typeof openClosing>;
