/**
 * Groups the calls to the engine in rounds without a clock. While calls are counted, no response is delivered before every
 * call of its round has one and the process has nothing else to do, so the next round cannot start earlier.
 */
interface Counting {
  /** Kinds of the calls in each round. */
  readonly rounds: string[][];
  underway: number;
  arrived: number;
  held: (() => void)[];
}

/** The functions of the tests are a bundle with a copy of this module, so the state is the one of the process. */
const shared = globalThis as { holdfastCounting?: Counting | undefined };

/** Query that reads or updates a list index. */
const LIST_INDEX = 'Query on list';

/** Names what distinguishes a call from others: the operation, the index, the consistency and the number of keys. */
const nameOf = (target: string, body: string): string => {
  const { IndexName, ConsistentRead, RequestItems } = JSON.parse(body);
  const [table] = Object.values((RequestItems ?? {}) as Record<string, { Keys: unknown[]; ConsistentRead?: boolean }>);
  const isConsistent = ConsistentRead ?? table?.ConsistentRead ?? false;
  return [
    target.split('.')[1],
    ...(IndexName === undefined ? [] : [`on ${IndexName}`]),
    ...(table === undefined ? [] : [`of ${table.Keys.length}`]),
    ...(isConsistent ? ['consistent'] : []),
  ].join(' ');
};

const waitForRound = (counting: Counting): Promise<void> =>
  new Promise((resolve) => {
    counting.held.push(resolve);
    if (counting.underway > 0) return;
    const { arrived } = counting;
    // Timers and input that are due, and all promise jobs after them, come before the second turn.
    setImmediate(() =>
      setImmediate(() => {
        if (counting.underway > 0 || counting.arrived > arrived) return;
        counting.rounds.push([]);
        for (const deliver of counting.held.splice(0)) deliver();
      }),
    );
  });

/** Runs a call to the engine, and delivers its response at the end of its round if calls are counted. */
export const runInRound = async <T>(target: string, body: string, run: () => Promise<T>): Promise<T> => {
  const counting = shared.holdfastCounting;
  if (counting === undefined) return run();
  counting.underway++;
  counting.arrived++;
  counting.rounds.at(-1)?.push(nameOf(target, body));
  try {
    return await run();
  } finally {
    counting.underway--;
    await waitForRound(counting);
  }
};

/** Counts the calls while `work` runs. @returns the sorted kinds of the calls in each round. */
export const countRounds = async <T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly rounds: readonly (readonly string[])[] }> => {
  const counting: Counting = { rounds: [[]], underway: 0, arrived: 0, held: [] };
  shared.holdfastCounting = counting;
  const result = await work().finally(() => {
    shared.holdfastCounting = undefined;
  });
  /** Sorts the calls of a round. How many queries update a list index depends on the time since the last update. */
  const kinds = (calls: readonly string[]): readonly string[] =>
    calls.filter((call, index) => call !== LIST_INDEX || calls.indexOf(call) === index).sort();
  return { result, rounds: counting.rounds.filter((calls) => calls.length > 0).map(kinds) };
};
