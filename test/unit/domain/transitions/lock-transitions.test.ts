import { describe, expect, it } from 'vitest';
import { StatePending } from '../../../../shared/domain/errors.ts';
import { lock } from '../../../../shared/domain/transitions/locks/lock.ts';
import { renewLock } from '../../../../shared/domain/transitions/locks/renew-lock.ts';
import { forceUnlock, unlock } from '../../../../shared/domain/transitions/locks/unlock.ts';
import type { RequestContext, Transition } from '../../../../shared/domain/transitions/transition.ts';
import { forceDelete } from '../../../../shared/domain/transitions/workspaces/delete-workspace.ts';
import type { Lock, Workspace } from '../../../../shared/domain/workspace/workspace-record.ts';
import {
  apply,
  isWritten,
  NOW,
  rejectionOf,
  requestFrom,
  plainWorkspace as unlocked,
} from '../../../support/models/planned-transitions.ts';

const [ada, bob] = [requestFrom('ada'), requestFrom('bob')];
const finalized = { id: 'sv-2', serial: 2, resources: 3, at: NOW - 5 };

const lockOf = (request: RequestContext, draft: Partial<Pick<Lock, 'id' | 'leaseSeconds'>> = {}): Transition =>
  lock(request, { id: `lock-${request.id}`, reason: 'Maintenance', at: NOW, ...draft });
const lockedBy = (request: RequestContext, draft: Partial<Pick<Lock, 'id' | 'leaseSeconds'>> = {}): Workspace =>
  apply(lockOf(request, draft), unlocked);
const locked = lockedBy(ada);
const released = apply(unlock(ada, NOW), locked);
const deleted = apply(forceDelete(ada, NOW, undefined), unlocked);
/** The workspace after another writer has changed its lock twice and restored how it looks. */
const later = (image: Workspace): Workspace => ({ ...image, fence: image.fence + 2 });

/** A state version that waits for its content under a lock. */
const waitingUnder = (lockId: string, until: number): Workspace => ({
  ...locked,
  pending: { id: 'sv-1', serial: 1, at: NOW - 10, lock: lockId, intermediate: false, until },
});

describe('lock', () => {
  it.each([
    ['a user', 'ada', { kind: 'User', by: 'user-ada', name: 'ada' }],
    ['a team', 'team', { kind: 'Team', by: 'team-ops', name: 'ops' }],
    ['a run', 'run', { kind: 'Run', by: 'run-1', name: 'run-1' }],
  ] as const)('makes %s the holder and increments the fencing token (LOCK-1, LOCK-4, LOCK-13)', (_, who, holder) => {
    const { lock: taken, fence } = lockedBy(requestFrom(who));
    expect(taken).toEqual({ id: `lock-${who}`, reason: 'Maintenance', at: NOW, ...holder });
    expect(fence).toBe(unlocked.fence + 1);
  });

  it('is rejected with the holder if the workspace is locked, also by the caller (LOCK-3, LOCK-16)', () => {
    for (const request of [ada, bob]) {
      const again = lock(request, { id: 'lock-again', reason: '', at: NOW });
      expect(rejectionOf(again, lockedBy(ada, { leaseSeconds: 60 }))).toMatchObject({
        code: 'conflict',
        detail: 'Unable to lock workspace. The workspace is already locked by User ada.',
        meta: {
          holder: { kind: 'User', id: 'user-ada', name: 'ada' },
          since: new Date(NOW).toISOString(),
          reason: 'Maintenance',
          expiry: new Date(NOW + 60_000).toISOString(),
        },
      });
    }
  });

  it('is not written if the workspace is locked, deleted, or locked and unlocked meanwhile (LOCK-13)', () => {
    expect(isWritten(lockOf(bob), unlocked)).toBe(true);
    expect(isWritten(lockOf(bob), unlocked, locked)).toBe(false);
    expect(isWritten(lockOf(bob), unlocked, { ...locked, fence: unlocked.fence })).toBe(false);
    expect(isWritten(lockOf(bob), unlocked, deleted)).toBe(false);
    expect(isWritten(lockOf(bob), unlocked, later(unlocked))).toBe(false);
  });

  it('is recognized by the id of its lock, and not granted again after it was released (LOCK-15)', () => {
    expect(lockOf(ada).applied(locked)).toBe(true);
    expect(lockOf(ada, { id: 'lock-other' }).applied(locked)).toBe(false);
    expect(rejectionOf(lockOf(ada), released)?.detail).toMatch(/has been released since/);
    expect(rejectionOf(lockOf(bob), released)).toBeUndefined();
  });
});

