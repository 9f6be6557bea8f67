import { describe, expect, it } from 'vitest';
import type { StreamDefinition } from '../../../infra/local/assembly/assembly-events.ts';
import { compilePattern } from '../../../infra/local/events/event-pattern.ts';
import { type GivenUp, handleBatch, letterOf, type StreamRecord } from '../../../infra/local/events/stream-batches.ts';
import type { Outcome } from '../../../infra/local/lambda/functions.ts';

const usual: StreamDefinition = {
  functionName: 'publish',
  table: 'things',
  batchSize: 100,
  filters: [],
  bisects: true,
  reportsFailures: true,
  retries: 2,
  patienceMillis: undefined,
  failures: 'letters',
};

const record = (n: number, at = Date.now()): StreamRecord => ({
  eventID: `e${n}`,
  eventName: n % 2 ? 'INSERT' : 'REMOVE',
  eventSourceARN: 'arn',
  dynamodb: { SequenceNumber: String(n), ApproximateCreationDateTime: at / 1_000 },
});

const answered = (value: unknown): Outcome => ({ kind: 'answered', payload: JSON.stringify(value) });
const failed: Outcome = { kind: 'failed', errorType: 'Error', errorMessage: 'no', trace: [] };
const failing = (...numbers: number[]) =>
  answered({ batchItemFailures: numbers.map((n) => ({ itemIdentifier: String(n) })) });

/** Runs a batch of records 1 to n with a function that is told what it gets. */
const run = async (
  work: (numbers: number[], call: number) => Outcome,
  { n = 4, at = Date.now(), ...changed }: Partial<StreamDefinition> & { n?: number; at?: number } = {},
) => {
  const calls: number[][] = [];
  const handled: string[] = [];
  const given: GivenUp[] = [];
  await handleBatch(
    Array.from({ length: n }, (_, i) => record(i + 1, at)),
    {
      definition: { ...usual, ...changed },
      shard: 'shard',
      functions: {
        invoke: async (_, event) => {
          const numbers = JSON.parse(event).Records.map((each: StreamRecord) => Number(each.dynamodb.SequenceNumber));
          calls.push(numbers);
          return work(numbers, calls.length);
        },
      },
      onHandled: (sequenceNumber) => handled.push(sequenceNumber),
      onGivenUp: (each) => given.push(each),
      signal: new AbortController().signal,
      retryMillis: () => 1,
    },
  );
  return { calls, handled, given };
};

describe('a batch of a stream', () => {
  it('goes to the function once when nothing fails', async () => {
    expect(await run(() => answered({ batchItemFailures: [] }))).toEqual({
      calls: [[1, 2, 3, 4]],
      handled: ['4', '4'],
      given: [],
    });
    expect((await run(() => answered(null))).calls).toHaveLength(1);
  });

  it('is read past what the filters leave out', async () => {
    const filters = [compilePattern({ eventName: ['INSERT'] })];
    expect(await run(() => answered({}), { filters })).toMatchObject({ calls: [[1, 3]], handled: ['3', '4'] });
    const none = [compilePattern({ eventName: ['MODIFY'] })];
    expect(await run(() => answered({}), { filters: none })).toMatchObject({ calls: [], handled: ['4'] });
  });

  it('comes again from the first record that is named as failed, in order', async () => {
    const { calls, handled } = await run((numbers, call) =>
      call === 1 ? failing(4, 2) : failing(...numbers.slice(4)),
    );
    expect(calls).toEqual([
      [1, 2, 3, 4],
      [2, 3, 4],
    ]);
    expect(handled).toEqual(['1', '4', '4']);
  });

  it('comes again whole when a name in the answer is not understood', async () => {
    const { calls } = await run((_, call) => (call === 1 ? answered({ batchItemFailures: [{}] }) : answered({})));
    expect(calls).toEqual([
      [1, 2, 3, 4],
      [1, 2, 3, 4],
    ]);
  });

  it('is halved until the record that breaks the function is alone, which is given up after its tries', async () => {
    const { calls, handled, given } = await run((numbers) => (numbers.includes(3) ? failed : answered({})));
    expect(calls).toEqual([[1, 2, 3, 4], [1, 2], [3, 4], [3], [3], [3], [4]]);
    expect(given).toMatchObject([{ condition: 'RetryAttemptsExhausted', attempts: 3, records: [{ eventID: 'e3' }] }]);
    expect(handled.at(-1)).toBe('4');
    expect(JSON.parse(letterOf(usual, given[0] as GivenUp))).toMatchObject({
      requestContext: { condition: 'RetryAttemptsExhausted', functionArn: expect.stringMatching(/:function:publish$/) },
      DDBStreamBatchInfo: { shardId: 'shard', startSequenceNumber: '3', endSequenceNumber: '3', batchSize: 1 },
    });
  });

  it('is tried as a whole where it is not to be halved', async () => {
    const { calls, given } = await run(() => failed, { bisects: false, n: 2 });
    expect(calls).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
    expect(given[0]?.records).toHaveLength(2);
  });

  it('is given up by its age, whatever number of tries is left', async () => {
    const { calls, given } = await run(() => failed, {
      n: 1,
      at: Date.now() - 60_000,
      patienceMillis: 30_000,
      retries: undefined,
    });
    expect(calls).toHaveLength(1);
    expect(given).toMatchObject([{ condition: 'MaximumRecordAgeExceeded' }]);
  });

  it('waits while the function is throttled, without counting that as tries', async () => {
    const { calls, given } = await run((_, call) => (call < 9 ? { kind: 'throttled' } : answered({})), { n: 1 });
    expect([calls.length, given]).toEqual([9, []]);
  });
});
