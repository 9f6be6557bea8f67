import type { ConsumerSet } from '../../domain/workspace/consumer-set.ts';
import type { Item } from '../dynamodb/item.ts';
import { type Key, keys, WORKSPACE } from '../dynamodb/keys.ts';
import { chunkOf, generationOf, idsIn, numberOf } from '../items/consumer-items.ts';

/** Checks the relations between a workspace and the chunks of its remote state consumers. */
export const checkConsumers = (
  at: (key: Key) => Item | undefined,
  must: (item: Item, holds: boolean, problem: string) => void,
) => {
  const setOf = (workspace: Item | undefined): ConsumerSet | undefined =>
    workspace?.['gone'] === undefined ? (workspace?.['cons'] as ConsumerSet | undefined) : undefined;
  const firstChunk = (workspace: Item | undefined): Item | undefined => {
    const set = setOf(workspace);
    return set && at(keys.consumers(String(workspace?.['id']), set.generation, 0));
  };

  /** True if the chunk is queued for cleanup: itself, with its deleted workspace, or through the current generation. */
  const isQueuedForCleanup = (chunk: Item, workspace: Item | undefined): boolean =>
    [chunk, workspace?.['gone'] === undefined ? firstChunk(workspace) : workspace].some(
      (it) => it?.['d'] !== undefined,
    );

  const inForce = (chunk: Item, workspace: Item, set: ConsumerSet): void => {
    const [id, number, ids] = [String(workspace['id']), numberOf(chunk), idsIn([chunk])];
    must(chunk, number < set.chunks, 'the set has no such chunk');
    must(chunk, Number(chunk['n']) <= set.changes, 'its change counter is ahead of that of the set');
    const isElsewhere = ids.some((other) => chunkOf(other, set.chunks) !== number);
    must(chunk, !isElsewhere, 'it contains an id that belongs in another chunk');
    // A deleted workspace may still be listed as a consumer.
    const isForeign = ids.some((other) => (at(keys.workspace(other)) ?? workspace)['org'] !== workspace['org']);
    must(
      chunk,
      !isForeign && !ids.includes(id),
      'it contains the workspace itself or a workspace of another organization',
    );
  };

  return {
    ofWorkspace: (workspace: Item): void => {
      const { generation, chunks, atMost } = setOf(workspace) ?? { generation: '', chunks: 0, atMost: 0 };
      const numbers = Array.from({ length: chunks }, (_, number) => number);
      const parts = numbers
        .map((number) => at(keys.consumers(String(workspace['id']), generation, number)))
        .filter((part) => part !== undefined);
      must(workspace, parts.length === chunks, 'a chunk of its remote state consumers does not exist');
      must(workspace, idsIn(parts).length <= atMost, 'it has more remote state consumers than its recorded maximum');
    },

    chunk: (chunk: Item): void => {
      const workspace = at({ pk: String(chunk['pk']), sk: WORKSPACE });
      const set = setOf(workspace);
      if (workspace !== undefined && set?.generation === generationOf(chunk)) inForce(chunk, workspace, set);
      else must(chunk, isQueuedForCleanup(chunk, workspace), 'it is not in force and not queued for cleanup');
    },
  };
};
