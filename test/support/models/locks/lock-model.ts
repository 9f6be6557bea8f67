import { applyChange, type Condition, satisfies } from '../../../../shared/domain/changes/conditions.ts';
import { DomainError } from '../../../../shared/domain/errors.ts';
import { atTime, withLease } from '../../../../shared/domain/transitions/locks/lease.ts';
import { lock } from '../../../../shared/domain/transitions/locks/lock.ts';
import { renewLock } from '../../../../shared/domain/transitions/locks/renew-lock.ts';
import { forceUnlock, unlock } from '../../../../shared/domain/transitions/locks/unlock.ts';
import type { RequestContext, Step, Transition } from '../../../../shared/domain/transitions/transition.ts';
import { toImage, type Workspace } from '../../../../shared/domain/workspace/workspace-record.ts';

/**
 * Explores all interleavings of clients that lock, renew, unlock and force-unlock one workspace, with lost responses, late
 * requests, and clocks that differ. The lock rules are the conditions and changes of the real transitions, evaluated in
 * memory. Only the retry policy of the store is modelled, because the store waits for a clock and a network.
 */

/** Outcome of one write. `noResponse`: the write may be applied, late or lost. */
export type Outcome =
  | { readonly kind: 'written' }
  | { readonly kind: 'failed'; readonly image: Workspace }
  | { readonly kind: 'noResponse' };

/** Next action of a call: send a write that was planned from an image, or respond to the client. */
export type Move =
  | { readonly kind: 'send'; readonly image: Workspace; readonly step: Step }
  | { readonly kind: 'response'; readonly response: LockResponse };
/** 200, 409, or 503 when the attempts are used up. */
export type LockResponse = 'done' | 'refused' | 'busy';

/** Length of leases in the model, in seconds. */
const LEASE = 2;
/** Milliseconds of one step of time in the model. */
const TICK = 1_000;

const planned = (
  transition: Transition,
  stored: Workspace,
  now: number,
  lease: typeof withLease,
  isDoubtful = false,
): Move => {
  const image = atTime(stored, now);
  try {
    return { kind: 'send', image: stored, step: lease(transition.plan(image), image, now) };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const isCertain = !isDoubtful || image.stored === undefined;
    return { kind: 'response', response: error.code === 'unavailable' || !isCertain ? 'busy' : 'refused' };
  }
};

/**
 * Plans the first write of a call from the stored workspace.
 * @param now time of the function's clock, in milliseconds.
 * @param lease completes steps by what leases require; a planted fault replaces it.
 */
export const begin = (transition: Transition, stored: Workspace, now = 0, lease = withLease): Move =>
  planned(transition, stored, now, lease);

/** State of a call when an outcome arrives. */
export interface Position {
  /** The stored workspace from which the write was planned. */
  readonly sent: Workspace;
  /** Time of the function's clock when the write was planned. */
  readonly sentAt?: number;
  /** Whether an earlier write of the call had no response, so that it may have been applied. */
  readonly isDoubtful: boolean;
  /** Number of remaining attempts. */
  readonly left: number;
}

/**
 * Models the retry policy of `apply` in `shared/store/workspaces/workspace-store.ts`: returns the next action after the
 * outcome of a write. A test compares both.
 *
 * After a write without a response, an image in which the fence has moved more than once may hide that the call was
 * applied and undone since. Then the result is unknown, and a retry could apply the call twice, so the response is 503.
 */
export const proceed = (
  transition: Transition,
  { sent, sentAt = 0, isDoubtful, left }: Position,
  outcome: Outcome,
  now = 0,
  lease = withLease,
): Move => {
  if (outcome.kind === 'written') return { kind: 'response', response: 'done' };
  if (outcome.kind === 'failed') {
    const found = atTime(outcome.image, sentAt);
    if (transition.applied(found)) return { kind: 'response', response: 'done' };
    if (isDoubtful && found.fence > atTime(sent, sentAt).fence + 1) return { kind: 'response', response: 'busy' };
  }
  if (left === 0) return { kind: 'response', response: 'busy' };
  const stored = outcome.kind === 'failed' ? outcome.image : sent;
  return planned(transition, stored, now, lease, isDoubtful || outcome.kind === 'noResponse');
};

export const kinds = ['lock', 'unlock', 'force-unlock'] as const;
/** Calls of the exploration with leases: each lock has one. */
export const leaseKinds = ['lease', 'renew', 'unlock', 'force-unlock'] as const;
export type Kind = (typeof kinds)[number] | (typeof leaseKinds)[number];

