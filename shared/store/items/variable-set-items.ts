import type { VariableSetChange } from '../../domain/changes/change-records.ts';
import { absent, all, type Condition, equals } from '../../domain/changes/conditions.ts';
import { ALIVE } from '../../domain/transitions/transition.ts';
import { queuedExpiry, tombstoneExpiry } from '../../domain/transitions/workspaces/delete-workspace.ts';
import type { GlobalVariables } from '../../domain/variable-sets/global-variables.ts';
import type { Effect, Plan } from '../../domain/variable-sets/transitions/plan.ts';
import type { VariableSet } from '../../domain/variable-sets/variable-set.ts';
import type { Attributes } from '../dynamodb/expressions.ts';
import { cleanupPartition, type Item, type Key, keys, listPartition, sortableTime } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { check, itemWrite, ownOrNone, put, remove, update } from './item-write.ts';
import type { Guarded } from './record-items.ts';
import { variableChange, variableCreation, variableDeletion } from './variable-items.ts';
import { attributes as workspaceAttributes } from './workspace-items.ts';

/** The items of variable sets, and the writes that keep the items of one variable set consistent (STORE-26). */

/** Stored names of the attributes that have another name in the domain. */
const names = { project: 'prj', variables: 'vars', sequence: 'seq', change: 'chg', deletedAt: 'gone' } as const;
const attributes: Attributes = { names: new Map(Object.entries(names)) };

/** Attributes that hold ids. Each id is a key of a map, so that one write can add it without a read. */
const idLists = ['workspaces', 'projects', 'variables'] as const;
/** Attributes that changes set. */
const settings = ['name', 'description', 'global', 'priority', 'revision', 'deletedAt'] as const;

const idsIn = (map: unknown): readonly string[] => Object.keys((map ?? {}) as object);
const mapOf = (ids: readonly string[]): Readonly<Record<string, true>> =>
  Object.fromEntries(ids.map((id) => [id, true]));

/** Converts a stored item to a variable set; a deleted one has `deletedAt`. */
export const variableSetOf = (item: Item): VariableSet => ({
  id: String(item['id']),
  organization: String(item['organization']),
  project: item[names.project] as string | undefined,
  name: String(item['name']),
  description: String(item['description']),
  global: item['global'] === true,
  priority: item['priority'] === true,
  workspaces: idsIn(item['workspaces']),
  projects: idsIn(item['projects']),
  variables: idsIn(item[names.variables]),
  createdAt: Number(item['createdAt']),
  updatedAt: Number(item['updatedAt']),
  revision: item['revision'] as string | undefined,
  sequence: Number(item[names.sequence]),
  change: item[names.change] as VariableSetChange,
  ...(item[names.deletedAt] !== undefined && { deletedAt: Number(item[names.deletedAt]) }),
});

/** Converts the stored item, if there is one, to the global variables of an organization. */
export const globalVariablesOf = (item: Item | undefined): GlobalVariables => ({
  sets: idsIn(item?.['sets']),
  keys: (item?.['keys'] ?? {}) as Record<string, string>,
  revision: Number(item?.['revision'] ?? 0),
});

/** Builds the write of a new variable set. */
const creation = (variableSet: VariableSet): Write => {
  const { project, workspaces, projects, variables, sequence, change, ...plain } = variableSet;
  const attributes = {
    ...plain,
    ...(project !== undefined && { [names.project]: project }),
    workspaces: mapOf(workspaces),
    projects: mapOf(projects),
    [names.variables]: mapOf(variables),
    [names.sequence]: sequence,
    [names.change]: change,
    l: listPartition.records(plain.organization, 'variableSet'),
    lk: plain.name,
  };
  return itemWrite('variable-set', attributes, absent('pk'));
};

/** Returns the paths of the ids in one version of a variable set that another one does not have. */
const idPaths = (version: VariableSet, other: VariableSet): readonly string[] =>
  idLists.flatMap((list) => {
    const known = new Set(other[list]);
    return version[list].filter((id) => !known.has(id)).map((id) => `${list}.${id}`);
  });

