import { isAlive, type Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Database } from '../dynamodb/database.ts';
import type { Item } from '../dynamodb/item.ts';
import { listRows } from '../items/index-partitions.ts';
import type { Workspaces } from './workspace-store.ts';

/** Number of workspaces that are read in full at a time: some megabytes. */
const READ_AT_ONCE = 800;

/**
 * Finds the workspaces of an organization that meet a condition. Candidates come from the table's index and are confirmed
 * by strong reads. The index lags behind writes, so a workspace that was just written may be missed.
 * @param fits the condition.
 * @param mayFit a condition on the row that excludes workspaces which cannot meet `fits`.
 */
export const findWorkspaces = async (
  { database, workspaces }: { readonly database: Database; readonly workspaces: Pick<Workspaces, 'findAll'> },
  organization: string,
  fits: (workspace: Workspace) => boolean,
  mayFit: (row: Item) => boolean = () => true,
): Promise<Workspace[]> => {
  const rows = (await listRows(database, organization)).filter(
    (row) => row['ty'] === 'workspace' && row['gone'] === undefined && mayFit(row),
  );
  // A row that changes while the index is read may be met twice.
  const byId = new Map(rows.map((row) => [String(row['id']), row['x'] !== undefined]));
  const candidates = [...byId].map(([id, hasLongText]) => ({ id, hasLongText }));
  const found: Workspace[] = [];
  for (let start = 0; start < candidates.length; start += READ_AT_ONCE) {
    const read = await workspaces.findAll(candidates.slice(start, start + READ_AT_ONCE), true);
    found.push(...read.filter((workspace) => isAlive(workspace) && fits(workspace)));
  }
  return found;
};
