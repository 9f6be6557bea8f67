import { describe, expect, it } from 'vitest';
import type { Condition } from '../../shared/domain/changes/conditions.ts';
import { withLease } from '../../shared/domain/transitions/locks/lease.ts';
import { unlock } from '../../shared/domain/transitions/locks/unlock.ts';
import type { RequestContext, Transition } from '../../shared/domain/transitions/transition.ts';
import { weakened } from '../support/models/locks/lock-model.ts';
import { exploreStates, type Kind, type Violation } from '../support/models/states/state-model.ts';
import { usualOrThorough } from '../support/setup/run-budget.ts';

const ATTEMPTS = 4;

describe('exploration of all interleavings of uploads, their arrival, locks and deletions', () => {
  it.each([
    {
      what: 'two clients',
      clients: 2,
      calls: usualOrThorough(3, 4),
      atLeast: usualOrThorough(15_000, 350_000),
    },
    { what: 'three clients with two calls each', clients: 3, calls: 2, atLeast: 25_000 },
    { what: 'two calls each of two processes of one user', clients: 2, calls: 2, isOneUser: true, atLeast: 5_000 },
    {
      what: 'one client',
      clients: 1,
      calls: usualOrThorough(6, 7),
      atLeast: usualOrThorough(10_000, 60_000),
    },
    {
      what: 'two clients whose locks expire before the time for uploads ends',
      clients: 2,
      calls: usualOrThorough(2, 3),
      leases: { uploadsEnd: 10_000 },
      atLeast: 3_000,
    },
    {
      what: 'processes of one user whose lock expires after the time for uploads',
      clients: 2,
      calls: usualOrThorough(1, 2),
      isOneUser: true,
      leases: { uploadsEnd: 4_500 },
      atLeast: 1_000,
    },
  ])('finds no violation with $what', ({ what, atLeast, ...bounds }) => {
    const { states, violations } = exploreStates({ attempts: ATTEMPTS, ...bounds });
    console.log(`Explored ${what}: ${states} states`);
    expect(Object.fromEntries(violations)).toEqual({});
    expect(states).toBeGreaterThan(atLeast);
  });
});

/** Selects the parts of a condition about one of the attributes. */
const about =
  (...paths: readonly string[]) =>
  (part: Condition): boolean =>
    'path' in part && paths.includes(part.path);
const anyAbout =
  (...paths: readonly string[]) =>
  (part: Condition): boolean =>
    about(...paths)(part) || (part.kind === 'any' && part.of.some(about(...paths)));

/** A write over an expired lease that leaves the waiting version behind. */
const forgetful: typeof withLease = (step, image, now) => {
  const complete = withLease(step, image, now);
  if (image.stored === undefined) return complete;
  const { current: _, ...set } = complete.change.set ?? {};
  return { ...complete, change: { ...complete.change, set } };
};

const without = (kinds: readonly (Kind | 'finalize')[], picked: (part: Condition) => boolean) =>
  ((kind: Kind | 'finalize', transition: Transition) =>
    kinds.includes(kind) ? weakened(transition, picked) : transition) satisfies Broken;
type Broken = (kind: Kind | 'finalize', transition: Transition, request: RequestContext) => Transition;

/** An unlock that does not check the bucket before it discards a pending version. */
const hasty: Broken = (kind, transition, request) =>
  kind === 'unlock'
    ? { ...transition, plan: (image) => unlock(request, 9, image?.pending?.id).plan(image) }
    : transition;

describe('exploration of a deliberately broken rule', () => {
  const bounds = { clients: 2, calls: 3, attempts: ATTEMPTS };

  it.each<{ what: string; broken: Broken; isOneUser?: boolean; violation: Violation }>([
    {
      what: 'an unlock without the condition on the pending version',
      broken: without(['unlock'], anyAbout('pending')),
      isOneUser: true,
      violation: 'an unlock passes its own pending version',
    },
    {
      what: 'an unlock that does not check the bucket',
      broken: hasty,
      violation: 'an unlock passes content that had arrived',
    },
    {
      what: 'an unlock without the condition on the intermediate version',
      broken: without(['unlock', 'force-unlock'], anyAbout('intermediate', 'intermediate.id')),
      violation: 'after a release the current version is not the newest finalized one',
    },
    {
      what: 'a finalization without the condition on the lock',
      broken: without(['finalize'], anyAbout('lock.id')),
      violation: 'a finalized version waits for a lock that is gone',
    },
    {
      what: 'a finalization without the condition on the pending version',
      broken: without(['finalize'], about('pending.id')),
      violation: 'a version is finalized twice',
    },
    {
      what: 'an upload without the conditions on the previous version',
      broken: without(['upload'], about('pending.id', 'stateVersions', 'serial', 'md5')),
      isOneUser: true,
      violation: 'two versions are pending',
    },
    {
      what: 'a deletion without the condition on the pending version',
      broken: without(['safe-delete'], anyAbout('pending', 'pending.until', 'stateVersions')),
      violation: 'a workspace is deleted whose newest content nobody has read',
    },
    {
      what: 'a deletion without the condition on resources',
      broken: without(['safe-delete'], anyAbout('current.resources', 'stateVersions')),
      violation: 'a workspace is deleted that manages resources',
    },
  ])('finds the violation of $what', ({ broken, violation, isOneUser = false }) => {
    const calls = isOneUser ? 2 : bounds.calls;
    const { violations } = exploreStates({ ...bounds, calls, isOneUser, broken, until: violation });
    expect([...violations.keys()]).toContain(violation);
  });
});

describe('exploration of leases, with a rule that is broken on purpose', () => {
  it.each<{ what: string; violation: Violation } & Partial<Parameters<typeof exploreStates>[0]>>([
    {
      what: 'a write over an expired lease that leaves the waiting version behind',
      lease: forgetful,
      violation: 'after a release the current version is not the newest finalized one',
    },
    {
      what: 'an upload that ignores the end of leases',
      broken: (kind, transition) =>
        kind === 'upload' ? { ...transition, plan: (image) => transition.plan(image?.stored ?? image) } : transition,
      violation: 'a call uses an expired lock',
    },
  ])('finds the violation of $what', ({ what: _, violation, ...broken }) => {
    const bounds = { clients: 2, calls: 2, attempts: ATTEMPTS, isOneUser: true, leases: { uploadsEnd: 10_000 } };
    const { violations } = exploreStates({ ...bounds, ...broken, until: violation });
    expect([...violations.keys()]).toContain(violation);
  });
});
