/**
 * Checks whether a history of lock calls is linearizable: whether there is an order of the calls, each taking effect at one
 * moment between request and response, in which one lock per workspace produces exactly the observed responses.
 */

export type LockAction = 'lock' | 'unlock' | 'force-unlock';

/** One call as its client observed it. Times are milliseconds on a clock that all clients share. */
export interface LockCall {
  /** Username, as rejections name it. */
  readonly client: string;
  readonly workspace: string;
  readonly action: LockAction;
  /** Unique lock reason of a `lock` call, which identifies its lock. */
  readonly token?: string;
  readonly invokedAt: number;
  readonly completedAt: number;
  /** Undefined when there was no response. */
  readonly status?: number;
  /** Error detail of a rejection. */
  readonly detail?: string;
  /** Lock that a successful response shows. */
  readonly shown?: LockState;
}

/** Holder of a lock, and the call that took it. Undefined when the workspace is unlocked. */
export type LockState = { readonly holder: string; readonly token: string } | undefined;

type FindingKind =
  | 'two holders'
  | 'lost unlock'
  | "release of another's lock"
  | 'lock held by nobody'
  | 'vanished lock'
  | 'inexplicable answer';

export interface Finding {
  readonly kind: FindingKind;
  readonly workspace: string;
  /** Description that includes the call that cannot be explained. */
  readonly what: string;
}

/** Creates a recorder of calls with their start and completion times. */
export const createRecorder = (now: () => number) => {
  const calls: LockCall[] = [];
  return {
    calls,
    record: async (
      call: Pick<LockCall, 'client' | 'workspace' | 'action' | 'token'>,
      perform: () => Promise<Pick<LockCall, 'status' | 'detail' | 'shown'>>,
    ): Promise<LockCall> => {
      const invokedAt = now();
      const answer = await perform().catch(() => ({}));
      const recorded = { ...call, invokedAt, completedAt: now(), ...answer };
      calls.push(recorded);
      return recorded;
    },
  };
};

interface CheckOptions {
  /** Final locks by workspace. */
  readonly final: ReadonlyMap<string, LockState>;
  /** Time in which a call without a response, or with 503, may still take effect after its end, in milliseconds. */
  readonly lateMillis?: number;
}

/** Checks a history. @returns at most one finding per workspace, because later calls cannot be judged after it. */
export const checkHistory = (calls: readonly LockCall[], { final, lateMillis = Infinity }: CheckOptions): Finding[] => {
  const byWorkspace = Map.groupBy(calls, ({ workspace }) => workspace);
  return [...new Set([...byWorkspace.keys(), ...final.keys()])].flatMap((workspace) => {
    const found = checkWorkspace(byWorkspace.get(workspace) ?? [], final.get(workspace), lateMillis);
    return found === undefined ? [] : [{ workspace, ...found }];
  });
};

type Found = Omit<Finding, 'workspace'>;

/** Whether a call may or may not have taken effect. */
const isIndeterminate = ({ status }: LockCall): boolean => status === undefined || status === 503;

const holderIn = (detail: string): string | undefined => /locked by (?:User|Team|Run) ([\w-]+)/.exec(detail)?.[1];

const isSame = (a: LockState, b: LockState): boolean => a?.token === b?.token && a?.holder === b?.holder;

/** Checks a response that is invalid in any state. */
const malformed = (call: LockCall, byToken: ReadonlyMap<string | undefined, LockCall>): Found | undefined => {
  const { client, action, status, token, shown, detail = '' } = call;
  const inexplicable = (why: string): Found => ({ kind: 'inexplicable answer', what: `${describe(call)}: ${why}` });
  if (isIndeterminate(call)) return undefined;
  if (status === 409) {
    const isExplained = /not locked/.test(detail) ? action !== 'lock' : holderIn(detail) !== undefined;
    return isExplained && (action !== 'force-unlock' || /not locked/.test(detail))
      ? undefined
      : inexplicable('the refusal gives no reason that it could have');
  }
  if (status !== 200) return inexplicable('no call of this kind is answered so');
  if (action === 'lock') {
    return isSame(shown, { holder: client, token: token ?? '' }) ? undefined : inexplicable('it shows another lock');
  }
  // A release whose answer was lost is recognized later, when the next lock may be there already, but no older one.
  if (shown === undefined) return undefined;
  const next = byToken.get(shown.token);
  return next !== undefined && next.client === shown.holder && next.completedAt > call.invokedAt
    ? undefined
    : inexplicable(`it shows the lock ${shown.token} that was there before`);
};

/** Computes the state after a call with its observed response. @returns `impossible` when the state excludes the response. */
const effect = (call: LockCall, state: LockState): LockState | 'impossible' => {
  const { client, action, token = '', status, detail = '' } = call;
  const takesEffect = action === 'lock' ? state === undefined : action === 'force-unlock' || state?.holder === client;
  const mayRelease = state !== undefined && takesEffect;
  const after = action === 'lock' ? { holder: client, token } : undefined;
  if (status !== 409) return (action === 'lock' ? takesEffect : mayRelease) ? after : 'impossible';
  if (/not locked/.test(detail)) return state === undefined ? state : 'impossible';
  const isTheirs = state !== undefined && state.holder === holderIn(detail);
  return isTheirs && (action === 'lock' || state.holder !== client) ? state : 'impossible';
};

/** One way in which things may have gone so far. */
interface Configuration {
  readonly state: LockState;
  /** Of the calls under way, those that have taken effect. */
  readonly effective: ReadonlySet<number>;
}