describe('unlock', () => {
  it('ends the lock of its holder and increments the fencing token (LOCK-6, LOCK-13)', () => {
    expect(released.lock).toBeUndefined();
    expect(released.fence).toBe(locked.fence + 1);
    expect(released.released).toEqual({ id: 'lock-ada', request: 'ada' });
    expect(released.change).toMatchObject({ released: { id: 'lock-ada', kind: 'User', by: 'user-ada', name: 'ada' } });
  });

  it.each([
    ['another user', 'bob', 'ada', 'User ada'],
    ['a team', 'team', 'ada', 'User ada'],
    ['a run', 'run', 'ada', 'User ada'],
    ['a user', 'ada', 'team', 'Team team-ops'],
    ['a user', 'ada', 'run', 'Run run-1'],
  ] as const)('by %s is rejected if the holder is another one (LOCK-7, LOCK-12)', (_, who, holder, name) => {
    const error = rejectionOf(unlock(requestFrom(who), NOW), lockedBy(requestFrom(holder)));
    expect(error).toMatchObject({
      code: 'conflict',
      detail: `Unable to unlock workspace. The workspace is locked by ${name} and may not be unlocked except by them.`,
      meta: { since: new Date(NOW).toISOString() },
    });
  });

  it.each(['User', 'Team', 'Run'] as const)('is rejected for a %s of the same id and another kind', (kind) => {
    const held = { ...locked, lock: { ...(locked.lock as Lock), kind } };
    for (const [of, principal] of [
      ['User', { kind: 'user', id: 'user-ada', name: 'ada' }],
      ['Team', { kind: 'team', id: 'user-ada', name: 'ada', organization: 'acme' }],
      ['Run', { kind: 'run', id: 'user-ada', name: 'ada', organization: 'acme', workspace: held.id }],
    ] as const) {
      expect(rejectionOf(unlock({ id: 'req', principal }, NOW), held) === undefined).toBe(of === kind);
    }
  });

  it('is rejected if the workspace is not locked or is deleted', () => {
    expect(rejectionOf(unlock(ada, NOW), unlocked)).toMatchObject({
      code: 'conflict',
      detail: 'Unable to unlock workspace. The workspace is not locked.',
    });
    expect(rejectionOf(unlock(ada, NOW), deleted)).toMatchObject({ code: 'not-found' });
    expect(rejectionOf(unlock(ada, NOW), undefined)).toMatchObject({ code: 'not-found' });
  });

  it('never ends the lock of the next holder (LOCK-14)', () => {
    expect(isWritten(unlock(ada, NOW), locked)).toBe(true);
    expect(isWritten(unlock(ada, NOW), locked, apply(lockOf(bob), released))).toBe(false);
    expect(isWritten(unlock(ada, NOW), locked, lockedBy(ada, { id: 'lock-next' }))).toBe(false);
    expect(isWritten(unlock(ada, NOW), locked, { ...deleted, lock: locked.lock as Lock })).toBe(false);
  });

  it('waits for the content of a state version that was created under the lock (LOCK-9)', () => {
    const waiting = waitingUnder('lock-ada', NOW + 1);
    const error = rejectionOf(unlock(ada, NOW), waiting);
    expect(error).toBeInstanceOf(StatePending);
    expect(error).toMatchObject({ code: 'unavailable', retryAfter: 1, pending: { id: 'sv-1', at: NOW - 10 } });
    expect(error?.detail).toContain('latest state version is still pending');
    expect(rejectionOf(unlock(ada, NOW, 'sv-1'), waiting)).toBeInstanceOf(StatePending);
    expect(isWritten(unlock(ada, NOW), locked, waiting)).toBe(false);
  });

  it('does not wait for a state version whose time is over and whose content was looked for (LOCK-9)', () => {
    const late = waitingUnder('lock-ada', NOW - 1);
    expect(rejectionOf(unlock(ada, NOW), late)).toBeInstanceOf(StatePending);
    expect(rejectionOf(unlock(ada, NOW, 'sv-0'), late)).toBeInstanceOf(StatePending);
    expect(isWritten(unlock(ada, NOW, 'sv-1'), late)).toBe(true);
  });

  it('does not wait for a state version that was created under an earlier lock (LOCK-11)', () => {
    expect(isWritten(unlock(ada, NOW), waitingUnder('lock-earlier', NOW + 1))).toBe(true);
  });

  it.each([
    ['unlock', unlock(ada, NOW)],
    ['force-unlock', forceUnlock(bob)],
  ])('%s makes the intermediate state version the current one (LOCK-8, LOCK-10)', (_, transition) => {
    const intermediate = { ...locked, intermediate: finalized };
    expect(apply(transition, intermediate)).toMatchObject({ current: finalized, latestChangeAt: finalized.at });
    expect(apply(transition, intermediate).intermediate).toBeUndefined();
    expect(isWritten(transition, locked, intermediate)).toBe(false);
    expect(isWritten(transition, intermediate, { ...locked, intermediate: { ...finalized, id: 'sv-3' } })).toBe(false);
  });

  it('is recognized by its request (LOCK-15)', () => {
    expect(unlock(ada, NOW).applied(released)).toBe(true);
    expect(unlock(requestFrom('ada', 'next'), NOW).applied(released)).toBe(false);
    expect(unlock(ada, NOW).applied(locked)).toBe(false);
  });
});

