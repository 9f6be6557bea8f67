import { variableKey } from '../../domain/variable-sets/variable-set.ts';
import type { Category } from '../../domain/workspace/variable.ts';
import type { Item } from '../dynamodb/item.ts';
import { type Key, keys, listPartition, prefixes, variablePartition } from '../dynamodb/keys.ts';
import { globalVariablesOf, variableSetOf } from '../items/variable-set-items.ts';
import { textOf } from './facts.ts';
import type { Lookup } from './lookup.ts';
import type { References } from './references.ts';

/** Builds the keys of the items of variable sets from their content. */
export const variableSetSpelling: Readonly<Record<string, (item: Item) => Key>> = {
  'variable-set': ({ id }) => keys.variableSet(textOf(id)),
  'assigned-variable-set': ({ workspace, project, variableSet }) =>
    keys.assignedVariableSet(textOf(workspace ?? project), textOf(variableSet)),
  'owned-variable-set': ({ project, variableSet }) => keys.ownedVariableSet(textOf(project), textOf(variableSet)),
  'global-variables': ({ organization }) => keys.globalVariables(textOf(organization)),
};

const isMap = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
const isPositive = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;

/** Returns the problems of the items of variable sets, each on its own. */
export const variableSetShapes: Readonly<Record<string, (item: Item) => string[]>> = {
  'variable-set': ({
    organization,
    name,
    global,
    priority,
    workspaces,
    projects,
    vars,
    seq,
    chg,
    gone,
    ttl,
    prj,
    l,
    lk,
  }) => {
    const isWhole =
      [workspaces, projects, vars, chg].every(isMap) && [global, priority].every((value) => typeof value === 'boolean');
    const isListed = l === listPartition.records(textOf(organization), 'variableSet') && lk === name;
    return [
      ...(isWhole ? [] : ['its settings, assignments, variables or last change record are missing']),
      ...(isPositive(seq) ? [] : ['its sequence number is not a positive integer']),
      ...(global === true && prj !== undefined ? ['it is global, but a project owns it'] : []),
      ...(gone === undefined
        ? isListed && ttl === undefined
          ? []
          : ['its list index keys do not match its organization and name, or it has an expiry']
        : isPositive(gone) && isPositive(ttl) && l === undefined
          ? []
          : ['it is deleted, but has no deletion time or no expiry, or is in the list index']),
    ];
  },
  'global-variables': ({ sets, keys: byKey, revision }) =>
    isMap(sets) && isMap(byKey) && isPositive(revision) ? [] : ['its variable sets, keys or revision are missing'],
};

