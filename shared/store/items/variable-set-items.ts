import { absent, all, any, type Condition, equals, exists } from '../../domain/changes/conditions.ts';
import type { VariableSetChange } from '../../domain/changes/variable-set-changes.ts';
import { notFound } from '../../domain/errors.ts';
import { nameTaken } from '../../domain/transitions/transition.ts';
import type { AssignmentTarget, GlobalVariables, VariableSet } from '../../domain/variable-sets/variable-set.ts';
import { render } from '../dynamodb/expressions.ts';
import type { Item } from '../dynamodb/item.ts';
import { keys, listPartition } from '../dynamodb/keys.ts';
import { check, type Guarded, OPEN, put, remove } from './record-items.ts';
import { attributes } from './workspace-items.ts';

/** The items of variable sets, and the writes that keep those of one variable set together (STORE-26). */

const idsIn = (map: unknown): readonly string[] => Object.keys((map ?? {}) as object);
const mapOf = (ids: readonly string[]): Readonly<Record<string, true>> =>
  Object.fromEntries(ids.map((id) => [id, true]));

/** Names of the attributes that hold ids. Each id is a key of a map, so that one write can add it without a read. */
export const ID_MAPS = { workspaces: 'workspaces', projects: 'projects', variables: 'vars' } as const;

/** Converts a stored item to a variable set. */
export const variableSetOf = (item: Item): VariableSet => ({
  id: String(item['id']),
  organization: String(item['organization']),
  project: item['prj'] as string | undefined,
  name: String(item['name']),
  description: String(item['description']),
  global: item['global'] === true,
  priority: item['priority'] === true,
  workspaces: idsIn(item[ID_MAPS.workspaces]),
  projects: idsIn(item[ID_MAPS.projects]),
  variables: idsIn(item[ID_MAPS.variables]),
  createdAt: Number(item['createdAt']),
  updatedAt: Number(item['updatedAt']),
  revision: item['revision'] as string | undefined,
  sequence: Number(item['seq']),
  change: item['chg'] as VariableSetChange,
});

/** Builds the write of a new variable set. */
export const variableSetCreation = (variableSet: VariableSet): Guarded => {
  const { project, workspaces, projects, variables, sequence, change, ...plain } = variableSet;
  const { id, organization, name } = plain;
  const item: Item = {
    ...plain,
    ...(project !== undefined && { prj: project }),
    [ID_MAPS.workspaces]: mapOf(workspaces),
    [ID_MAPS.projects]: mapOf(projects),
    [ID_MAPS.variables]: mapOf(variables),
    seq: sequence,
    chg: change,
    l: listPartition.records(organization, 'variableSet'),
    lk: name,
  };
  return { write: put(keys.variableSet(id), 'variable-set', item) };
};

const ownOrNone = (id: string): Condition => any(absent('pk'), equals('id', id));

/** Builds the write that claims the name of a variable set. */
export const takeSetName = ({ id, organization }: VariableSet, name: string): Guarded => ({
  write: put(keys.claim(organization, 'variableSet', name), 'name', { kind: 'variableSet', id }, ownOrNone(id)),
  refusal: nameTaken,
});

/** Builds the write that gives up the name of a variable set. */
export const giveUpSetName = ({ id, organization, name }: VariableSet): Guarded => ({
  write: remove(keys.claim(organization, 'variableSet', name), ownOrNone(id)),
});

/** Builds the writes that list a variable set with the project that owns it; none if the organization owns it. */
export const ownershipWrites = ({ id, project }: VariableSet): Guarded[] =>
  project === undefined
    ? []
    : [
        { write: check(keys.project(project), all(OPEN, absent('gone'))), refusal: () => notFound() },
        {
          write: put(keys.ownedVariableSet(project, id), 'owned-variable-set', { project, variableSet: id }, all()),
        },
      ];

/** Condition that the item exists and is not deleted. */
export const UNDELETED: Condition = all(exists('pk'), absent('gone'));

/**
 * Builds the writes that assign a variable set to a workspace or project. They fail if it is deleted, because its
 * assignments are removed with it. A workspace is marked, so that its deletion leaves the assignments to the cleanup.
 * @param refusal error if it does not exist.
 */
export const assignmentWrites = (
  variableSet: string,
  target: AssignmentTarget,
  id: string,
  refusal: NonNullable<Guarded['refusal']>,
): Guarded[] => {
  const key = keys.assignedVariableSet(id, variableSet);
  const assigned = (ids: Item) => put(key, 'assigned-variable-set', { ...ids, variableSet }, all());
  if (target === 'projects') {
    return [
      { write: check(keys.project(id), all(OPEN, absent('gone'))), refusal },
      { write: assigned({ project: id }) },
    ];
  }
  const mark = { kind: 'update', key: keys.workspace(id), ...markExpressions } as const;
  return [{ write: mark, refusal }, { write: assigned({ workspace: id }) }];
};

const markExpressions = render({ condition: UNDELETED, change: { set: { hasVariableSets: true } } }, attributes);

/** Converts the stored item, if there is one, to the global variables of an organization. */
export const globalVariablesOf = (item: Item | undefined): GlobalVariables => ({
  sets: idsIn(item?.['sets']),
  keys: (item?.['keys'] ?? {}) as Record<string, string>,
});

/**
 * Builds the write that replaces the global variables of an organization. It fails if they changed since `item` was
 * read, so of two requests that add one key to two global variable sets only the first succeeds.
 */
export const globalVariablesWrite = (
  organization: string,
  item: Item | undefined,
  { sets, keys: byKey }: GlobalVariables,
): Guarded => {
  const revision = Number(item?.['revision'] ?? 0);
  return {
    write: put(
      keys.globalVariables(organization),
      'global-variables',
      { organization, sets: mapOf(sets), keys: byKey, revision: revision + 1 },
      item === undefined ? absent('pk') : equals('revision', revision),
    ),
  };
};
