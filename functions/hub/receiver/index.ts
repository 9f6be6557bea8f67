import { openDeadLetters } from '../../../shared/events/dead-letters.ts';
import { now } from '../../../shared/lib/clock.ts';
import { createLogger } from '../../../shared/logging/log.ts';
import { readEnvironment } from '../../../shared/runtime/environment.ts';
import { openHubStore } from '../../../shared/store/hub/hub-store.ts';
import { createHandler } from './receive.ts';

const { HUB_TABLE_NAME, DEAD_LETTERS_URL } = readEnvironment('hub-receiver');

/** Lambda handler of the events that members forward to the hub. */
export const handler = createHandler({
  store: openHubStore({ tableName: HUB_TABLE_NAME }, now),
  deadLetters: openDeadLetters(DEAD_LETTERS_URL),
  logger: createLogger('hub-receiver'),
});