describe('force-unlock', () => {
  it.each(['ada', 'team', 'run'] as const)('ends the lock of any holder: %s (LOCK-10, LOCK-12)', (who) => {
    const result = apply(forceUnlock(bob, 'Stuck'), lockedBy(requestFrom(who)), bob);
    expect(result.lock).toBeUndefined();
    expect(result.fence).toBe(unlocked.fence + 2);
    expect(result.change).toMatchObject({
      type: 'workspace.force-unlocked',
      reason: 'Stuck',
      released: { id: `lock-${who}` },
    });
  });

  it('does not wait for a state version without content (LOCK-10)', () => {
    expect(isWritten(forceUnlock(bob), waitingUnder('lock-ada', NOW + 1))).toBe(true);
  });

  it('is rejected if the workspace is not locked or is deleted', () => {
    expect(rejectionOf(forceUnlock(bob), unlocked)).toMatchObject({
      code: 'conflict',
      detail: 'Unable to force unlock workspace. The workspace is not locked.',
    });
    expect(rejectionOf(forceUnlock(bob), deleted)).toMatchObject({ code: 'not-found' });
  });

  it('never ends the lock of the next holder (LOCK-14)', () => {
    expect(isWritten(forceUnlock(bob), locked, lockedBy(ada, { id: 'lock-next' }))).toBe(false);
    expect(isWritten(forceUnlock(bob), locked, released)).toBe(false);
  });
});

describe('renew-lock', () => {
  const leased = lockedBy(ada, { leaseSeconds: 60 });

  it('begins the lease of its holder again, with another length if one is given (LOCK-19)', () => {
    const { lock: renewed, fence } = apply(renewLock(ada, NOW + 30_000), leased);
    expect(renewed).toEqual({ ...leased.lock, expiresAt: NOW + 90_000, renewedBy: 'ada' });
    expect(fence).toBe(leased.fence + 1);
    expect(apply(renewLock(ada, NOW + 30_000, 600), leased).lock).toMatchObject({
      leaseSeconds: 600,
      expiresAt: NOW + 630_000,
    });
  });

  it.each([
    ['by another principal', renewLock(bob, NOW), leased, /may not be renewed except by them/],
    ['of a lock without a lease', renewLock(ada, NOW), locked, /has no lease/],
    ['without a lock', renewLock(ada, NOW), unlocked, /The workspace is not locked\.$/],
  ])('%s is rejected (LOCK-19)', (_, transition, workspace, detail) => {
    const error = rejectionOf(transition, workspace);
    expect(error?.code).toBe('conflict');
    expect(error?.detail).toMatch(detail);
  });

  it('is not written after a later renewal, or for the next lock', () => {
    const renewal = renewLock(ada, NOW + 10_000);
    expect(isWritten(renewal, leased)).toBe(true);
    expect(isWritten(renewal, leased, apply(renewLock(ada, NOW + 20_000), leased))).toBe(false);
    const next = lockedBy(ada, { id: 'lock-next', leaseSeconds: 60 });
    expect(isWritten(renewal, leased, { ...next, fence: leased.fence })).toBe(false);
    expect(isWritten(renewal, leased, { ...deleted, lock: leased.lock as Lock, fence: leased.fence })).toBe(false);
  });

  it('is recognized by its request', () => {
    const renewed = apply(renewLock(ada, NOW), leased);
    expect(renewLock(ada, NOW).applied(renewed)).toBe(true);
    expect(renewLock(requestFrom('ada', 'next'), NOW).applied(renewed)).toBe(false);
  });
});
