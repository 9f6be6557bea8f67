import { openBus } from '../../../shared/events/bus.ts';
import { openDeadLetters } from '../../../shared/events/dead-letters.ts';
import { now } from '../../../shared/lib/clock.ts';
import { createLogger } from '../../../shared/logging/log.ts';
import { readEnvironment } from '../../../shared/runtime/environment.ts';
import { openDatabase } from '../../../shared/store/dynamodb/database.ts';
import { openWorkspaceScan } from '../../../shared/store/workspaces/scan-workspaces.ts';
import { sendSnapshot } from './send-snapshot.ts';

const { TABLE_NAME, BUS_NAME, DEAD_LETTERS_URL } = readEnvironment('hub-snapshot');

/** Lambda handler of the command that sends a snapshot of all workspaces to the bus. */
export const handler = sendSnapshot({
  scan: openWorkspaceScan(openDatabase({ tableName: TABLE_NAME })),
  bus: openBus(BUS_NAME),
  deadLetters: openDeadLetters(DEAD_LETTERS_URL),
  clock: now,
  logger: createLogger('hub-snapshot'),
});
