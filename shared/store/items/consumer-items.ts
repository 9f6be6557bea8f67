import { prefixes as ids } from '../../domain/ids.ts';
import type { ConsumerSet, ConsumersWrite } from '../../domain/workspace/consumer-set.ts';
import { render } from '../dynamodb/expressions.ts';
import { typeAndVersion } from '../dynamodb/item-schemas.ts';
import { type Item, keys, shardOf } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';

/**
 * A chunk of the remote state consumers of a workspace. `ids` is the set of their ids without the common prefix, absent if
 * it is empty. `n` is the change count of the set at the last change of this chunk. `requested` is the number of ids in the
 * request of that change, or 0 if the ids were copied to a new generation. Chunks of earlier releases lack it.
 */

/** Returns the number of the chunk that an id belongs to. */
export const chunkOf = (id: string, chunks: number): number => shardOf(id, chunks);

const bare = (id: string): string => id.slice(ids.workspace.length);

const byChunk = (of: readonly string[], chunks: number): Map<number, string[]> =>
  Map.groupBy(of, (id) => chunkOf(id, chunks));

/**
 * Builds all chunks of a generation. Empty ones are written too, so that a reader knows whether it has read all of them.
 * @param requested number of ids in the request; 0 if the ids are copied.
 */
export const chunkItems = (
  workspace: string,
  { generation, chunks, changes: n }: Omit<ConsumerSet, 'atMost'>,
  of: readonly string[],
  requested: number,
): Item[] => {
  const parts = byChunk(of, chunks);
  return Array.from({ length: chunks }, (_, chunk) => {
    const ids = parts.get(chunk)?.map(bare);
    const key = keys.consumers(workspace, generation, chunk);
    return { ...key, ...typeAndVersion('consumers'), ...(ids && { ids: new Set(ids) }), n, requested };
  });
};

/** Builds the chunk writes of a change. The condition on the workspace in the same transaction also guards them. */
export const consumersWrites = (workspace: string, { kind, ids: of, set }: ConsumersWrite): Write[] => {
  const { generation, chunks, changes } = set;
  if (kind === 'create') {
    return chunkItems(workspace, set, of, of.length).map((item, chunk) => ({
      kind: 'put',
      key: keys.consumers(workspace, generation, chunk),
      item,
    }));
  }
  return [...byChunk(of, chunks)].map(([chunk, part]) => ({
    kind: 'update',
    key: keys.consumers(workspace, generation, chunk),
    // DynamoDB set operations ignore ids that are already present or absent.
    UpdateExpression: `${kind === 'add' ? 'ADD' : 'DELETE'} #ids :ids SET #n = :n, #requested = :requested`,
    ExpressionAttributeNames: { '#ids': 'ids', '#n': 'n', '#requested': 'requested' },
    ExpressionAttributeValues: { ':ids': new Set(part.map(bare)), ':n': changes, ':requested': of.length },
  }));
};

/** Returns the generation from the sort key of a chunk: `C#<generation>#<chunk>`. */
export const generationOf = ({ sk }: Item): string => String(sk).split('#')[1] ?? '';
/** Returns the chunk number from the sort key of a chunk: `C#<generation>#<chunk>`. */
export const numberOf = ({ sk }: Item): number => Number(String(sk).split('#')[2]);
/** Returns whether an item is chunk 0 of its generation. */
export const isFirstChunk = (item: Item): boolean => numberOf(item) === 0;

/** Returns the ids in chunks. */
export const idsIn = (chunks: readonly Item[]): string[] =>
  chunks.flatMap(({ ids: of }) => [...((of ?? []) as Iterable<string>)].map((id) => ids.workspace + id));

/** Writes outside of a transaction must not be repeated, because the second might arrive late. */
export const onlyOnce = render({ condition: { kind: 'absent', path: 'pk' } });
