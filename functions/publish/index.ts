import { openBus } from '../../shared/events/bus.ts';
import { openDeadLetters } from '../../shared/events/dead-letters.ts';
import { now } from '../../shared/lib/clock.ts';
import { createLogger } from '../../shared/logging/log.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { publishBatch } from './publish.ts';

const { BUS_NAME, DEAD_LETTERS_URL } = readEnvironment('publish');

/** Lambda handler of the table stream: publishes change records as events. */
export const handler = publishBatch({
  bus: openBus(BUS_NAME),
  deadLetters: openDeadLetters(DEAD_LETTERS_URL),
  clock: now,
  logger: createLogger('publish'),
});
