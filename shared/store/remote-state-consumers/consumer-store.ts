import { type ConsumersChange, consumersChange } from '../../domain/changes/change-records.ts';
import { notFound, unavailable } from '../../domain/errors.ts';
import {
  addConsumers,
  ChangedMeanwhile,
  changesOf,
  NeedsNewChunks,
  removeConsumers,
  replaceConsumers,
  requireChangeable,
} from '../../domain/transitions/change-consumers.ts';
import type { RequestContext, Transition } from '../../domain/transitions/transition.ts';
import { type ConsumerSet, chunksFor, SIZING } from '../../domain/workspace/consumer-set.ts';
import { isAlive, type Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Clock } from '../../lib/clock.ts';
import { mapWithConcurrency } from '../../lib/concurrency.ts';
import { base58 } from '../../lib/random.ts';
import { retry, tryAgain } from '../../lib/retry.ts';
import type { Database } from '../dynamodb/database.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import type { Item } from '../dynamodb/item.ts';
import { cleanupPartition, keys, prefixes, sortableTime } from '../dynamodb/keys.ts';
import { persist } from '../dynamodb/retry-writes.ts';
import type { Workspaces } from '../workspaces/workspace-store.ts';
import { chunkItems, chunkOf, idsIn, onlyOnce } from './consumer-items.ts';

export interface Consumers {
  /**
   * The ids in force, all of one moment: that of the image, or a later one.
   * @throws DomainError 404 where the workspace is gone by then.
   */
  readonly findConsumers: (image: Workspace) => Promise<readonly string[]>;
  /** Whether a workspace is in it, from the one chunk that it would lie in. */
  readonly hasConsumer: (image: Workspace, consumer: string) => Promise<boolean>;
  /**
   * Changes of the set, each as one: whoever reads sees all of it or nothing. What is there already is not added, what
   * is not there is not removed.
   * @throws DomainError 404, 422 while `global-remote-state` is true, or when it could not be made in time.
   */
  readonly addConsumers: (image: Workspace, ids: readonly string[], request: RequestContext) => Promise<void>;
  readonly removeConsumers: (image: Workspace, ids: readonly string[], request: RequestContext) => Promise<void>;
  readonly replaceConsumers: (image: Workspace, ids: readonly string[], request: RequestContext) => Promise<void>;
}

/** How often chunks are read again that were changing meanwhile, and how often new ones are made from those there are. */
const READS = 6;
const REWRITES = 4;
/** Number of chunks that are written at the same time, chosen for the connections of a function. */
const CONCURRENCY = 8;

/**
 * After this long, in milliseconds, no request can be under way any more that switches to the chunks it has written:
 * many times what a function may run.
 */
const ABANDONED = 15 * 60_000;

const GENERATION = 12;

const refuseBusy = (): never => {
  throw unavailable('The remote state consumers are changing too quickly. Try again shortly.');
};

/** A workspace and its consumers, as they were at one moment. */
interface SeenConsumers {
  readonly image: Workspace;
  readonly ids: readonly string[];
}

/** All chunks of the set, and none with a change in it that the set has not seen. */
const isWhole = (chunks: readonly Item[], set: ConsumerSet): boolean =>
  chunks.length === set.chunks && chunks.every(({ n }) => Number(n) <= set.changes);

