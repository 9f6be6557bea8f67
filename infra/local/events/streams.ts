import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamDefinition } from '../assembly/assembly-events.ts';
import type { TableStream } from '../dynamodb/engine-stream.ts';
import type { Functions } from '../lambda/functions.ts';
import type { Queues } from './queues.ts';
import { handleBatch, letterOf } from './stream-batches.ts';

/** How far a function has come: written after each batch, so that what was not handled is handed over again. */
interface Checkpoint {
  readonly stream: string;
  /** By shard: the last sequence number that was handled, and whether the shard has ended. */
  readonly shards: Record<string, { after?: string; ended?: true }>;
}

interface StreamOptions {
  readonly definition: StreamDefinition;
  readonly stream: TableStream;
  readonly functions: Pick<Functions, 'invoke'>;
  readonly queues: Pick<Queues, 'send'>;
  /** For the checkpoint. */
  readonly folder: string;
  readonly retryMillis?: (attempts: number) => number;
}

interface StreamFollower {
  /** Hands over no more, and does not count what comes of the invocation that is under way. */
  stop(): void;
  /** When that invocation is over. */
  readonly ended: Promise<void>;
}

const IDLE_MILLIS = 100;
const BROKEN_MILLIS = 1_000;
/** How long the shards of a stream are taken for what they were. */
const SHARDS_MILLIS = 10_000;
const LONGEST_BACKOFF_MILLIS = 10_000;

/**
 * Follows the stream of a table with a function, shard by shard, from where the run before had come.
 */
export const followStream = (options: StreamOptions): StreamFollower => {
  const { definition, stream, functions, queues, folder } = options;
  const { retryMillis = (attempts) => Math.min(100 * 2 ** Math.min(attempts - 1, 10), LONGEST_BACKOFF_MILLIS) } =
    options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = (millis: number) => sleep(millis, undefined, { signal }).catch(() => undefined);

  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${definition.functionName}.json`);
  const iterators = new Map<string, string>();

  /** @returns whether there was anything. */
  const pollShard = async (shard: string, checkpoint: Checkpoint): Promise<boolean> => {
    const position = checkpoint.shards[shard] ?? {};
    checkpoint.shards[shard] = position;
    const iterator = iterators.get(shard);
    const from = iterator === undefined ? { after: position.after } : { iterator };
    // What is handled below moves the position; a failure on the way asks for it anew.
    iterators.delete(shard);
    const { records, next } = await stream.records(shard, from, definition.batchSize);
    if (signal.aborted) return false;
    await handleBatch(records, {
      definition,
      shard,
      functions,
      signal,
      retryMillis,
      onHandled: (sequenceNumber) => {
        position.after = sequenceNumber;
        write(file, checkpoint);
      },
      onGivenUp: (given) => {
        if (definition.failures !== undefined) queues.send(definition.failures, letterOf(definition, given));
      },
    });
    if (signal.aborted) return false;
    if (next === undefined) {
      position.ended = true;
      knownUntil = 0;
      write(file, checkpoint);
    } else iterators.set(shard, next);
    return records.length > 0;
  };

  let known: Awaited<ReturnType<TableStream['shards']>> = [];
  let knownUntil = 0;

  const poll = async (): Promise<boolean> => {
    const identity = await stream.identity();
    if (identity === undefined) return false;
    const checkpoint = readCheckpoint(file, identity);
    if (Date.now() > knownUntil) {
      known = await stream.shards();
      knownUntil = Date.now() + SHARDS_MILLIS;
    }
    const shards = known;
    const isOpen = (id: string | undefined) =>
      shards.some((shard) => shard.id === id) && !checkpoint.shards[id ?? '']?.ended;
    let found = false;
    // A shard begins when its parent has ended: so the changes of one item stay in order.
    for (const { id, parent } of shards)
      if (isOpen(id) && !isOpen(parent) && !signal.aborted) found = (await pollShard(id, checkpoint)) || found;
    return found;
  };

  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        if (!(await poll())) await pause(IDLE_MILLIS);
      } catch {
        // The engine does not answer, or an iterator has grown too old: from the checkpoint on, a little later.
        iterators.clear();
        await pause(BROKEN_MILLIS);
      }
    }
    stream.close();
  };

  return { ended: follow(), stop: () => stopping.abort() };
};

const readCheckpoint = (file: string, stream: string): Checkpoint => {
  try {
    const checkpoint = JSON.parse(readFileSync(file, 'utf8')) as Checkpoint;
    if (checkpoint.stream === stream) return checkpoint;
  } catch {
    // There is none yet.
  }
  return { stream, shards: {} };
};

const write = (file: string, checkpoint: Checkpoint): void => {
  writeFileSync(`${file}.writing`, JSON.stringify(checkpoint), { mode: 0o600 });
  renameSync(`${file}.writing`, file);
};
