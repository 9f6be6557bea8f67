import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StreamRecord } from '../../../infra/local/dynamodb/engine-stream.ts';
import { startEventSourceMapping } from '../../../infra/local/lambda/event-source-mapping.ts';
import { temporaryFolder } from '../../support/local/small-assembly.ts';

const record = (n: number): StreamRecord => ({
  eventID: `e${n}`,
  eventName: 'INSERT',
  eventSourceARN: 'arn',
  dynamodb: { SequenceNumber: String(n), ApproximateCreationDateTime: Date.now() / 1_000 },
});

/** Follows a stream in batches of two records. @param onBatch called while the function handles a batch. */
const follow = (records: readonly StreamRecord[], folder: string, busyMillis: number, onBatch = () => {}) => {
  const batches: string[][] = [];
  const mapping = startEventSourceMapping({
    definition: {
      functionName: 'publish',
      table: 'things',
      batchSize: 2,
      filters: [],
      bisectsOnError: true,
      reportsFailures: true,
      retries: 2,
      maxAgeMillis: undefined,
      failureQueue: undefined,
    },
    stream: {
      identity: async () => 'stream',
      shards: async () => [{ id: 'shard', parent: undefined }],
      records: async (_, from, limit) => {
        const start = 'iterator' in from ? Number(from.iterator) : Number(from.after ?? 0);
        const found = records.slice(start, start + limit);
        return { records: found, next: String(start + found.length) };
      },
      close: () => {},
    },
    functions: {
      invoke: async (_, event) => {
        batches.push(JSON.parse(event).Records.map(({ eventID }: StreamRecord) => eventID));
        onBatch();
        return { kind: 'succeeded', payload: '{}' };
      },
      lastInUseAt: () => Date.now(),
      nextInvocation: async () => {},
    },
    queues: { send: () => {} },
    folder,
    busyMillis,
  });
  const stop = async (): Promise<void> => {
    mapping.stop();
    await mapping.ended;
  };
  onTestFinished(stop);
  return { batches, stop };
};

const LONG = 60_000;

describe('event source mapping', () => {
  it('reads on at once after a full batch, and waits after any other, so that later records become one batch', async () => {
    const records = [1, 2, 3].map(record);
    const addRecord = () => void records.push(record(records.length + 1));
    const { batches } = follow(records, temporaryFolder(), LONG, addRecord);
    await expect.poll(() => batches.length).toBeGreaterThan(2);
    for (let turn = 0; turn < 100; turn++) await nextTurn();
    expect(batches).toEqual([['e1', 'e2'], ['e3', 'e4'], ['e5']]);
  });

  it('reads the records that were added during the pause', async () => {
    const records = [record(1)];
    const { batches } = follow(records, temporaryFolder(), 1);
    await expect.poll(() => batches).toEqual([['e1']]);
    records.push(record(2));
    await expect.poll(() => batches).toEqual([['e1'], ['e2']]);
  });

  it('continues after its last batch when it is started again', async () => {
    const folder = temporaryFolder();
    const records = [1, 2, 3].map(record);
    const first = follow(records, folder, LONG);
    await expect.poll(() => first.batches).toHaveLength(2);
    await first.stop();
    records.push(record(4));
    const { batches } = follow(records, folder, LONG);
    await expect.poll(() => batches).toEqual([['e4']]);
  });
});
