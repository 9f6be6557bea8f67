import { absent, all, any, below, differs, equals, merge } from '../../changes/conditions.ts';
import { conflict, StatePending, unavailable } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { isGivenUp } from '../../state-versions/state-version.ts';
import type { Lock, Workspace } from '../../workspace/workspace-record.ts';
import { ALIVE, type RequestContext, requireAlive, type Step, type Transition } from '../transition.ts';
import { describeExpiry, describeHolder, isHeldBy, lockMeta } from './lock.ts';

/** Plans the promotion of the newest finalized intermediate state version to the current one (LOCK-8). */
export const promote = ({
  intermediate,
}: Workspace): Pick<Step, 'condition' | 'change'> & { stateVersion?: { id: string; serial: number } } =>
  intermediate
    ? {
        condition: equals('intermediate.id', intermediate.id),
        change: { set: { current: intermediate, latestChangeAt: intermediate.at }, remove: ['intermediate'] },
        stateVersion: { id: intermediate.id, serial: intermediate.serial },
      }
    : { condition: absent('intermediate'), change: {} };

/**
 * Plans the write that ends this lock, and never the lock of the next holder (LOCK-14).
 * @param request id of the request that releases the lock; absent if its lease has expired.
 */
export const endLock = (image: Workspace, { id, kind, by, name }: Lock, request?: string) => {
  const { condition, change, ...promoted } = promote(image);
  return {
    ...promoted,
    condition: all(ALIVE, equals('lock.id', id), condition),
    change: merge(change, {
      set: { released: { id, ...(request !== undefined && { request }) } },
      add: { fence: 1 },
      remove: ['lock'],
    }),
    released: { id, kind, by, name },
  };
};

const isReleasedBy =
  (request: RequestContext) =>
  (image: Workspace): boolean =>
    image.released?.request === request.id;

/**
 * Unlocks a workspace. Only the holder of the lock may do this (LOCK-6), and not while the newest state version that was
 * created under the lock waits for its content (LOCK-9).
 *
 * `plan` throws a `DomainError`: 404 for a deleted workspace, 409 if it is not locked or locked by another principal,
 * and `StatePending` (503) while a state version waits for its content.
 * @param at time of the request, in milliseconds.
 * @param checkedId id of the pending state version whose content this request has already looked for.
 * @example
 * const transition = unlock(request, clock());
 * const unlocked = await workspaces.apply(workspace, transition, request);
 */
export const unlock = (request: RequestContext, at: number, checkedId?: string): Transition => ({
  type: 'workspace.unlocked',
  plan: (read) => {
    const image = requireAlive(read);
    const held = image.lock;
    if (!held) throw conflict(`Unable to unlock workspace. The workspace is not locked.${describeExpiry(image)}`);
    if (!isHeldBy(held, request.principal)) {
      throw conflict(
        `Unable to unlock workspace. The workspace is locked by ${describeHolder(held)} and may not be unlocked except by them.`,
        lockMeta(held),
      );
    }
    const { pending } = image;
    if (pending?.lock === held.id && !isGivenUp(pending, at, checkedId)) {
      const rejection = unavailable(
        `Unable to unlock workspace: its latest state version is still pending. Upload its content and try again, or force unlock. Content is discarded if its MD5 is not the one that was announced, or if it is larger than ${limits.state / 1_048_576} MiB.`,
      );
      throw new StatePending(pending, rejection);
    }
    const step = endLock(image, held, request.id);
    return {
      ...step,
      condition: all(
        step.condition,
        any(absent('pending'), differs('pending.lock', held.id), below('pending.until', at)),
      ),
    };
  },
  applied: isReleasedBy(request),
  counter: 'fence',
});

/**
 * Removes the lock of any holder, regardless of pending state versions (LOCK-10).
 *
 * `plan` throws a `DomainError`: 404 for a deleted workspace, 409 if it is not locked.
 * @param reason why the lock is taken away, for the change record; empty if the request gives none.
 */
export const forceUnlock = (request: RequestContext, reason = ''): Transition => ({
  type: 'workspace.force-unlocked',
  plan: (read) => {
    const image = requireAlive(read);
    if (!image.lock) {
      throw conflict(`Unable to force unlock workspace. The workspace is not locked.${describeExpiry(image)}`);
    }
    return { ...endLock(image, image.lock, request.id), ...(reason !== '' && { reason }) };
  },
  applied: isReleasedBy(request),
  counter: 'fence',
});
