import { all, equals, exists } from '../../domain/changes/conditions.ts';
import { isNotFound } from '../../domain/errors.ts';
import { tombstoneExpiry } from '../../domain/transitions/workspaces/delete-workspace.ts';
import { purge } from '../../domain/transitions/workspaces/restore-workspace.ts';
import { isRestorable } from '../../domain/workspace/workspace-record.ts';
import { type Clock, now } from '../../lib/clock.ts';
import { openDirectoryWriter } from '../directory/directory-writer.ts';
import type { Removal } from '../directory/removal/open-removal.ts';
import type { Database } from '../dynamodb/database.ts';
import {
  BULK_JOB,
  cleanupPartitions,
  type Item,
  type Key,
  keys,
  prefixes,
  sortableTime,
  VARIABLE_SET,
  WORKSPACE,
} from '../dynamodb/keys.ts';
import { isOpen } from '../items/directory-items.ts';
import { keyOf, remove, update } from '../items/item-write.ts';
import { recordOf } from '../items/record-items.ts';
import { stateVersionOf } from '../items/state-version-items.ts';
import { openConsumerCleanup } from '../remote-state-consumers/consumer-cleanup.ts';
import { openStateDependants, type StateDependants } from '../state-versions/state-dependants.ts';
import { openVariableSetChanges } from '../variable-sets/variable-set-changes.ts';
import { openVariableSetCleanup } from '../variable-sets/variable-set-cleanup.ts';
import { type AutoDestroy, findDue } from '../workspaces/auto-destroy.ts';
import { serviceRequest } from '../workspaces/service-request.ts';
import { openWorkspaces } from '../workspaces/workspace-store.ts';

/** Operations outside of the table: on the stored objects of state versions and README.md files, and on bulk jobs. */
interface Outside {
  /** Starts a worker for a bulk job that has none. */
  readonly startJobWorker: (job: string) => Promise<void>;
  /** Adds delete markers to the objects of a deleted workspace, which can be restored for a while. */
  readonly markDeleted: (whose: StateDependants) => Promise<void>;
  /** Deletes the objects permanently, with all their versions. */
  readonly remove: (whose: StateDependants) => Promise<void>;
  /** Adds a delete marker to the README.md of a configuration version of a deleted workspace. */
  readonly markReadmeDeleted: (workspace: string, configurationVersion: string) => Promise<void>;
}

/** Number of items per query page. The items of a page are deleted concurrently, with their pointers. */
const BATCH = 50;

/**
 * Opens the cleanup queue, which finishes deletions and pending changes, and starts the workers of bulk jobs. The dependants of a deleted workspace are
 * invisible at once, because every reader checks the workspace first, and so is a record whose deletion has begun. The
 * cleanup deletes them from the table. Every step can be repeated.
 */
