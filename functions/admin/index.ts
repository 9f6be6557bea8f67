import { now } from '../../shared/lib/clock.ts';
import { openSnapshotRemoval } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openDatabase } from '../../shared/store/dynamodb/database.ts';
import { createCommandHandlers } from './command-handlers.ts';
import { createHandler } from './handler.ts';
import { openAdminServices } from './services.ts';

const { TABLE_NAME, BUCKET_NAME } = readEnvironment('admin');

/** Administration, invoked with IAM alone; `{"command": "help"}` lists what it does. */
export const handler = createHandler(
  createCommandHandlers(
    openAdminServices(openDatabase({ tableName: TABLE_NAME }), now, {
      removeSnapshot: openSnapshotRemoval(BUCKET_NAME),
    }),
  ),
);
