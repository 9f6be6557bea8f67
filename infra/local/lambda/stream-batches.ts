import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamDefinition } from '../assembly/event-resources.ts';
import { functionArn, streamArn } from '../common/arns.ts';
import type { StreamRecord } from '../dynamodb/engine-stream.ts';
import type { Functions } from './functions.ts';

/** Records of a stream that are not retried any more, and the reason. */
export interface DiscardedRecords {
  readonly shard: string;
  readonly records: readonly StreamRecord[];
  readonly condition: 'RetryAttemptsExhausted' | 'MaximumRecordAgeExceeded';
  readonly attempts: number;
}

interface BatchOptions {
  readonly definition: StreamDefinition;
  readonly shard: string;
  readonly functions: Pick<Functions, 'invoke'>;
  /** Called when all records up to a sequence number have been handled. */
  readonly onHandled: (sequenceNumber: string) => void;
  readonly onDiscarded: (discarded: DiscardedRecords) => void;
  readonly signal: AbortSignal;
  /** Returns the delay before the next attempt, in milliseconds. */
  readonly retryMillis: (attempts: number) => number;
}

/**
 * Invokes a function with a batch of records, as an event source mapping does. Records are handled in order. The batch is
 * retried from the first record that the function reports as failed. If the whole invocation fails, the batch is split in
 * half. Records are discarded after too many attempts or when they are too old.
 */
export const handleBatch = async (records: readonly StreamRecord[], options: BatchOptions): Promise<void> => {
  const { definition, functions, onHandled, signal, retryMillis } = options;
  const { functionName, filters, bisectsOnError, reportsFailures } = definition;
  let rest = filters.length === 0 ? records : records.filter((record) => filters.some((matches) => matches(record)));
  let attempts = 0;
  while (rest.length > 0 && !signal.aborted) {
    const outcome = await functions.invoke(functionName, JSON.stringify({ Records: rest }));
    // The invocation may have failed only because the service is stopping.
    if (signal.aborted) return;
    if (outcome.kind !== 'throttled') attempts += 1;
    const handled = outcome.kind === 'succeeded' ? countHandled(rest, outcome.payload, reportsFailures) : 0;
    if (handled > 0) {
      onHandled(sequenceNumber(rest[handled - 1]));
      rest = rest.slice(handled);
      attempts = rest.length > 0 ? 1 : 0;
    }
    if (rest.length === 0) break;
    if (outcome.kind === 'failed' && bisectsOnError && rest.length > 1) {
      const half = Math.ceil(rest.length / 2);
      await handleBatch(rest.slice(0, half), withoutFilters(options));
      await handleBatch(rest.slice(half), withoutFilters(options));
      break;
    }
    const condition = discardCondition(definition, rest, attempts);
    if (condition !== undefined) {
      const discarded = bisectsOnError ? rest.slice(0, 1) : rest;
      options.onDiscarded({ shard: options.shard, records: discarded, condition, attempts });
      onHandled(sequenceNumber(discarded.at(-1)));
      rest = rest.slice(discarded.length);
      attempts = 0;
      continue;
    }
    await sleep(retryMillis(Math.max(attempts, 1)), undefined, { signal }).catch(() => undefined);
  }
  const last = records.at(-1);
  if (last && !signal.aborted) onHandled(sequenceNumber(last));
};

const withoutFilters = (options: BatchOptions): BatchOptions => ({
  ...options,
  definition: { ...options.definition, filters: [] },
});

const sequenceNumber = (record: StreamRecord | undefined): string => record?.dynamodb.SequenceNumber ?? '';

/** Counts the records, from the first one, that the response reports as handled. A response that is not valid counts 0. */
const countHandled = (records: readonly StreamRecord[], payload: string, reportsFailures: boolean): number => {
  if (!reportsFailures) return records.length;
  const { batchItemFailures } = (JSON.parse(payload) ?? {}) as { batchItemFailures?: unknown };
  if (batchItemFailures === undefined || batchItemFailures === null) return records.length;
  if (!Array.isArray(batchItemFailures)) return 0;
  const positions = (batchItemFailures as { itemIdentifier?: unknown }[]).map(({ itemIdentifier }) =>
    records.findIndex((record) => sequenceNumber(record) === itemIdentifier),
  );
  return positions.includes(-1) ? 0 : Math.min(records.length, ...positions);
};

const discardCondition = (
  { retries, maxAgeMillis }: StreamDefinition,
  [first]: readonly StreamRecord[],
  attempts: number,
): DiscardedRecords['condition'] | undefined => {
  const age = Date.now() - (first?.dynamodb.ApproximateCreationDateTime ?? 0) * 1_000;
  if (maxAgeMillis !== undefined && age > maxAgeMillis) return 'MaximumRecordAgeExceeded';
  return retries !== undefined && attempts > retries ? 'RetryAttemptsExhausted' : undefined;
};

/** Creates the record that Lambda sends to a failure destination. It contains the position of the records in the stream. */
export const streamFailureRecord = (
  { functionName, table }: StreamDefinition,
  { shard, records, condition, attempts }: DiscardedRecords,
): string => {
  const [first, last] = [records[0], records.at(-1)];
  const creationTime = (record: StreamRecord | undefined) =>
    new Date((record?.dynamodb.ApproximateCreationDateTime ?? 0) * 1_000).toISOString();
  return JSON.stringify({
    version: '1.0',
    timestamp: new Date().toISOString(),
    requestContext: {
      functionArn: functionArn(functionName),
      condition,
      approximateInvokeCount: attempts,
    },
    DDBStreamBatchInfo: {
      shardId: shard,
      startSequenceNumber: sequenceNumber(first),
      endSequenceNumber: sequenceNumber(last),
      approximateArrivalOfFirstRecord: creationTime(first),
      approximateArrivalOfLastRecord: creationTime(last),
      batchSize: records.length,
      streamArn: streamArn(table),
    },
  });
};
