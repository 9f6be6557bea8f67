import { isNameTaken, type RequestContext } from '../../domain/transitions/transition.ts';
import { appliesTo } from '../../domain/variable-sets/precedence.ts';
import type { Plan } from '../../domain/variable-sets/transitions/plan.ts';
import {
  changesGlobal,
  createVariableSet,
  type NewVariableSet,
  updateVariableSet,
} from '../../domain/variable-sets/transitions/settings.ts';
import {
  createSetVariable,
  deleteSetVariable,
  recordVerification,
  type StoredVariable,
  updateSetVariable,
} from '../../domain/variable-sets/transitions/variables.ts';
import type { VariableSet, VariableSetSettings } from '../../domain/variable-sets/variable-set.ts';
import type { Variable } from '../../domain/workspace/variable.ts';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../dynamodb/database.ts';
import { assignmentPartition, type Item, keys, prefixes } from '../dynamodb/keys.ts';
import { isOpen } from '../items/directory-items.ts';
import { claimOf } from '../items/record-items.ts';
import { deletedBy, setPlaceOf, variableOf } from '../items/variable-items.ts';
import { variableSetOf } from '../items/variable-set-items.ts';
import { createVariableReader } from '../variables/variable-store.ts';
import { serviceRequest } from '../workspaces/service-request.ts';
import { openVariableSetChanges, unlessDeleted, type VariableSetChanges } from './variable-set-changes.ts';

/** Opens the reads of variable sets and of their variables. */
const openReads = (database: Database, { read, readGlobals }: VariableSetChanges) => {
  const findPlace = async (id: string) => setPlaceOf(await database.get(keys.pointer(id), true));
  const readVariable = createVariableReader(database, findPlace);

  /** Reads what an earlier attempt has left of a variable. */
  const readStored = async (id: string): Promise<StoredVariable> => {
    const pointer = await database.get(keys.pointer(id), true);
    const place = setPlaceOf(pointer);
    return { variable: place && (await readVariable(place)), deletedBy: deletedBy(pointer) };
  };

  /** Finds variable sets by their ids, in the order of the ids. */
  const findAll = async (wanted: readonly string[]): Promise<readonly VariableSet[]> => {
    if (wanted.length === 0) return [];
    const items = await database.getAll(wanted.map(keys.variableSet));
    const found = new Map(items.filter(isOpen).map((item) => [String(item['id']), variableSetOf(item)]));
    return wanted.flatMap((id) => found.get(id) ?? []);
  };

  /**
   * Finds the ids of the variable sets that may apply to a workspace, or that concern a project: the assigned ones, the
   * global ones, and, without a workspace, those that the project owns.
   */
  const findIdsFor = async (
    organization: string,
    { workspace, project }: { readonly workspace?: string; readonly project: string },
  ): Promise<readonly string[]> => {
    const query = (target: string, beginsWith: string): Promise<Item[]> =>
      database.query({ partition: assignmentPartition(target), beginsWith });
    const [globals, ...assigned] = await Promise.all([
      readGlobals(organization, false),
      query(project, prefixes.assignedVariableSets),
      workspace === undefined
        ? query(project, prefixes.ownedVariableSets)
        : query(workspace, prefixes.assignedVariableSets),
    ]);
    const ids = assigned.flat().map((item) => String(item['variableSet']));
    return [...new Set([...globals.sets, ...ids])].sort();
  };

  return {
    findPlace,
    readVariable,
    readStored,
    findAll,
    findIdsFor,

    /** Finds a variable set by its id; undefined if it does not exist or is deleted. */
    find: async (id: string, consistent: boolean): Promise<VariableSet | undefined> => {
      const found = await read(id, consistent);
      return found?.deletedAt === undefined ? found : undefined;
    },

    /**
     * Finds the variable sets that apply to a workspace (VARSET-6), in three calls and, if there are any, a fourth. It sends
     * the same calls if there is no workspace (PERM-21).
     */
    findApplicable: async (
      workspace: Pick<Workspace, 'id' | 'organization' | 'project'> = { id: '', organization: '', project: '' },
    ): Promise<readonly VariableSet[]> => {
      const { id, organization, project } = workspace;
      const sets = await findAll(await findIdsFor(organization, { workspace: id, project }));
      return sets.filter((variableSet) => appliesTo(variableSet, workspace));
    },
  };
};

