import { prefixes as ids } from '../../domain/ids.ts';
import type { ConsumerSet, ConsumersWrite } from '../../domain/workspace/consumer-set.ts';
import { render } from '../dynamodb/expressions.ts';
import type { Item } from '../dynamodb/item.ts';
import { typeAndVersion } from '../dynamodb/item-schemas.ts';
import { keys, shardOf } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';

/**
 * A chunk of a workspace's remote state consumers: `ids` is a set of their ids without the prefix that all have, absent
 * where it is empty; `n` is how many changes of the set it has seen, where it was part of them.
 */

/** In which of so many chunks an id lies. */
export const chunkOf = (id: string, chunks: number): number => shardOf(id, chunks);

const bare = (id: string): string => id.slice(ids.workspace.length);

const byChunk = (of: readonly string[], chunks: number): Map<number, string[]> =>
  Map.groupBy(of, (id) => chunkOf(id, chunks));

/** The item of a chunk; an empty one is written too, so that a reader knows whether it has seen all. */
const chunkItem = (workspace: string, generation: string, chunk: number, of: readonly string[], n: number): Item => ({
  ...keys.consumers(workspace, generation, chunk),
  ...typeAndVersion('consumers'),
  ...(of.length > 0 && { ids: new Set(of.map(bare)) }),
  n,
});

/** All chunks of a generation, with their ids. */
export const chunkItems = (
  workspace: string,
  { generation, chunks, changes }: Omit<ConsumerSet, 'atMost'>,
  of: readonly string[],
): Item[] => {
  const parts = byChunk(of, chunks);
  return Array.from({ length: chunks }, (_, chunk) =>
    chunkItem(workspace, generation, chunk, parts.get(chunk) ?? [], changes),
  );
};

/** The writes of a change beside that of the workspace, whose condition is theirs too. */
export const consumersWrites = (workspace: string, { kind, ids: of, set }: ConsumersWrite): Write[] => {
  const { generation, chunks, changes } = set;
  if (kind === 'create') {
    return chunkItems(workspace, set, of).map((item, chunk) => ({
      kind: 'put',
      key: keys.consumers(workspace, generation, chunk),
      item,
    }));
  }
  return [...byChunk(of, chunks)].map(([chunk, part]) => ({
    kind: 'update',
    key: keys.consumers(workspace, generation, chunk),
    // DynamoDB's own operations on sets: what is there, or not there, is passed over.
    UpdateExpression: `${kind === 'add' ? 'ADD' : 'DELETE'} #ids :ids SET #n = :n`,
    ExpressionAttributeNames: { '#ids': 'ids', '#n': 'n' },
    ExpressionAttributeValues: { ':ids': new Set(part.map(bare)), ':n': changes },
  }));
};

/** Which generation a chunk is of, by its sort key: `C#<generation>#<chunk>`. */
export const generationOf = ({ sk }: Item): string => String(sk).split('#')[1] ?? '';
export const numberOf = ({ sk }: Item): number => Number(String(sk).split('#')[2]);
export const isFirstChunk = (item: Item): boolean => numberOf(item) === 0;

/** The ids in chunks. */
export const idsIn = (chunks: readonly Item[]): string[] =>
  chunks.flatMap(({ ids: of }) => [...((of ?? []) as Iterable<string>)].map((id) => ids.workspace + id));

/** What is written outside of a transaction must not be written twice: the second might come late. */
export const onlyOnce = render({ condition: { kind: 'absent', path: 'pk' } });
