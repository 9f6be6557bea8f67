import type { NamedKind } from '../../domain/directory/records.ts';
import type { Item } from '../dynamodb/item.ts';
import { type ClaimKind, type Key, keys, listPartition } from '../dynamodb/keys.ts';
import { recordKey } from '../items/record-items.ts';
import { organizationOf, teamsIn, textOf } from './facts.ts';

/** Opens the checks of references that items of several types have. `must` records a problem of an item unless `holds`. */
export const openReferences = (
  at: (key: Key) => Item | undefined,
  must: (item: Item, holds: boolean, problem: string) => void,
) => {
  /** Checks a reference to a record of the same organization. Null and undefined are no reference. */
  const refers = (item: Item, kind: NamedKind, id: unknown): void => {
    if (id === undefined || id === null) return;
    const found = at(recordKey(kind, textOf(id)));
    const isThere =
      found?.['ty'] === kind &&
      organizationOf(found) === (item['ty'] === 'organization' ? item['name'] : organizationOf(item));
    must(item, isThere, `its ${kind} ${textOf(id)} does not exist`);
  };
  const grantsTo = (item: Item): void => {
    for (const team of teamsIn(item)) refers(item, 'team', team);
  };
  /** Checks that the claim on the name of a record belongs to that record. */
  const claimed = (item: Item, kind: ClaimKind, named: Readonly<Record<string, unknown>>): void => {
    const claim = at(keys.claim(organizationOf(item), kind, textOf(item['name'])));
    must(item, claim !== undefined, 'its name has no claim');
    const isOwn = Object.entries(named).every(([name, value]) => claim?.[name] === value);
    must(item, claim === undefined || isOwn, 'the claim on its name belongs to another item');
  };
  const inOrganization = (item: Item): Item | undefined => {
    const organization = at(keys.organization(organizationOf(item)));
    must(item, organization !== undefined, 'its organization does not exist');
    return organization;
  };
  const inShard = (item: Item, organization: Item | undefined): void => {
    if (organization === undefined) return;
    const shards = Number(organization['shards']);
    const isIn = (of: number): boolean =>
      item['l'] === listPartition.workspacesOf(organizationOf(item), textOf(item['id']), of) ||
      // During a reshard, rows may still be in the partitions of the previous shard count.
      (organization['spreadAt'] !== undefined && of > 1 && isIn(of / 2));
    must(item, isIn(shards), 'it is in the wrong partition of the list index');
  };
  return { refers, grantsTo, claimed, inOrganization, inShard };
};

export type References = ReturnType<typeof openReferences>;
