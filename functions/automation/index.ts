import { openFingerprints } from '../../shared/encryption/fingerprint.ts';
import { now } from '../../shared/lib/clock.ts';
import { createLogger } from '../../shared/logging/log.ts';
import { openRequests } from '../../shared/runtime/api-requests.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openInvoke } from '../../shared/runtime/invoke.ts';
import { openCommandStore } from '../../shared/store/automation/command-records.ts';
import { openDatabase } from '../../shared/store/dynamodb/database.ts';
import { openWorkspaces } from '../../shared/store/workspaces/workspace-store.ts';
import { createHandler } from './handler.ts';

const { TABLE_NAME, FUNCTION_PREFIX, DEAD_LETTERS_URL, FINGERPRINTS_KEY_ARN } = readEnvironment('automation');
const database = openDatabase({ tableName: TABLE_NAME });

/**
 * Lambda handler of the automation commands, which do what the HTTP API does. Only IAM authorizes it; each command names
 * the service principal that it acts as.
 */
export const handler = createHandler({
  commands: openCommandStore(database, now),
  workspaces: openWorkspaces(database, now),
  fingerprints: openFingerprints(FINGERPRINTS_KEY_ARN),
  request: openRequests(openInvoke(), FUNCTION_PREFIX),
  // Few commands need it, and its client is large.
  deadLetters: async (letter) => {
    const { openDeadLetters } = await import('../../shared/events/dead-letters.ts');
    await openDeadLetters(DEAD_LETTERS_URL)(letter);
  },
  logger: createLogger('automation'),
});
