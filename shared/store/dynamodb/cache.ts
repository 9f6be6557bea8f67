import type { Clock } from '../../lib/clock.ts';

/** Maximum number of entries of a cache. The oldest entries are dropped first. */
const MAX_ENTRIES = 1_000;

/**
 * Creates a cache of values by key. A value that is undefined is not cached.
 * @param milliseconds lifetime of an entry; 0 turns the cache off.
 */
export const createCache = <V>(milliseconds: number, clock: Clock) => {
  const entries = new Map<string, { value: V; since: number }>();
  /** A clock that was set back must not extend the lifetime. */
  const isYoung = (age: number): boolean => age >= 0 && age < milliseconds;
  return {
    /** Returns the cached value, or the result of `load` if there is none or `fresh` is true. */
    get: async (key: string, fresh: boolean, load: () => Promise<V | undefined>): Promise<V | undefined> => {
      const entry = entries.get(key);
      if (entry !== undefined && !fresh && isYoung(clock() - entry.since)) return entry.value;
      // The lifetime begins before the read: the value may be as old as that.
      const since = clock();
      const value = await load();
      entries.delete(key);
      if (value !== undefined && milliseconds > 0) {
        entries.set(key, { value, since });
        const [oldest] = entries.keys();
        if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
      }
      return value;
    },
    delete: (key: string) => void entries.delete(key),
  };
};
