/** Map that keeps the entries that were set last, for state that callers create. */
export interface BoundedMap<V> {
  readonly get: (key: string) => V | undefined;
  readonly set: (key: string, value: V) => void;
  readonly delete: (key: string) => void;
}

/** Creates a map that forgets its oldest entries. */
export const createBoundedMap = <V>(most: number): BoundedMap<V> => {
  const entries = new Map<string, V>();
  return {
    get: (key) => entries.get(key),
    set: (key, value) => {
      entries.delete(key);
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > most && oldest !== undefined) entries.delete(oldest);
    },
    delete: (key) => void entries.delete(key),
  };
};
