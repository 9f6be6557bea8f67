/** One call to the variables of a workspace, as its client observed it. */
export interface VariableCall {
  readonly action: 'create' | 'update' | 'rename' | 'delete' | 'list';
  /** Unique value that the call sets, which identifies its effect. */
  readonly value: string;
  /** Initial value of the variable that the call changes, which identifies the variable. */
  readonly of?: string;
  /** Requested category and key. */
  readonly key?: string;
  /** Time on a strictly increasing clock that all clients share. */
  readonly invokedAt: number;
  readonly completedAt: number;
  /** Response status. A call with 503 may take effect immediately, later or never. */
  readonly status: number;
  /** Variables in the response, as `key of value`. */
  readonly shown?: readonly string[];
}

/** The variable under each key. */
type State = ReadonlyMap<string, { readonly of: string; readonly value: string }>;

const show = (state: State): string[] => [...state].map(([key, { of, value }]) => `${key} ${of} ${value}`).sort();
const isShown = (shown: readonly string[] | undefined, state: State): boolean =>
  shown === undefined || shown.join('\n') === show(state).join('\n');

const keyOf = (state: State, of: string | undefined): string | undefined =>
  [...state].find(([, variable]) => variable.of === of)?.[0];

/** Computes the state after a call with a status. Undefined when the state excludes the response. */
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

/**
 * Checks whether the history is linearizable: whether an order of the calls, each taking effect at one moment between
 * request and response, explains all responses with a map from keys to variables.
 */
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
