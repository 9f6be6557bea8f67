/**
 * Checks whether a history of lock calls is linearizable: whether there is an order of the calls, each taking effect at one
 * moment between request and response, in which one lock per workspace produces exactly the observed responses.
 */

export type LockAction = 'lock' | 'renew' | 'unlock' | 'force-unlock';

/** One call as its client observed it. Times are milliseconds on a clock that all clients share. */
export interface LockCall {
  /** Username, as rejections name it. */
  readonly client: string;
  readonly workspace: string;
  readonly action: LockAction;
  /** Unique lock reason of a `lock` call, which identifies its lock. */
  readonly token?: string;
  /** Length of the lease that a `lock` or `renew` call requests, in milliseconds; absent for a lock that never expires. */
  readonly lease?: number;
  readonly invokedAt: number;
  readonly completedAt: number;
  /** Undefined when there was no response. */
  readonly status?: number;
  /** Error detail of a rejection. */
  readonly detail?: string;
  /** Lock that a successful response shows. */
  readonly shown?: LockState;
}

/**
 * Holder of a lock, and the call that took it. Undefined when the workspace is unlocked. A lock under a lease has the
 * earliest and the latest time at which the lease can end.
 */
export type LockState =
  | { readonly holder: string; readonly token: string; readonly expires?: readonly [earliest: number, latest: number] }
  | undefined;

type FindingKind =
  | 'two holders'
  | 'lost unlock'
  | "release of another's lock"
  | 'lock held by nobody'
  | 'expired lock in force'
  | 'vanished lock'
  | 'inexplicable response';

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
      call: Pick<LockCall, 'client' | 'workspace' | 'action' | 'token' | 'lease'>,
      perform: () => Promise<Pick<LockCall, 'status' | 'detail' | 'shown'>>,
    ): Promise<LockCall> => {
      const invokedAt = now();
      const response = await perform().catch(() => ({}));
      const recorded = { ...call, invokedAt, completedAt: now(), ...response };
      calls.push(recorded);
      return recorded;
    },
  };
};

interface CheckOptions {
  /** Final locks by workspace. */
  readonly final: ReadonlyMap<string, LockState>;
  /** Time at which the final locks were read, after which no lease is known to have expired. */
  readonly finalAt?: number;
  /** Time in which a call without a response, or with 503, may still take effect after its end, in milliseconds. */
  readonly lateMillis?: number;
  /**
   * Time before and after the end of a lease, in milliseconds, in which the workspace may count as locked or as unlocked:
   * clocks differ, and a write takes effect some time after it was decided.
   */
  readonly uncertaintyMillis?: number;
}

