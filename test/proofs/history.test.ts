import { describe, expect, it } from 'vitest';
import { applyChange, type Condition, satisfies } from '../../shared/domain/changes/conditions.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { atTime, withLease } from '../../shared/domain/transitions/locks/lease.ts';
import { forceUnlock } from '../../shared/domain/transitions/locks/unlock.ts';
import type { Transition } from '../../shared/domain/transitions/transition.ts';
import { toImage, type Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import {
  checkHistory,
  createRecorder,
  type LockAction,
  type LockCall,
  type LockState,
} from '../support/models/locks/history.ts';
import {
  begin,
  type Call,
  type Move,
  proceed,
  requestContextFor,
  transitionFor,
  unlockedWorkspace,
  weakened,
} from '../support/models/locks/lock-model.ts';
import { createSeededRandom } from '../support/models/seeded-random.ts';
import { cpuSeconds } from '../support/setup/deadline.ts';

const call = (
  client: string,
  action: LockAction,
  [invokedAt, completedAt]: readonly [number, number],
  response: {
    readonly status?: number;
    readonly detail?: string;
    readonly token?: string;
    readonly lease?: number;
    readonly shown?: LockState;
  } = {},
): LockCall => {
  const token = response.token ?? (action === 'lock' ? `${client}${invokedAt}` : undefined);
  const isHeld = action === 'lock' || action === 'renew';
  const shown = isHeld && response.status === 200 ? { shown: { holder: client, token: token ?? '' } } : {};
  return {
    client,
    action,
    workspace: 'one',
    invokedAt,
    completedAt,
    ...(token !== undefined && { token }),
    ...shown,
    ...response,
  };
};
const done = { status: 200 };
const lockedBy = (holder: string) => ({
  status: 409,
  detail: `Unable to lock workspace. The workspace is already locked by User ${holder}.`,
});
const notTheirs = (holder: string) => ({
  status: 409,
  detail: `Unable to unlock workspace. The workspace is locked by User ${holder} and may not be unlocked except by them.`,
});
const notLocked = { status: 409, detail: 'Unable to unlock workspace. The workspace is not locked.' };

const check = (calls: readonly LockCall[], final?: LockState, lateMillis?: number) =>
  checkHistory(calls, { final: new Map([['one', final]]), ...(lateMillis !== undefined && { lateMillis }) });

describe('the lock history checker, for valid histories', () => {
  it.each<{ what: string; calls: LockCall[]; final?: LockState }>([
    { what: 'an empty history', calls: [] },
    {
      what: 'sequential calls of several clients',
      calls: [
        call('ada', 'lock', [0, 1], done),
        call('bob', 'lock', [2, 3], lockedBy('ada')),
        call('bob', 'unlock', [4, 5], notTheirs('ada')),
        call('ada', 'unlock', [6, 7], done),
        call('ada', 'unlock', [8, 9], notLocked),
        call('bob', 'lock', [10, 11], done),
        call('cid', 'force-unlock', [12, 13], done),
        call('cid', 'force-unlock', [14, 15], notLocked),
      ],
    },
    {
      what: 'a lock request that is rejected while another client is unlocking',
      calls: [
        call('ada', 'lock', [0, 1], done),
        call('ada', 'unlock', [2, 9], done),
        call('bob', 'lock', [3, 4], lockedBy('ada')),
        call('bob', 'lock', [5, 6], done),
        call('cid', 'lock', [7, 8], lockedBy('bob')),
      ],
      final: { holder: 'bob', token: 'bob5' },
    },
    {
      what: 'a lock request without a response that took effect',
      calls: [call('ada', 'lock', [0, 5]), call('bob', 'lock', [6, 7], lockedBy('ada'))],
      final: { holder: 'ada', token: 'ada0' },
    },
    {
      what: 'a lock request without a response that had no effect',
      calls: [call('ada', 'lock', [0, 5]), call('bob', 'lock', [6, 7], done)],
      final: { holder: 'bob', token: 'bob6' },
    },
    {
      what: 'an unlock request with response 503 that took effect later',
      calls: [
        call('ada', 'lock', [0, 1], done),
        call('ada', 'unlock', [2, 3], { status: 503 }),
        call('bob', 'lock', [4, 5], lockedBy('ada')),
        call('bob', 'lock', [6, 7], done),
      ],
      final: { holder: 'bob', token: 'bob6' },
    },
    {
      what: 'an unlock response that shows the next lock, taken before the response was sent',
      calls: [
        call('ada', 'lock', [0, 1], done),
        call('ada', 'unlock', [2, 9], { ...done, shown: { holder: 'bob', token: 'bob3' } }),
        call('bob', 'lock', [3, 4], done),
      ],
      final: { holder: 'bob', token: 'bob3' },
    },
  ])('accepts $what', ({ calls, final }) => {
    expect(check(calls, final)).toEqual([]);
  });
});

describe('the lock history checker, for locks under leases', () => {
  const leased = { ...done, lease: 100 };
  const checkLeases = (calls: readonly LockCall[], final?: LockState) =>
    checkHistory(calls, { final: new Map([['one', final]]), uncertaintyMillis: 10 });

  it.each<{ what: string; calls: LockCall[]; final?: LockState }>([
    {
      what: 'a lock that is taken after the lease of another client has expired',
      calls: [
        call('ada', 'lock', [0, 1], leased),
        call('bob', 'lock', [50, 51], lockedBy('ada')),
        call('ada', 'unlock', [120, 121], notLocked),
        call('bob', 'lock', [130, 131], leased),
      ],
      final: { holder: 'bob', token: 'bob130' },
    },
    {
      what: 'a lease that is renewed',
      calls: [
        call('ada', 'lock', [0, 1], leased),
        call('ada', 'renew', [80, 81], leased),
        call('bob', 'lock', [150, 151], lockedBy('ada')),
        call('bob', 'lock', [200, 201], leased),
      ],
      final: { holder: 'bob', token: 'bob200' },
    },
    {
      what: 'a lease that one function considers expired and another renews, within the uncertainty',
      calls: [
        call('ada', 'lock', [0, 1], leased),
        call('bob', 'unlock', [97, 98], notLocked),
        call('ada', 'renew', [99, 100], leased),
      ],
      final: { holder: 'ada', token: 'ada0' },
    },
  ])('accepts $what', ({ calls, final }) => {
    expect(checkLeases(calls, final)).toEqual([]);
  });

  it.each<{ what: string; kind: string; calls: LockCall[]; final?: LockState }>([
    {
      what: 'a lock that is taken before the lease of another client expires',
      kind: 'two holders',
      calls: [call('ada', 'lock', [0, 1], leased), call('bob', 'lock', [50, 51], leased)],
    },
    {
      what: 'a lock that is taken although the lease was renewed',
      kind: 'two holders',
      calls: [
        call('ada', 'lock', [0, 1], leased),
        call('ada', 'renew', [80, 81], leased),
        call('bob', 'lock', [130, 131], leased),
      ],
    },
    {
      what: 'a renewal that shows the lock of another client',
      kind: 'inexplicable response',
      calls: [
        call('ada', 'lock', [0, 1], leased),
        call('ada', 'renew', [80, 81], { ...leased, shown: { holder: 'bob', token: 'bob70' } }),
      ],
    },
    {
      what: 'a lock request that is rejected after the lease has expired',
      kind: 'expired lock in force',
      calls: [call('ada', 'lock', [0, 1], leased), call('bob', 'lock', [150, 151], lockedBy('ada'))],
    },
    {
      what: 'a renewal after the lease has expired',
      kind: 'expired lock in force',
      calls: [call('ada', 'lock', [0, 1], leased), call('ada', 'renew', [150, 151], leased)],
    },
  ])('reports $what', ({ calls, final, kind }) => {
    expect(checkLeases(calls, final)).toMatchObject([{ workspace: 'one', kind }]);
  });
});

describe('the lock history checker, for invalid histories', () => {
  it.each<{ what: string; kind: string; calls: LockCall[]; final?: LockState; lateMillis?: number }>([
    {
      what: 'two simultaneous lock holders',
      kind: 'two holders',
      calls: [call('ada', 'lock', [0, 1], done), call('bob', 'lock', [2, 3], done)],
      final: { holder: 'bob', token: 'bob2' },
    },
    {
      what: 'two lock holders whose requests overlapped',
      kind: 'two holders',
      calls: [call('ada', 'lock', [0, 3], done), call('bob', 'lock', [1, 2], done)],
      final: { holder: 'bob', token: 'bob1' },
    },
    {
      what: 'a rejection that names a client other than the holder',
      kind: 'two holders',
      calls: [call('ada', 'lock', [0, 1], done), call('cid', 'lock', [2, 3], lockedBy('bob'))],
      final: { holder: 'ada', token: 'ada0' },
    },
    {
      what: 'an unlock that succeeded without releasing the lock',
      kind: 'lost unlock',
      calls: [
        call('ada', 'lock', [0, 1], done),
        call('ada', 'unlock', [2, 3], done),
        call('bob', 'lock', [4, 5], lockedBy('ada')),
      ],
    },
    {
      what: "an unlock that releases another client's lock",
      kind: "release of another's lock",
      calls: [call('ada', 'lock', [0, 1], done), call('bob', 'unlock', [2, 3], done)],
    },
    {
      what: 'a lock that disappeared without an unlock',
      kind: 'vanished lock',
      calls: [call('ada', 'lock', [0, 1], done), call('ada', 'unlock', [2, 3], notLocked)],
    },
    {
      what: 'a lock that is missing from the final state',
      kind: 'vanished lock',
      calls: [call('ada', 'lock', [0, 1], done)],
    },
    {
      what: 'a lock in the final state whose request was rejected',
      kind: 'lock held by nobody',
      calls: [
        call('bob', 'lock', [0, 5], done),
        call('ada', 'lock', [1, 2], lockedBy('bob')),
        call('bob', 'unlock', [6, 7], done),
      ],
      final: { holder: 'ada', token: 'ada1' },
    },
    {
      what: 'a lock in the final state that was released',
      kind: 'lock held by nobody',
      calls: [call('ada', 'lock', [0, 1], done), call('ada', 'unlock', [2, 3], done)],
      final: { holder: 'ada', token: 'ada0' },
    },
    {
      what: 'a lock request that is rejected although no client can hold the lock',
      kind: 'lock held by nobody',
      calls: [call('ada', 'lock', [0, 1], lockedBy('bob'))],
    },
    {
      what: 'a successful unlock by a client that cannot hold the lock',
      kind: 'inexplicable response',
      calls: [call('ada', 'unlock', [0, 1], done)],
    },
    {
      what: 'a force-unlock that reports no lock although the workspace was locked throughout',
      kind: 'vanished lock',
      calls: [call('ada', 'lock', [0, 1], done), call('bob', 'force-unlock', [2, 3], notLocked)],
      final: { holder: 'ada', token: 'ada0' },
    },
    {
      what: 'two successful releases of one lock',
      kind: 'inexplicable response',
      calls: [
        call('ada', 'lock', [0, 1], done),
        call('ada', 'unlock', [2, 5], done),
        call('bob', 'force-unlock', [3, 4], done),
      ],
    },
    {
      what: 'a response status that the action never returns',
      kind: 'inexplicable response',
      calls: [call('ada', 'lock', [0, 1], { status: 500 })],
    },
    {
      what: "a lock response that shows another client's lock",
      kind: 'inexplicable response',
      calls: [call('ada', 'lock', [0, 1], { ...done, shown: { holder: 'bob', token: 'bob0' } })],
    },
    {
      what: 'an unlock response that still shows the released lock',
      kind: 'inexplicable response',
      calls: [
        call('ada', 'lock', [0, 1], done),
        call('ada', 'unlock', [2, 3], { ...done, shown: { holder: 'ada', token: 'ada0' } }),
      ],
    },
    {
      what: 'a request without a response that takes effect after the late-arrival limit',
      kind: 'lock held by nobody',
      calls: [
        call('ada', 'lock', [0, 1]),
        call('bob', 'lock', [20, 21], done),
        call('bob', 'unlock', [22, 23], done),
        call('bob', 'lock', [24, 25], lockedBy('ada')),
      ],
      final: { holder: 'ada', token: 'ada0' },
      lateMillis: 10,
    },
  ])('reports $what', ({ calls, final, lateMillis, kind }) => {
    expect(check(calls, final, lateMillis)).toMatchObject([{ workspace: 'one', kind }]);
  });

  it('reports a finding only for the workspace with the invalid history', () => {
    const wrong = [call('ada', 'lock', [0, 1], done), call('bob', 'lock', [2, 3], done)];
    const right = [call('ada', 'lock', [0, 1], done)].map((it) => ({ ...it, workspace: 'two' }));
    const found = checkHistory([...wrong, ...right], {
      final: new Map([
        ['one', { holder: 'bob', token: 'bob2' }],
        ['two', { holder: 'ada', token: 'ada0' }],
      ]),
    });
    expect(found.map(({ workspace }) => workspace)).toEqual(['one']);
  });

  it('checks thousands of calls with many unknown outcomes within 10 CPU seconds', async () => {
    const calls: LockCall[] = [];
    for (let at = 0; at < 20_000; at += 10) {
      calls.push(call('ada', 'lock', [at, at + 1], done), call('bob', 'lock', [at + 2, at + 3], lockedBy('ada')));
      calls.push(call('ada', 'unlock', [at + 4, at + 5], done), call('bob', 'lock', [at + 6, at + 7], { status: 503 }));
      calls.push(call('bob', 'unlock', [at + 8, at + 9], at % 50 === 0 ? {} : notLocked));
    }
    const seconds = await cpuSeconds(() => expect(check(calls, undefined, 50)).toEqual([]));
    expect(seconds).toBeLessThan(10);
  });
});

/**
 * Simulates random clients of an in-memory lock, with late requests and lost responses. The lock exploration visits these
 * states exhaustively; this simulation samples them and checks only what clients observe.
 */
const simulate = async (
  seed: number,
  transition: (call: Call) => Transition,
  { policy = proceed, lease }: { readonly policy?: typeof proceed; readonly lease?: typeof withLease } = {},
) => {
  /** Milliseconds of the clocks for each moment of the simulation. A lease of two seconds lasts 40 moments. */
  const MOMENT = 50;
  const leaseMoments = 40;
  const end = lease ? 1_000 : 300;
  const random = createSeededRandom(seed);
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  let image: Workspace = unlockedWorkspace;
  let time = 0;
  const late: { at: number; arrive: () => void }[] = [];
  const { calls, record } = createRecorder(() => time);

  const write = ({ step: { condition, change } }: Extract<Move, { kind: 'send' }>): boolean => {
    if (!satisfies(condition, toImage(image))) return false;
    image = applyChange(change, { ...image }) as unknown as Workspace;
    return true;
  };

  /** Performs one call step by step, and yields to other clients after each step. */
  function* perform(made: Call): Generator<undefined, Pick<LockCall, 'status' | 'detail' | 'shown'>> {
    const rules = transition(made);
    const skew = lease ? Math.floor(random() * 3) - 1 : 0;
    const clock = (): number => (time + skew) * MOMENT;
    let move = begin(rules, image, clock(), lease);
    let sentAt = clock();
    let planned = image;
    let isDoubtful = false;
    for (let left = 5; move.kind === 'send'; left--) {
      yield;
      planned = move.image;
      const sent = move;
      const fate = random();
      if (fate < 0.1) {
        late.push({ at: time + Math.floor(random() * (lease ? 5 : 30)), arrive: () => void write(sent) });
        move = policy(rules, { sent: planned, sentAt, isDoubtful, left }, { kind: 'noResponse' }, clock(), lease);
        sentAt = clock();
        isDoubtful = true;
        continue;
      }
      const isWritten = write(sent);
      const isLost = fate < 0.2;
      move = policy(
        rules,
        { sent: planned, sentAt, isDoubtful, left },
        isLost ? { kind: 'noResponse' } : isWritten ? { kind: 'written' } : { kind: 'failed', image },
        clock(),
        lease,
      );
      sentAt = clock();
      isDoubtful ||= isLost;
      if (move.kind === 'response') planned = image;
    }
    yield;
    if (move.response === 'busy') return { status: 503 };
    if (move.response === 'done') {
      const { name } = requestContextFor(made).principal;
      const token = `${name}${made.number + 1}`;
      const isHeld = made.kind === 'lock' || made.kind === 'lease' || made.kind === 'renew';
      return { status: 200, ...(isHeld && { shown: { holder: name, token } }) };
    }
    try {
      rules.plan(atTime(planned, sentAt));
      throw new Error('Expected the transition to reject the call');
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { status: 409, detail: error.detail ?? '' };
    }
  }

  interface Running {
    readonly generator: Generator<undefined, Pick<LockCall, 'status' | 'detail' | 'shown'>>;
    readonly respond: (value: Pick<LockCall, 'status' | 'detail' | 'shown'>) => void;
  }
  const running: (Running | undefined)[] = [undefined, undefined, undefined];
  const counts = [0, 0, 0];
  for (; time < end || running.some((it) => it !== undefined) || late.length > 0; time++) {
    for (const [index, { at, arrive }] of [...late.entries()].reverse()) {
      if (at > time) continue;
      late.splice(index, 1);
      arrive();
    }
    const client = Math.floor(random() * 3);
    const current = running[client];
    if (current === undefined) {
      if (time >= end) continue;
      const made: Call = {
        client,
        number: counts[client] as number,
        kind: lease
          ? pick(['lease', 'lease', 'lease', 'renew', 'unlock'] as const)
          : pick(['lock', 'lock', 'unlock', 'unlock', 'force-unlock'] as const),
        at: time * MOMENT,
      };
      counts[client] = made.number + 1;
      const { name } = requestContextFor(made).principal;
      const isLock = made.kind === 'lock' || made.kind === 'lease';
      const call = {
        action: made.kind === 'lease' ? ('lock' as const) : made.kind,
        ...(isLock && { token: `${name}${made.number + 1}` }),
        ...((made.kind === 'lease' || made.kind === 'renew') && { lease: leaseMoments }),
      };
      await new Promise<void>((started) => {
        void record(
          { client: name, workspace: 'one', ...call },
          () =>
            new Promise((respond) => {
              running[client] = { generator: perform(made), respond };
              started();
            }),
        );
      });
      continue;
    }
    const { done: isDone, value } = current.generator.next();
    if (!isDone || value === undefined) continue;
    running[client] = undefined;
    current.respond(value);
    // The recorder must store the completion time before the clock advances.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { lock } = image;
  const final: LockState = lock && { holder: lock.name, token: lock.reason };
  return checkHistory(calls, { final: new Map([['one', final]]), lateMillis: 40, uncertaintyMillis: 30 });
};

const SEEDS = Array.from({ length: 200 }, (_, seed) => seed);
const fence = (part: Condition) => part.kind === 'equals' && part.path === 'fence';
const lockId = (part: Condition) => part.kind === 'equals' && part.path === 'lock.id';
const noLock = (part: Condition) => part.kind === 'absent' && part.path === 'lock';

describe('the lock history checker, for simulated random clients', () => {
  it('accepts every history of the correct lock rules', async () => {
    for (const seed of SEEDS) expect(await simulate(seed, transitionFor), `seed ${seed}`).toEqual([]);
  });

  it('accepts every history of locks under leases, with clocks that differ', async () => {
    for (const seed of SEEDS) {
      expect(await simulate(seed, transitionFor, { lease: withLease }), `seed ${seed}`).toEqual([]);
    }
  });

  interface Broken {
    readonly what: string;
    readonly transition: (call: Call) => Transition;
    readonly policy?: typeof proceed;
    readonly lease?: typeof withLease;
    readonly kinds: readonly string[];
  }
  it.each<Broken>([
    {
      what: 'lock writes without a condition',
      transition: (made) =>
        made.kind === 'lock'
          ? weakened(transitionFor(made), (part) => fence(part) || noLock(part))
          : transitionFor(made),
      kinds: ['two holders'],
    },
    {
      what: 'lock writes that do not check the fence',
      transition: (made) => (made.kind === 'lock' ? weakened(transitionFor(made), fence) : transitionFor(made)),
      kinds: ['lock held by nobody', 'lost unlock'],
    },
    {
      what: 'unlocks that do not check the holder',
      transition: (made) => (made.kind === 'unlock' ? forceUnlock(requestContextFor(made)) : transitionFor(made)),
      kinds: ["release of another's lock"],
    },
    {
      what: 'retries after a lost write that may have been undone',
      transition: transitionFor,
      policy: (rules, position, outcome) => proceed(rules, { ...position, isDoubtful: false }, outcome),
      kinds: ['inexplicable response'],
    },
    {
      what: 'lock requests that ignore the end of leases',
      transition: (made) => {
        const rules = transitionFor(made);
        return made.kind === 'lease' ? { ...rules, plan: (image) => rules.plan(image?.stored ?? image) } : rules;
      },
      lease: withLease,
      kinds: ['expired lock in force'],
    },
    {
      what: 'unlocks of expired locks that another client has taken',
      transition: (made) => (made.kind === 'unlock' ? weakened(transitionFor(made), lockId) : transitionFor(made)),
      lease: withLease,
      kinds: ['vanished lock'],
    },
  ])('reports histories of $what', async ({ what, transition, policy, lease, kinds }) => {
    const found = (
      await Promise.all(
        SEEDS.map((seed) => simulate(seed, transition, { ...(policy && { policy }), ...(lease && { lease }) })),
      )
    ).flat();
    const counts = Map.groupBy(found, ({ kind }) => kind);
    const words = [...counts].map(([kind, { length }]) => `${kind} ${length}`).join(', ');
    console.log(`${what}: ${found.length} of ${SEEDS.length} histories caught: ${words}`);
    expect([...counts.keys()]).toEqual(expect.arrayContaining([...kinds]));
  });
});
