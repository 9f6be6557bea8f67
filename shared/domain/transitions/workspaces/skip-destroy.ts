import { computeDueTime } from '../../workspace/auto-destroy.ts';
import type { Workspace } from '../../workspace/workspace-record.ts';
import { repeatableTransition } from '../repeatable-transition.ts';
import type { Transition } from '../transition.ts';

const isDue = (image: Workspace, now: number): boolean => (computeDueTime(image) ?? Number.POSITIVE_INFINITY) <= now;

/**
 * Lets the destroy run that is due count as requested, without an event that requests it (DESTROY-9).
 * @param now present time in milliseconds since the epoch.
 */
export const skipDestroy = (now: number): Transition =>
  repeatableTransition(
    'workspace.updated',
    (image) => !isDue(image, now),
    (image) => {
      const due = computeDueTime(image);
      return isDue(image, now) && due !== undefined
        ? { change: { set: { destroyRequested: due } }, due, keys: ['autoDestroyAt'] }
        : { isUnneeded: true, change: {} };
    },
  );