/** Identifies a call by its client and its number among the calls of that client. */
export interface Call {
  readonly client: number;
  readonly number: number;
  readonly kind: Kind;
  /** Time of the function's clock at the start of the call; 0 without leases. */
  readonly at?: number;
}

const callName = ({ client, number }: Call): string => `${'ABCDEFG'[client]}${number + 1}`;

export const requestContextFor = (call: Call): RequestContext => {
  const name = callName(call);
  return { id: `request-${name}`, principal: { kind: 'user', id: `user-${name[0]}`, name: `${name[0]}` } };
};

export const transitionFor = (call: Call): Transition => {
  const request = requestContextFor(call);
  const { at = 0 } = call;
  const draft = { id: `lock-${callName(call)}`, reason: callName(call), at };
  switch (call.kind) {
    case 'lock':
      return lock(request, draft);
    case 'lease':
      return lock(request, { ...draft, leaseSeconds: LEASE });
    case 'renew':
      return renewLock(request, at);
    case 'unlock':
      return unlock(request, at);
    case 'force-unlock':
      return forceUnlock(request);
  }
};

/** Workspace with the attributes that the lock rules read. */
export const unlockedWorkspace = {
  id: 'ws-1',
  organization: 'acme',
  name: 'network',
  project: 'prj-1',
  fence: 0,
  access: {},
  listedAt: 0,
  sequence: 1,
  current: null,
} as unknown as Workspace;

/** Removes the parts of a condition that match a predicate, to break a rule on purpose. */
const without = (condition: Condition, picked: (part: Condition) => boolean): Condition =>
  condition.kind === 'all' || condition.kind === 'any'
    ? { ...condition, of: condition.of.filter((part) => !picked(part)).map((part) => without(part, picked)) }
    : condition;

export const weakened = (transition: Transition, picked: (part: Condition) => boolean): Transition => ({
  ...transition,
  plan: (image) => {
    const step = transition.plan(image);
    return { ...step, condition: without(step.condition, picked) };
  },
});

export type Violation =
  | 'two clients hold the lock'
  | 'an unlock releases the lock of another'
  | 'a call takes effect twice'
  | 'a call takes effect after its response'
  | 'a call that took effect is rejected'
  | 'a call that took no effect returns success'
  | 'a lock is held by nobody'
  | 'the fence does not grow'
  | 'a renewal shortens the lease'
  | 'an expired lock rejects a lock request'
  | 'an intermediate state version outlives its lock';

interface Options {
  readonly clients: number;
  /** Number of sequential calls per client, each of any kind. */
  readonly calls: number;
  /** Total number of lost responses and late requests. */
  readonly faults: number;
  /** Maximum number of attempts per call. */
  readonly attempts: number;
  readonly image?: Workspace;
  readonly transition?: (call: Call) => Transition;
  readonly policy?: typeof proceed;
  /**
   * Explores leases: every lock has one of two ticks, clients renew locks, and time passes.
   * `ticks` is the duration, `skews` are the differences of the clocks from the time, and `bound` is the difference that
   * the rules allow, all in ticks.
   */
  readonly leases?: { readonly ticks: number; readonly skews: readonly number[]; readonly bound: number };
  /** Completes steps by what leases require. */
  readonly lease?: typeof withLease;
  /** Stops the exploration when all of these violations are found. */
  readonly until?: readonly Violation[];
}

interface Exploration {
  readonly states: number;
  readonly steps: number;
  /** Number of states in which no client waits. */
  readonly ends: number;
  /** Violations found, each with its shortest trace. */
  readonly violations: ReadonlyMap<Violation, readonly string[]>;
}

/** A write that a client waits for. */
interface Waiting {
  readonly call: number;
  readonly step: number;
  readonly image: number;
  readonly attempt: number;
  readonly isDoubtful: boolean;
  /** Difference of the function's clock from the time, in ticks. */
  readonly skew: number;
  /** Time of the function's clock when the write was planned, in ticks. */
  readonly sentAt: number;
  /** Number of this combination. */
  readonly number: number;
}
/** Response and effects of a call that can still influence the state. */
interface Fate {
  readonly call: number;
  readonly response?: LockResponse;
  readonly effects: number;
}
interface State {
  readonly image: number;
  /** Time in ticks. */
  readonly time: number;
  readonly made: readonly number[];
  readonly waiting: readonly (Waiting | undefined)[];
  /** Abandoned writes that may still arrive. */
  readonly late: readonly { readonly call: number; readonly step: number }[];
  /** At most one of each call. */
  readonly fates: readonly Fate[];
  readonly faults: number;
}
/** State with the way to it. */
interface Visited {
  readonly state: State;
  readonly from?: { readonly visited: Visited; readonly event: () => string };
}

