import type { Database } from '../dynamodb/database.ts';
import type { Item } from '../dynamodb/item.ts';
import { keys, listPartition } from '../dynamodb/keys.ts';

/** Builds the keys of the first `shards` partitions that hold an organization's rows in the list index. */
export const listPartitions = (organization: string, shards: number): string[] =>
  Array.from({ length: shards }, (_, shard) => listPartition.workspaces(organization, shard));

/** Reads the rows of an organization's workspaces and projects from the list index, including tombstones. */
export const listRows = async (database: Database, organization: string): Promise<Item[]> => {
  const item = await database.get(keys.organization(organization), true);
  const partitions = listPartitions(organization, Number(item?.['shards'] ?? 0));
  const read = async (): Promise<Item[]> =>
    (await Promise.all(partitions.map((partition) => database.query({ index: 'list', partition })))).flat();
  const rows = await read();
  if (item?.['spreadAt'] === undefined) return rows;
  // A row moves to another partition at most once, so the second read finds the rows that the first one missed.
  const newest = new Map<string, Item>();
  for (const row of [...rows, ...(await read())]) {
    const id = String(row['id']);
    if (String(row['lk']) >= String(newest.get(id)?.['lk'] ?? '')) newest.set(id, row);
  }
  return [...newest.values()];
};
