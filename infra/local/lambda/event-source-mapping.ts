import { mkdirSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamDefinition } from '../assembly/event-resources.ts';
import type { TableStream } from '../dynamodb/engine-stream.ts';
import type { Queues } from '../sqs/queues.ts';
import type { Functions } from './functions.ts';
import { handleBatch, streamFailureRecord } from './stream-batches.ts';

/** Position of a function in a stream. It is written after each batch; what was not handled by then is read again. */
interface Checkpoint {
  readonly stream: string;
  /** For each shard: the last sequence number that was handled, and whether the shard has ended. */
  readonly shards: Record<string, { after?: string; ended?: true }>;
}

interface StreamOptions {
  readonly definition: StreamDefinition;
  readonly stream: TableStream;
  readonly functions: Pick<Functions, 'invoke' | 'lastInUseAt' | 'nextInvocation'>;
  readonly queues: Pick<Queues, 'send'>;
  /** Folder of the checkpoint. */
  readonly folder: string;
  /** Pause between two reads while functions are in use. A batch of full size is followed by the next one at once. */
  readonly busyMillis?: number;
}

/**
 * Pause between two reads of a stream while functions are in use. Records that are added meanwhile become one batch, which
 * takes less CPU time than several. Lambda reads a shard four times a second.
 */
const BUSY_MILLIS = 100;
/**
 * Longest pause otherwise. It ends with the next invocation, because functions make all changes except the deletion of
 * expired items.
 */
const IDLE_MILLIS = 10_000;
/** Time after the last response during which records of the function's changes may still appear in the stream. */
const IN_USE_MILLIS = 1_000;
const ERROR_MILLIS = 1_000;
/** Time for which the list of shards is cached. */
const SHARDS_CACHE_MILLIS = 10_000;
const MAX_BACKOFF_MILLIS = 10_000;
const retryMillis = (attempts: number): number => Math.min(100 * 2 ** Math.min(attempts - 1, 10), MAX_BACKOFF_MILLIS);

/** Invokes a function with the records of a stream, shard by shard, from the checkpoint of the previous process. */
export const startEventSourceMapping = (options: StreamOptions) => {
  const { definition, stream, functions, queues, folder, busyMillis = BUSY_MILLIS } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = (millis: number) => sleep(millis, undefined, { signal }).catch(() => undefined);

  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${definition.functionName}.json`);
  const iterators = new Map<string, string>();
  let loaded: Checkpoint | undefined;

  /** @returns whether there may be more records. */
  const pollShard = async (shard: string, checkpoint: Checkpoint): Promise<boolean> => {
    const position = checkpoint.shards[shard] ?? {};
    checkpoint.shards[shard] = position;
    const iterator = iterators.get(shard);
    const from = iterator === undefined ? { after: position.after } : { iterator };
    // After a failure, the next poll requests a new iterator for the position.
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
      },
      onDiscarded: (discarded) => {
        if (definition.failureQueue !== undefined)
          queues.send(definition.failureQueue, streamFailureRecord(definition, discarded));
      },
    });
    if (next === undefined) position.ended = true;
    if (records.length > 0 || position.ended) await write(file, checkpoint);
    if (signal.aborted) return false;
    if (next === undefined) cachedUntil = 0;
    else iterators.set(shard, next);
    return next === undefined || records.length === definition.batchSize;
  };

  let cachedShards: Awaited<ReturnType<TableStream['shards']>> = [];
  let cachedUntil = 0;

  const poll = async (): Promise<boolean> => {
    const identity = await stream.identity();
    if (identity === undefined) return false;
    loaded ??= readCheckpoint(file, identity);
    const checkpoint = loaded;
    if (Date.now() > cachedUntil) {
      cachedShards = await stream.shards();
      cachedUntil = Date.now() + SHARDS_CACHE_MILLIS;
    }
    const shards = cachedShards;
    const isOpen = (id: string | undefined) =>
      shards.some((shard) => shard.id === id) && !checkpoint.shards[id ?? '']?.ended;
    let mayHaveMore = false;
    // A shard is read only after its parent has ended, so the changes of one item stay in order.
    for (const { id, parent } of shards)
      if (isOpen(id) && !isOpen(parent) && !signal.aborted)
        mayHaveMore = (await pollShard(id, checkpoint)) || mayHaveMore;
    return mayHaveMore;
  };

  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        if (await poll()) continue;
        if (Date.now() - functions.lastInUseAt() < IN_USE_MILLIS) await pause(busyMillis);
        else await functions.nextInvocation(AbortSignal.any([signal, AbortSignal.timeout(IDLE_MILLIS)]));
      } catch {
        // The engine does not respond, or an iterator has expired: continue later from the checkpoint.
        iterators.clear();
        await pause(ERROR_MILLIS);
      }
    }
    stream.close();
  };

  return {
    /** Resolves when the last invocation has ended. */
    ended: follow(),
    /** Stops reading. The result of an invocation in progress is ignored. */
    stop: (): void => stopping.abort(),
  };
};

const readCheckpoint = (file: string, stream: string): Checkpoint => {
  try {
    const checkpoint = JSON.parse(readFileSync(file, 'utf8')) as Checkpoint;
    if (checkpoint.stream === stream) return checkpoint;
  } catch {
    // There is no checkpoint yet.
  }
  return { stream, shards: {} };
};

/** Replaces the file without blocking: a file system may write the file to disk before it renames it. */
const write = async (file: string, checkpoint: Checkpoint): Promise<void> => {
  await writeFile(`${file}.writing`, JSON.stringify(checkpoint), { mode: 0o600 });
  await rename(`${file}.writing`, file);
};
