import type { Database } from '../dynamodb/database.ts';
import type { Item } from '../dynamodb/item.ts';
import { keys, listPartition } from '../dynamodb/keys.ts';

/** Reads the rows of an organization's workspaces and projects from the list index, including tombstones. */
export const listRows = async (database: Database, organization: string): Promise<Item[]> => {
  const item = await database.get(keys.organization(organization), true);
  const partitions = listPartition.allWorkspaces(organization, Number(item?.['shards'] ?? 0));
  return (await Promise.all(partitions.map((partition) => database.query({ index: 'list', partition })))).flat();
};
