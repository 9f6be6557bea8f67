import { absent, all, equals } from '../../domain/changes/conditions.ts';
import { mapWithConcurrency } from '../../lib/concurrency.ts';
import { conditionHolds } from '../dynamodb/errors.ts';
import { type Item, keys } from '../dynamodb/keys.ts';
import { persistWrite, type Table } from '../dynamodb/retry-writes.ts';
import { keyOf, update } from '../items/item-write.ts';
import { listedKey, variableOf } from '../items/variable-items.ts';
import { type Walked, type WalkOptions, walkTable } from '../jobs/walk-table.ts';

interface Report {
  /** Items that were visited, of every type. */
  readonly items: number;
  /** Variables whose keys were added to the index. */
  readonly indexed: number;
}

/** Number of concurrent writes for each page of the table. */
const WRITES = 8;

/**
 * Adds the keys of variables that an earlier release wrote to the index `list` (STORE-41). It can be repeated, and changes
 * nothing that this release wrote.
 */
export const indexVariables = async (
  { database, clock }: Table,
  options?: WalkOptions,
): Promise<Report & Pick<Walked<Report>, 'left'>> => {
  const isOpenVariable = ({ ty, l }: Item): boolean => ty === 'variable' && l === undefined;

  const index = async (item: Item, organization: string): Promise<boolean> => {
    const variable = variableOf(item);
    // Meanwhile the variable may be deleted, renamed or written by this release, and another one may have its key.
    const condition = all(equals('id', variable.id), absent('l'));
    const write = update(keyOf(item), { set: listedKey(organization, variable) }, condition);
    return conditionHolds(persistWrite('variable', { database, clock }, write));
  };

  const { report, left } = await walkTable<Report>(
    { database, clock },
    {
      name: 'index-variables',
      parameters: '',
      empty: { items: 0, indexed: 0 },
      visit: async ({ items }) => {
        const found = items.filter(isOpenVariable);
        const keyOfOwner = ({ workspace, variableSet }: Item) =>
          workspace === undefined ? keys.variableSet(String(variableSet)) : keys.workspace(String(workspace));
        const owners = new Map(found.map((item) => [String(item['pk']), keyOfOwner(item)]));
        const organizations = new Map(
          (await database.getAll([...owners.values()])).map(({ pk, org, organization }) => [pk, org ?? organization]),
        );
        // The cleanup removes variables without an owner.
        const owned = found.filter(({ pk }) => organizations.has(pk));
        const indexed = await mapWithConcurrency(owned, WRITES, (item) =>
          index(item, String(organizations.get(item['pk']))),
        );
        return { items: items.length, indexed: indexed.filter((isIndexed) => isIndexed).length };
      },
      merge: (one, other) => ({ items: one.items + other.items, indexed: one.indexed + other.indexed }),
    },
    options,
  );
  return { ...report, left };
};
