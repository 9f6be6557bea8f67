import { isAlive, type Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Database } from '../dynamodb/database.ts';
import { type Item, keys, listPartition } from '../dynamodb/keys.ts';
import { isOpen } from '../items/directory-items.ts';
import type { Workspaces } from './workspace-store.ts';

/** Reads the rows of an organization's workspaces and projects from the list index, including tombstones. */
export const listRows = async (database: Database, organization: string): Promise<Item[]> => {
  const item = await database.get(keys.organization(organization), true);
  const partitions = listPartition.allWorkspaces(organization, Number(item?.['shards'] ?? 0));
  return (await Promise.all(partitions.map((partition) => database.query({ index: 'list', partition })))).flat();
};

/** Number of workspaces that are read in full at a time: some megabytes. */
const READ_AT_ONCE = 800;

/** Dependencies of the searches: the table, and reads of workspaces. */
interface Searched {
  readonly database: Database;
  readonly workspaces: Pick<Workspaces, 'findAll'>;
}

/** Reads the workspaces whose rows meet `mayFit` with strong consistency, and returns those that meet `fits`. */
const search = async (
  { database, workspaces }: Searched,
  organization: string,
  fits: (workspace: Workspace) => boolean,
  mayFit: (row: Item) => boolean,
): Promise<Workspace[]> => {
  const rows = (await listRows(database, organization)).filter((row) => row['ty'] === 'workspace' && mayFit(row));
  // A row that changes while the index is read may be met twice.
  const byId = new Map(rows.map((row) => [String(row['id']), row['x'] !== undefined]));
  const candidates = [...byId].map(([id, hasLongText]) => ({ id, hasLongText }));
  const found: Workspace[] = [];
  for (let start = 0; start < candidates.length; start += READ_AT_ONCE) {
    const read = await workspaces.findAll(candidates.slice(start, start + READ_AT_ONCE), true);
    found.push(...read.filter(fits));
  }
  return found;
};

/**
 * Finds the workspaces of an organization that meet a condition. Candidates come from the table's index and are confirmed
 * by strong reads. The index lags behind writes, so a workspace that was just written may be missed.
 * @param fits the condition.
 * @param mayFit a condition on the row that excludes workspaces which cannot meet `fits`.
 */
export const findWorkspaces = (
  searched: Searched,
  organization: string,
  fits: (workspace: Workspace) => boolean,
  mayFit: (row: Item) => boolean = () => true,
): Promise<Workspace[]> =>
  search(
    searched,
    organization,
    (workspace) => isAlive(workspace) && fits(workspace),
    (row) => isOpen(row) && mayFit(row),
  );

/**
 * Finds the workspaces of an organization, and the deleted ones that were not purged. It may miss a workspace that was
 * just written, like `findWorkspaces`.
 */
export const findKeptWorkspaces = (searched: Searched, organization: string): Promise<Workspace[]> =>
  search(
    searched,
    organization,
    (workspace) => workspace.deletedAt === undefined || workspace.purgeAt !== undefined,
    (row) => isOpen(row) || row['pa'] !== undefined,
  );
