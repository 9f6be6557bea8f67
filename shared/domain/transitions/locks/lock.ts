import { absent, all, equals } from '../../changes/conditions.ts';
import { conflict } from '../../errors.ts';
import type { Lock, Workspace } from '../../workspace/workspace-record.ts';
import { ALIVE, type RequestContext, requireAlive, type Step, type Transition } from '../transition.ts';

/** Names the holder of a lock as clients expect it in error details: `User alice`, `Team team-…`, `Run run-…` (LOCK-7). */
export const describeHolder = ({ kind, by, name }: Lock): string => `${kind} ${kind === 'User' ? name : by}`;

/** Describes a lock for the `meta` of an error (LOCK-16): its holder, its time, its reason and the end of its lease. */
export const lockMeta = ({ kind, by: id, name, at, reason, expiresAt }: Lock): Readonly<Record<string, unknown>> => ({
  holder: { kind, id, name },
  since: new Date(at).toISOString(),
  reason,
  expiry: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
});

/** Describes, for an error detail, that the lease of the last lock has expired; empty if that is not why it ended. */
export const describeExpiry = ({ stored }: Workspace): string => {
  const { lock } = stored ?? {};
  if (lock?.expiresAt === undefined) return '';
  return ` The lease of ${describeHolder(lock)} expired at ${new Date(lock.expiresAt).toISOString()}.`;
};

const holderKind = ({ kind }: RequestContext['principal']): Lock['kind'] =>
  kind === 'team' ? 'Team' : kind === 'run' ? 'Run' : 'User';

/** Tells whether a principal holds a lock. */
export const isHeldBy = (lock: Lock, principal: RequestContext['principal']): boolean =>
  lock.by === principal.id && lock.kind === holderKind(principal);

/** A lock request. */
type LockRequest = Pick<Lock, 'id' | 'reason' | 'at' | 'leaseSeconds'>;

/** Creates a lock whose holder is the principal of the request (LOCK-4), with the lease of the request (LOCK-18). */
export const createLock = (
  { principal }: Pick<RequestContext, 'principal'>,
  { id, reason, at, leaseSeconds }: LockRequest,
): Lock => ({
  id,
  kind: holderKind(principal),
  by: principal.id,
  name: principal.name,
  reason,
  at,
  ...(leaseSeconds !== undefined && { leaseSeconds, expiresAt: leaseEnd(at, leaseSeconds) }),
});

/** Computes the end of a lease that begins at a time, in milliseconds. */
export const leaseEnd = (at: number, leaseSeconds: number): number => at + leaseSeconds * 1_000;

/**
 * Plans the write that sets a lock on an unlocked workspace.
 *
 * The condition contains the fencing token of the image (LOCK-13). The absence of a lock is not enough: a request that
 * arrives after its own retry was granted and released would lock the workspace again, and no client would release
 * that lock.
 */
export const setLock = (image: Workspace, lock: Lock): Step => ({
  condition: all(ALIVE, absent('lock'), equals('fence', image.fence)),
  change: { set: { lock }, add: { fence: 1 } },
});

/**
 * Locks a workspace for the principal of the request (LOCK-1).
 *
 * `plan` throws a `DomainError`: 404 for a deleted workspace, 409 if the workspace is already locked (LOCK-3).
 * @param id id of the new lock. It identifies the lock when the request is repeated.
 * @param at time of the lock, in milliseconds.
 * @param leaseSeconds length of its lease (LOCK-18); without it, the lock never expires.
 * @example
 * const transition = lock(request, { id: newId('lock'), reason: 'Maintenance', at: clock() });
 * const locked = await workspaces.apply(workspace, transition, request);
 */
export const lock = (request: RequestContext, { id, ...draft }: LockRequest): Transition => ({
  type: 'workspace.locked',
  plan: (read) => {
    const image = requireAlive(read);
    if (image.lock) {
      throw conflict(
        `Unable to lock workspace. The workspace is already locked by ${describeHolder(image.lock)}.`,
        lockMeta(image.lock),
      );
    }
    if (image.released?.id === id) {
      throw conflict('Unable to lock workspace. The lock that this request took has been released since.');
    }
    return setLock(image, createLock(request, { id, ...draft }));
  },
  applied: (image) => image.lock?.id === id,
  counter: 'fence',
});
