import { describe, expect, it } from 'vitest';
import { satisfies } from '../../../../shared/domain/changes/conditions.ts';
import { atTime, withLease } from '../../../../shared/domain/transitions/locks/lease.ts';
import { lock } from '../../../../shared/domain/transitions/locks/lock.ts';
import { renewLock } from '../../../../shared/domain/transitions/locks/renew-lock.ts';
import { forceUnlock, unlock } from '../../../../shared/domain/transitions/locks/unlock.ts';
import { changeTags } from '../../../../shared/domain/transitions/relationships/change-tags.ts';
import type { Transition } from '../../../../shared/domain/transitions/transition.ts';
import { forceDelete, safeDelete } from '../../../../shared/domain/transitions/workspaces/delete-workspace.ts';
import { toImage, type Workspace } from '../../../../shared/domain/workspace/workspace-record.ts';
import { apply, NOW, plainWorkspace, rejectionOf, requestFrom } from '../../../support/models/planned-transitions.ts';

const [ada, bob] = [requestFrom('ada'), requestFrom('bob')];
const leased = apply(lock(ada, { id: 'lock-ada', reason: '', at: NOW, leaseSeconds: 60 }), plainWorkspace);
const END = NOW + 60_000;
const finalized = { id: 'sv-2', serial: 2, resources: 3, at: NOW + 5 };
const ofBob = lock(bob, { id: 'lock-bob', reason: '', at: END + 1 });

/** Plans a transition at a time from the workspace as it is stored. */
const planAt = (transition: Transition, stored: Workspace, now: number) => {
  const image = atTime(stored, now);
  return withLease(transition.plan(image), image, now);
};
/** Tells whether a step that was planned on `read` at a time is written on `stored`. */
const isWrittenAt = (transition: Transition, now: number, read: Workspace, stored = read): boolean =>
  satisfies(planAt(transition, read, now).condition, toImage(stored));

describe('a lock with a lease', () => {
  it('lasts until the end of its lease (LOCK-20)', () => {
    expect(atTime(leased, END)).toBe(leased);
    expect(rejectionOf(ofBob, atTime(leased, END))?.meta).toMatchObject({ expiry: new Date(END).toISOString() });
  });

  it('counts as force-unlocked from then on (LOCK-20)', () => {
    const expired = atTime({ ...leased, intermediate: finalized }, END + 1);
    expect(expired.lock).toBeUndefined();
    expect(expired).toMatchObject({ fence: leased.fence + 1, released: { id: 'lock-ada' }, current: finalized });
    expect(expired.intermediate).toBeUndefined();
    expect(expired.stored?.lock).toEqual(leased.lock);
  });

  it('does not expire in a deleted workspace', () => {
    const deleted = apply(forceDelete(bob, NOW), leased);
    expect(atTime(deleted, END + 1)).toBe(deleted);
  });

  it('is ended by its holder only before the lease expires, by the clock of the write', () => {
    for (const transition of [unlock(ada, END), renewLock(ada, END)]) {
      expect(isWrittenAt(transition, END, leased)).toBe(true);
      expect(rejectionOf(transition, atTime(leased, END + 1))?.detail).toContain(
        `The lease of User ada expired at ${new Date(END).toISOString()}.`,
      );
    }
    // The condition holds for no lease that has expired, even if the workspace was read before.
    const shorter = { ...leased, lock: { ...leased.lock, expiresAt: END - 1 } } as Workspace;
    expect(isWrittenAt(unlock(ada, END), END, leased, shorter)).toBe(false);
  });
});

describe('the first write after the lease has expired', () => {
  it('ends the lock, promotes the intermediate state version and reports the end', () => {
    const step = planAt(ofBob, { ...leased, intermediate: finalized }, END + 1);
    expect(step.change.set).toMatchObject({
      lock: { id: 'lock-bob' },
      released: { id: 'lock-ada' },
      current: finalized,
    });
    expect(step.change.add).toMatchObject({ fence: 2 });
    expect(step.change.remove).toContain('intermediate');
    expect(step.expiredLock).toMatchObject({
      id: 'lock-ada',
      by: 'user-ada',
      expiresAt: END,
      stateVersion: { id: 'sv-2', serial: 2 },
    });
  });

  it('is not written if the holder has renewed the lease, or the lock has changed', () => {
    const renewed = apply(renewLock(ada, END), leased);
    for (const transition of [ofBob, changeTags((tags) => tags), safeDelete(bob, END + 1)]) {
      expect(isWrittenAt(transition, END + 1, leased)).toBe(true);
      expect(isWrittenAt(transition, END + 1, leased, renewed)).toBe(false);
      // Each of these guards suffices: the fencing token, the end of the lease and the id of the lock.
      expect(isWrittenAt(transition, END + 1, leased, { ...renewed, fence: leased.fence })).toBe(false);
      expect(isWrittenAt(transition, END + 1, leased, { ...leased, fence: leased.fence + 1 })).toBe(false);
      const other = { ...leased, lock: { ...leased.lock, id: 'lock-other' } } as Workspace;
      expect(isWrittenAt(transition, END + 1, leased, other)).toBe(false);
      expect(isWrittenAt(transition, END + 1, leased, { ...leased, intermediate: finalized })).toBe(false);
      expect(isWrittenAt(transition, END + 1, leased, apply(forceUnlock(bob), leased))).toBe(false);
    }
  });
});

describe('a write that does not need the lock', () => {
  it('does not depend on the lease while the lease lasts', () => {
    const step = planAt(
      changeTags((tags) => tags),
      leased,
      END,
    );
    expect(satisfies(step.condition, toImage(apply(forceUnlock(bob), leased)))).toBe(true);
    expect(step.expiredLock).toBeUndefined();
  });
});