export const openConsumers = (
  database: Database,
  { find, apply }: Workspaces,
  clock: Clock,
  sizing = SIZING,
): Consumers => {
  const latest = async (id: string): Promise<Workspace> => {
    const image = await find(id);
    if (!isAlive(image)) throw notFound();
    return image;
  };

  /** A query is no snapshot: what was replaced, or changed in part, while it ran is read again. */
  const read = (first: Workspace): Promise<SeenConsumers> => {
    const readOnce = async (retries: number) => {
      const image = retries === 0 ? first : await latest(first.id);
      const { consumers } = image;
      if (consumers === undefined) return { image, ids: [] };
      const beginsWith = prefixes.consumersIn(consumers.generation);
      const partition = keys.workspace(image.id).pk;
      const chunks = await database.query({ partition, beginsWith, consistent: true });
      return isWhole(chunks, consumers) ? { image, ids: idsIn(chunks) } : tryAgain;
    };
    return retry(readOnce, { attempts: READS, onExhausted: refuseBusy });
  };

  const writeOnce = (item: Item): Promise<boolean> =>
    persist('workspace', clock, async (_, remaining) => {
      const key = { pk: String(item['pk']), sk: String(item['sk']) };
      try {
        await database.write({ kind: 'put', key, item, ...onlyOnce }, remaining());
      } catch (error) {
        // It is this request's own, its answer lost: nobody else has the generation.
        if (!(error instanceof ConditionFailed)) throw error;
      }
      return true;
    });

  /**
   * Writes the chunks of a generation that is not in force yet. Each is noted where the cleanup looks: it removes them if
   * it never comes to that, and otherwise what they took the place of.
   */
  const writeChunks = async (workspace: string, ids: readonly string[]) => {
    const set = { generation: base58(GENERATION), chunks: chunksFor(ids.length, sizing), atMost: ids.length };
    const mark = { d: cleanupPartition(keys.workspace(workspace).pk), dk: sortableTime(clock() + ABANDONED) };
    const items = chunkItems(workspace, { ...set, changes: 0 }, ids).map((item) => ({ ...item, ...mark }));
    await mapWithConcurrency(items, CONCURRENCY, writeOnce);
    return set;
  };

  /** Makes new chunks from those that there are, as long as others change them meanwhile. */
  const rewrite = async (
    first: Workspace,
    edit: (ids: readonly string[]) => readonly string[],
    announced: ConsumersChange,
    request: RequestContext,
  ): Promise<void> => {
    const rewriteOnce = async (retries: number): Promise<void> => {
      const image = retries === 0 ? first : await latest(first.id);
      const seen = await read(requireChangeable(image));
      const set = await writeChunks(image.id, edit(seen.ids));
      const made = { changes: changesOf(seen.image.consumers) };
      await apply(seen.image, replaceConsumers(request, set, announced, made), request);
    };
    const isOutdated = (error: unknown): boolean => error instanceof ChangedMeanwhile;
    await retry(rewriteOnce, { attempts: REWRITES, retryOn: isOutdated, onExhausted: refuseBusy });
  };

  const change = async (
    image: Workspace,
    transition: Transition,
    edit: (ids: readonly string[]) => readonly string[],
    announced: ConsumersChange,
    request: RequestContext,
  ): Promise<void> => {
    try {
      await apply(image, transition, request);
    } catch (error) {
      if (!(error instanceof NeedsNewChunks)) throw error;
      await rewrite(image, edit, announced, request);
    }
  };

  return {
    findConsumers: async (image) => (await read(image)).ids,

    hasConsumer: async ({ id, consumers }, consumer) => {
      if (consumers === undefined) return false;
      const { generation, chunks } = consumers;
      const chunk = await database.get(keys.consumers(id, generation, chunkOf(consumer, chunks)), true);
      return chunk !== undefined && idsIn([chunk]).includes(consumer);
    },

    addConsumers: async (image, ids, request) => {
      requireChangeable(image);
      if (ids.length === 0) return;
      const transition = addConsumers(request, ids, base58(GENERATION), sizing);
      await change(
        image,
        transition,
        (known) => [...new Set([...known, ...ids])],
        consumersChange('added', ids),
        request,
      );
    },

    removeConsumers: async (image, ids, request) => {
      requireChangeable(image);
      if (ids.length === 0 || image.consumers === undefined) return;
      const gone = new Set(ids);
      await change(
        image,
        removeConsumers(request, ids, sizing),
        (known) => known.filter((id) => !gone.has(id)),
        consumersChange('removed', ids),
        request,
      );
    },

    replaceConsumers: async (image, ids, request) => {
      requireChangeable(image);
      const set = await writeChunks(image.id, ids);
      await apply(image, replaceConsumers(request, set, consumersChange('replaced', ids)), request);
    },
  };
};
