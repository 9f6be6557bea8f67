import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { type Bus, type Entry, type Outcome, splitIntoCalls } from '../../shared/events/bus.ts';
import type { DeadLetters } from '../../shared/events/dead-letters.ts';
import { type Clock, wait } from '../../shared/lib/clock.ts';
import { mapWithConcurrency } from '../../shared/lib/concurrency.ts';
import { backoff } from '../../shared/lib/retry.ts';
import { type Logger, messages } from '../../shared/logging/log.ts';
import { LAST_TRIES_MILLISECONDS } from '../../shared/runtime/stream.ts';
import { hasNewChangeRecord, subjectKeyIn } from '../../shared/store/workspaces/stream-records.ts';
import { messageOf } from './message.ts';

interface Publisher {
  readonly bus: Bus;
  readonly deadLetters: DeadLetters;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Attempts to send an event in one invocation. After that, the stream delivers its record again. */
const TRIES = 5;
const pauseBefore = backoff(100);
/** Number of concurrent calls to the bus. */
export const CALLS = 4;
/** Remaining time below which no round starts, in milliseconds: enough for one call to the bus and one to the queue. */
const MARGIN = 15_000;
/**
 * An event that fails for this long, in milliseconds, while the bus accepts others goes to the dead-letter queue, because
 * the later events of its resource wait for it.
 */
const LONGEST_HOLDUP = 15 * 60_000;

/** A stream record and its position in the batch. */
interface Waiting {
  readonly record: DynamoDBRecord;
  readonly position: number;
}

/** Events of one resource in order. An event is sent only after the bus has accepted the one before. */
interface Lane {
  readonly waiting: Waiting[];
  tries: number;
  isStopped: boolean;
}

const lanesOf = (records: readonly DynamoDBRecord[]): Lane[] => {
  const changes = records
    .map((record, position) => ({ record, position }))
    .filter(({ record }) => hasNewChangeRecord(record));
  return [...Map.groupBy(changes, ({ record }) => subjectKeyIn(record)).values()].map((waiting) => ({
    waiting,
    tries: 0,
    isStopped: false,
  }));
};

/**
 * Creates the handler that publishes the change records of a stream batch to the event bus. It returns the position of
 * the first record that was not published, and the stream delivers all records from there again. An event can therefore
 * arrive twice, with the same id, but none is lost, and the events of one resource arrive in order.
 *
 * An event that can never be published, or could not be published until its stream record is about to expire, goes to
 * the dead-letter queue. The later events of its resource are then published.
 */
export const publishBatch =
  ({ bus, deadLetters, clock, logger }: Publisher) =>
  async (
    { Records }: DynamoDBStreamEvent,
    context: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<DynamoDBBatchResponse> => {
    const lanes = lanesOf(Records);
    const count = { sent: 0, dead: 0 };

    const isLastTry = ({ dynamodb }: DynamoDBRecord, { kind }: Outcome): boolean => {
      const { ApproximateCreationDateTime: seconds = Number.POSITIVE_INFINITY } = dynamodb ?? {};
      const isOwnFailure = kind === 'failed' && count.sent > 0;
      const patience = isOwnFailure ? LONGEST_HOLDUP : LAST_TRIES_MILLISECONDS;
      return clock() > seconds * 1_000 + patience;
    };

    const advance = (lane: Lane): void => {
      lane.waiting.shift();
      lane.tries = 0;
    };

    /** Sends the first event of a lane to the dead-letter queue. If that fails, the lane waits for the next delivery. */
    const sendToDeadLetters = async (lane: Lane, reason: string, event: unknown): Promise<void> => {
      logger.error(messages.EVENT_UNDELIVERABLE, { reason });
      try {
        await deadLetters({ reason, event });
        count.dead += 1;
        advance(lane);
      } catch (error) {
        logger.error(messages.DEAD_LETTER_FAILED, { error: error as Error });
        lane.isStopped = true;
      }
    };

    const settle = async (lane: Lane, { type, detail }: Entry, outcome: Outcome): Promise<void> => {
      if (outcome.kind === 'sent') {
        count.sent += 1;
        return advance(lane);
      }
      lane.tries += 1;
      if (outcome.kind !== 'rejected' && lane.tries < TRIES) return;
      const first = lane.waiting[0]?.record;
      if (outcome.kind === 'rejected' || (first !== undefined && isLastTry(first, outcome))) {
        const event = { source: 'holdfast', 'detail-type': type, detail: JSON.parse(detail) };
        return sendToDeadLetters(lane, outcome.reason, event);
      }
      logger.warn(messages.EVENT_DELAYED, { reason: outcome.reason });
      lane.isStopped = true;
    };

    /** Sends the first event of each lane once. @returns whether any of them has to be sent again. */
    const sendFirsts = async (open: readonly Lane[]): Promise<boolean> => {
      const firsts = open.flatMap((lane) => {
        const [first] = lane.waiting;
        return first === undefined ? [] : [{ lane, message: messageOf(first.record) }];
      });
      const poison = firsts.flatMap(({ lane, message }) => (message.kind === 'poison' ? [{ lane, message }] : []));
      const events = firsts.flatMap(({ lane, message }) =>
        message.kind === 'event' ? [{ lane, entry: message.entry }] : [],
      );
      await Promise.all(poison.map(({ lane, message: { reason, event } }) => sendToDeadLetters(lane, reason, event)));
      const calls = splitIntoCalls(events, ({ entry }) => entry);
      await mapWithConcurrency(calls, CALLS, async (call) => {
        const outcomes = await bus.send(call.map(({ entry }) => entry));
        await Promise.all(call.map(({ lane, entry }, index) => settle(lane, entry, outcomes[index] ?? NO_OUTCOME)));
      });
      return open.some(({ tries, isStopped }) => tries > 0 && !isStopped);
    };

    const openLanes = () => lanes.filter(({ waiting, isStopped }) => waiting.length > 0 && !isStopped);
    for (let open = openLanes(); open.length > 0 && context.getRemainingTimeInMillis() > MARGIN; open = openLanes()) {
      const needsRetry = await sendFirsts(open);
      const tries = Math.max(...open.map((lane) => lane.tries));
      if (needsRetry) await wait(pauseBefore(tries, undefined));
    }

    const left = lanes.flatMap(({ waiting: [first] }) => first ?? []);
    const first = left.toSorted((a, b) => a.position - b.position)[0]?.record.dynamodb?.SequenceNumber;
    if (count.sent + count.dead + left.length > 0) {
      logger.info(messages.EVENTS_PUBLISHED, { ...count, delayed: left.length });
    }
    return { batchItemFailures: first === undefined ? [] : [{ itemIdentifier: first }] };
  };

const NO_OUTCOME: Outcome = { kind: 'failed', reason: 'No outcome' };