export const openCleanup = (
  database: Database,
  removal: Pick<Removal, 'finish'>,
  autoDestroy: Pick<AutoDestroy, 'updateWorkspaces'>,
  { startJobWorker, ...objects }: Outside,
  clock: Clock = now,
) => {
  const workspaces = openWorkspaces(database, clock);
  const variableSets = openVariableSetCleanup(database, openVariableSetChanges(database, clock), clock);
  const { workloadIdentities } = openDirectoryWriter(database, clock);
  const finishConsumers = openConsumerCleanup(database);
  const dependants = openStateDependants(database, objects.remove);
  const removeItem = (key: Key) => database.write(remove(key));

  /** Takes a tombstone off the queue, and lets it expire. */
  const completeTombstone = async ({ pk, sk }: Key): Promise<void> => {
    const change = { set: { ttl: tombstoneExpiry(clock()) }, remove: ['d', 'dk'] };
    await database.write(update({ pk, sk }, change, exists('gone')));
  };

  /** Builds the keys of the pointers to a dependant, or to the team access on the tombstone of the workspace. */
  const pointersTo = ({ sk, id, acc, ty, tokens }: Item): Key[] => {
    if (ty === 'run') return [keys.pointer(String(id)), ...(tokens as readonly string[]).map(keys.token)];
    if (ty === 'state-version') return [keys.stateVersionId(String(id))];
    if (ty === 'state-remains') return [];
    if (sk !== WORKSPACE) return id === undefined ? [] : [keys.pointer(String(id))];
    return Object.keys(acc as object).map((team) => keys.workspaceAccessId(String(id), team));
  };

  /** Deletes all items of the partition except the tombstone, each after the pointers to it. */
  const removeDependants = async (workspace: Key): Promise<void> => {
    for await (const page of database.pages({ partition: workspace.pk, consistent: true, limit: BATCH })) {
      await Promise.all(
        page.map(async (item) => {
          if (item['ty'] === 'state-version') await objects.markDeleted(stateVersionOf(item));
          if (item['hasReadmeObject'] === true)
            await objects.markReadmeDeleted(String(item['workspace']), String(item['id']));
          if (item['ty'] === 'state-remains') await objects.remove(item as unknown as StateDependants);
          if (item['ty'] === 'assigned-variable-set') await unassign(item);
          await Promise.all(pointersTo(item).map(removeItem));
          if (item['sk'] !== WORKSPACE) await removeItem(keyOf(item));
        }),
      );
    }
    await completeTombstone(workspace);
  };

  /**
   * Finishes the deletion of a workspace. The end of the time in which it can be restored is a write of its own, so that
   * nothing is removed of a workspace that is restored at the same time (DEL-20).
   */
  const finishWorkspace = async (key: Key): Promise<void> => {
    const workspace = await workspaces.find(key.pk.slice(keys.workspace('').pk.length));
    if (workspace?.deletedAt === undefined) return;
    if (workspace.purgeAt !== undefined) {
      if (isRestorable(workspace, clock())) return;
      const request = serviceRequest('cleanup');
      try {
        await workspaces.apply(workspace, purge(request, clock()), request);
      } catch (error) {
        // Another request restored or purged the workspace. A purged one is found again by the next cleanup run.
        if (isNotFound(error)) return;
        throw error;
      }
    }
    await removeDependants(key);
  };

  /** Removes a deleted workspace from the assignments of a variable set. */
  const unassign = ({ workspace, variableSet }: Item): Promise<void> =>
    variableSets.unassign('workspaces', String(workspace), String(variableSet), serviceRequest('cleanup'));

  /** Revokes the tokens that a workload identity gave before it changed. */
  const endOldTokens = (item: Item): Promise<void> =>
    workloadIdentities.endOldTokens(serviceRequest('cleanup'), recordOf('workloadIdentity', item).id);

  /**
   * Finishes the deletion of a record, or a pending change: of the workspaces of a project whose inactivity setting changed, or of
   * the tokens of a workload identity.
   */
  const finishRecord = async (key: Key): Promise<void> => {
    const item = await database.get(key, true);
    if (item?.['untold'] !== undefined && isOpen(item)) {
      return item['ty'] === 'workloadIdentity' ? endOldTokens(item) : autoDestroy.updateWorkspaces(item);
    }
    return removal.finish(serviceRequest('cleanup'), key);
  };

  return {
    /** Yields the keys of entries that are due, the oldest of each partition first. */
    due: (until: number) => findDue(database, cleanupPartitions, until),

    /** Finishes one deletion or pending change. */
    finish: (key: Key): Promise<void> => {
      if (key.sk === WORKSPACE) return finishWorkspace(key);
      if (key.sk.startsWith(prefixes.stateDependants)) return dependants.finish(key);
      if (key.sk === VARIABLE_SET) return variableSets.finish(key);
      if (key.sk === BULK_JOB) return startJobWorker(key.pk.slice(keys.bulkJob('').pk.length));
      return key.sk.startsWith(prefixes.consumers) ? finishConsumers(key) : finishRecord(key);
    },

    /** Moves an entry to a later time, so that an entry that fails does not block the others. */
    postpone: async (key: Key, until: number): Promise<void> => {
      await database.write(update(key, { set: { dk: sortableTime(until) } }, all(exists('d'), equals('sk', key.sk))));
    },
  };
};

export type Cleanup = ReturnType<typeof openCleanup>;
