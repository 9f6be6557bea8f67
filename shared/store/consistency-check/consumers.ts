import { BASE58_CLASS, isId, prefixes } from '../../domain/ids.ts';
import { CHUNK_CAPACITY, type ConsumerSet } from '../../domain/workspace/consumer-set.ts';
import { type Item, keys, WORKSPACE } from '../dynamodb/keys.ts';
import { chunkOf, generationOf, idsIn, numberOf } from '../items/consumer-items.ts';
import { type Check, isCount, isMap, textOf } from './facts.ts';

const GENERATION = new RegExp(`^${BASE58_CLASS}{12}$`);

/** Checks the chunks of the remote state consumers of a workspace, and their relations to the workspace. */
export const checkConsumers = ({ at, must }: Check) => {
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
    must(number < set.chunks, 'the set has no such chunk');
    must(Number(chunk['n']) <= set.changes, 'its change counter is ahead of that of the set');
    const isElsewhere = ids.some((other) => chunkOf(other, set.chunks) !== number);
    must(!isElsewhere, 'it contains an id that belongs in another chunk');
    // A deleted workspace may still be listed as a consumer.
    const isForeign = ids.some((other) => (at(keys.workspace(other)) ?? workspace)['org'] !== workspace['org']);
    must(!isForeign && !ids.includes(id), 'it contains the workspace itself or a workspace of another organization');
  };

  return {
    ofWorkspace: (workspace: Item): void => {
      const set = setOf(workspace);
      if (set === undefined) return;
      const { generation, chunks, changes, atMost } = isMap(set) ? set : ({} as Partial<ConsumerSet>);
      const isSet = GENERATION.test(textOf(generation)) && isCount(chunks) && isCount(changes) && isCount(atMost, 0);
      must(isSet && Number.isInteger(Math.log2(Number(chunks))), 'its set of remote state consumers is invalid');
      if (generation === undefined || chunks === undefined || atMost === undefined) return;
      const numbers = Array.from({ length: chunks }, (_, number) => number);
      const parts = numbers
        .map((number) => at(keys.consumers(String(workspace['id']), generation, number)))
        .filter((part) => part !== undefined);
      must(parts.length === chunks, 'a chunk of its remote state consumers does not exist');
      must(idsIn(parts).length <= atMost, 'it has more remote state consumers than its recorded maximum');
    },

    chunk: (chunk: Item): void => {
      const { ids, n } = chunk;
      const members = ids instanceof Set ? [...ids] : [];
      const isValid =
        GENERATION.test(generationOf(chunk)) &&
        isCount(n, 0) &&
        (ids === undefined || (members.length > 0 && members.length <= CHUNK_CAPACITY)) &&
        members.every((id) => isId('workspace', `${prefixes.workspace}${id}`));
      must(isValid, 'it is not a valid chunk of remote state consumers');
      const workspace = at({ pk: String(chunk['pk']), sk: WORKSPACE });
      const set = setOf(workspace);
      if (workspace !== undefined && set?.generation === generationOf(chunk)) inForce(chunk, workspace, set);
      else must(isQueuedForCleanup(chunk, workspace), 'it is not in force and not queued for cleanup');
    },
  };
};
