import type { Clock } from '../../lib/clock.ts';
import { mapWithConcurrency } from '../../lib/concurrency.ts';
import type { Database } from '../dynamodb/database.ts';
import { keys } from '../dynamodb/keys.ts';
import { persistWrite } from '../dynamodb/retry-writes.ts';
import { remove } from '../items/item-write.ts';

/** Number of pointers that are deleted concurrently. */
const CONCURRENCY = 16;

/**
 * Deletes the pointers from the ids of the access of deleted teams to a deleted workspace, whose grants stay. It can be
 * repeated.
 * @param workspace id of the workspace.
 * @param teams ids of teams that no longer exist.
 */
export const removeAccessIds = async (
  database: Database,
  clock: Clock,
  workspace: string,
  teams: readonly string[],
): Promise<void> => {
  await mapWithConcurrency(teams, CONCURRENCY, (team) =>
    persistWrite('workspace', { database, clock }, remove(keys.workspaceAccessId(workspace, team))),
  );
};
