import { now } from '../../shared/lib/clock.ts';
import { openSnapshotRemoval } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openDatabase } from '../../shared/store/dynamodb/database.ts';
import { createCommandHandlers } from './command-handlers.ts';
import { openAdminDependencies } from './dependencies.ts';
import { createHandler } from './handler.ts';

const { TABLE_NAME, TABLE_CLIENT, BUCKET_NAME } = readEnvironment('admin');

/** Lambda handler of the admin commands. Only IAM authorizes it; `{"command": "help"}` lists the commands. */
export const handler = createHandler(
  createCommandHandlers(
    openAdminDependencies(openDatabase({ tableName: TABLE_NAME, tableClient: TABLE_CLIENT }), now, {
      removeSnapshot: openSnapshotRemoval(BUCKET_NAME),
    }),
  ),
);
