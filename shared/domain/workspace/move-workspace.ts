import { all, equals, merge } from '../changes/conditions.ts';
import { ALIVE, type RequestContext, type Transition } from '../changes/transitions.ts';
import type { Inactivity } from '../directory/records.ts';
import { notFound, unavailable } from '../errors.ts';
import { inactivityChange } from './auto-destroy.ts';
import { isAlive } from './workspace-record.ts';

/**
 * Moves a workspace from the project that the caller's rights were found in to another, and changes nothing else of
 * it: what it inherits is then the other's (WS-28).
 */
export const move = (
  request: RequestContext,
  from: string,
  { id: to, inactivity }: { readonly id: string; readonly inactivity: Inactivity | undefined },
  at: number,
): Transition => ({
  type: 'workspace.moved',
  plan: (image) => {
    if (!isAlive(image)) throw notFound();
    if (image.project !== from) throw unavailable('The workspace is being moved. Try again shortly.');
    return {
      condition: all(ALIVE, equals('revision', image.revision)),
      change: merge(
        { set: { project: to, updatedAt: at, revision: image.revision + 1 } },
        // Inactivity counts from the move on: nobody has asked for it before.
        inactivityChange(image, inactivity, image.settings.inheritsProjectAutoDestroy ? at : undefined),
      ),
      claims: [{ kind: 'take', name: image.name, project: to }],
      keys: ['project'],
      previous: { project: from },
    };
  },
  applied: (image) => image.change.request === request.id && image.change.type === 'workspace.moved',
  counter: 'revision',
});