/** Builds the write of the differences between two versions of a variable set. It counts the change. */
const change = (before: VariableSet, after: VariableSet, condition: Condition): Write => {
  const { id, deletedAt } = after;
  const key = keys.variableSet(id);
  const changed = settings.filter((name) => after[name] !== before[name]);
  const set = {
    ...Object.fromEntries(changed.map((name) => [name, after[name]])),
    ...Object.fromEntries(idPaths(after, before).map((path) => [path, true])),
    change: after.change,
    updatedAt: after.updatedAt,
    // A deleted variable set is in no list, but in the cleanup queue.
    ...(deletedAt === undefined
      ? after.name !== before.name && { lk: after.name }
      : { ttl: queuedExpiry(deletedAt), d: cleanupPartition(key.pk), dk: sortableTime(deletedAt) }),
  };
  const dropped = [...idPaths(before, after), ...(deletedAt === undefined ? [] : ['l', 'lk'])];
  return update(key, { set, add: { sequence: 1 }, remove: dropped }, condition, attributes);
};

/** Builds the write that takes a deleted variable set off the cleanup queue, once its dependants are removed. */
export const endOfCleanup = (key: Key, id: string, at: number): Write => {
  const empty = Object.fromEntries(idLists.map((list) => [list, {}]));
  const set = { ...empty, ttl: tombstoneExpiry(at) };
  return update(key, { set, remove: ['d', 'dk'] }, equals('id', id), attributes);
};

const markWorkspace = (id: string): Write =>
  update(keys.workspace(id), { set: { hasVariableSets: true } }, ALIVE, workspaceAttributes);

type Writers = {
  readonly [K in Effect['kind']]: (
    variableSet: VariableSet,
    effect: Extract<Effect, { readonly kind: K }>,
  ) => readonly Write[];
};

/** Writes of each effect. The rejection of an effect belongs to its last write. */
const writers: Writers = {
  create: (variableSet) => [creation(variableSet)],

  change: (variableSet, { before, condition }) => [change(before, variableSet, condition)],

  'require-organization': ({ organization }) => [check(keys.organization(organization))],

  'take-name': ({ id, organization }, { name }) => [
    put(keys.claim(organization, 'variableSet', name), 'name', { kind: 'variableSet', id }, ownOrNone(id)),
  ],

  'give-up-name': ({ id, organization }, { name }) => [
    remove(keys.claim(organization, 'variableSet', name), ownOrNone(id)),
  ],

  'join-project': ({ id }, { project }) => [
    itemWrite('owned-variable-set', { project, variableSet: id }),
    check(keys.project(project)),
  ],

  'leave-project': ({ id }, { project }) => [remove(keys.ownedVariableSet(project, id))],

  /**
   * Fails if the workspace or project is deleted, because its assignments are removed with it. A workspace is marked, so that
   * its deletion leaves the assignments to the cleanup.
   */
  assign: ({ id: variableSet }, { target, id }) => {
    const owner = target === 'projects' ? { project: id } : { workspace: id };
    return [
      put(keys.assignedVariableSet(id, variableSet), 'assigned-variable-set', { ...owner, variableSet }, all()),
      target === 'projects' ? check(keys.project(id)) : markWorkspace(id),
    ];
  },

  unassign: (variableSet, { id }) => [remove(keys.assignedVariableSet(id, variableSet.id))],

  'create-variable': ({ organization }, { variable }) => variableCreation(variable, { organization }),

  'change-variable': ({ organization }, { from, to }) => variableChange(from, to, organization),

  'delete-variable': ({ change: { request, at } }, { variable }) => variableDeletion(variable, request, at),

  'replace-global-variables': ({ organization }, { to: { sets, keys: byKey, revision } }) => [
    itemWrite(
      'global-variables',
      { organization, sets: mapOf(sets), keys: byKey, revision: revision + 1 },
      revision === 0 ? absent('pk') : equals('revision', revision),
    ),
  ],
};

/** Builds the writes of a plan. */
export const planWrites = ({ effects, result }: Plan): Guarded[] =>
  effects.flatMap((effect) => {
    const build = writers[effect.kind] as (variableSet: VariableSet, of: Effect) => readonly Write[];
    const { rejection } = effect;
    return build(result, effect).map((write, index, { length }) =>
      rejection !== undefined && index === length - 1 ? { write, rejection } : { write },
    );
  });
