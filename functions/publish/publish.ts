import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { type Bus, type Entry, type Outcome, splitIntoCalls } from '../../shared/events/bus.ts';
import type { DeadLetters } from '../../shared/events/dead-letters.ts';
import { type Clock, wait } from '../../shared/lib/clock.ts';
import { mapWithConcurrency } from '../../shared/lib/concurrency.ts';
import { backoff } from '../../shared/lib/retry.ts';
import { type Logger, messages } from '../../shared/logging/log.ts';
import { STREAM_PATIENCE_SECONDS } from '../../shared/runtime/stream.ts';
import { hasNewChangeRecord, workspaceKeyIn } from '../../shared/store/workspaces/stream-records.ts';
import { messageOf } from './message.ts';

interface Publisher {
  readonly bus: Bus;
  readonly deadLetters: DeadLetters;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Invocation {
  readonly getRemainingTimeInMillis: () => number;
}

/** How often an event is sent in one invocation; after that the stream brings it again. */
const TRIES = 5;
const pauseBefore = backoff(100);
/** Calls to the bus at a time. */
const CALLS = 4;
/** No further round is begun when less time than this is left, in milliseconds: a call to the bus and one to the queue. */
const MARGIN = 15_000;
/** This long before the stream gives a record up, it is put aside if it cannot be sent, in milliseconds. */
const LAST_TRIES = 30 * 60_000;
/** An event that fails for so long while the bus takes others is put aside: all that comes after it waits for it. */
const LONGEST_HOLDUP = 15 * 60_000;

/** An event, and where it stands in the batch. */
interface Waiting {
  readonly record: DynamoDBRecord;
  readonly place: number;
}

/** The events of one workspace, in order: the next one is sent only once the bus has the one before. */
interface Lane {
  readonly waiting: Waiting[];
  tries: number;
  isStopped: boolean;
}

const lanesOf = (records: readonly DynamoDBRecord[]): Lane[] => {
  const announced = records
    .map((record, place) => ({ record, place }))
    .filter(({ record }) => hasNewChangeRecord(record));
  return [...Map.groupBy(announced, ({ record }) => workspaceKeyIn(record)).values()].map((waiting) => ({
    waiting,
    tries: 0,
    isStopped: false,
  }));
};

/**
 * Sends what a batch of the stream announces to the bus. Of what could not be sent, the first one's position is
 * answered, and the stream brings everything from there on again: events may come twice, with the same id, but none is
 * left out, and those of one workspace are first seen in order.
 *
 * An event that will never be sent goes to the dead-letter queue whole, and so does one that could not be sent for as
 * long as the stream is patient; what follows it goes on.
 */
export const publishBatch =
  ({ bus, deadLetters, clock, logger }: Publisher) =>
  async ({ Records }: DynamoDBStreamEvent, context: Invocation): Promise<DynamoDBBatchResponse> => {
    const lanes = lanesOf(Records);
    const count = { sent: 0, dead: 0 };

    const isLastTry = ({ dynamodb }: DynamoDBRecord, { kind }: Outcome): boolean => {
      const { ApproximateCreationDateTime: seconds = Number.POSITIVE_INFINITY } = dynamodb ?? {};
      const isItsOwn = kind === 'failed' && count.sent > 0;
      const patience = isItsOwn ? LONGEST_HOLDUP : STREAM_PATIENCE_SECONDS * 1_000 - LAST_TRIES;
      return clock() > seconds * 1_000 + patience;
    };

    const advance = (lane: Lane): void => {
      lane.waiting.shift();
      lane.tries = 0;
    };

    /** Puts the first of a lane aside; where even that fails, the lane waits for the stream to bring it again. */
    const bury = async (lane: Lane, reason: string, event: unknown): Promise<void> => {
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
      if (outcome.kind !== 'refused' && lane.tries < TRIES) return;
      const first = lane.waiting[0]?.record;
      if (outcome.kind === 'refused' || (first !== undefined && isLastTry(first, outcome))) {
        const event = { source: 'holdfast', 'detail-type': type, detail: JSON.parse(detail) };
        return bury(lane, outcome.reason, event);
      }
      logger.warn(messages.EVENT_DELAYED, { reason: outcome.reason });
      lane.isStopped = true;
    };

    /** The first of each lane, once. @returns whether any of them has to be sent again. */
    const sendFirsts = async (open: readonly Lane[]): Promise<boolean> => {
      const firsts = open.flatMap((lane) => {
        const [first] = lane.waiting;
        return first === undefined ? [] : [{ lane, message: messageOf(first.record) }];
      });
      const poison = firsts.flatMap(({ lane, message }) => (message.kind === 'poison' ? [{ lane, message }] : []));
      const events = firsts.flatMap(({ lane, message }) =>
        message.kind === 'event' ? [{ lane, entry: message.entry }] : [],
      );
      await Promise.all(poison.map(({ lane, message: { reason, event } }) => bury(lane, reason, event)));
      const calls = splitIntoCalls(events, ({ entry }) => entry);
      await mapWithConcurrency(calls, CALLS, async (call) => {
        const outcomes = await bus.send(call.map(({ entry }) => entry));
        await Promise.all(call.map(({ lane, entry }, index) => settle(lane, entry, outcomes[index] ?? NO_OUTCOME)));
      });
      return open.some(({ tries, isStopped }) => tries > 0 && !isStopped);
    };

    const openLanes = () => lanes.filter(({ waiting, isStopped }) => waiting.length > 0 && !isStopped);
    for (let open = openLanes(); open.length > 0 && context.getRemainingTimeInMillis() > MARGIN; open = openLanes()) {
      const isAgain = await sendFirsts(open);
      const tries = Math.max(...open.map((lane) => lane.tries));
      if (isAgain) await wait(pauseBefore(tries, undefined));
    }

    const left = lanes.flatMap(({ waiting: [first] }) => first ?? []);
    const first = left.toSorted((a, b) => a.place - b.place)[0]?.record.dynamodb?.SequenceNumber;
    if (count.sent + count.dead + left.length > 0) {
      logger.info(messages.EVENTS_PUBLISHED, { ...count, delayed: left.length });
    }
    return { batchItemFailures: first === undefined ? [] : [{ itemIdentifier: first }] };
  };

const NO_OUTCOME: Outcome = { kind: 'failed', reason: 'No outcome' };
