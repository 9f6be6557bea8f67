/**
 * Checks at compile time that a list names every value of a type, so that a new value of the API is a type error.
 * @example everyOf<'active' | 'invited'>()('active', 'invited')
 */
export const everyOf =
  <T extends string>() =>
  <const N extends readonly T[]>(
    ...names: Exclude<T, N[number]> extends never ? N : readonly [missing: Exclude<T, N[number]>]
  ): N =>
    names as N;
