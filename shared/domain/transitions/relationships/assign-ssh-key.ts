import { all, equals } from '../../changes/conditions.ts';
import { ALIVE, type RequestContext, repeatableTransition, requireAlive, type Transition } from '../transition.ts';

/**
 * Assigns an SSH key to the workspace, or removes it (SSH-1). The key is a setting, so the transition increments the
 * revision, and a late write has no effect.
 * @param key id of the key; null for none.
 */
export const assignSshKey = (request: RequestContext, key: string | null, at: number): Transition => ({
  type: 'workspace.updated',
  plan: (read) => {
    const image = requireAlive(read);
    return {
      condition: all(ALIVE, equals('revision', image.revision)),
      change: { set: { sshKey: key, updatedAt: at }, add: { revision: 1 } },
      keys: ['ssh-key'],
    };
  },
  applied: (image) => image.change.request === request.id && image.change.type === 'workspace.updated',
  counter: 'revision',
});

/** Removes a deleted SSH key from the workspace, unless another key has been assigned since. */
export const unassignSshKey = (key: string): Transition =>
  repeatableTransition(
    'workspace.updated',
    ({ sshKey }) => sshKey !== key,
    () => ({
      condition: equals('sshKey', key),
      change: { set: { sshKey: null }, add: { revision: 1 } },
      keys: ['ssh-key'],
    }),
  );
