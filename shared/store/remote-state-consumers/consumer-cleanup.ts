import { exists } from '../../domain/changes/conditions.ts';
import { update } from '../directory/record-items.ts';
import type { Database } from '../dynamodb/database.ts';
import { render } from '../dynamodb/expressions.ts';
import type { Item } from '../dynamodb/item.ts';
import { type Key, prefixes, WORKSPACE } from '../dynamodb/keys.ts';
import { generationOf, isFirstChunk } from './consumer-items.ts';

/**
 * Removes chunks of consumers that are of no use: of generations that were written and never came into force, as who
 * wrote them was interrupted, and of those that others took the place of. Every step can be repeated.
 */
export const openConsumerCleanup = (database: Database) => {
  const remove = async ({ pk, sk }: Item): Promise<void> => {
    await database.write({ kind: 'delete', key: { pk: String(pk), sk: String(sk) }, ...render({}) });
  };

  /** Those that are noted have their own time: somebody may be about to bring them into force. */
  const removeReplaced = async (partition: string, generation: string): Promise<void> => {
    for await (const page of database.pages({ partition, beginsWith: prefixes.consumers, consistent: true })) {
      const replaced = page.filter((item) => generationOf(item) !== generation && item['d'] === undefined);
      await Promise.all(replaced.map(remove));
    }
  };

  return {
    isConsumers: ({ sk }: Key): boolean => sk.startsWith(prefixes.consumers),

    /** Looks at a chunk that was written long enough ago for its generation to be in force, or never to be. */
    finish: async (key: Key): Promise<void> => {
      const workspace = await database.get({ pk: key.pk, sk: WORKSPACE }, true);
      const inForce = workspace?.['gone'] === undefined ? (workspace?.['cons'] as Item | undefined) : undefined;
      const generation = generationOf({ ...key });
      if (inForce?.['generation'] !== generation) return remove({ ...key });
      if (isFirstChunk({ ...key })) await removeReplaced(key.pk, generation);
      await database.write(update(key, { remove: ['d', 'dk'] }, exists('pk')));
    },
  };
};
