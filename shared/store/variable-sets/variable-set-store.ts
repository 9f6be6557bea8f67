import { equals } from '../../domain/changes/conditions.ts';
import { requireRevision } from '../../domain/changes/revisions.ts';
import { recordVariableSetChange } from '../../domain/changes/variable-set-changes.ts';
import { DomainError, invalid, invalidRelationship, notFound } from '../../domain/errors.ts';
import { changedAttributes } from '../../domain/transitions/relationships/change-variables.ts';
import { nameTaken, type RequestContext } from '../../domain/transitions/transition.ts';
import { appliesTo } from '../../domain/variable-sets/precedence.ts';
import {
  addGlobalVariables,
  checkVariableCount,
  findGlobalConflict,
  type GlobalVariables,
  removeGlobalVariables,
  type VariableSet,
  type VariableSetSettings,
} from '../../domain/variable-sets/variable-set.ts';
import { keyTaken, type Variable } from '../../domain/workspace/variable.ts';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Clock } from '../../lib/clock.ts';
import { base58, newEventId } from '../../lib/random.ts';
import { commit, done, type Plan, unguarded } from '../directory/records/commit.ts';
import type { Database } from '../dynamodb/database.ts';
import type { Item } from '../dynamodb/item.ts';
import { assignmentPartition, keys, prefixes } from '../dynamodb/keys.ts';
import { isOpen } from '../items/directory-items.ts';
import { check, claimOf, type Guarded } from '../items/record-items.ts';
import { setPlaceOf, variableChange, variableCreation, variableDeletion, variableOf } from '../items/variable-items.ts';
import {
  giveUpSetName,
  globalVariablesOf,
  ID_MAPS,
  ownershipWrites,
  takeSetName,
  variableSetCreation,
  variableSetOf,
} from '../items/variable-set-items.ts';
import { createVariableReader } from '../variables/read-variable.ts';
import { VariableChanged } from '../variables/variable-store.ts';

import { serviceRequest } from '../workspaces/service-request.ts';
import { openVariableSetChanges, REVISION_LENGTH, unlessDeleted } from './variable-set-changes.ts';

/**
 * Creates an error because another global variable set has the key of a variable (VARSET-9). Its name is no secret: whoever
 * changes global variable sets may read them all.
 */
type Refusal = (key: string, other: string) => DomainError;
/** Creates the error for a key that a variable of another global variable set has. */
const keyIsGlobal: Refusal = (_, other) =>
  invalid('key', `Key is already used in another global variable set: ${other}`);
/** Creates the error for a variable set that cannot become global because of the key of a variable. */
const cannotBeGlobal: Refusal = (key, other) =>
  invalid('global', `Global cannot be true: the global variable set ${other} has the key ${key}`);
const isNameTaken = (error: unknown): boolean => error instanceof DomainError && error.detail === nameTaken().detail;
const noParent = (): DomainError => invalidRelationship('parent', 'Parent does not exist');

/**
 * Opens the reads and writes of variable sets (STORE-26).
 */
