/**
 * Whether what several clients did at once can be explained by some order in which it happened one after the other
 * (linearizability): each call at one moment between its begin and its end.
 */
export interface Call<S> {
  /** Moments on one clock. */
  readonly begun: number;
  /** Undefined: nobody knows what became of it; it may have happened at any time since, or never. */
  readonly ended: number | undefined;
  /** What it makes of a state; undefined where it cannot have been answered as it was in that state. */
  readonly act: (state: S) => S | undefined;
}

/** Whether there is such an order from a first state; `spell` tells states apart. */
export const isLinearizable = <S>(calls: readonly Call<S>[], first: S, spell: (state: S) => string): boolean => {
  const dead = new Set<string>();

  const search = (left: readonly number[], state: S): boolean => {
    // All that is left may never have happened.
    if (left.every((index) => calls[index]?.ended === undefined)) return true;
    const here = `${left.join()} ${spell(state)}`;
    if (dead.has(here)) return false;
    const firstEnd = Math.min(...left.map((index) => calls[index]?.ended ?? Number.POSITIVE_INFINITY));
    for (const index of left) {
      const call = calls[index] as Call<S>;
      // Another ended before this one began: that goes first.
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
