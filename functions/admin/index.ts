import { now } from '../../shared/clock.ts';
import { readEnvironment } from '../../shared/env.ts';
import { openSnapshotRemoval } from '../../shared/snapshots/open-snapshots.ts';
import { openDatabase } from '../../shared/store/database.ts';
import { createHandler } from './handler.ts';
import { createOperations } from './operations.ts';
import { openServices } from './services.ts';

const { TABLE_NAME, BUCKET_NAME } = readEnvironment('admin');

/** Administration, invoked with IAM alone; `{"command": "help"}` lists what it does. */
export const handler = createHandler(
  createOperations(
    openServices(openDatabase({ tableName: TABLE_NAME }), now, { removeSnapshot: openSnapshotRemoval(BUCKET_NAME) }),
  ),
);
