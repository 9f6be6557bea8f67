import { describe, expect, it } from 'vitest';
import type { Condition } from '../../shared/domain/changes/conditions.ts';
import type { RequestContext, Transition } from '../../shared/domain/transitions/transition.ts';
import { unlock } from '../../shared/domain/transitions/unlock.ts';
import { weakened } from '../support/models/lock-model.ts';
import { exploreStates, type Kind, type Violation } from '../support/models/state-model.ts';
import { usualOrThorough } from '../support/setup/run-budget.ts';

const ATTEMPTS = 4;

describe('every interleaving of uploads, their arrival, locks and deletions', () => {
  it.each([
    {
      what: 'two clients',
      clients: 2,
      calls: usualOrThorough(3, 4),
      atLeast: usualOrThorough(15_000, 350_000),
    },
    { what: 'three clients with two calls each', clients: 3, calls: 2, atLeast: 25_000 },
    { what: 'two calls each of two processes of one user', clients: 2, calls: 2, isOneUser: true, atLeast: 5_000 },
    { what: 'one client with seven calls', clients: 1, calls: 7, atLeast: 60_000 },
  ])('reaches no bad state, with $what', ({ what, atLeast, ...bounds }) => {
    const { states, violations } = exploreStates({ attempts: ATTEMPTS, ...bounds });
    console.log(`Explored ${what}: ${states} states`);
    expect(Object.fromEntries(violations)).toEqual({});
    expect(states).toBeGreaterThan(atLeast);
  });
});

/** A part of a condition that speaks of an attribute, in whatever way. */
const about =
  (...paths: readonly string[]) =>
  (part: Condition): boolean =>
    'path' in part && paths.includes(part.path);
const anyAbout =
  (...paths: readonly string[]) =>
  (part: Condition): boolean =>
    about(...paths)(part) || (part.kind === 'any' && part.of.some(about(...paths)));

const without = (kinds: readonly (Kind | 'finalize')[], picked: (part: Condition) => boolean) =>
  ((kind: Kind | 'finalize', transition: Transition) =>
    kinds.includes(kind) ? weakened(transition, picked) : transition) satisfies Broken;
type Broken = (kind: Kind | 'finalize', transition: Transition, request: RequestContext) => Transition;

/** A release that does not look at the bucket before it assumes that nothing came. */
const hasty: Broken = (kind, transition, request) =>
  kind === 'unlock'
    ? { ...transition, plan: (image) => unlock(request, 9, image?.pending?.id).plan(image) }
    : transition;

describe('a rule that is broken on purpose is caught', () => {
  const bounds = { clients: 2, calls: 3, attempts: ATTEMPTS };

  it.each<{ what: string; broken: Broken; isOneUser?: boolean; violation: Violation }>([
    {
      what: 'an unlock that asks for no pending version',
      broken: without(['unlock'], anyAbout('pending')),
      isOneUser: true,
      violation: 'an unlock passes its own pending version',
    },
    { what: 'an unlock that does not look', broken: hasty, violation: 'an unlock passes content that had arrived' },
    {
      what: 'a release that does not pin what it makes the current one',
      broken: without(['unlock', 'force-unlock'], anyAbout('intermediate', 'intermediate.id')),
      violation: 'after a release the current version is not the newest finalized one',
    },
    {
      what: 'content that is read without asking whose lock it waits for',
      broken: without(['finalize'], anyAbout('lock.id')),
      violation: 'a finalized version waits for a lock that is gone',
    },
    {
      what: 'content that is read without asking whether it is still waited for',
      broken: without(['finalize'], about('pending.id')),
      violation: 'a version is finalized twice',
    },
    {
      what: 'an upload that does not pin what it takes the place of',
      broken: without(['upload'], about('pending.id', 'stateVersions', 'serial', 'md5')),
      isOneUser: true,
      violation: 'two versions are pending',
    },
    {
      what: 'a deletion that asks for no pending version',
      broken: without(['safe-delete'], anyAbout('pending', 'pending.until', 'stateVersions')),
      violation: 'a workspace is deleted whose newest content nobody has read',
    },
    {
      what: 'a deletion that asks for no resources',
      broken: without(['safe-delete'], anyAbout('current.resources', 'stateVersions')),
      violation: 'a workspace is deleted that manages resources',
    },
  ])('$what', ({ broken, violation, isOneUser = false }) => {
    const calls = isOneUser ? 2 : bounds.calls;
    const { violations } = exploreStates({ ...bounds, calls, isOneUser, broken, until: violation });
    expect([...violations.keys()]).toContain(violation);
  });
});
