import type { Clock } from '../../lib/clock.ts';

const CACHED = 1_000;

/** Remembers answers for a while; never the lack of one. Bounded, oldest out first. */
export const remember = <V>(milliseconds: number, clock: Clock) => {
  const entries = new Map<string, { value: V; until: number }>();
  const recall = async (key: string, fresh: boolean, read: () => Promise<V | undefined>): Promise<V | undefined> => {
    const entry = entries.get(key);
    if (entry !== undefined && !fresh && entry.until > clock()) return entry.value;
    // The time counts from before the read: what it brings may be as old as that.
    const until = clock() + milliseconds;
    const value = await read();
    entries.delete(key);
    if (value !== undefined && milliseconds > 0) {
      entries.set(key, { value, until });
      const [oldest] = entries.keys();
      if (entries.size > CACHED && oldest !== undefined) entries.delete(oldest);
    }
    return value;
  };
  return { recall, forget: (key: string) => void entries.delete(key) };
};
