import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamDefinition } from '../assembly/assembly-events.ts';
import { functionArn, streamArn } from '../assembly/template.ts';
import type { Functions } from '../lambda/functions.ts';

/** A record of a stream in the form that functions get it. */
export interface StreamRecord {
  readonly eventID: string;
  readonly eventName: string;
  readonly eventSourceARN: string;
  readonly dynamodb: {
    /** Seconds since the epoch. */
    readonly ApproximateCreationDateTime: number;
    readonly SequenceNumber: string;
    readonly [name: string]: unknown;
  };
  readonly [name: string]: unknown;
}

/** Which records of a stream were given up, and how the last try ended; the records themselves are in the stream. */
export interface GivenUp {
  readonly shard: string;
  readonly records: readonly StreamRecord[];
  readonly condition: 'RetryAttemptsExhausted' | 'MaximumRecordAgeExceeded';
  readonly attempts: number;
}

interface BatchOptions {
  readonly definition: StreamDefinition;
  readonly shard: string;
  readonly functions: Pick<Functions, 'invoke'>;
  /** Everything up to this sequence number needs no more looking at. */
  readonly onHandled: (sequenceNumber: string) => void;
  readonly onGivenUp: (given: GivenUp) => void;
  readonly signal: AbortSignal;
  readonly retryMillis: (attempts: number) => number;
}

/**
 * Hands a batch of records to a function as an event source mapping does: in order, again from the first record that the
 * function names as failed; halved when the whole invocation fails; given up by number of tries or by age.
 */
export const handleBatch = async (records: readonly StreamRecord[], options: BatchOptions): Promise<void> => {
  const { definition, functions, onHandled, signal, retryMillis } = options;
  const { functionName, filters, bisects, reportsFailures } = definition;
  let rest = filters.length === 0 ? records : records.filter((record) => filters.some((matches) => matches(record)));
  let attempts = 0;
  while (rest.length > 0 && !signal.aborted) {
    const outcome = await functions.invoke(functionName, JSON.stringify({ Records: rest }));
    // Its end may be ours: workers are ended with the service.
    if (signal.aborted) return;
    if (outcome.kind !== 'throttled') attempts += 1;
    const handled = outcome.kind === 'answered' ? handledOf(rest, outcome.payload, reportsFailures) : 0;
    if (handled > 0) {
      onHandled(sequenceOf(rest[handled - 1]));
      rest = rest.slice(handled);
      attempts = rest.length > 0 ? 1 : 0;
    }
    if (rest.length === 0) break;
    if (outcome.kind === 'failed' && bisects && rest.length > 1) {
      const half = Math.ceil(rest.length / 2);
      await handleBatch(rest.slice(0, half), unfiltered(options));
      await handleBatch(rest.slice(half), unfiltered(options));
      break;
    }
    const condition = exhausted(definition, rest, attempts);
    if (condition !== undefined) {
      const lost = bisects ? rest.slice(0, 1) : rest;
      options.onGivenUp({ shard: options.shard, records: lost, condition, attempts });
      onHandled(sequenceOf(lost.at(-1)));
      rest = rest.slice(lost.length);
      attempts = 0;
      continue;
    }
    await sleep(retryMillis(Math.max(attempts, 1)), undefined, { signal }).catch(() => undefined);
  }
  const last = records.at(-1);
  if (last && !signal.aborted) onHandled(sequenceOf(last));
};

const unfiltered = (options: BatchOptions): BatchOptions => ({
  ...options,
  definition: { ...options.definition, filters: [] },
});

const sequenceOf = (record: StreamRecord | undefined): string => record?.dynamodb.SequenceNumber ?? '';

/** How many records, from the first on, the answer says are done. What cannot be understood says: none. */
const handledOf = (records: readonly StreamRecord[], payload: string, reportsFailures: boolean): number => {
  if (!reportsFailures) return records.length;
  const { batchItemFailures } = (JSON.parse(payload) ?? {}) as { batchItemFailures?: unknown };
  if (batchItemFailures === undefined || batchItemFailures === null) return records.length;
  if (!Array.isArray(batchItemFailures)) return 0;
  const positions = (batchItemFailures as { itemIdentifier?: unknown }[]).map(({ itemIdentifier }) =>
    records.findIndex((record) => sequenceOf(record) === itemIdentifier),
  );
  return positions.includes(-1) ? 0 : Math.min(records.length, ...positions);
};

const exhausted = (
  { retries, patienceMillis }: StreamDefinition,
  [first]: readonly StreamRecord[],
  attempts: number,
): GivenUp['condition'] | undefined => {
  const age = Date.now() - (first?.dynamodb.ApproximateCreationDateTime ?? 0) * 1_000;
  if (patienceMillis !== undefined && age > patienceMillis) return 'MaximumRecordAgeExceeded';
  return retries !== undefined && attempts > retries ? 'RetryAttemptsExhausted' : undefined;
};

/** What Lambda sends to the destination of failures. */
export const letterOf = ({ functionName, table }: StreamDefinition, given: GivenUp): string => {
  const [first, last] = [given.records[0], given.records.at(-1)];
  const timeOf = (record: StreamRecord | undefined) =>
    new Date((record?.dynamodb.ApproximateCreationDateTime ?? 0) * 1_000).toISOString();
  return JSON.stringify({
    version: '1.0',
    timestamp: new Date().toISOString(),
    requestContext: {
      functionArn: functionArn(functionName),
      condition: given.condition,
      approximateInvokeCount: given.attempts,
    },
    DDBStreamBatchInfo: {
      shardId: given.shard,
      startSequenceNumber: sequenceOf(first),
      endSequenceNumber: sequenceOf(last),
      approximateArrivalOfFirstRecord: timeOf(first),
      approximateArrivalOfLastRecord: timeOf(last),
      batchSize: given.records.length,
      streamArn: streamArn(table),
    },
  });
};
