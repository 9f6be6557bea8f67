import type { Clock } from '../../shared/lib/clock.ts';

/** Maximum number of values. The oldest ones are dropped first. */
const MAX_VALUES = 200;

/**
 * Opens values that are read once for all concurrent callers, and kept for a time. A failure is not kept: it is reported to
 * whoever waits for the value.
 * @param milliseconds lifetime of a value.
 */
export const openKept = <T>(milliseconds: number, clock: Clock) => {
  const known = new Map<string, { readonly value: Promise<T>; readonly until: number }>();
  return {
    /** Returns the value of a key, or the result of `read` if none is kept. */
    find: (key: string, read: () => Promise<T>): Promise<T> => {
      const found = known.get(key);
      if (found !== undefined && found.until > clock()) return found.value;
      const value = read();
      known.delete(key);
      known.set(key, { value, until: clock() + milliseconds });
      const [oldest] = known.keys();
      if (known.size > MAX_VALUES && oldest !== undefined) known.delete(oldest);
      value.catch(() => known.get(key)?.value === value && known.delete(key));
      return value;
    },
    forget: (key: string) => void known.delete(key),
  };
};