const keyOf = ({ state, effective }: Configuration): string =>
  `${state === undefined ? '' : `${state.token}@${state.holder}`}/${[...effective].sort((a, b) => a - b).join()}`;

/**
 * Follows the calls through time with all the ways in which things may have gone (linearizability, just in time: Lowe,
 * "Testing for linearizability", 2017). Calls are few at a time, so the ways are few, too.
 */
const checkWorkspace = (calls: readonly LockCall[], final: LockState, lateMillis: number): Found | undefined => {
  const byToken = new Map(calls.filter(({ action }) => action === 'lock').map((call) => [call.token, call]));
  for (const call of calls) {
    const found = malformed(call, byToken);
    if (found !== undefined) return found;
  }

  const endOf = (call: LockCall): number => call.completedAt + (isIndeterminate(call) ? lateMillis : 0);
  const events = calls
    .flatMap((call, id) => [
      { at: call.invokedAt, id, isEnd: false },
      { at: endOf(call), id, isEnd: true },
    ])
    .filter(({ at }) => at < Infinity)
    // At the same moment what begins comes first: calls that may have overlapped are taken to.
    .sort((a, b) => a.at - b.at || Number(a.isEnd) - Number(b.isEnd));

  const callOf = (id: number): LockCall => calls[id] as LockCall;
  const pending = new Set<number>();
  let ways: Configuration[] = [{ state: undefined, effective: new Set() }];

  /** All ways that lead on from here by calls under way taking effect. */
  const expanded = (from: readonly Configuration[]): Configuration[] => {
    const known = new Map(from.map((way) => [keyOf(way), way]));
    for (const way of known.values()) {
      for (const id of pending) {
        if (way.effective.has(id)) continue;
        const state = effect(callOf(id), way.state);
        if (state === 'impossible') continue;
        const next = { state, effective: new Set(way.effective).add(id) };
        const key = keyOf(next);
        if (!known.has(key)) known.set(key, next);
      }
    }
    return [...known.values()];
  };

  for (const { id, isEnd } of events) {
    if (!isEnd) {
      pending.add(id);
      continue;
    }
    const call = callOf(id);
    const reachable = expanded(ways);
    // A call that nobody heard of again may never have taken effect.
    const explaining = isIndeterminate(call) ? reachable : reachable.filter(({ effective }) => effective.has(id));
    if (explaining.length === 0) return explain(call, calls, reachable);
    pending.delete(id);
    ways = withoutDominated(
      explaining.map(({ state, effective }) => ({
        state,
        effective: new Set([...effective].filter((other) => other !== id)),
      })),
      (other) => isIndeterminate(callOf(other)),
    );
  }

  const ends = expanded(ways);
  if (ends.some(({ state }) => isSame(state, final))) return undefined;
  const possible = [...new Set(ends.map(({ state }) => wordsOf(state)))].join(' or ');
  return {
    kind: final === undefined ? 'vanished lock' : 'lock held by nobody',
    what: `in the end it is ${wordsOf(final)}, and should be ${possible}`,
  };
};

/**
 * Keeps, of ways to the same state, those in which the fewest uncertain calls have taken effect: a call that may still
 * take effect, or never, explains all that one which has explains, and more.
 */
const withoutDominated = (ways: readonly Configuration[], isOptional: (id: number) => boolean): Configuration[] => {
  const groups = Map.groupBy(ways, ({ state, effective }) =>
    keyOf({ state, effective: new Set([...effective].filter((id) => !isOptional(id))) }),
  );
  return [...groups.values()].flatMap((group) => {
    const kept: Configuration[] = [];
    for (const way of group.toSorted((a, b) => a.effective.size - b.effective.size)) {
      if (!kept.some(({ effective }) => [...effective].every((id) => way.effective.has(id)))) kept.push(way);
    }
    return kept;
  });
};

const wordsOf = (state: LockState): string =>
  state === undefined ? 'unlocked' : `locked by ${state.holder} (${state.token})`;

const describe = ({ client, action, token, invokedAt, completedAt, status, detail }: LockCall): string => {
  const answer = status === undefined ? 'without an answer' : `answered ${status}${detail ? ` "${detail}"` : ''}`;
  return `${action} by ${client}${token ? ` (${token})` : ''} from ${invokedAt} to ${completedAt}, ${answer}`;
};

/** Names what a call that fits no way most likely tells of. */
const explain = (call: LockCall, calls: readonly LockCall[], ways: readonly Configuration[]): Found => {
  const states = ways.map(({ state }) => state);
  const possible = [...new Set(states.map(wordsOf))].join(' or ');
  const what = `${describe(call)}, while it can only have been ${possible}`;
  const isLocked = states.every((state) => state !== undefined);
  const isFree = states.every((state) => state === undefined);
  const claimed = call.status === 409 ? holderIn(call.detail ?? '') : undefined;

  if (call.status === 200 && call.action === 'lock' && isLocked) return { kind: 'two holders', what };
  if (call.status === 200 && call.action === 'unlock' && !isFree) return { kind: "release of another's lock", what };
  if (claimed !== undefined && isLocked) return { kind: 'two holders', what };
  if (claimed !== undefined && isFree) {
    const isRelease = ({ action, client, status, completedAt }: LockCall) =>
      status === 200 &&
      completedAt <= call.invokedAt &&
      (action === 'force-unlock' || (action === 'unlock' && client === claimed));
    return { kind: calls.some(isRelease) ? 'lost unlock' : 'lock held by nobody', what };
  }
  if (call.status === 409 && isLocked && /not locked/.test(call.detail ?? '')) return { kind: 'vanished lock', what };
  return { kind: 'inexplicable answer', what };
};
