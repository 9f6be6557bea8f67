import { variableKey } from '../../domain/variable-sets/variable-set.ts';
import type { Category } from '../../domain/workspace/variable.ts';
import type { ItemType } from '../dynamodb/item-schemas.ts';
import { type Item, keys, listPartition, prefixes, variablePartition } from '../dynamodb/keys.ts';
import { globalVariablesOf, variableSetOf } from '../items/variable-set-items.ts';
import type { CommonChecks } from './common-checks.ts';
import { type Check, type Checks, isCount, isMap, textOf } from './facts.ts';

type VariableSetItem = Extract<ItemType, 'variable-set' | 'global-variables' | `${string}-variable-set`>;

const keyOf = ({ category, key }: Item): string => variableKey({ category: category as Category, key: textOf(key) });
const isLeaving = (item: Item | undefined): boolean => item?.['gone'] !== undefined && item['d'] !== undefined;
const isThere = (item: Item | undefined): boolean =>
  item !== undefined && (item['gone'] === undefined || isLeaving(item));

/** Opens the checks of variable sets and of their assignments. */
export const checkVariableSets = (
  { at, count, must }: Check,
  { claimed, inOrganization }: CommonChecks,
): Checks<VariableSetItem> => {
  /** Returns the variables that a variable set lists, as far as they exist and their pointers lead to them. */
  const variablesOf = (set: Item | undefined): readonly Item[] =>
    set === undefined
      ? []
      : variableSetOf(set).variables.flatMap((id) => {
          const { category, key } = at(keys.pointer(id)) ?? {};
          const variable = at(keys.variable(textOf(set['id']), textOf(category), textOf(key)));
          return variable?.['id'] === id ? [variable] : [];
        });

  /** Checks the attributes of a variable set, without any other item. */
  const isValid = (item: Item): void => {
    const { organization, name, workspaces, projects, vars, seq, chg, gone, ttl, prj, l, lk } = item;
    const isWhole =
      [workspaces, projects, vars, chg].every(isMap) &&
      [item['global'], item['priority']].every((value) => typeof value === 'boolean');
    must(isWhole, 'its settings, assignments, variables or last change record are missing');
    must(isCount(seq), 'its sequence number is not a positive integer');
    must(item['global'] !== true || prj === undefined, 'it is global, but a project owns it');
    if (gone !== undefined) {
      const isTombstone = isCount(gone) && isCount(ttl) && l === undefined;
      must(isTombstone, 'it is deleted, but has no deletion time or no expiry, or is in the list index');
    } else {
      const isListed = l === listPartition.records(textOf(organization), 'variableSet') && lk === name;
      const problem = 'its list index keys do not match its organization and name, or it has an expiry';
      must(isListed && ttl === undefined, problem);
    }
  };

  return {
    'variable-set': (item) => {
      isValid(item);
      if (item['gone'] !== undefined) return;
      inOrganization(item);
      claimed(item, 'variableSet', { id: item['id'], kind: 'variableSet' });
      const { id, organization, project, global, workspaces, projects, variables: ids } = variableSetOf(item);
      const isAssigned = [...workspaces, ...projects].every((target) => at(keys.assignedVariableSet(target, id)));
      must(isAssigned, 'an item of one of its assignments does not exist');
      const own = variablesOf(item);
      const counted = count(variablePartition(id), prefixes.variables);
      must(own.length === ids.length && counted === ids.length, 'its variables do not match');
      const isOwned = project === undefined || at(keys.ownedVariableSet(project, id)) !== undefined;
      must(isOwned, 'the item of the project that owns it does not exist');
      const { sets, keys: byKey } = globalVariablesOf(at(keys.globalVariables(organization)));
      const isGlobal = sets.includes(id) && own.every((variable) => byKey[keyOf(variable)] === id);
      must(!global || isGlobal, 'it is global, but not among the global variables');
    },
    'assigned-variable-set': ({ workspace, project, variableSet }) => {
      const set = at(keys.variableSet(textOf(variableSet)));
      const assigned = set && variableSetOf(set)[workspace === undefined ? 'projects' : 'workspaces'];
      const isListed = assigned?.includes(textOf(workspace ?? project)) ?? false;
      must(isListed || isLeaving(set), 'its variable set does not exist or is not assigned');
      const target = workspace === undefined ? keys.project(textOf(project)) : keys.workspace(textOf(workspace));
      must(isThere(at(target)), 'its workspace or project does not exist');
    },
    'owned-variable-set': ({ project, variableSet }) => {
      const set = at(keys.variableSet(textOf(variableSet)));
      const isOwn = set !== undefined && set['gone'] === undefined && set['prj'] === project;
      must(isOwn, 'its variable set does not exist or has another owner');
      must(isThere(at(keys.project(textOf(project)))), 'its project does not exist');
    },
    'global-variables': (item) => {
      const isWhole = isMap(item['sets']) && isMap(item['keys']) && isCount(item['revision']);
      must(isWhole, 'its variable sets, keys or revision are missing');
      inOrganization(item);
      const { sets, keys: byKey } = globalVariablesOf(item);
      const isGlobal = (id: string): boolean => {
        const set = at(keys.variableSet(id));
        return set !== undefined && set['gone'] === undefined && set['global'] === true;
      };
      must(sets.every(isGlobal), 'one of its variable sets does not exist or is not global');
      const own = new Set(
        sets.flatMap((id) => variablesOf(at(keys.variableSet(id))).map((variable) => `${id} ${keyOf(variable)}`)),
      );
      const isRight = Object.entries(byKey).every(([key, id]) => own.has(`${id} ${key}`));
      must(isRight, 'one of its keys is not that of a variable of its variable set');
    },
  };
};
