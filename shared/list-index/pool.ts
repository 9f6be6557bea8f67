/**
 * Values that many rows share: each is kept once, and rows hold its number. One that no row holds any more makes room
 * for another.
 */
export interface Pool<T> {
  /** All numbers are below this. */
  readonly end: () => number;
  /** The number of a value, for one more holder; whether that is the first. */
  readonly take: (value: T) => { readonly number: number; readonly isNew: boolean };
  /** For one holder less. @returns whether it was the last. */
  readonly release: (number: number) => boolean;
  readonly value: (number: number) => T;
  /** How many hold a value. */
  readonly holders: (value: T) => number;
}

/** What a pool begins with: values by their numbers, no two alike, and how many hold each. */
export interface Held<T> {
  readonly values: readonly T[];
  readonly holders: ArrayLike<number>;
}

/** @param keyOf tells values apart. */
export const createPool = <T>(keyOf: (value: T) => string, held: Held<T> = { values: [], holders: [] }): Pool<T> => {
  const numbers = new Map(held.values.map((value, number) => [keyOf(value), number]));
  const values: T[] = [...held.values];
  const holders: number[] = Array.from(held.holders);
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

/** Answers about the values of a pool, by their numbers: each is found once, when it is first asked for. */
export const remembered = <T, A>(pool: Pool<T>, ask: (value: T) => A): ((number: number) => A) => {
  const answers = new Array<A | undefined>(pool.end());
  return (number) => (answers[number] ??= ask(pool.value(number)));
};
