import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Condition } from '../../shared/domain/changes/conditions.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { withLease } from '../../shared/domain/transitions/locks/lease.ts';
import { forceUnlock } from '../../shared/domain/transitions/locks/unlock.ts';
import type { Lock, Workspace } from '../../shared/domain/workspace/workspace-record.ts';
import type { Database } from '../../shared/store/dynamodb/database.ts';
import { ConditionFailed, NoResponse } from '../../shared/store/dynamodb/errors.ts';
import type { Write } from '../../shared/store/dynamodb/requests.ts';
import { creationWrites, stepWrites } from '../../shared/store/items/workspace-writes.ts';
import { openWorkspaces } from '../../shared/store/workspaces/workspace-store.ts';
import {
  begin,
  type Call,
  explore,
  type Kind,
  kinds,
  type Move,
  type Outcome,
  proceed,
  requestContextFor,
  transitionFor,
  unlockedWorkspace,
  type Violation,
  weakened,
} from '../support/models/locks/lock-model.ts';
import { usualOrThorough } from '../support/setup/run-budget.ts';

/** No call gives up before this many attempts; more than faults and rivals can cost it. */
const ATTEMPTS = 6;

const withIntermediate: Workspace = {
  ...unlockedWorkspace,
  intermediate: { id: 'sv-1', serial: 1, resources: 2, at: 1 },
};

/** Number of clients of a variation of the exploration with three clients and two calls each. */
const CLIENTS = usualOrThorough(2, 3);
const STATES = usualOrThorough(1_000, 50_000);

describe('the exploration of clients that lock, unlock and force-unlock', () => {
  it.each([
    {
      what: 'three clients and two calls per client',
      clients: 3,
      calls: 2,
      faults: usualOrThorough(1, 2),
      attempts: ATTEMPTS,
      atLeast: usualOrThorough(50_000, 400_000),
    },
    {
      what: 'three clients, one call per client and four faults',
      clients: 3,
      calls: 1,
      faults: 4,
      attempts: ATTEMPTS,
      atLeast: 15_000,
    },
    { what: 'two attempts per call', clients: CLIENTS, calls: 2, faults: 1, attempts: 2, atLeast: STATES },
    {
      what: 'an intermediate state version that becomes current on unlock',
      clients: CLIENTS,
      calls: 2,
      faults: 1,
      attempts: ATTEMPTS,
      image: withIntermediate,
      atLeast: STATES,
    },
  ])('finds no violation in any interleaving with $what', ({ what, atLeast, ...bounds }) => {
    const { states, steps, ends, violations } = explore(bounds);
    console.log(`Explored ${what}: ${states} states, ${steps} steps, ${ends} states without a waiting client`);
    expect(Object.fromEntries(violations)).toEqual({});
    expect(states).toBeGreaterThan(atLeast);
  });
});

/** Locked by client A under a lease of two ticks, with a state version that waits for the end of the lock. */
const leased: Workspace = {
  ...withIntermediate,
  fence: 1,
  lock: {
    id: 'lock-A0',
    kind: 'User',
    by: 'user-A',
    name: 'A',
    reason: '',
    at: 0,
    leaseSeconds: 2,
    expiresAt: 2_000,
  },
};
const exact = { ticks: 5, skews: [0], bound: 0 };
const skewed = { ticks: 5, skews: [-1, 1], bound: 1 };

describe('the exploration of clients that hold locks under leases', () => {
  it.each([
    { what: 'equal clocks', clients: 2, calls: 2, faults: 1, leases: exact, atLeast: 50_000 },
    { what: 'clocks that differ', clients: 2, calls: usualOrThorough(1, 2), faults: 1, leases: skewed, atLeast: 5_000 },
    {
      what: 'an intermediate state version under a lease, and clocks that differ',
      clients: CLIENTS,
      calls: 1,
      faults: 1,
      leases: skewed,
      image: leased,
      atLeast: usualOrThorough(10_000, 1_000_000),
    },
  ])('finds no violation with $what', ({ what, atLeast, ...bounds }) => {
    const { states, steps, ends, violations } = explore({ attempts: 3, ...bounds });
    console.log(`Explored ${what}: ${states} states, ${steps} steps, ${ends} states without a waiting client`);
    expect(Object.fromEntries(violations)).toEqual({});
    expect(states).toBeGreaterThan(atLeast);
  });
});

const fence = (part: Condition) => part.kind === 'equals' && part.path === 'fence';
const noLock = (part: Condition) => part.kind === 'absent' && part.path === 'lock';
const lockId = (part: Condition) => part.kind === 'equals' && part.path === 'lock.id';

/** Creates a transition factory that breaks a rule for some kinds of calls. */
const breaking =
  (broken: readonly Kind[], weaken: (transition: ReturnType<typeof transitionFor>, call: Call) => typeof transition) =>
  (call: Call) =>
    broken.includes(call.kind) ? weaken(transitionFor(call), call) : transitionFor(call);

