import { now } from '../../shared/lib/clock.ts';
import { openSnapshotRemoval } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { createLogger } from '../../shared/logging/log.ts';
import { readDeploymentName, readEnvironment, readReplacedTable } from '../../shared/runtime/environment.ts';
import { openDatabase } from '../../shared/store/dynamodb/database.ts';
import { openUseReport } from './break-glass.ts';
import { openObjects } from './bucket.ts';
import { createCommandHandlers } from './command-handlers.ts';
import { openAdminDependencies } from './dependencies.ts';
import { createHandler } from './handler.ts';

const { TABLE_NAME, BUCKET_NAME, IDENTITY_PROVIDERS: providers, PUBLIC_URL, CONSOLE } = readEnvironment('admin');
const replacedTable = readReplacedTable();
const dependencies = openAdminDependencies(openDatabase({ tableName: TABLE_NAME }), now, {
  removeSnapshot: openSnapshotRemoval(BUCKET_NAME),
  replaced: replacedTable === undefined ? undefined : openDatabase({ tableName: replacedTable }),
  ...openObjects(BUCKET_NAME),
  providers,
  consoleOrigin: CONSOLE ? PUBLIC_URL : undefined,
});

/** Lambda handler of the admin commands. Only IAM authorizes it; `{"command": "help"}` lists the commands. */
export const handler = createHandler(
  createCommandHandlers(dependencies),
  openUseReport(createLogger('admin'), readDeploymentName('admin'), now),
);