export const openVariableSets = (database: Database, clock: Clock) => {
  const changes = openVariableSetChanges(database, clock);
  const { table, readItem, readGlobal, change, globalWrites, changeAssignments, listRows, remove } = changes;

  const findPlace = async (id: string) => setPlaceOf(await database.get(keys.pointer(id), true));
  const readVariable = createVariableReader(database, findPlace);

  /**
   * Adds variables of a variable set to the global variables.
   * @throws DomainError 422 if another global variable set has one of the keys, or if there would be too many.
   */
  const addGlobal = async (
    before: GlobalVariables,
    id: string,
    added: readonly Variable[],
    refusal: Refusal,
  ): Promise<GlobalVariables> => {
    const conflict = findGlobalConflict(before, id, added);
    if (conflict === undefined) return addGlobalVariables(before, id, added);
    const other = await readItem(conflict.set, false);
    throw refusal(conflict.key, String(other?.['name'] ?? conflict.set));
  };

  /**
   * Deletes the variable set that has a name, if the project that owned it is deleted. The cleanup would do so later
   * (VARSET-7). @returns whether it was deleted.
   */
  const deleteOrphan = async (organization: string, name: string): Promise<boolean> => {
    const claim = await database.get(keys.claim(organization, 'variableSet', name), true);
    const item = claim && (await readItem(String(claim['id']), true));
    if (!isOpen(item)) return false;
    const { id, project } = variableSetOf(item);
    if (project === undefined) return false;
    const owner = await database.get(keys.project(project), true);
    if (isOpen(owner)) return false;
    // A deletion that is not final yet may end with the project open again. It is final when the name is released.
    const nameOfOwner = owner && claimOf(owner);
    if (nameOfOwner && (await database.get(nameOfOwner, true))?.['id'] === project) return false;
    await unlessDeleted(remove(id, serviceRequest('cleanup')));
    return true;
  };

  /** Repeats a change that needs a name if a variable set of a deleted project had it. */
  const withName = async <T>(
    organization: () => string,
    name: string | undefined,
    change: () => Promise<T>,
  ): Promise<T> => {
    try {
      return await change();
    } catch (error) {
      if (name === undefined || !isNameTaken(error) || !(await deleteOrphan(organization(), name))) throw error;
      return change();
    }
  };

  const variablesOf = async (id: string): Promise<Variable[]> =>
    (
      await database.query({ partition: keys.variableSet(id).pk, beginsWith: prefixes.variables, consistent: true })
    ).map(variableOf);

  /** Returns the attributes that differ. */
  const differences = (image: VariableSet, given: Partial<VariableSetSettings>) =>
    (['name', 'description', 'global', 'priority'] as const).filter(
      (name) => given[name] !== undefined && given[name] !== image[name],
    );

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
    const [global, ...assigned] = await Promise.all([
      readGlobal(organization, false),
      query(project, prefixes.assignedVariableSets),
      workspace === undefined
        ? query(project, prefixes.ownedVariableSets)
        : query(workspace, prefixes.assignedVariableSets),
    ]);
    const ids = assigned.flat().map((item) => String(item['variableSet']));
    return [...new Set([...globalVariablesOf(global).sets, ...ids])].sort();
  };

  return {
    changeAssignments,
    listRows,
    remove,
    readVariable,
    findPlace,

    /** Finds a variable set by its id; undefined if it does not exist or is deleted. */
    find: async (id: string, consistent: boolean): Promise<VariableSet | undefined> => {
      const item = await readItem(id, consistent);
      return isOpen(item) ? variableSetOf(item) : undefined;
    },

    findAll,

    /** Finds the variable sets that apply to a workspace (VARSET-6), in three calls and, if there are any, a fourth. */
    findApplicable: async (
      workspace: Pick<Workspace, 'id' | 'organization' | 'project'>,
    ): Promise<readonly VariableSet[]> => {
      const { id, organization, project } = workspace;
      const sets = await findAll(await findIdsFor(organization, { workspace: id, project }));
      return sets.filter((variableSet) => appliesTo(variableSet, workspace));
    },

    findIdsFor,

    /**
     * Creates a variable set without assignments, with its first variables, and claims its name.
     * @throws DomainError 404 if the organization does not exist; 422 if the name is taken, or a key is in another global
     * variable set.
     */
    create: async (
      request: RequestContext,
      given: Omit<
        VariableSet,
        'createdAt' | 'updatedAt' | 'sequence' | 'change' | 'workspaces' | 'projects' | 'variables'
      >,
    ): Promise<VariableSet> => {
      const { id, organization } = given;
      const plan = async (now: number): Promise<Plan<VariableSet>> => {
        const item = await readItem(id, true);
        if (isOpen(item)) return done(variableSetOf(item));
        const variableSet: VariableSet = {
          ...given,
          workspaces: [],
          projects: [],
          variables: [],
          createdAt: now,
          updatedAt: now,
          sequence: 1,
          change: recordVariableSetChange(newEventId(), 'variable-set.created', request, now),
        };
        const writes = [
          variableSetCreation(variableSet),
          { write: check(keys.organization(organization)), refusal: () => notFound() },
          ...ownershipWrites(variableSet).map((guarded) => ({ ...guarded, refusal: noParent })),
          takeSetName(variableSet, variableSet.name),
          ...(await globalWrites(variableSet, (before) => addGlobalVariables(before, id, []))),
        ];
        return { writes, result: variableSet };
      };
      return withName(
        () => organization,
        given.name,
        () => commit(table, plan),
      );
    },

    /**
     * Changes the settings of a variable set; an omitted one keeps its value. Nothing is written if none differs.
     * @param check throws if the settings after the change do not fit together.
     * @throws DomainError 404; 422 if the name is taken, or a key is in another global variable set.
     */
    update: async (
      id: string,
      request: RequestContext,
      given: Partial<VariableSetSettings>,
      check: (after: VariableSet) => void,
    ): Promise<VariableSet> => {
      const revision = base58(REVISION_LENGTH);
      let organization = '';
      const plan = async (image: VariableSet, _: number, isInDoubt: boolean) => {
        ({ organization } = image);
        // An earlier attempt was applied, and its response was lost.
        const isResumed = request.attempt === 'resumed' && image.change.request === request.id;
        if (image.revision === revision || isResumed) return undefined;
        requireRevision(request.precondition, image, isInDoubt);
        const after = { ...image, ...given };
        check(after);
        const names = differences(image, given);
        if (names.length === 0) return undefined;
        const isRenamed = names.includes('name');
        const becomes = names.includes('global');
        const variables = becomes && after.global ? await variablesOf(id) : [];
        return {
          type: 'variable-set.updated' as const,
          details: { keys: names },
          condition: equals('seq', image.sequence),
          change: {
            set: {
              ...Object.fromEntries(names.map((name) => [name, after[name]])),
              ...(isRenamed && { lk: after.name }),
              revision,
            },
          },
          writes: [
            ...(isRenamed ? [giveUpSetName(image), takeSetName(image, after.name)] : []),
            ...(await globalWrites({ ...image, global: becomes }, (before) =>
              after.global ? addGlobal(before, id, variables, cannotBeGlobal) : removeGlobalVariables(before, id),
            )),
          ],
        };
      };
      const {
        image: before,
        step,
        at,
      } = await withName(
        () => organization,
        given.name,
        () => change(id, request, plan),
      );
      return step === undefined ? before : { ...before, ...given, updatedAt: at, revision };
    },

    /** @throws DomainError 404 if the variable set does not exist; 422 if the key is taken or the maximum is reached. */
    createVariable: async (id: string, variable: Variable, request: RequestContext): Promise<void> => {
      const key = keys.variable(id, variable.category, variable.key);
      let isRepeated = request.attempt === 'resumed';
      await change(id, request, async (image) => {
        // An earlier attempt of this request may have created it without a response.
        if (isRepeated && (await database.get(key, true))?.['id'] === variable.id) return undefined;
        isRepeated = true;
        checkVariableCount(image);
        const [pointer, ...others] = unguarded(variableCreation(variable, image));
        // An earlier attempt of the request created it, and somebody deleted it.
        const refusal = request.attempt === 'resumed' ? { refusal: () => notFound() } : {};
        const writes = [{ ...(pointer as Guarded), ...refusal }, ...others];
        return {
          type: 'variable-set.variable-created',
          details: { variable: nameOf(variable), versions: { new: variable.version } },
          condition: equals('global', image.global),
          change: { set: { [`${ID_MAPS.variables}.${variable.id}`]: true } },
          writes: [
            ...refuseLast(writes, keyTaken),
            ...(await globalWrites(image, (before) => addGlobal(before, id, [variable], keyIsGlobal))),
          ],
        };
      });
    },

    /**
     * Replaces a variable, under the same key or another.
     * @throws DomainError 404 if the variable set does not exist; 422 if the key is taken; VariableChanged.
     */
    updateVariable: async (id: string, from: Variable, to: Variable, request: RequestContext): Promise<void> => {
      const isMoved = from.key !== to.key;
      let isRepeated = false;
      await change(id, request, async (image) => {
        if (request.attempt === 'resumed' && image.change.request === request.id) return undefined;
        if (isRepeated) {
          const place = await findPlace(to.id);
          const current = place && (await readVariable(place));
          // An earlier attempt of this request changed it without a response.
          if (current?.version === to.version) return undefined;
          if (current?.version !== from.version) throw new VariableChanged();
        }
        isRepeated = true;
        const writes = unguarded(variableChange(from, to));
        return {
          type: 'variable-set.variable-updated',
          details: {
            keys: changedAttributes(from, to),
            variable: nameOf(to),
            versions: { old: from.version, new: to.version },
          },
          condition: equals('global', image.global),
          change: {},
          writes: [
            ...(isMoved ? refuseLast(writes, keyTaken) : writes),
            ...(isMoved
              ? await globalWrites(image, (before) =>
                  addGlobal(removeGlobalVariables(before, id, from), id, [to], keyIsGlobal),
                )
              : []),
          ],
        };
      });
    },

    /** @throws DomainError 404 if the variable set does not exist; VariableChanged. */
    deleteVariable: async (id: string, variable: Variable, request: RequestContext): Promise<void> => {
      let isRepeated = false;
      await change(id, request, async (image, now) => {
        if (isRepeated) {
          const pointer = await database.get(keys.pointer(variable.id), true);
          // An earlier attempt of this request deleted it without a response.
          if (pointer?.['gone'] !== undefined && pointer['request'] === request.id) return undefined;
          const place = setPlaceOf(pointer);
          const current = place && (await readVariable(place));
          if (current?.version !== variable.version) throw new VariableChanged();
        }
        isRepeated = true;
        return {
          type: 'variable-set.variable-deleted',
          details: { variable: nameOf(variable), versions: { old: variable.version } },
          condition: equals('global', image.global),
          change: { remove: [`${ID_MAPS.variables}.${variable.id}`] },
          writes: [
            ...unguarded(variableDeletion(variable, request.id, now)),
            ...(await globalWrites(image, (before) => removeGlobalVariables(before, id, variable))),
          ],
        };
      });
    },

    /** Records that a value was verified against that of a variable. @throws DomainError 404 if the variable set is deleted. */
    recordVerification: async (
      id: string,
      variable: Variable,
      matches: boolean,
      request: RequestContext,
    ): Promise<void> => {
      await change(id, request, () => ({
        type: 'variable-set.variable-verified',
        details: { variable: nameOf(variable), matches },
        change: {},
      }));
    },
  };
};

export type VariableSets = ReturnType<typeof openVariableSets>;

const nameOf = ({ id, category, key }: Variable) => ({ id, category, key });

/** Adds an error to the last of several writes, for the case that its condition fails. */
const refuseLast = (writes: readonly Guarded[], refusal: NonNullable<Guarded['refusal']>): Guarded[] =>
  writes.map((guarded, index) => (index === writes.length - 1 ? { ...guarded, refusal } : guarded));
