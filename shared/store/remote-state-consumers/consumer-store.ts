import { type ConsumersChange, consumersChange } from '../../domain/changes/change-records.ts';
import { unavailable } from '../../domain/errors.ts';
import {
  addConsumers,
  ChangedMeanwhile,
  countChanges,
  NeedsNewChunks,
  removeConsumers,
  replaceConsumers,
  requireChangeable,
} from '../../domain/transitions/relationships/change-consumers.ts';
import { type RequestContext, requireAlive } from '../../domain/transitions/transition.ts';
import { type ConsumerSet, chunksFor, SIZING, type Sizing } from '../../domain/workspace/consumer-set.ts';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Clock } from '../../lib/clock.ts';
import { mapWithConcurrency } from '../../lib/concurrency.ts';
import { base58 } from '../../lib/random.ts';
import { retry, tryAgain } from '../../lib/retry.ts';
import type { Database } from '../dynamodb/database.ts';
import { conditionHolds } from '../dynamodb/errors.ts';
import { cleanupPartition, type Item, keys, prefixes, sortableTime } from '../dynamodb/keys.ts';
import { persistWrite } from '../dynamodb/retry-writes.ts';
import { chunkItems, chunkOf, idsIn, onlyOnce } from '../items/consumer-items.ts';
import { keyOf } from '../items/item-write.ts';
import type { Workspaces } from '../workspaces/workspace-store.ts';

/** Number of attempts to read chunks that change during the read, and to rewrite chunks that change meanwhile. */
const READS = 6;
const REWRITES = 4;
/** Number of chunks that are written at the same time, chosen for the connections of a function. */
const CONCURRENCY = 8;

/**
 * Time in milliseconds after which no request can still switch to the chunks that it has written: many times the time
 * limit of a function.
 */
const ABANDONED = 15 * 60_000;

const GENERATION = 12;

const busy = () => unavailable('The remote state consumers are changing too quickly. Try again shortly.');

/** Returns whether all chunks of the set were read, and none has a change that the set does not count yet. */
const isWhole = (chunks: readonly Item[], set: ConsumerSet): boolean =>
  chunks.length === set.chunks && chunks.every(({ n }) => Number(n) <= set.changes);

/** Opens the writes of chunks. */
const openChunkWriter = (database: Database, clock: Clock, sizing: Sizing) => {
  // The condition fails if an earlier attempt was applied and its response lost: the generation is unique to this request.
  const writeOnce = (item: Item): Promise<boolean> =>
    conditionHolds(
      persistWrite('workspace', { database, clock }, { kind: 'put', key: keyOf(item), item, ...onlyOnce }),
    );

  /**
   * Writes the chunks of a generation that is not in force yet, and queues them for cleanup. The cleanup deletes them if
   * the generation never comes into force, and otherwise deletes the generation that they replaced.
   * @param requested number of ids in the request; 0 if the ids are copied.
   */
  return async (workspace: string, ids: readonly string[], requested: number) => {
    const set = { generation: base58(GENERATION), chunks: chunksFor(ids.length, sizing), atMost: ids.length };
    const mark = { d: cleanupPartition(keys.workspace(workspace).pk), dk: sortableTime(clock() + ABANDONED) };
    const items = chunkItems(workspace, { ...set, changes: 0 }, ids, requested).map((item) => ({ ...item, ...mark }));
    await mapWithConcurrency(items, CONCURRENCY, writeOnce);
    return set;
  };
};