const NO_FATE: Omit<Fate, 'call'> = { effects: 0 };
const fateOf = ({ fates }: State, call: number): Fate =>
  fates.find((fate) => fate.call === call) ?? { call, ...NO_FATE };
const withFate = ({ fates }: State, changed: Fate): readonly Fate[] => [
  ...fates.filter(({ call }) => call !== changed.call),
  changed,
];
const responses: readonly (LockResponse | undefined)[] = [undefined, 'done', 'refused', 'busy'];

/** Assigns a number to each distinct value, so that states are compact and each rule is evaluated once. */
const numbering = <T>() => {
  const values: T[] = [];
  const numbers = new Map<string, number>();
  return {
    of: (number: number): T => values[number] as T,
    numberOf: (value: T): number => {
      const text = JSON.stringify(value);
      const known = numbers.get(text);
      if (known !== undefined) return known;
      numbers.set(text, values.length);
      return values.push(value) - 1;
    },
  };
};

const memo = <T>(compute: (a: number, b: number) => T): ((a: number, b: number) => T) => {
  const known = new Map<number, T>();
  return (a, b) => {
    const key = a * 0x200000 + b;
    if (!known.has(key)) known.set(key, compute(a, b));
    return known.get(key) as T;
  };
};

const traceTo = (visited: Visited): string[] => {
  const events: string[] = [];
  for (let { from } = visited; from; from = from.visited.from) events.unshift(from.event());
  return events;
};

