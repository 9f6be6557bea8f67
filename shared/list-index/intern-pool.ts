/**
 * Pool of interned values: each distinct value is stored once, and rows store its number. The number of a value that no
 * row holds any more is used again.
 */
export interface InternPool<T> {
  /** Returns the upper bound of the numbers. */
  readonly end: () => number;
  /** Adds a holder of a value. Returns the number of the value, and whether this is its first holder. */
  readonly take: (value: T) => { readonly number: number; readonly isNew: boolean };
  /** Removes a holder of a value. @returns whether it was the last one. */
  readonly release: (number: number) => boolean;
  readonly value: (number: number) => T;
  /** Returns the number of holders of a value. */
  readonly holders: (value: T) => number;
}

/** Initial contents of a pool: distinct values by number, and the number of holders of each. */
export interface InitialValues<T> {
  readonly values: readonly T[];
  readonly holders: ArrayLike<number>;
}

/**
 * Creates a pool.
 * @param keyOf returns a text that is equal for equal values only.
 */
export const createInternPool = <T>(
  keyOf: (value: T) => string,
  initial: InitialValues<T> = { values: [], holders: [] },
): InternPool<T> => {
  const numbers = new Map(initial.values.map((value, number) => [keyOf(value), number]));
  const values: T[] = [...initial.values];
  const holders: number[] = Array.from(initial.holders);
  const free: number[] = [];
  return {
    end: () => values.length,
    take: (value) => {
      const key = keyOf(value);
      const known = numbers.get(key);
      const number = known ?? free.pop() ?? values.length;
      if (known === undefined) {
        numbers.set(key, number);
        values[number] = value;
        holders[number] = 0;
      }
      holders[number] = (holders[number] ?? 0) + 1;
      return { number, isNew: known === undefined };
    },
    release: (number) => {
      const left = (holders[number] ?? 0) - 1;
      holders[number] = left;
      if (left > 0) return false;
      numbers.delete(keyOf(values[number] as T));
      free.push(number);
      return true;
    },
    value: (number) => values[number] as T,
    holders: (value) => holders[numbers.get(keyOf(value)) ?? -1] ?? 0,
  };
};

/** Creates a function from numbers of a pool to results, which calls `compute` once for each value that is requested. */
export const cachePerValue = <T, A>(pool: InternPool<T>, compute: (value: T) => A): ((number: number) => A) => {
  const results = new Array<A | undefined>(pool.end());
  return (number) => (results[number] ??= compute(pool.value(number)));
};
