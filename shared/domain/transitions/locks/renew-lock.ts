import { all, equals } from '../../changes/conditions.ts';
import { conflict } from '../../errors.ts';
import { ALIVE, type RequestContext, requireAlive, type Transition } from '../transition.ts';
import { describeExpiry, describeHolder, isHeldBy, leaseEnd, lockMeta } from './lock.ts';

/**
 * Renews the lease of a lock (LOCK-19). Only the holder of the lock may do this, and only before the lease expires.
 *
 * The condition contains the fencing token of the image, and the renewal increments it. A renewal that arrives after a later
 * one would otherwise shorten the lease on which the holder relies.
 *
 * `plan` throws a `DomainError`: 404 for a deleted workspace, 409 if it is not locked, locked by another principal, or
 * locked without a lease.
 * @param at time of the request, in milliseconds: the lease ends its length after it.
 * @param leaseSeconds new length of the lease; without it, the length stays.
 */
export const renewLock = (request: RequestContext, at: number, leaseSeconds?: number): Transition => ({
  type: 'workspace.lock-renewed',
  plan: (read) => {
    const image = requireAlive(read);
    const held = image.lock;
    if (!held) throw conflict(`Unable to renew lock. The workspace is not locked.${describeExpiry(image)}`);
    if (!isHeldBy(held, request.principal)) {
      throw conflict(
        `Unable to renew lock. The workspace is locked by ${describeHolder(held)} and may not be renewed except by them.`,
        lockMeta(held),
      );
    }
    if (held.leaseSeconds === undefined) {
      throw conflict('Unable to renew lock. The lock has no lease, so it never expires.', lockMeta(held));
    }
    const length = leaseSeconds ?? held.leaseSeconds;
    const lock = { ...held, leaseSeconds: length, expiresAt: leaseEnd(at, length), renewedBy: request.id };
    return {
      condition: all(ALIVE, equals('lock.id', held.id), equals('fence', image.fence)),
      change: { set: { lock }, add: { fence: 1 } },
    };
  },
  applied: (image) => image.lock?.renewedBy === request.id,
  counter: 'fence',
});
