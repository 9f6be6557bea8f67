import type { RequestContext } from '../../domain/transitions/transition.ts';
import type { AssignmentTarget } from '../../domain/variable-sets/variable-set.ts';
import type { Clock } from '../../lib/clock.ts';
import { backoff, retry } from '../../lib/retry.ts';
import type { Database } from '../dynamodb/database.ts';
import { NoResponse } from '../dynamodb/errors.ts';
import { assignmentPartition, type Item, type Key, keys, prefixes } from '../dynamodb/keys.ts';
import { keyOf, remove } from '../items/item-write.ts';
import { endOfCleanup, variableSetOf } from '../items/variable-set-items.ts';
import { unlessDeleted, type VariableSetChanges } from './variable-set-changes.ts';

/** Number of items that are deleted concurrently. */
const BATCH = 50;
/** Attempts to delete an item, and the first pause between them in milliseconds. */
const ATTEMPTS = 3;
const FIRST_PAUSE = 50;

/**
 * Opens the removal of what deleted workspaces, projects and variable sets leave behind. Every step can be repeated.
 */
export const openVariableSetCleanup = (database: Database, variableSets: VariableSetChanges, clock: Clock) => {
  /** Deletes an item, also if the response to an earlier attempt was lost. */
  const deleteItem = (key: Key): Promise<unknown> =>
    retry(() => database.write(remove(key)), {
      attempts: ATTEMPTS,
      pause: backoff(FIRST_PAUSE),
      retryOn: (error) => error instanceof NoResponse,
    });
  const itemsIn = (partition: string, beginsWith: string): Promise<Item[]> =>
    database.query({ partition, beginsWith, consistent: true });

  /** Removes a deleted workspace or project from the assignments of a variable set. */
  const unassign = async (target: AssignmentTarget, id: string, variableSet: string, request: RequestContext) => {
    const removal = variableSets.changeAssignments(variableSet, request, target, (current) => ({
      added: [],
      removed: current.filter((one) => one === id),
    }));
    await unlessDeleted(removal);
    await deleteItem(keys.assignedVariableSet(id, variableSet));
  };

  return {
    unassign,

    /** Deletes the variables and assignments of a deleted variable set, and takes it off the cleanup queue. */
    finish: async (key: Key): Promise<void> => {
      const item = await database.get(key, true);
      const variableSet = item && variableSetOf(item);
      if (variableSet?.deletedAt === undefined) return;
      const { id, workspaces, projects } = variableSet;
      for await (const page of database.pages({
        partition: key.pk,
        beginsWith: prefixes.variables,
        limit: BATCH,
        consistent: true,
      })) {
        await Promise.all(
          page.map(async (item) => {
            await deleteItem(keys.pointer(String(item['id'])));
            await deleteItem(keyOf(item));
          }),
        );
      }
      const targets = [...workspaces, ...projects];
      for (let from = 0; from < targets.length; from += BATCH) {
        await Promise.all(
          targets.slice(from, from + BATCH).map((target) => deleteItem(keys.assignedVariableSet(target, id))),
        );
      }
      await database.write(endOfCleanup(key, id, clock()));
    },

    /** Deletes the variable sets that a deleted project owns, and removes the project from all others (VARSET-7). */
    removeProject: async (project: string, newRequest: () => RequestContext): Promise<void> => {
      const partition = assignmentPartition(project);
      for (const item of await itemsIn(partition, prefixes.ownedVariableSets)) {
        const variableSet = String(item['variableSet']);
        await unlessDeleted(variableSets.remove(variableSet, newRequest()));
        await deleteItem(keys.ownedVariableSet(project, variableSet));
      }
      for (const item of await itemsIn(partition, prefixes.assignedVariableSets)) {
        await unassign('projects', project, String(item['variableSet']), newRequest());
      }
    },

    /** Deletes the variable sets of a deleted organization. */
    removeOrganization: async (organization: string, newRequest: () => RequestContext): Promise<void> => {
      for (const { id } of await variableSets.listRows(organization)) {
        await unlessDeleted(variableSets.remove(id, newRequest()));
      }
      await deleteItem(keys.globalVariables(organization));
    },
  };
};
