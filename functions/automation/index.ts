import { now } from '../../shared/clock.ts';
import { readEnvironment } from '../../shared/env.ts';
import { openInvoke } from '../../shared/invoke.ts';
import { createLogger } from '../../shared/observe/log.ts';
import { openCommands } from '../../shared/store/commands.ts';
import { openDatabase } from '../../shared/store/database.ts';
import { openWorkspaces } from '../../shared/store/workspaces.ts';
import { createHandler } from './handler.ts';
import { openRequests } from './requests.ts';

const { TABLE_NAME, FUNCTION_PREFIX } = readEnvironment('automation');
const database = openDatabase({ tableName: TABLE_NAME });

/** Commands: what the HTTP API does, invoked with IAM and acting as a named service principal. */
export const handler = createHandler({
  commands: openCommands(database, now),
  workspaces: openWorkspaces(database, now),
  request: openRequests(openInvoke(), FUNCTION_PREFIX),
  logger: createLogger('automation'),
});
