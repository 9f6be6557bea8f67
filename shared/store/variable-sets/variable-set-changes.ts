import { isNotFound } from '../../domain/errors.ts';
import type { RequestContext } from '../../domain/transitions/transition.ts';
import { GlobalKeyTaken, type GlobalVariables } from '../../domain/variable-sets/global-variables.ts';
import { changeAssignments, type SelectAssignments } from '../../domain/variable-sets/transitions/assignments.ts';
import type { Attempt, Plan } from '../../domain/variable-sets/transitions/plan.ts';
import { deleteVariableSet } from '../../domain/variable-sets/transitions/settings.ts';
import type { AssignmentTarget, VariableSet } from '../../domain/variable-sets/variable-set.ts';
import type { Clock } from '../../lib/clock.ts';
import { base58, newEventId } from '../../lib/random.ts';
import { commit } from '../directory/records/commit.ts';
import type { Database } from '../dynamodb/database.ts';
import { keys, listPartition } from '../dynamodb/keys.ts';
import { globalVariablesOf, planWrites, variableSetOf } from '../items/variable-set-items.ts';

/** A variable set as lists of an organization find it. */
export interface VariableSetRow {
  readonly id: string;
  readonly name: string;
  /** Id of the project that owns it. */
  readonly project: string | undefined;
}

/** Number of characters of the revision of a variable set. */
const REVISION_LENGTH = 8;

/** Ignores the 404 error of a variable set that another request has deleted. */
export const unlessDeleted = async (change: Promise<unknown>): Promise<void> => {
  try {
    await change;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
};

/**
 * Opens the changes of variable sets that the removal of workspaces, projects and organizations also needs. Every change is
 * one transaction that includes the item of the variable set, with a change record (STORE-26).
 */
export const openVariableSetChanges = (database: Database, clock: Clock) => {
  /** Reads a variable set, also its tombstone. */
  const read = async (id: string, consistent: boolean): Promise<VariableSet | undefined> => {
    const item = await database.get(keys.variableSet(id), consistent);
    return item && variableSetOf(item);
  };

  const readGlobals = async (organization: string, consistent: boolean): Promise<GlobalVariables> =>
    globalVariablesOf(await database.get(keys.globalVariables(organization), consistent));

  /** Reads the global variables if the variable set is global. */
  const readOwnGlobals = async (image: VariableSet | undefined): Promise<GlobalVariables | undefined> =>
    image?.global ? readGlobals(image.organization, true) : undefined;

  const explain = async ({ set, explain: toError }: GlobalKeyTaken) => toError((await read(set, false))?.name ?? set);

  /**
   * Changes the present variable set.
   * @param plan reads what else it needs with strong consistency, and calls the transition. It runs again if another request
   *   was faster, or a response was lost.
   * @throws DomainError of the transition.
   */
  const apply = (
    id: string,
    request: RequestContext,
    plan: (attempt: Attempt, image: VariableSet | undefined, isRepeated: boolean) => Promise<Plan> | Plan,
  ): Promise<Plan> => {
    const revision = base58(REVISION_LENGTH);
    let isRepeated = false;
    return commit({ database, clock }, async (at, isInDoubt) => {
      const attempt = { request, at, isInDoubt, revision, changeId: newEventId() };
      try {
        const planned = await plan(attempt, await read(id, true), isRepeated);
        return { writes: planWrites(planned), result: planned };
      } catch (error) {
        throw error instanceof GlobalKeyTaken ? await explain(error) : error;
      } finally {
        isRepeated = true;
      }
    });
  };

  return {
    read,
    readGlobals,
    readOwnGlobals,
    apply,

    /**
     * Changes the assignments of a variable set. Only the first transaction is conditional on the revision that the request
     * accepts (EDIT-4).
     */
    changeAssignments: async (
      id: string,
      request: RequestContext,
      target: AssignmentTarget,
      select: SelectAssignments,
    ): Promise<VariableSet> => {
      const { precondition: _, ...unconditional } = request;
      let next = request;
      for (;;) {
        const { result, isPartial } = await apply(id, next, (attempt, image) =>
          changeAssignments(attempt, image, target, select),
        );
        if (!isPartial) return result;
        next = unconditional;
      }
    },

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
     * Deletes a variable set.
     * @throws DomainError 404.
     */
    remove: async (id: string, request: RequestContext): Promise<void> => {
      await apply(id, request, async (attempt, image) =>
        deleteVariableSet(attempt, image, await readOwnGlobals(image)),
      );
    },
  };
};

export type VariableSetChanges = ReturnType<typeof openVariableSetChanges>;
