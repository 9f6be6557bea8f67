import type { Item } from '../dynamodb/item.ts';
import type { Key } from '../dynamodb/keys.ts';
import { checkDirectory } from './directory.ts';
import { keyOf, spell } from './facts.ts';
import { openReferences } from './references.ts';
import { checkTokens } from './tokens.ts';
import { checkVariableSets } from './variable-sets.ts';
import { checkWorkspaces } from './workspaces.ts';

/** A violated invariant, and the item that violates it. */
export interface Finding {
  /** Partition key and sort key of the item, separated by a space. */
  readonly key: string;
  readonly problem: string;
}

/** Checks the references between items, in both directions. */
export const problemsBetween = function* (items: ReadonlyMap<string, Item>): Generator<Finding> {
  const at = (key: Key): Item | undefined => items.get(spell(key));
  const problems: Finding[] = [];
  const must = (item: Item, holds: boolean, problem: string): void => {
    if (!holds) problems.push({ key: keyOf(item), problem });
  };
  const references = openReferences(at, must);
  const tokens = checkTokens(at, must);
  const checks = {
    ...checkDirectory(at, must, references, tokens.ownToken),
    ...tokens.checks,
    ...checkWorkspaces(items, at, must, references),
    ...checkVariableSets(items, at, must, references),
  };

  for (const item of items.values()) {
    const ty = String(item['ty']);
    if (Object.hasOwn(checks, ty)) checks[ty]?.(item);
    yield* problems.splice(0);
  }
};
