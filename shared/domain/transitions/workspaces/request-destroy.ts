import { conflict } from '../../errors.ts';
import { computeDueTime } from '../../workspace/auto-destroy.ts';
import { ALIVE, type RequestContext, requireAlive, type Transition } from '../transition.ts';

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
