import { cachePerValue } from './intern-pool.ts';
import type { Rows } from './rows.ts';

/** Creates the counts of the workspaces that have each flat tag, and the times at which they received it. */
export const createTagUses = ({ columns, pools, end, tagTime }: Rows) => {
  const uses = new Map<string, number>();
  return {
    uses: (): ReadonlyMap<string, number> => uses,

    /** Adds the flat tags of the row in a slot to the counts, or subtracts them. */
    count: (slot: number, by: 1 | -1): void => {
      for (const label of pools.labelSets.value(columns.labels[slot] as number)) {
        const { key, value } = pools.labels.value(label);
        if (value !== undefined) continue;
        const count = (uses.get(key) ?? 0) + by;
        if (count === 0) uses.delete(key);
        else uses.set(key, count);
      }
    },

    times: (tags: readonly string[]): ReadonlyMap<string, number> => {
      const wanted = new Set(tags);
      const first = new Map<string, number>();
      const placesIn = cachePerValue(pools.labelSets, (set) =>
        set.flatMap((label, index) => {
          const { key, value } = pools.labels.value(label);
          return value === undefined && wanted.has(key) ? [{ key, index }] : [];
        }),
      );
      for (let slot = 0; slot < end(); slot++) {
        if (columns.id[slot] === '') continue;
        for (const { key, index } of placesIn(columns.labels[slot] as number)) {
          first.set(key, Math.min(first.get(key) ?? Number.POSITIVE_INFINITY, tagTime(slot, index)));
        }
      }
      return first;
    },
  };
};

export type TagUses = ReturnType<typeof createTagUses>;
