import type { Clock } from '../../lib/clock.ts';
import { mapWithConcurrency } from '../../lib/concurrency.ts';
import type { Database } from '../dynamodb/database.ts';
import { render } from '../dynamodb/expressions.ts';
import { keys } from '../dynamodb/keys.ts';
import { persist } from '../dynamodb/retry-writes.ts';

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
    persist('workspace', clock, (_, remaining) =>
      database.write({ kind: 'delete', key: keys.workspaceAccessId(workspace, team), ...render({}) }, remaining()),
    ),
  );
};
