import type { Item } from '../dynamodb/item.ts';
import { checkDirectory } from './directory.ts';
import type { Lookup } from './lookup.ts';
import { openReferences } from './references.ts';
import { checkTokens } from './tokens.ts';
import { checkVariableSets } from './variable-sets.ts';
import { checkWorkspaces } from './workspaces.ts';

/** Opens the check of the references of an item to others, in both directions. It returns the problems of the item. */
export const openRelations = (lookup: Lookup): ((item: Item) => string[]) => {
  let problems: string[] = [];
  const must = (_: Item, holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem);
  };
  const { at } = lookup;
  const references = openReferences(at, must);
  const tokens = checkTokens(at, must);
  const checks: Readonly<Record<string, (item: Item) => void>> = {
    ...checkDirectory(at, must, references, tokens.ownToken),
    ...tokens.checks,
    ...checkWorkspaces(lookup, must, references),
    ...checkVariableSets(lookup, must, references),
  };

  return (item) => {
    problems = [];
    const ty = String(item['ty']);
    if (Object.hasOwn(checks, ty)) checks[ty]?.(item);
    return problems;
  };
};