/** Checks a history. @returns at most one finding per workspace, because later calls cannot be judged after it. */
export const checkHistory = (
  calls: readonly LockCall[],
  { final, finalAt = 0, lateMillis = Infinity, uncertaintyMillis = 0 }: CheckOptions,
): Finding[] => {
  const byWorkspace = Map.groupBy(calls, ({ workspace }) => workspace);
  return [...new Set([...byWorkspace.keys(), ...final.keys()])].flatMap((workspace) => {
    const found = checkWorkspace(byWorkspace.get(workspace) ?? [], final.get(workspace), {
      finalAt,
      late: lateMillis,
      uncertainty: uncertaintyMillis,
    });
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
  const inexplicable = (why: string): Found => ({ kind: 'inexplicable response', what: `${describe(call)}: ${why}` });
  if (isIndeterminate(call)) return undefined;
  if (status === 409) {
    const isExplained = /not locked/.test(detail) ? action !== 'lock' : holderIn(detail) !== undefined;
    return isExplained && (action !== 'force-unlock' || /not locked/.test(detail))
      ? undefined
      : inexplicable('the rejection gives no reason that it could have');
  }
  if (status !== 200) return inexplicable('no call of this kind has this status');
  if (action === 'lock') {
    return isSame(shown, { holder: client, token: token ?? '' }) ? undefined : inexplicable('it shows another lock');
  }
  if (action === 'renew') return shown?.holder === client ? undefined : inexplicable('it shows no lock of the client');
  // A release whose response was lost is recognized later, when the next lock may be there already, but no older one.
  if (shown === undefined) return undefined;
  const next = byToken.get(shown.token);
  return next !== undefined && next.client === shown.holder && next.completedAt > call.invokedAt
    ? undefined
    : inexplicable(`it shows the lock ${shown.token} that was there before`);
};

/** The time in which a call can have taken effect, and the uncertainty about the end of a lease. */
interface Period {
  readonly from: number;
  readonly to: number;
  readonly uncertainty: number;
}

/** Tells whether the workspace can have been locked, and whether it can have been unlocked, at some time of a period. */
const possibilities = (state: LockState, { from, to, uncertainty }: Period) => {
  const [earliest, latest] = state?.expires ?? [Infinity, Infinity];
  return {
    locked: state !== undefined && from <= latest + uncertainty,
    unlocked: state === undefined || to >= earliest - uncertainty,
  };
};

/** Returns the lock after a lock or renew call. Its lease begins during the call. */
const lockAfter = ({ client, token = '', lease, invokedAt, completedAt }: LockCall, before: LockState): LockState => ({
  ...(before ?? { holder: client, token }),
  ...(lease !== undefined && { expires: [invokedAt + lease, completedAt + lease] as const }),
});

/**
 * Computes the state after a call with its observed response. @returns `impossible` when the state excludes the response.
 */
const effect = (call: LockCall, state: LockState, period: Period): LockState | 'impossible' => {
  const { client, action, status, detail = '' } = call;
  const { locked, unlocked } = possibilities(state, period);
  const isHolder = locked && state?.holder === client;
  if (status !== 409) {
    if (action === 'lock') return unlocked ? lockAfter(call, undefined) : 'impossible';
    if (action === 'renew') return isHolder ? lockAfter(call, state) : 'impossible';
    return isHolder || (locked && action === 'force-unlock') ? undefined : 'impossible';
  }
  if (/not locked/.test(detail)) return unlocked ? state : 'impossible';
  const isTheirs = locked && state?.holder === holderIn(detail);
  return isTheirs && (action === 'lock' || state?.holder !== client) ? state : 'impossible';
};

/** One way in which things may have gone so far. */
interface Configuration {
  readonly state: LockState;
  /** Of the calls under way, those that have taken effect. */
  readonly effective: ReadonlySet<number>;
}

const keyOf = ({ state, effective }: Configuration): string =>
  `${state === undefined ? '' : `${state.token}@${state.holder}@${state.expires?.join()}`}/${[...effective].sort((a, b) => a - b).join()}`;

/**
 * Follows the calls through time with all the ways in which things may have gone (linearizability, just in time: Lowe,
 * "Testing for linearizability", 2017). Calls are few at a time, so the ways are few, too.
 */
const checkWorkspace = (
  calls: readonly LockCall[],
  final: LockState,
  {
    finalAt,
    late: lateMillis,
    uncertainty,
  }: { readonly finalAt: number; readonly late: number; readonly uncertainty: number },
): Found | undefined => {
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
  const expanded = (ways: readonly Configuration[], period: Period): Configuration[] => {
    const known = new Map(ways.map((way) => [keyOf(way), way]));
    for (const way of known.values()) {
      for (const id of pending) {
        if (way.effective.has(id)) continue;
        const call = callOf(id);
        const state = effect(call, way.state, { ...period, from: Math.max(period.from, call.invokedAt) });
        if (state === 'impossible') continue;
        const next = { state, effective: new Set(way.effective).add(id) };
        const key = keyOf(next);
        if (!known.has(key)) known.set(key, next);
      }
    }
    return [...known.values()];
  };

  let from = 0;
  for (const { at, id, isEnd } of events) {
    if (!isEnd) {
      pending.add(id);
      continue;
    }
    const call = callOf(id);
    const reachable = expanded(ways, { from, to: at, uncertainty });
    // A call that nobody heard of again may never have taken effect.
    const explaining = isIndeterminate(call) ? reachable : reachable.filter(({ effective }) => effective.has(id));
    if (explaining.length === 0) {
      return explain(call, calls, reachable, { from: Math.max(from, call.invokedAt), to: at, uncertainty });
    }
    from = at;
    pending.delete(id);
    ways = withoutDominated(
      explaining.map(({ state, effective }) => ({
        state,
        effective: new Set([...effective].filter((other) => other !== id)),
      })),
      (other) => isIndeterminate(callOf(other)),
    );
  }

  const ends = expanded(ways, { from, to: Infinity, uncertainty });
  const isExplained = (state: LockState): boolean =>
    isSame(state, final) || (!final && possibilities(state, { from, to: finalAt, uncertainty }).unlocked);
  if (ends.some(({ state }) => isExplained(state))) return undefined;
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
  const response = status === undefined ? 'without a response' : `with status ${status}${detail ? ` "${detail}"` : ''}`;
  return `${action} by ${client}${token ? ` (${token})` : ''} from ${invokedAt} to ${completedAt}, ${response}`;
};

/** Names what a call that fits no way most likely tells of. */
const explain = (call: LockCall, calls: readonly LockCall[], ways: readonly Configuration[], period: Period): Found => {
  const states = ways.map(({ state }) => state);
  const possible = [...new Set(states.map(wordsOf))].join(' or ');
  const what = `${describe(call)}, while it can only have been ${possible}`;
  const isLocked = states.every((state) => !possibilities(state, period).unlocked);
  const isFree = states.every((state) => state === undefined);
  const isExpired = !isFree && states.every((state) => !possibilities(state, period).locked);
  const claimed = call.status === 409 ? holderIn(call.detail ?? '') : undefined;

  if (isExpired) return { kind: 'expired lock in force', what };
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
  return { kind: 'inexplicable response', what };
};