/** Visits every reachable state in breadth-first order. */
export const explore = ({
  clients,
  calls,
  faults,
  attempts,
  image = unlockedWorkspace,
  transition = transitionFor,
  policy = proceed,
  leases,
  lease = withLease,
  until,
}: Options): Exploration => {
  const images = numbering<Workspace>();
  const steps = numbering<Step>();
  const { ticks, skews, bound } = leases ?? { ticks: 0, skews: [0], bound: 0 };
  const skewBound = bound * TICK;
  const first0 = Math.min(...skews);
  const clocks = Array.from({ length: ticks + Math.max(...skews) - first0 + 1 }, (_, index) => index + first0);
  const kindsOfCalls: readonly Kind[] = leases ? leaseKinds : kinds;
  const allCalls: Call[] = [];
  for (let client = 0; client < clients; client++) {
    for (let number = 0; number < calls; number++) {
      for (const kind of kindsOfCalls)
        for (const clock of clocks) allCalls.push({ client, number, kind, at: clock * TICK });
    }
  }
  const transitions = allCalls.map(transition);
  const callOf = (number: number): Call => allCalls[number] as Call;
  const isLock = ({ kind }: Call): boolean => kind === 'lock' || kind === 'lease';
  const lockIds = new Map(
    allCalls.map((call, number) => [isLock(call) ? `lock-${callName(call)} ${call.at}` : '', number]),
  );
  /** Returns the call that took the lock of an image. */
  const ownerOf = memo((number) => {
    const { id, at } = images.of(number).lock ?? {};
    return lockIds.get(`${id} ${at}`);
  });

  type Next = { readonly response: LockResponse } | { readonly step: number; readonly image: number };
  const numbered = (move: Move): Next =>
    move.kind === 'response'
      ? { response: move.response }
      : { step: steps.numberOf(move.step), image: images.numberOf(move.image) };
  const first = memo((call, number) => {
    const { at } = callOf(call);
    return numbered(begin(transitions[call] as Transition, images.of(number), at, lease));
  });
  /** Packs the numbers of a call, of two clocks and of an image into one: there are fewer than 0x10000 images. */
  const pack = (call: number, sentAt: number, clock: number, sent: number): number =>
    ((call * 16 + sentAt - first0) * 16 + clock - first0) * 0x10000 + sent;
  /** Memoizes the decisions of the policy. */
  const policyOf = (isDoubtful: boolean, left: number) => {
    const decide = (packed: number, outcome: Outcome) => {
      const clocksAndCall = Math.floor(packed / 0x10000);
      const [now, sentAt] = [clocksAndCall % 16, Math.floor(clocksAndCall / 16) % 16].map((of) => (of + first0) * TICK);
      const position = { sent: images.of(packed % 0x10000), sentAt: sentAt as number, isDoubtful, left };
      const call = Math.floor(clocksAndCall / 256);
      return numbered(policy(transitions[call] as Transition, position, outcome, now, lease));
    };
    return {
      failed: memo((packed, number) => decide(packed, { kind: 'failed', image: images.of(number) })),
      noResponse: memo((packed) => decide(packed, { kind: 'noResponse' })),
    };
  };
  const policies = [false, true].map((isDoubtful) => [0, 1].map((left) => policyOf(isDoubtful, left)));
  const policyAt = ({ attempt, isDoubtful }: Waiting) =>
    (policies[Number(isDoubtful)] as (typeof policies)[0])[attempt < attempts ? 1 : 0] as ReturnType<typeof policyOf>;
  /** The image after a write, or undefined when its condition fails. */
  const written = memo((step, number) => {
    const before = images.of(number);
    const { condition, change } = steps.of(step);
    if (!satisfies(condition, toImage(before))) return undefined;
    return images.numberOf(applyChange(change, { ...before }) as unknown as Workspace);
  });

  const violations = new Map<Violation, readonly string[]>();
  /** Found on the way to the next state; the step that leads there completes the history. */
  let found: Violation[] = [];

  /** Waiting writes by their numbers, so that the key of a state is short. */
  const waitings = new Map<number, Waiting>();
  const waitingOf = (waiting: Omit<Waiting, 'number'>): Waiting => {
    const { call, step, image: sent, attempt, isDoubtful, skew, sentAt } = waiting;
    const clocksAndDoubt = ((skew - first0) * 16 + sentAt - first0) * 2 + Number(isDoubtful);
    const packed = (((clocksAndDoubt * 16 + attempt) * 0x200 + call) * 0x4000 + step) * 0x10000 + sent;
    const known = waitings.get(packed);
    if (known !== undefined) return known;
    const numbered = { ...waiting, number: waitings.size + 1 };
    waitings.set(packed, numbered);
    return numbered;
  };

  const keyOf = ({ image: stored, time, faults: faulty, made, waiting, late, fates }: State): string => {
    const codes = [stored, time * 16 + faulty];
    for (const count of made) codes.push(count);
    for (const one of waiting) codes.push((one?.number ?? 0) >>> 16, (one?.number ?? 0) & 0xffff);
    for (const { call, step } of late) codes.push(call, step);
    codes.push(0xffff);
    for (const { call, response, effects } of fates) codes.push((call * 4 + responses.indexOf(response)) * 4 + effects);
    return String.fromCharCode(...codes);
  };

  /** Drops finished calls that cannot arrive late and own no lock, because no later state depends on them. */
  const pruned = (state: State): State => {
    const { image: stored, waiting, late, fates } = state;
    const owner = ownerOf(stored, 0);
    const matters = ({ call }: Fate): boolean =>
      call === owner || waiting.some((it) => it?.call === call) || late.some((it) => it.call === call);
    return {
      ...state,
      fates: fates.filter(matters).sort((a, b) => a.call - b.call),
      late: late.length > 1 ? late.toSorted((a, b) => a.step - b.step || a.call - b.call) : late,
    };
  };

  /** A write reaches the table. */
  const arrive = (state: State, call: number, step: number): { state: State; succeeded: boolean } => {
    const after = written(step, state.image);
    if (after === undefined) return { state, succeeded: false };
    const fate = fateOf(state, call);
    const [old, young] = [images.of(state.image), images.of(after)];
    const { kind } = callOf(call);
    const expiry = old.lock?.expiresAt ?? Number.POSITIVE_INFINITY;
    if (isLock(callOf(call)) && old.lock && state.time * TICK + skewBound <= expiry)
      found.push('two clients hold the lock');
    if (kind === 'renew' && (young.lock?.expiresAt ?? 0) + 2 * skewBound < expiry)
      found.push('a renewal shortens the lease');
    if (old.lock && old.lock.id !== young.lock?.id && young.intermediate)
      found.push('an intermediate state version outlives its lock');
    if (kind === 'unlock' && old.lock?.by !== requestContextFor(callOf(call)).principal.id)
      found.push('an unlock releases the lock of another');
    if (fate.effects > 0) found.push('a call takes effect twice');
    if (fate.response === 'done' || fate.response === 'refused') found.push('a call takes effect after its response');
    if (young.fence <= old.fence) found.push('the fence does not grow');
    const fates = withFate(state, { ...fate, effects: Math.min(2, fate.effects + 1) });
    return { state: { ...state, image: after, fates }, succeeded: true };
  };

  const withResponse = (state: State, client: number, call: number, response: LockResponse): State => {
    const fate = fateOf(state, call);
    if (response === 'refused' && fate.effects > 0) found.push('a call that took effect is rejected');
    if (response === 'done' && fate.effects === 0) found.push('a call that took no effect returns success');
    return {
      ...state,
      waiting: state.waiting.with(client, undefined),
      fates: withFate(state, { ...fate, response }),
    };
  };

  const moved = (state: State, planning: Omit<Waiting, 'step' | 'image' | 'sentAt' | 'number'>, next: Next): State => {
    const { call, skew } = planning;
    const { client } = callOf(call);
    if ('step' in next) {
      const sentAt = state.time + skew;
      return { ...state, waiting: state.waiting.with(client, waitingOf({ ...planning, sentAt, ...next })) };
    }
    const { expiresAt = Number.POSITIVE_INFINITY } = images.of(state.image).lock ?? {};
    if (next.response === 'refused' && isLock(callOf(call)) && expiresAt + skewBound < state.time * TICK)
      found.push('an expired lock rejects a lock request');
    return withResponse(state, client, call, next.response);
  };

  const check = (state: State): void => {
    const owner = ownerOf(state.image, 0);
    if (owner === undefined) return;
    if (fateOf(state, owner).response === 'refused') found.push('a lock is held by nobody');
  };

  const start: State = {
    image: images.numberOf(image),
    time: 0,
    made: Array(clients).fill(0),
    waiting: Array(clients).fill(undefined),
    late: [],
    fates: [],
    faults: 0,
  };
  const seen = new Set([keyOf(start)]);
  const queue: Visited[] = [{ state: start }];
  let taken = 0;
  let ends = 0;

  const isDone = (): boolean => until?.every((violation) => violations.has(violation)) ?? false;
  for (let head = 0; head < queue.length && !isDone(); head++) {
    const visited = queue[head] as Visited;
    const { state } = visited;
    const visit = (next: State, event: () => string): void => {
      taken += 1;
      const successor = pruned(next);
      check(successor);
      for (const violation of found) {
        if (!violations.has(violation))
          violations.set(violation, traceTo({ state: successor, from: { visited, event } }));
      }
      found = [];
      const key = keyOf(successor);
      if (seen.has(key)) return;
      seen.add(key);
      queue.push({ state: successor, from: { visited, event } });
    };
    const describe = (call: number): string =>
      `${callName(callOf(call))} (${callOf(call).kind}, clock ${callOf(call).at})`;
    if (state.waiting.every((waiting) => waiting === undefined)) ends += 1;
    if (state.time < ticks) visit({ ...state, time: state.time + 1 }, () => `time ${state.time + 1}`);

    for (let client = 0; client < clients; client++) {
      const waiting = state.waiting[client];
      if (waiting === undefined) {
        const made = state.made[client] as number;
        if (made === calls) continue;
        for (let kind = 0; kind < kindsOfCalls.length; kind++) {
          for (const skew of skews) {
            const clock = state.time + skew - first0;
            const call = ((client * calls + made) * kindsOfCalls.length + kind) * clocks.length + clock;
            const begun = { ...state, made: state.made.with(client, made + 1) };
            const started = { call, attempt: 1, isDoubtful: false, skew };
            visit(moved(begun, started, first(call, state.image)), () => `${describe(call)} reads and plans`);
          }
        }
        continue;
      }
      const { call, step, image: sent, attempt, isDoubtful, skew, sentAt } = waiting;
      const { failed, noResponse } = policyAt(waiting);
      const packed = pack(call, sentAt, state.time + skew, sent);
      const arrived = arrive(state, call, step);
      const effect = arrived.succeeded ? 'written' : 'failed';
      const next: Next = arrived.succeeded ? { response: 'done' } : failed(packed, arrived.state.image);
      visit(
        moved(arrived.state, { call, attempt: attempt + 1, isDoubtful, skew }, next),
        () => `${describe(call)} is ${effect} and reported`,
      );
      if (state.faults === faults) continue;
      const inDoubt = { call, attempt: attempt + 1, isDoubtful: true, skew };
      const silent = noResponse(packed, 0);
      // `arrive` has reported what the write does; here only the response differs.
      const lost = { ...arrived.state, faults: state.faults + 1 };
      visit(moved(lost, inDoubt, silent), () => `${describe(call)} is ${effect}, its response lost`);
      const late = { ...state, faults: state.faults + 1, late: [...state.late, { call, step }] };
      visit(moved(late, inDoubt, silent), () => `${describe(call)} is late, and tried again`);
    }
    for (const [index, { call, step }] of state.late.entries()) {
      const arrived = arrive(state, call, step);
      visit(
        { ...arrived.state, late: state.late.toSpliced(index, 1) },
        () => `${describe(call)} arrives late: ${arrived.succeeded ? 'written' : 'failed'}`,
      );
    }
  }
  return { states: seen.size, steps: taken, ends, violations };
};
