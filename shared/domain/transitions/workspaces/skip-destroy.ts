import { computeDueTime } from '../../workspace/auto-destroy.ts';
import type { Workspace } from '../../workspace/workspace-record.ts';
import { repeatableTransition } from '../repeatable-transition.ts';
import type { Transition } from '../transition.ts';

/** Returns the due time of a destroy run that is due; undefined if none is. */
const passedDueTime = (image: Workspace, now: number): number | undefined => {
  const due = computeDueTime(image);
  return due !== undefined && due <= now ? due : undefined;
};

/**
 * Lets the destroy run that is due count as requested, without an event that requests it (DESTROY-9).
 * @param now present time in milliseconds since the epoch.
 */
export const skipDestroy = (now: number): Transition =>
  repeatableTransition(
    'workspace.updated',
    (image) => passedDueTime(image, now) === undefined,
    (image) => {
      const due = passedDueTime(image, now);
      return due === undefined
        ? { isUnneeded: true, change: {} }
        : { change: { set: { destroyRequested: due } }, due, keys: ['autoDestroyAt'] };
    },
  );
