import { isAlive, type Workspace } from '../../domain/workspace/workspace-record.ts';
import { listRows } from '../directory/records.ts';
import type { Database } from '../dynamodb/database.ts';
import type { Item } from '../dynamodb/item.ts';
import type { Workspaces } from './workspace-store.ts';

/** Workspaces that are read in full at a time: some megabytes. */
const READ_AT_ONCE = 800;

/**
 * The living workspaces of an organization that fit: candidates by their rows of the list index, where the rows can
 * tell, confirmed by strong reads. The index follows writes with a delay, so one that was just written may be missed.
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