/** Opens the checks of the references between variable sets, their variables and their assignments. */
export const checkVariableSets = (
  { at, count }: Lookup,
  must: (item: Item, holds: boolean, problem: string) => void,
  { claimed, inOrganization }: References,
): Readonly<Record<string, (item: Item) => void>> => {
  /** Returns the variables that a variable set lists, as far as they exist and their pointers lead to them. */
  const variablesOf = (set: Item | undefined): readonly Item[] =>
    set === undefined
      ? []
      : variableSetOf(set).variables.flatMap((id) => {
          const { category, key } = at(keys.pointer(id)) ?? {};
          const variable = at(keys.variable(textOf(set['id']), textOf(category), textOf(key)));
          return variable?.['id'] === id ? [variable] : [];
        });
  const keyOf = ({ category, key }: Item): string => variableKey({ category: category as Category, key: textOf(key) });
  const isLeaving = (item: Item | undefined): boolean => item?.['gone'] !== undefined && item['d'] !== undefined;
  const isThere = (item: Item | undefined): boolean =>
    item !== undefined && (item['gone'] === undefined || isLeaving(item));

  return {
    'variable-set': (item) => {
      if (item['gone'] !== undefined) return;
      inOrganization(item);
      claimed(item, 'variableSet', { id: item['id'], kind: 'variableSet' });
      const { id, organization, project, global, workspaces, projects, variables: ids } = variableSetOf(item);
      const isAssigned = [...workspaces, ...projects].every((target) => at(keys.assignedVariableSet(target, id)));
      must(item, isAssigned, 'an item of one of its assignments does not exist');
      const own = variablesOf(item);
      const counted = count(variablePartition(id), prefixes.variables);
      must(item, own.length === ids.length && counted === ids.length, 'its variables do not match');
      const isOwned = project === undefined || at(keys.ownedVariableSet(project, id)) !== undefined;
      must(item, isOwned, 'the item of the project that owns it does not exist');
      const { sets, keys: byKey } = globalVariablesOf(at(keys.globalVariables(organization)));
      const isGlobal = sets.includes(id) && own.every((variable) => byKey[keyOf(variable)] === id);
      must(item, !global || isGlobal, 'it is global, but not among the global variables');
    },
    'assigned-variable-set': (item) => {
      const { workspace, project } = item;
      const set = at(keys.variableSet(textOf(item['variableSet'])));
      const isListed =
        set !== undefined &&
        (isLeaving(set) ||
          (workspace === undefined
            ? variableSetOf(set).projects.includes(textOf(project))
            : variableSetOf(set).workspaces.includes(textOf(workspace))));
      must(item, isListed, 'its variable set does not exist or is not assigned');
      const target = workspace === undefined ? keys.project(textOf(project)) : keys.workspace(textOf(workspace));
      must(item, isThere(at(target)), 'its workspace or project does not exist');
    },
    'owned-variable-set': (item) => {
      const set = at(keys.variableSet(textOf(item['variableSet'])));
      const isOwn = set !== undefined && set['gone'] === undefined && set['prj'] === item['project'];
      must(item, isOwn, 'its variable set does not exist or has another owner');
      must(item, isThere(at(keys.project(textOf(item['project'])))), 'its project does not exist');
    },
    'global-variables': (item) => {
      inOrganization(item);
      const { sets, keys: byKey } = globalVariablesOf(item);
      const isGlobal = (id: string): boolean => {
        const set = at(keys.variableSet(id));
        return set !== undefined && set['gone'] === undefined && set['global'] === true;
      };
      must(item, sets.every(isGlobal), 'one of its variable sets does not exist or is not global');
      const own = new Set(
        sets.flatMap((id) => variablesOf(at(keys.variableSet(id))).map((variable) => `${id} ${keyOf(variable)}`)),
      );
      const isRight = Object.entries(byKey).every(([key, id]) => own.has(`${id} ${key}`));
      must(item, isRight, 'one of its keys is not that of a variable of its variable set');
    },
  };
};

/** Builds the checks of a variable of a variable set and of its id pointer. */
export const checkSetVariable = (
  at: (key: Key) => Item | undefined,
  must: (item: Item, holds: boolean, problem: string) => void,
) => ({
  variable: (item: Item): void => {
    const set = at(keys.variableSet(textOf(item['variableSet'])));
    if (set === undefined) {
      must(item, false, 'its variable set does not exist');
      return;
    }
    if (set['gone'] !== undefined) {
      must(item, set['d'] !== undefined, 'its variable set is deleted, but not queued for cleanup');
      return;
    }
    const pointer = at(keys.pointer(textOf(item['id'])));
    const isLedTo = (['variableSet', 'category', 'key'] as const).every((name) => pointer?.[name] === item[name]);
    must(item, isLedTo, 'its id pointer does not exist or leads elsewhere');
  },
  pointer: (item: Item): void => {
    const { id, variableSet, category, key, organization } = item;
    const variable = at(keys.variable(textOf(variableSet), textOf(category), textOf(key)));
    must(item, variable?.['id'] === id, 'it does not lead to a variable with its id');
    const set = at(keys.variableSet(textOf(variableSet)));
    must(
      item,
      set === undefined || set['organization'] === organization,
      'its organization is not that of its variable set',
    );
  },
});