/** Opens the creation of variable sets and the changes of their settings. */
const openSettings = (database: Database, { apply, read, readGlobals, remove }: VariableSetChanges) => {
  /**
   * Deletes the variable set that has a name, if the project that owned it is deleted. The cleanup would do so later
   * (VARSET-7). @returns whether it was deleted.
   */
  const deleteOrphan = async ({ organization, name }: VariableSet): Promise<boolean> => {
    const claim = await database.get(keys.claim(organization, 'variableSet', name), true);
    const { id, project, deletedAt } = (claim && (await read(String(claim['id']), true))) ?? {};
    if (id === undefined || project === undefined || deletedAt !== undefined) return false;
    const owner = await database.get(keys.project(project), true);
    if (isOpen(owner)) return false;
    // A deletion that is not final yet may end with the project open again. It is final when the name is released.
    const nameOfOwner = owner && claimOf(owner);
    if (nameOfOwner && (await database.get(nameOfOwner, true))?.['id'] === project) return false;
    await unlessDeleted(remove(id, serviceRequest('cleanup')));
    return true;
  };

  /** Applies a change that may need a name, again if a variable set of a deleted project had the name. */
  const applyWithName: typeof apply = async (id, request, plan) => {
    let last: Plan | undefined;
    const attempt: typeof plan = async (...of) => {
      last = await plan(...of);
      return last;
    };
    try {
      return await apply(id, request, attempt);
    } catch (error) {
      if (last === undefined || !isNameTaken(error) || !(await deleteOrphan(last.result))) throw error;
      return apply(id, request, plan);
    }
  };

  const variablesOf = async (id: string): Promise<Variable[]> => {
    const { pk: partition } = keys.variableSet(id);
    return (await database.query({ partition, beginsWith: prefixes.variables, consistent: true })).map(variableOf);
  };

  return {
    /**
     * Creates a variable set without variables and assignments, and claims its name.
     * @throws DomainError 404 if the organization does not exist; 422 if the name is taken.
     */
    create: async (request: RequestContext, given: NewVariableSet): Promise<VariableSet> => {
      const { id, organization, global } = given;
      const { result } = await applyWithName(id, request, async (attempt, image) => {
        const globals = global ? await readGlobals(organization, true) : undefined;
        return createVariableSet(attempt, image, given, globals);
      });
      return result;
    },

    /**
     * Changes the settings of a variable set; an omitted one keeps its value. Nothing is written if none differs.
     * @throws DomainError 404; 422 if the name is taken, or a key is in another global variable set.
     */
    update: async (id: string, request: RequestContext, given: Partial<VariableSetSettings>): Promise<VariableSet> => {
      const { result } = await applyWithName(id, request, async (attempt, image) => {
        const isAffected = changesGlobal(image, given);
        const variables = isAffected && given.global ? await variablesOf(id) : [];
        const globals = isAffected && image ? await readGlobals(image.organization, true) : undefined;
        return updateVariableSet(attempt, image, given, globals, variables);
      });
      return result;
    },
  };
};

/** Opens the changes of the variables of variable sets. */
const openVariables = (
  { apply, readOwnGlobals }: VariableSetChanges,
  readStored: (id: string) => Promise<StoredVariable>,
) => ({
  /** @throws DomainError 404 if the variable set does not exist; 422 if the key is taken or the maximum is reached. */
  createVariable: async (id: string, variable: Variable, request: RequestContext): Promise<void> => {
    await apply(id, request, async (attempt, image, isRepeated) => {
      const stored = isRepeated || request.attempt === 'resumed' ? await readStored(variable.id) : undefined;
      return createSetVariable(attempt, image, variable, await readOwnGlobals(image), stored);
    });
  },

  /**
   * Replaces a variable, under the same key or another.
   * @throws DomainError 404 if the variable set does not exist; 422 if the key is taken; VariableChanged.
   */
  updateVariable: async (id: string, from: Variable, to: Variable, request: RequestContext): Promise<void> => {
    await apply(id, request, async (attempt, image, isRepeated) => {
      const stored = isRepeated ? await readStored(to.id) : undefined;
      const globals = from.key === to.key ? undefined : await readOwnGlobals(image);
      return updateSetVariable(attempt, image, [from, to], globals, stored);
    });
  },

  /** @throws DomainError 404 if the variable set does not exist; VariableChanged. */
  deleteVariable: async (id: string, variable: Variable, request: RequestContext): Promise<void> => {
    await apply(id, request, async (attempt, image, isRepeated) => {
      const stored = isRepeated ? await readStored(variable.id) : undefined;
      return deleteSetVariable(attempt, image, variable, await readOwnGlobals(image), stored);
    });
  },

  /** Records that a value was verified against a variable. @throws DomainError 404 if the variable set is deleted. */
  recordVerification: async (
    id: string,
    variable: Variable,
    matches: boolean,
    request: RequestContext,
  ): Promise<void> => {
    await apply(id, request, (attempt, image) => recordVerification(attempt, image, variable, matches));
  },
});

/** Opens the reads and writes of variable sets (STORE-26). */
export const openVariableSets = (database: Database, clock: Clock) => {
  const changes = openVariableSetChanges(database, clock);
  const { changeAssignments, listRows, remove } = changes;
  const { readStored, ...reads } = openReads(database, changes);
  return {
    ...reads,
    ...openSettings(database, changes),
    ...openVariables(changes, readStored),
    changeAssignments,
    listRows,
    remove,
  };
};

export type VariableSets = ReturnType<typeof openVariableSets>;
