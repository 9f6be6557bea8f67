import { conflict } from '../../errors.ts';
import { computeDueTime } from '../../workspace/auto-destroy.ts';
import type { Workspace } from '../../workspace/workspace-record.ts';
import { ALIVE, type RequestContext, repeatableTransition, requireAlive, type Transition } from '../transition.ts';

/**
 * Requests the destroy run that is due, once (DESTROY-5). The store pins the due time in the same write, so a concurrent
 * request, or a change of the due time, makes this write fail. `plan` throws a 409 error if no run is due.
 */
export const requestDestroy = (request: RequestContext, now: number): Transition => ({
  type: 'workspace.destroy-requested',
  plan: (read) => {
    const due = computeDueTime(requireAlive(read));
    if (due === undefined || due > now) throw conflict('No destroy run of the workspace is due.');
    return { condition: ALIVE, change: { set: { destroyRequested: due } }, due };
  },
  applied: ({ change }) => change.request === request.id,
});

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
