import { all, equals, exists } from '../../domain/changes/conditions.ts';
import { isOpen } from '../directory/directory-items.ts';
import { update } from '../directory/record-items.ts';
import type { Removal } from '../directory/removal/open-removal.ts';
import type { Database } from '../dynamodb/database.ts';
import { render } from '../dynamodb/expressions.ts';
import type { Item } from '../dynamodb/item.ts';
import { cleanupPartitions, type Key, keys, sortableTime, WORKSPACE } from '../dynamodb/keys.ts';
import { openConsumerCleanup } from '../remote-state-consumers/consumer-cleanup.ts';
import { isDependantsKey, openStateDependants, type StateDependants } from '../state-versions/state-dependants.ts';
import { stateVersionOf } from '../state-versions/state-version-items.ts';
import type { AutoDestroy } from '../workspaces/auto-destroy.ts';
import { accessIdKey } from '../workspaces/workspace-items.ts';

export interface Cleanup {
  /** What is due to be finished, each partition's longest due first. */
  readonly due: (until: number) => AsyncGenerator<Key>;
  /** Finishes one deletion, or what is left of it. */
  readonly finish: (key: Key) => Promise<void>;
  /** Comes back to it later, so that what cannot be finished does not stand before everything else. */
  readonly postpone: (key: Key, until: number) => Promise<void>;
}

/** What is done with the objects of state versions and of readmes, which lie beside the table. */
interface Objects {
  /** Of a deleted workspace: they can be brought back for a while. */
  readonly hide: (whose: StateDependants) => Promise<void>;
  /** For good, with all their versions. */
  readonly remove: (whose: StateDependants) => Promise<void>;
  /** The README.md of a configuration version of a deleted workspace. */
  readonly hideReadme: (workspace: string, configurationVersion: string) => Promise<void>;
}

/** Items and their pointers that are deleted at a time. */
const BATCH = 50;

/**
 * Finishes deletions, and changes that leave something behind. What hangs on a deleted workspace is out of sight from that moment, as every reader asks for the
 * workspace first, and so is a record that is closing: here they are really deleted. Every step can be repeated.
 */
export const openCleanup = (
  database: Database,
  removal: Pick<Removal, 'finish'>,
  autoDestroy: Pick<AutoDestroy, 'tell'>,
  objects: Objects,
): Cleanup => {
  const consumers = openConsumerCleanup(database);
  const dependants = openStateDependants(database, objects.remove);
  const remove = (key: Key) => database.write({ kind: 'delete', key, ...render({}) });

  const clearMark = async ({ pk, sk }: Key): Promise<void> => {
    await database.write(update({ pk, sk }, { remove: ['d', 'dk'] }, exists('gone')));
  };

  /** What leads to what hangs on a workspace: to an item beside it, or to the grants that are on the tombstone. */
  const pointersTo = ({ sk, id, acc, ty, tokens }: Item): Key[] => {
    if (ty === 'run') return [keys.pointer(String(id)), ...(tokens as readonly string[]).map(keys.token)];
    if (ty === 'state-version') return [keys.stateVersionId(String(id))];
    if (ty === 'state-remains') return [];
    if (sk !== WORKSPACE) return id === undefined ? [] : [keys.pointer(String(id))];
    return Object.keys(acc as object).map((team) => accessIdKey(String(id), team));
  };

  /** All items beside the workspace's own, each after the pointer that leads to it. */
  const removeDependants = async (workspace: Key): Promise<void> => {
    for await (const page of database.pages({ partition: workspace.pk, consistent: true, limit: BATCH })) {
      await Promise.all(
        page.map(async (item) => {
          if (item['ty'] === 'state-version') await objects.hide(stateVersionOf(item));
          if (item['hasReadmeObject'] === true) await objects.hideReadme(String(item['workspace']), String(item['id']));
          if (item['ty'] === 'state-remains') await objects.remove(item as unknown as StateDependants);
          await Promise.all(pointersTo(item).map(remove));
          if (item['sk'] !== WORKSPACE) await remove({ pk: String(item['pk']), sk: String(item['sk']) });
        }),
      );
    }
    await clearMark(workspace);
  };

  /** A record that is being removed, or a project whose workspaces have yet to be told what it passes on. */
  const finishRecord = async (key: Key): Promise<void> => {
    const item = await database.get(key, true);
    if (item?.['untold'] !== undefined && isOpen(item)) return autoDestroy.tell(item);
    return removal.finish(key);
  };

  return {
    due: async function* (until) {
      for (const partition of cleanupPartitions) {
        for await (const page of database.pages({ index: 'due', partition, until: sortableTime(until) })) {
          for (const { pk, sk } of page as readonly Item[]) yield { pk: String(pk), sk: String(sk) };
        }
      }
    },

    finish: (key) => {
      if (key.sk === WORKSPACE) return removeDependants(key);
      if (isDependantsKey(key)) return dependants.finish(key);
      return consumers.isConsumers(key) ? consumers.finish(key) : finishRecord(key);
    },

    postpone: async (key, until) => {
      await database.write(update(key, { set: { dk: sortableTime(until) } }, all(exists('d'), equals('sk', key.sk))));
    },
  };
};
