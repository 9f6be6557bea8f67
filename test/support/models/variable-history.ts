/**
 * What clients of one workspace's variables saw, and whether it can be explained: is there an order of the calls, each
 * taking effect at one moment between its invocation and its answer, in which a map from keys to variables would have
 * answered just so?
 */
export interface VariableCall {
  readonly action: 'create' | 'update' | 'rename' | 'delete' | 'list';
  /** The value that it gives, like no other's, by which its effect is known. */
  readonly value: string;
  /** Which variable it is about, by the value that it was created with. */
  readonly of?: string;
  /** Category and key that it asks for. */
  readonly key?: string;
  /** On one clock that all clients share, which never stands still. */
  readonly invokedAt: number;
  readonly completedAt: number;
  /** 503: it may have been done, then or later, or not. */
  readonly status: number;
  /** What the answer shows: `key of value` of each variable. */
  readonly shown?: readonly string[];
}

/** The variable under each key. */
type State = ReadonlyMap<string, { readonly of: string; readonly value: string }>;

const show = (state: State): string[] => [...state].map(([key, { of, value }]) => `${key} ${of} ${value}`).sort();
const isShown = (shown: readonly string[] | undefined, state: State): boolean =>
  shown === undefined || shown.join('\n') === show(state).join('\n');

const keyOf = (state: State, of: string | undefined): string | undefined =>
  [...state].find(([, variable]) => variable.of === of)?.[0];

/** The state after a call that was answered so; undefined where it cannot have been. */
const after = (state: State, call: VariableCall, status = call.status): State | undefined => {
  const { action, value, key = '', shown } = call;
  const held = keyOf(state, call.of);
  if (action === 'list') return isShown(shown, state) ? state : undefined;
  if (action === 'create') {
    if (state.has(key)) return status === 422 ? state : undefined;
    return status === 201 ? new Map([...state, [key, { of: value, value }]]) : undefined;
  }
  if (held === undefined) return status === 404 ? state : undefined;
  const others = [...state].filter(([one]) => one !== held);
  if (action === 'delete') return status === 204 ? new Map(others) : undefined;
  const target = action === 'rename' ? key : held;
  const isTaken = target !== held && state.has(target);
  if (isTaken) return status === 422 ? state : undefined;
  if (status !== 200) return undefined;
  const variable = { of: call.of ?? '', value };
  const isAsAnswered = shown === undefined || shown.join() === `${target} ${variable.of} ${value}`;
  return isAsAnswered ? new Map([...others, [target, variable]]) : undefined;
};

const successes = { create: 201, update: 200, rename: 200, delete: 204, list: 200 } as const;

/** @returns whether there is such an order. */
export const isExplicable = (calls: readonly VariableCall[]): boolean => {
  const seen = new Set<string>();
  const search = (left: readonly VariableCall[], state: State): boolean => {
    const answered = left.filter(({ status }) => status !== 503);
    if (answered.length === 0) return true;
    const memo = `${left.map(({ value }) => value).join()}|${show(state).join()}`;
    if (seen.has(memo)) return false;
    seen.add(memo);
    const earliest = Math.min(...answered.map(({ completedAt }) => completedAt));
    return left
      .filter(({ invokedAt }) => invokedAt <= earliest)
      .some((call) => {
        const next = after(state, call, call.status === 503 ? successes[call.action] : call.status);
        return (
          next !== undefined &&
          search(
            left.filter((one) => one !== call),
            next,
          )
        );
      });
  };
  return search(calls, new Map());
};
