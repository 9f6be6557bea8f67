import { all, type Change, type Condition, equals, merge } from '../../domain/changes/conditions.ts';
import { requireMatch } from '../../domain/changes/entity-tags.ts';
import { requireRevision } from '../../domain/changes/revisions.ts';
import {
  type AssignmentsChange,
  recordVariableSetChange,
  type VariableSetChangeType,
  type VariableSetDetails,
} from '../../domain/changes/variable-set-changes.ts';
import { DomainError, invalidRelationship, notFound } from '../../domain/errors.ts';
import type { RequestContext } from '../../domain/transitions/transition.ts';
import { queuedExpiry } from '../../domain/transitions/workspaces/delete-workspace.ts';
import {
  type AssignmentTarget,
  assignedWhileGlobal,
  checkAssignmentCount,
  type GlobalVariables,
  removeGlobalVariables,
  type VariableSet,
} from '../../domain/variable-sets/variable-set.ts';
import type { Clock } from '../../lib/clock.ts';
import { base58, newEventId } from '../../lib/random.ts';
import { commit, done, unguarded } from '../directory/records/commit.ts';
import type { Database } from '../dynamodb/database.ts';
import type { Item } from '../dynamodb/item.ts';
import { cleanupPartition, keys, listPartition, sortableTime } from '../dynamodb/keys.ts';
import { isOpen } from '../items/directory-items.ts';
import { type Guarded, remove, update } from '../items/record-items.ts';
import {
  assignmentWrites,
  giveUpSetName,
  globalVariablesOf,
  globalVariablesWrite,
  ID_MAPS,
  UNDELETED,
  variableSetOf,
} from '../items/variable-set-items.ts';

/** A variable set as lists of an organization find it. */
export interface VariableSetRow {
  readonly id: string;
  readonly name: string;
  /** Id of the project that owns it. */
  readonly project: string | undefined;
}

/** One write of a variable set, with the writes of other items in the same transaction. */
interface Step {
  readonly type: VariableSetChangeType;
  readonly details?: VariableSetDetails;
  readonly condition?: Condition;
  readonly change: Change;
  readonly writes?: readonly Guarded[];
}

/** Workspaces or projects that one write assigns or removes; each takes up to two writes of a transaction of 100. */
const ASSIGNED_AT_ONCE = 40;
/** Number of characters of the revision of a variable set. */
export const REVISION_LENGTH = 8;
/** Ignores the 404 error of a variable set that another request has deleted. */
export const unlessDeleted = async (change: Promise<unknown>): Promise<void> => {
  try {
    await change;
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'not-found') throw error;
  }
};

/** Creates the error for an assignment to something that does not exist, or that the caller may not read. */
const notAssignable = (target: AssignmentTarget): DomainError =>
  invalidRelationship(target, `One of the ${target} does not exist`);

/**
 * Opens the changes of variable sets that also the removal of workspaces, projects and organizations needs. Every change
 * is one transaction that includes the item of the variable set, with a change record (STORE-26). Assignments to many
 * workspaces take several transactions.
 */