describe('the lock exploration, with a rule that is broken on purpose', () => {
  const bounds = { clients: 3, calls: 2, faults: 1, attempts: ATTEMPTS };

  it.each<{ what: string; transition: (call: Call) => ReturnType<typeof transitionFor>; violation: Violation }>([
    {
      what: 'a lock that does not check the fence, so that a late request locks again',
      transition: breaking(['lock'], (it) => weakened(it, fence)),
      violation: 'a call takes effect after its response',
    },
    {
      what: 'a lock write without a condition',
      transition: breaking(['lock'], (it) => weakened(it, (part) => fence(part) || noLock(part))),
      violation: 'two clients hold the lock',
    },
    {
      what: 'a lock that does not increment the fence',
      transition: breaking(['lock'], (it) => ({
        ...it,
        plan: (image) => {
          const { change, ...step } = it.plan(image);
          return { ...step, change: { ...change, add: {} } };
        },
      })),
      violation: 'the fence does not grow',
    },
    {
      what: 'an unlock that does not check the holder',
      transition: breaking(['unlock'], (_, call) => forceUnlock(requestContextFor(call))),
      violation: 'an unlock releases the lock of another',
    },
    {
      what: 'an unlock that does not check the lock id',
      transition: breaking(['unlock'], (it) => weakened(it, lockId)),
      violation: 'an unlock releases the lock of another',
    },
    {
      what: 'a force-unlock that does not check the lock id',
      transition: breaking(['force-unlock'], (it) => weakened(it, lockId)),
      violation: 'a call takes effect after its response',
    },
    {
      what: 'a lock that does not recognize its own earlier attempt',
      transition: breaking(['lock'], (it) => ({ ...it, applied: () => false })),
      violation: 'a call that took effect is rejected',
    },
    {
      what: 'an unlock that does not recognize its own earlier attempt',
      transition: breaking(['unlock'], (it) => ({ ...it, applied: () => false })),
      violation: 'a call that took effect is rejected',
    },
  ])('detects $what', ({ transition, violation }) => {
    const { violations } = explore({ ...bounds, transition, until: [violation] });
    expect([...violations.keys()]).toContain(violation);
  });

  it('detects a store that retries after a lost write that may have been undone', () => {
    const stubborn: typeof proceed = (transition, position, outcome) =>
      proceed(transition, { ...position, isDoubtful: false }, outcome);
    const caught: Violation[] = [
      'a call takes effect twice',
      'a call that took effect is rejected',
      'a call takes effect after its response',
    ];
    const { violations } = explore({ ...bounds, faults: 2, policy: stubborn, until: caught });
    expect([...violations.keys()]).toEqual(expect.arrayContaining(caught));
  });

  it('finds no violation without the lock absence condition, because the fence check implies it', () => {
    const transition = breaking(['lock'], (it) => weakened(it, noLock));
    const { states, violations } = explore({ ...bounds, clients: CLIENTS, transition });
    expect(Object.fromEntries(violations)).toEqual({});
    expect(states).toBeGreaterThan(STATES);
  });
});

describe('the exploration of leases, with a rule that is broken on purpose', () => {
  const bounds = { clients: 2, calls: 2, faults: 1, attempts: 3, leases: exact };

  it.each<Partial<Parameters<typeof explore>[0]> & { what: string; violation: Violation }>([
    {
      what: 'a renewal that does not check the fence',
      transition: breaking(['renew'], (it) => weakened(it, fence)),
      violation: 'a call takes effect after its response',
    },
    {
      what: 'a late renewal that shortens the lease, because it does not check the fence',
      clients: 1,
      calls: 3,
      attempts: 1,
      transition: breaking(['renew'], (it) => weakened(it, fence)),
      violation: 'a renewal shortens the lease',
    },
    {
      what: 'an expiry that is decided by the clocks of clients',
      leases: { ...exact, skews: [0, 4] },
      violation: 'two clients hold the lock',
    },
    {
      what: 'an unlock of an expired lock that another client has taken',
      image: leased,
      transition: breaking(['unlock'], (it) => weakened(it, lockId)),
      violation: 'an unlock releases the lock of another',
    },
    {
      what: 'a lock over an expired lease that does not promote the waiting state version',
      image: leased,
      lease: (step, image, now) => {
        const { change, ...complete } = withLease(step, image, now);
        const { current: _, ...set } = change.set ?? {};
        const remove = change.remove?.filter((path) => path !== 'intermediate');
        return { ...complete, change: { ...change, set, ...(remove && { remove }) } };
      },
      violation: 'an intermediate state version outlives its lock',
    },
    {
      what: 'a lock request that ignores the end of leases',
      image: leased,
      transition: breaking(['lease'], (it) => ({ ...it, plan: (image) => it.plan(image?.stored ?? image) })),
      violation: 'an expired lock rejects a lock request',
    },
  ])('detects $what', ({ what: _, violation, ...broken }) => {
    const { violations } = explore({ ...bounds, ...broken, until: [violation] });
    expect([...violations.keys()]).toContain(violation);
  });
});

