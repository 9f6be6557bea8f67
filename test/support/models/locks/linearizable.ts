/** One call of a concurrent history that is checked for linearizability. */
export interface Call<S> {
  /** Start time, on a clock that all calls share. */
  readonly begun: number;
  /** End time. Undefined when the outcome is unknown: the call may take effect at any later time, or never. */
  readonly ended: number | undefined;
  /** Computes the next state. Undefined when the state excludes the observed response. */
  readonly act: (state: S) => S | undefined;
}

/**
 * Checks whether an order of the calls explains all responses, with each call at one moment between its start and end.
 * @param spell serializes a state, so that visited states are recognized.
 */
export const isLinearizable = <S>(calls: readonly Call<S>[], first: S, spell: (state: S) => string): boolean => {
  const dead = new Set<string>();

  const search = (left: readonly number[], state: S): boolean => {
    // Calls with an unknown outcome may never take effect.
    if (left.every((index) => calls[index]?.ended === undefined)) return true;
    const here = `${left.join()} ${spell(state)}`;
    if (dead.has(here)) return false;
    const firstEnd = Math.min(...left.map((index) => calls[index]?.ended ?? Number.POSITIVE_INFINITY));
    for (const index of left) {
      const call = calls[index] as Call<S>;
      // A call that ended before this one started must come first.
      if (call.begun > firstEnd) continue;
      const next = call.act(state);
      const others = left.filter((other) => other !== index);
      if (next !== undefined && search(others, next)) return true;
    }
    dead.add(here);
    return false;
  };
  return search(
    calls.map((_, index) => index),
    first,
  );
};
