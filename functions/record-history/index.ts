import { openFingerprints } from '../../shared/encryption/fingerprint.ts';
import { openDeadLetters } from '../../shared/events/dead-letters.ts';
import { now } from '../../shared/lib/clock.ts';
import { createLogger } from '../../shared/logging/log.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openFirstUseWriter } from '../../shared/store/directory/tokens/first-uses.ts';
import { openDatabase } from '../../shared/store/dynamodb/database.ts';
import { openHistoryWriter } from '../../shared/store/history/history-writer.ts';
import { recordBatch } from './record.ts';

const { TABLE_NAME, DEAD_LETTERS_URL, FINGERPRINTS_KEY_ARN, HISTORY_DAYS } = readEnvironment('record-history');
const database = openDatabase({ tableName: TABLE_NAME });

/** Lambda handler of the table stream: writes the entries of the history. */
export const handler = recordBatch({
  history: openHistoryWriter(database, now, HISTORY_DAYS),
  recordFirstUse: openFirstUseWriter(database, now),
  fingerprints: openFingerprints(FINGERPRINTS_KEY_ARN),
  deadLetters: openDeadLetters(DEAD_LETTERS_URL),
  clock: now,
  logger: createLogger('record-history'),
});