describe('the retry policy of the lock model', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const heldBy = (client: string, id: string): Lock => ({
    id,
    kind: 'User',
    by: `user-${client}`,
    name: client,
    reason: id,
    at: 0,
  });
  const workspace: Workspace = {
    ...unlockedWorkspace,
    fence: 4,
    settings: { autoDestroyAt: null } as Workspace['settings'],
    text: { description: null, triggerPatterns: [], triggerPrefixes: [] },
  };

  /** Images that a failed write can return: changes by other clients, and the call's own earlier attempt. */
  const images: Readonly<Record<string, Workspace>> = {
    free: { ...workspace, fence: 6, released: { id: 'lock-B7', request: 'request-B8' } },
    'locked by another': { ...workspace, fence: 5, lock: heldBy('B', 'lock-B7') },
    'locked by another later': { ...workspace, fence: 7, lock: heldBy('B', 'lock-B9') },
    'locked by this call': { ...workspace, fence: 5, lock: heldBy('A', 'lock-A1') },
    'locked by this client': { ...workspace, fence: 5, lock: heldBy('A', 'lock-A0') },
    'released by this call': { ...workspace, fence: 6, released: { id: 'lock-A0', request: 'request-A1' } },
    'released by another': { ...workspace, fence: 6, released: { id: 'lock-A0', request: 'request-C1' } },
    pending: {
      ...workspace,
      fence: 5,
      lock: heldBy('A', 'lock-A0'),
      pending: { id: 'sv-1', serial: 1, at: 1, lock: 'lock-A0', intermediate: false, until: 9 },
    },
    gone: { ...workspace, deletedAt: 1 },
  };
  const outcomes = ['written', 'noResponse', ...Object.keys(images)];
  const itemOf = (image: Workspace) => creationWrites(image, 1)[0]?.item;

  /** Removes the change record from a write, because it differs between attempts. */
  const essence = ({ ConditionExpression, UpdateExpression, ExpressionAttributeValues = {} }: Write) => ({
    ConditionExpression,
    UpdateExpression,
    values: Object.entries(ExpressionAttributeValues).map(([name, value]) =>
      typeof value === 'object' && value !== null && 'actor' in value ? name : value,
    ),
  });

  interface Run {
    readonly writes: readonly object[];
    readonly response: string;
  }

  const runModel = (call: Call, first: Workspace, script: readonly string[]): Run => {
    const transition = transitionFor(call);
    const writes: object[] = [];
    const isSilent = (outcome: string | undefined) => outcome === 'noResponse';
    let move: Move = begin(transition, first);
    for (let attempt = 1; move.kind === 'send'; attempt++) {
      const changeRecord = { id: '', type: transition.type, actor: { kind: '', id: '' }, at: 0, request: '' };
      writes.push(essence(stepWrites(move.image, move.step, changeRecord, 0).writes[0] as Write));
      const name = script[attempt - 1] ?? 'written';
      const image = images[name];
      const outcome: Outcome = image ? { kind: 'failed', image } : { kind: name as 'written' | 'noResponse' };
      const isDoubtful = script.slice(0, attempt - 1).some(isSilent);
      move = proceed(transition, { sent: move.image, isDoubtful, left: ATTEMPTS - attempt }, outcome);
    }
    return { writes, response: move.response };
  };

  const outcomeFromError = (error: unknown): string => {
    if (!(error instanceof DomainError)) throw error;
    return error.code === 'unavailable' ? 'busy' : 'refused';
  };

  const runStore = async (call: Call, first: Workspace, script: readonly string[]): Promise<Run> => {
    const writes: object[] = [];
    const database = {
      write: async (write: Write) => {
        writes.push(essence(write));
        const name = script[writes.length - 1] ?? 'written';
        if (name === 'written') return itemOf(workspace);
        const image = images[name];
        throw image ? new ConditionFailed(itemOf(image)) : new NoResponse('lost');
      },
    } as unknown as Database;
    const applied = openWorkspaces(database, () => 0)
      .apply(first, transitionFor(call), requestContextFor(call))
      .then(() => 'done', outcomeFromError);
    await vi.runAllTimersAsync();
    return { writes, response: await applied };
  };

  const scripts: string[][] = outcomes
    .flatMap((a) => [[a], ...outcomes.map((b) => [a, b])])
    .flatMap((two) => [two, ...outcomes.map((c) => [...two, c])]);
  scripts.push(Array(ATTEMPTS).fill('noResponse'), Array(ATTEMPTS + 1).fill('free'));

  it.each(kinds)('matches the policy of the store for %s with every sequence of write outcomes', async (kind) => {
    const call: Call = { client: 0, number: 0, kind };
    const firsts = { unlocked: workspace, held: { ...workspace, lock: heldBy('A', 'lock-A0') } };
    const differing: string[] = [];
    for (const [from, first] of Object.entries(firsts)) {
      for (const script of scripts) {
        const [model, store] = [runModel(call, first, script), await runStore(call, first, script)];
        if (JSON.stringify(model) === JSON.stringify(store)) continue;
        const runs = [model, store].map(({ writes, response }) => `${writes.length} writes, ${response}`);
        differing.push(`${from}, then ${script.join(', then ')}: ${runs.join(' in the model; in the store ')}`);
      }
    }
    expect(differing).toEqual([]);
  });
});