export const openVariableSetChanges = (database: Database, clock: Clock) => {
  const table = { database, clock };

  const readItem = (id: string, consistent: boolean): Promise<Item | undefined> =>
    database.get(keys.variableSet(id), consistent);

  const readGlobal = (organization: string, consistent: boolean): Promise<Item | undefined> =>
    database.get(keys.globalVariables(organization), consistent);

  /** Builds the complete write of a step: it counts the change and leaves the change record. */
  const complete = (image: VariableSet, step: Step, request: RequestContext, now: number): Guarded[] => {
    const chg = recordVariableSetChange(newEventId(), step.type, request, now, step.details);
    const change = merge(step.change, { set: { chg, updatedAt: now }, add: { seq: 1 } });
    return [
      { write: update(keys.variableSet(image.id), change, all(UNDELETED, step.condition ?? all())) },
      ...(step.writes ?? []),
    ];
  };

  /**
   * Changes a variable set as it is now. `plan` runs again if another request was faster, or a response was lost; it
   * returns undefined if nothing is left to change.
   * @returns the image on which the last plan was made, the step, and the time of the step.
   * @throws DomainError 404 if the variable set does not exist, and what `plan` throws.
   */
  const change = async (
    id: string,
    request: RequestContext,
    plan: (image: VariableSet, now: number, isInDoubt: boolean) => Promise<Step | undefined> | Step | undefined,
  ): Promise<{ readonly image: VariableSet; readonly step: Step | undefined; readonly at: number }> =>
    commit(table, async (now, isInDoubt) => {
      const item = await readItem(id, true);
      if (!isOpen(item)) throw notFound();
      const image = variableSetOf(item);
      const step = await plan(image, now, isInDoubt);
      const result = { image, step, at: now };
      return step === undefined ? done(result) : { writes: complete(image, step, request, now), result };
    });

  /** Builds the write of the global variables after a change of a variable set; none unless it is global. */
  const globalWrites = async (
    { global, organization }: Pick<VariableSet, 'global' | 'organization'>,
    edit: (before: GlobalVariables) => GlobalVariables | Promise<GlobalVariables>,
  ): Promise<Guarded[]> => {
    if (!global) return [];
    const item = await readGlobal(organization, true);
    return [globalVariablesWrite(organization, item, await edit(globalVariablesOf(item)))];
  };

  /**
   * Changes the assignments of a variable set. Only the first transaction is conditional on the revision that the request
   * accepts (EDIT-4).
   */
  const changeAssignments = async (
    id: string,
    request: RequestContext,
    target: AssignmentTarget,
    select: (current: readonly string[]) => Omit<AssignmentsChange, 'target'>,
  ): Promise<VariableSet> => {
    const attribute = ID_MAPS[target];
    let { precondition } = request;
    for (;;) {
      const revision = base58(REVISION_LENGTH);
      let joining: readonly string[] = [];
      let leaving: readonly string[] = [];
      let isLast = true;
      const { image, step, at } = await change(id, request, (current, _, isInDoubt) => {
        // An earlier attempt was applied, and its response was lost.
        const isApplied = current.revision === revision;
        const asAccepted = isApplied ? all() : requireRevision(precondition, current, isInDoubt);
        const { added, removed } = select(current[target]);
        leaving = removed.slice(0, ASSIGNED_AT_ONCE);
        joining = added.slice(0, ASSIGNED_AT_ONCE - leaving.length);
        isLast = leaving.length + joining.length === added.length + removed.length;
        if (added.length + removed.length === 0) return undefined;
        if (current.global && added.length > 0) throw assignedWhileGlobal({ pointer: `/data/relationships/${target}` });
        checkAssignmentCount(target, current[target].length + added.length - removed.length);
        return {
          type: 'variable-set.assignments-changed',
          details: { assignments: { target, added: joining, removed: leaving } },
          condition: all(equals('global', current.global), asAccepted),
          change: {
            set: { ...Object.fromEntries(joining.map((one) => [`${attribute}.${one}`, true])), revision },
            remove: leaving.map((one) => `${attribute}.${one}`),
          },
          writes: [
            ...joining.flatMap((one) => assignmentWrites(id, target, one, () => notAssignable(target))),
            ...unguarded(leaving.map((one) => remove(keys.assignedVariableSet(one, id)))),
          ],
        };
      });
      precondition = undefined;
      const kept = image[target].filter((one) => !leaving.includes(one) && !joining.includes(one));
      if (isLast) return { ...image, [target]: [...kept, ...joining], ...(step && { updatedAt: at, revision }) };
    }
  };

  return {
    table,
    readItem,
    readGlobal,
    change,
    globalWrites,
    changeAssignments,

    /** Lists the variable sets of an organization by name. */
    listRows: async (organization: string): Promise<readonly VariableSetRow[]> => {
      const rows = await database.query({
        index: 'list',
        partition: listPartition.records(organization, 'variableSet'),
      });
      return rows.map((row) => ({
        id: String(row['id']),
        name: String(row['name']),
        project: row['prj'] as string | undefined,
      }));
    },

    /**
     * Deletes a variable set. It is out of force at once; the cleanup removes its variables and assignments.
     * @throws DomainError 404.
     */
    remove: (id: string, request: RequestContext): Promise<void> =>
      commit(table, async (now) => {
        const item = await readItem(id, true);
        const isOwn = (item?.['chg'] as { request?: string } | undefined)?.request === request.id;
        if (item?.['gone'] !== undefined && isOwn) return done(undefined);
        if (!isOpen(item)) throw notFound();
        const image = variableSetOf(item);
        requireMatch(request.precondition, image);
        const { project } = image;
        const step: Step = {
          type: 'variable-set.deleted',
          condition: equals('seq', image.sequence),
          change: {
            set: {
              gone: now,
              ttl: queuedExpiry(now),
              d: cleanupPartition(keys.variableSet(id).pk),
              dk: sortableTime(now),
            },
            remove: ['l', 'lk'],
          },
          writes: [
            giveUpSetName(image),
            ...(project === undefined ? [] : unguarded([remove(keys.ownedVariableSet(project, id))])),
            ...(await globalWrites(image, (before) => removeGlobalVariables(before, id))),
          ],
        };
        return { writes: complete(image, step, request, now), result: undefined };
      }),
  };
};

export type VariableSetChanges = ReturnType<typeof openVariableSetChanges>;
