import { mapWithConcurrency } from '../../lib/concurrency.ts';
import type { Item, Key } from '../dynamodb/keys.ts';
import type { StoredItems } from '../dynamodb/stored-items.ts';
import type { TablePage } from '../jobs/walk-table.ts';
import { keyOf, type Lookup, spell } from './facts.ts';

/** Number of partitions that are counted concurrently. */
const CONCURRENCY = 16;

const NO_PAGE: TablePage = { items: [], isFirst: false, isLast: false, isTable: false };

/**
 * Opens a lookup that answers from a page of a scan, and otherwise from what `load` has read. What is in neither is noted
 * for the next `load`, and seems to be absent until then.
 *
 * A scan returns the items of one partition together. So a partition between two others of its page is complete: what
 * belongs to one workspace is rarely read twice. A check that relies on this and finds a problem is repeated without a page.
 */
export const openLookup = (stored: StoredItems, { items, isFirst, isLast, isTable }: TablePage = NO_PAGE) => {
  const known = new Map<string, Item | undefined>(items.map((item) => [keyOf(item), item]));
  const counts = new Map<string, number>();
  const sortKeys = new Map<string, string[]>();
  for (const { pk, sk } of items) {
    const inPartition = sortKeys.get(String(pk));
    if (inPartition === undefined) sortKeys.set(String(pk), [String(sk)]);
    else inPartition.push(String(sk));
  }
  const partial = new Set([
    ...(isFirst ? [] : [String(items[0]?.['pk'])]),
    ...(isLast ? [] : [String(items.at(-1)?.['pk'])]),
  ]);
  const isComplete = (partition: string): boolean => isTable || (sortKeys.has(partition) && !partial.has(partition));

  const missingItems = new Map<string, Key>();
  const missingCounts = new Map<string, readonly [string, string]>();
  let misses = 0;

  const lookup: Lookup = {
    at: (key) => {
      const spelt = spell(key);
      if (known.has(spelt) || isComplete(key.pk)) return known.get(spelt);
      misses++;
      missingItems.set(spelt, key);
      return undefined;
    },
    count: (partition, prefix) => {
      if (isComplete(partition))
        return (sortKeys.get(partition) ?? []).filter((sortKey) => sortKey.startsWith(prefix)).length;
      const counted = counts.get(`${partition} ${prefix}`);
      if (counted !== undefined) return counted;
      misses++;
      missingCounts.set(`${partition} ${prefix}`, [partition, prefix]);
      return 0;
    },
  };

  return {
    ...lookup,
    /** Everything that was read so far, for a comparison with another lookup. */
    known: (): readonly unknown[] => [known, counts],
    /** Number of reads so far whose result was not known. */
    misses: (): number => misses,
    /** Reads what was missing. */
    load: async (): Promise<void> => {
      const [absent, uncounted] = [[...missingItems], [...missingCounts]];
      missingItems.clear();
      missingCounts.clear();
      for (const [spelt] of absent) known.set(spelt, undefined);
      const [found] = await Promise.all([
        stored.getAll(absent.map(([, key]) => key)),
        mapWithConcurrency(uncounted, CONCURRENCY, async ([name, [partition, prefix]]) => {
          counts.set(name, await stored.count(partition, prefix));
        }),
      ]);
      for (const item of found) known.set(keyOf(item), item);
    },
  };
};
