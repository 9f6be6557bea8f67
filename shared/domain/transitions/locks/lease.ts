import {
  all,
  applyChange,
  atLeast,
  below,
  type Condition,
  compose,
  equals,
  satisfies,
} from '../../changes/conditions.ts';
import { toImage, type Workspace } from '../../workspace/workspace-record.ts';
import type { Step } from '../transition.ts';
import { endLock } from './unlock.ts';

/**
 * Leases of locks (LOCK-20). An expired lease ends without a write: every read shows the workspace without the lock, and the
 * first write after that also records the end. So no transition but the renewal needs to know about leases.
 */

/**
 * Returns the state of a workspace at a time. A lock whose lease has expired counts as force-unlocked.
 * @param workspace the stored workspace.
 * @param now time in milliseconds.
 * @returns the workspace itself, or, after an expiry, the workspace without the lock, with the stored one as `stored`.
 */
export const atTime = (workspace: Workspace, now: number): Workspace => {
  const { lock, deletedAt } = workspace;
  if (lock?.expiresAt === undefined || lock.expiresAt >= now || deletedAt !== undefined) return workspace;
  const { change } = endLock(workspace, lock);
  return { ...applyChange(change, workspace), stored: workspace };
};

/** Tells whether a condition requires the lock with this id. */
const requiresLock = (condition: Condition, id: string): boolean =>
  'of' in condition
    ? condition.of.some((part) => requiresLock(part, id))
    : condition.kind === 'equals' && condition.path === 'lock.id' && condition.value === id;

/**
 * Evaluates the parts of a condition whose attributes are known, because other conditions pin them.
 * @param isKnown tells whether an attribute is known, by the first part of its path.
 */
const evaluateKnown = (
  condition: Condition,
  image: Workspace,
  isKnown: (attribute: string | undefined) => boolean,
): Condition | boolean => {
  if (!('of' in condition)) {
    return isKnown(condition.path.split('.')[0]) ? satisfies(condition, toImage(image)) : condition;
  }
  const { kind } = condition;
  const parts = condition.of.map((part) => evaluateKnown(part, image, isKnown));
  const decisive = kind === 'any';
  if (parts.includes(decisive)) return decisive;
  const open = parts.filter((part) => typeof part === 'object');
  return open.length === 0 ? !decisive : { kind, of: open };
};

/**
 * Adds to a step what the lease of the lock requires.
 *
 * A step that needs the lock also needs the lease to last: its condition compares the stored end with the clock of the
 * request. A step on a workspace whose lease has expired also ends the lock. Its condition then pins the expired lock, the
 * fencing token and the intermediate state version, and compares the stored end with the clock.
 * @param step the step as it was planned from `image`.
 * @param image a workspace that `atTime` returned for this time.
 * @param now time of the write, in milliseconds.
 * @returns a step for the stored workspace.
 */
export const withLease = (step: Step, image: Workspace, now: number): Step => {
  const { stored = image } = image;
  const { lock } = stored;
  if (lock?.expiresAt === undefined || step.isUnneeded) return step;
  if (stored === image) {
    if (!requiresLock(step.condition, lock.id)) return step;
    return { ...step, condition: all(step.condition, atLeast('lock.expiresAt', now)) };
  }
  const { condition, change, released, stateVersion } = endLock(stored, lock);
  const changed = new Set([...Object.keys({ ...change.set, ...change.add }), ...(change.remove ?? []), 'intermediate']);
  const open = evaluateKnown(step.condition, image, (attribute = '') => changed.has(attribute));
  return {
    ...step,
    condition: all(
      typeof open === 'object' ? open : { kind: open ? 'all' : 'any', of: [] },
      condition,
      equals('fence', stored.fence),
      below('lock.expiresAt', now),
    ),
    change: compose(change, step.change),
    expiredLock: { ...released, expiresAt: lock.expiresAt, ...(stateVersion && { stateVersion }) },
  };
};
