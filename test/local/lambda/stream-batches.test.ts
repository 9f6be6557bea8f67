import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../infra/local/assembly/event-pattern.ts';
import type { StreamDefinition } from '../../../infra/local/assembly/event-resources.ts';
import type { StreamRecord } from '../../../infra/local/dynamodb/engine-stream.ts';
import type { InvocationOutcome } from '../../../infra/local/lambda/functions.ts';
import { type DiscardedRecords, handleBatch, streamFailureRecord } from '../../../infra/local/lambda/stream-batches.ts';

const definition: StreamDefinition = {
  functionName: 'publish',
  table: 'things',
  batchSize: 100,
  filters: [],
  bisectsOnError: true,
  reportsFailures: true,
  retries: 2,
  maxAgeMillis: undefined,
  failureQueue: 'dead-letters',
};

const record = (n: number, at = Date.now()): StreamRecord => ({
  eventID: `e${n}`,
  eventName: n % 2 ? 'INSERT' : 'REMOVE',
  eventSourceARN: 'arn',
  dynamodb: { SequenceNumber: String(n), ApproximateCreationDateTime: at / 1_000 },
});

const succeeded = (value: unknown): InvocationOutcome => ({ kind: 'succeeded', payload: JSON.stringify(value) });
const failed: InvocationOutcome = { kind: 'failed', errorType: 'Error', errorMessage: 'no', trace: [] };
const failing = (...numbers: number[]) =>
  succeeded({ batchItemFailures: numbers.map((n) => ({ itemIdentifier: String(n) })) });

/** Handles a batch of the records 1 to n. @param work returns the outcome for the numbers of the records. */
const run = async (
  work: (numbers: number[], call: number) => InvocationOutcome,
  { n = 4, at = Date.now(), ...changed }: Partial<StreamDefinition> & { n?: number; at?: number } = {},
) => {
  const calls: number[][] = [];
  const handled: string[] = [];
  const discarded: DiscardedRecords[] = [];
  await handleBatch(
    Array.from({ length: n }, (_, i) => record(i + 1, at)),
    {
      definition: { ...definition, ...changed },
      shard: 'shard',
      functions: {
        invoke: async (_, event) => {
          const numbers = JSON.parse(event).Records.map((each: StreamRecord) => Number(each.dynamodb.SequenceNumber));
          calls.push(numbers);
          return work(numbers, calls.length);
        },
      },
      onHandled: (sequenceNumber) => handled.push(sequenceNumber),
      onDiscarded: (each) => discarded.push(each),
      signal: new AbortController().signal,
      retryMillis: () => 1,
    },
  );
  return { calls, handled, discarded };
};

describe('handleBatch', () => {
  it('invokes the function once when nothing fails', async () => {
    expect(await run(() => succeeded({ batchItemFailures: [] }))).toEqual({
      calls: [[1, 2, 3, 4]],
      handled: ['4', '4'],
      discarded: [],
    });
    expect((await run(() => succeeded(null))).calls).toHaveLength(1);
  });

  it('skips records that the filters exclude', async () => {
    const filters = [compilePattern({ eventName: ['INSERT'] })];
    expect(await run(() => succeeded({}), { filters })).toMatchObject({ calls: [[1, 3]], handled: ['3', '4'] });
    const none = [compilePattern({ eventName: ['MODIFY'] })];
    expect(await run(() => succeeded({}), { filters: none })).toMatchObject({ calls: [], handled: ['4'] });
  });

  it('retries from the first record that the function reports as failed, in order', async () => {
    const { calls, handled } = await run((numbers, call) =>
      call === 1 ? failing(4, 2) : failing(...numbers.slice(4)),
    );
    expect(calls).toEqual([
      [1, 2, 3, 4],
      [2, 3, 4],
    ]);
    expect(handled).toEqual(['1', '4', '4']);
  });

  it('retries the whole batch when the response of the function is not valid', async () => {
    const { calls } = await run((_, call) => (call === 1 ? succeeded({ batchItemFailures: [{}] }) : succeeded({})));
    expect(calls).toEqual([
      [1, 2, 3, 4],
      [1, 2, 3, 4],
    ]);
  });

  it('halves the batch until the failing record is alone, and discards the record after its retries', async () => {
    const { calls, handled, discarded } = await run((numbers) => (numbers.includes(3) ? failed : succeeded({})));
    expect(calls).toEqual([[1, 2, 3, 4], [1, 2], [3, 4], [3], [3], [3], [4]]);
    expect(discarded).toMatchObject([
      { condition: 'RetryAttemptsExhausted', attempts: 3, records: [{ eventID: 'e3' }] },
    ]);
    expect(handled.at(-1)).toBe('4');
    expect(JSON.parse(streamFailureRecord(definition, discarded[0] as DiscardedRecords))).toMatchObject({
      requestContext: { condition: 'RetryAttemptsExhausted', functionArn: expect.stringMatching(/:function:publish$/) },
      DDBStreamBatchInfo: { shardId: 'shard', startSequenceNumber: '3', endSequenceNumber: '3', batchSize: 1 },
    });
  });

  it('retries the whole batch when bisecting is off', async () => {
    const { calls, discarded } = await run(() => failed, { bisectsOnError: false, n: 2 });
    expect(calls).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
    expect(discarded[0]?.records).toHaveLength(2);
  });

  it('discards records above the maximum age even if retries are left', async () => {
    const { calls, discarded } = await run(() => failed, {
      n: 1,
      at: Date.now() - 60_000,
      maxAgeMillis: 30_000,
      retries: undefined,
    });
    expect(calls).toHaveLength(1);
    expect(discarded).toMatchObject([{ condition: 'MaximumRecordAgeExceeded' }]);
  });

  it('waits while the function is throttled, and does not count that as attempts', async () => {
    const { calls, discarded } = await run((_, call) => (call < 9 ? { kind: 'throttled' } : succeeded({})), { n: 1 });
    expect([calls.length, discarded]).toEqual([9, []]);
  });
});
