import { all, equals } from '../changes/conditions.ts';
import { ALIVE, type RequestContext, type Transition } from '../changes/transitions.ts';
import { notFound } from '../errors.ts';
import { isAlive } from './workspace-record.ts';

/**
 * Gives the workspace a key, another one, or none (SSH-1). It changes a setting, so it raises the revision as an
 * update does, and a write that arrives late finds that its moment has passed.
 */
export const assignSshKey = (request: RequestContext, key: string | null, at: number): Transition => ({
  type: 'workspace.updated',
  plan: (image) => {
    if (!isAlive(image)) throw notFound();
    return {
      condition: all(ALIVE, equals('revision', image.revision)),
      change: { set: { sshKey: key, updatedAt: at }, add: { revision: 1 } },
      keys: ['ssh-key'],
    };
  },
  applied: (image) => image.change.request === request.id && image.change.type === 'workspace.updated',
  counter: 'revision',
});