/** Opens the reads and writes of remote state consumers. */
export const openConsumers = (database: Database, { find, apply }: Workspaces, clock: Clock, sizing = SIZING) => {
  const writeChunks = openChunkWriter(database, clock, sizing);

  /** A query is not a snapshot: chunks that were replaced or changed during the query are read again. */
  const read = (first: Workspace): Promise<{ readonly image: Workspace; readonly ids: readonly string[] }> => {
    const readOnce = async (retries: number) => {
      const image = retries === 0 ? first : requireAlive(await find(first.id));
      const { consumers } = image;
      if (consumers === undefined) return { image, ids: [] };
      const beginsWith = prefixes.consumersIn(consumers.generation);
      const partition = keys.workspace(image.id).pk;
      const chunks = await database.query({ partition, beginsWith, consistent: true });
      return isWhole(chunks, consumers) ? { image, ids: idsIn(chunks) } : tryAgain;
    };
    return retry(readOnce, { attempts: READS, exhausted: busy });
  };

  /** Rewrites the chunks, and repeats this while other requests change them. */
  const rewrite = async (
    first: Workspace,
    edit: (ids: readonly string[]) => readonly string[],
    announced: ConsumersChange,
    request: RequestContext,
  ): Promise<void> => {
    const rewriteOnce = async (retries: number): Promise<void> => {
      const image = retries === 0 ? first : requireAlive(await find(first.id));
      const seen = await read(requireChangeable(image));
      const set = await writeChunks(image.id, edit(seen.ids), 0);
      const made = { changes: countChanges(seen.image.consumers) };
      await apply(seen.image, replaceConsumers(request, set, announced, made), request);
    };
    const isOutdated = (error: unknown): boolean => error instanceof ChangedMeanwhile;
    await retry(rewriteOnce, { attempts: REWRITES, retryOn: isOutdated, exhausted: busy });
  };

  /**
   * Changes the set atomically: a reader sees the whole change or none of it. Present ids are not added again, absent ids are
   * not removed. If the chunks cannot take the change, all of them are rewritten.
   * @throws DomainError 404; 422 while `global-remote-state` is true; 503 if the change was not completed in time.
   */
  const change = async (
    kind: 'added' | 'removed',
    image: Workspace,
    ids: readonly string[],
    request: RequestContext,
  ): Promise<void> => {
    requireChangeable(image);
    if (ids.length === 0 || (kind === 'removed' && image.consumers === undefined)) return;
    const transition =
      kind === 'added' ? addConsumers(request, ids, base58(GENERATION), sizing) : removeConsumers(request, ids, sizing);
    try {
      await apply(image, transition, request);
    } catch (error) {
      if (!(error instanceof NeedsNewChunks)) throw error;
      const given = new Set(ids);
      const edit = (known: readonly string[]) => [
        ...known.filter((id) => !given.has(id)),
        ...(kind === 'added' ? given : []),
      ];
      await rewrite(image, edit, consumersChange(kind, ids), request);
    }
  };

  return {
    /**
     * Returns the current ids as a consistent set, as of the image or later. It sends a query also where there is no set, or
     * no workspace (PERM-21).
     * @throws DomainError 404 if the workspace was deleted meanwhile.
     */
    find: async (image: Workspace | undefined): Promise<readonly string[]> => {
      if (image?.consumers !== undefined) return (await read(image)).ids;
      const { pk: partition } = keys.workspace(image?.id ?? '');
      await database.query({ partition, beginsWith: prefixes.consumersIn(''), consistent: true });
      return [];
    },

    /** Returns whether a workspace is in the set. Reads one chunk, also where there is no set (PERM-21). */
    has: async (image: Workspace | undefined, consumer: string): Promise<boolean> => {
      const { id = '', consumers: { generation, chunks } = { generation: '', chunks: 1 } } = image ?? {};
      const chunk = await database.get(keys.consumers(id, generation, chunkOf(consumer, chunks)), true);
      return chunk !== undefined && idsIn([chunk]).includes(consumer);
    },

    add: (image: Workspace, ids: readonly string[], request: RequestContext) => change('added', image, ids, request),
    remove: (image: Workspace, ids: readonly string[], request: RequestContext) =>
      change('removed', image, ids, request),

    /** Replaces the set, with the errors of `change`. */
    replace: async (image: Workspace, ids: readonly string[], request: RequestContext): Promise<void> => {
      requireChangeable(image);
      // An earlier attempt of this request has replaced them.
      if (request.attempt === 'resumed' && image.change.request === request.id) return;
      const set = await writeChunks(image.id, ids, ids.length);
      await apply(image, replaceConsumers(request, set, consumersChange('replaced', ids)), request);
    },
  };
};
