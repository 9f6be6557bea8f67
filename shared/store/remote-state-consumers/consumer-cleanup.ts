import { exists } from '../../domain/changes/conditions.ts';
import type { Database } from '../dynamodb/database.ts';
import { type Item, type Key, prefixes, WORKSPACE } from '../dynamodb/keys.ts';
import { generationOf, isFirstChunk } from '../items/consumer-items.ts';
import { keyOf, remove, update } from '../items/item-write.ts';

/**
 * Deletes unused chunks of remote state consumers: chunks of replaced generations, and of generations that never
 * came into force because the writer was interrupted. Every step can be repeated.
 */
export const openConsumerCleanup = (database: Database) => {
  const removeItem = async (item: Item): Promise<void> => {
    await database.write(remove(keyOf(item)));
  };

  /** Chunks with their own queue entry are handled at its time, because a writer may still bring them into force. */
  const removeReplaced = async (partition: string, generation: string): Promise<void> => {
    for await (const page of database.pages({ partition, beginsWith: prefixes.consumers, consistent: true })) {
      const replaced = page.filter((item) => generationOf(item) !== generation && item['d'] === undefined);
      await Promise.all(replaced.map(removeItem));
    }
  };

  /** Handles a chunk that is old enough for its generation to be either in force or abandoned. */
  return async (key: Key): Promise<void> => {
    const workspace = await database.get({ pk: key.pk, sk: WORKSPACE }, true);
    // A deleted workspace that can be restored needs its chunks.
    const isFinal = workspace?.['gone'] !== undefined && workspace['pa'] === undefined;
    const inForce = isFinal ? undefined : (workspace?.['cons'] as Item | undefined);
    const generation = generationOf({ ...key });
    if (inForce?.['generation'] !== generation) return removeItem({ ...key });
    if (isFirstChunk({ ...key })) await removeReplaced(key.pk, generation);
    await database.write(update(key, { remove: ['d', 'dk'] }, exists('pk')));
  };
};
