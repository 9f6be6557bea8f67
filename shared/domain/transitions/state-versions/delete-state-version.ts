import { all, differs, equals } from '../../changes/conditions.ts';
import { conflict } from '../../errors.ts';
import { type RetentionPolicy, retainedFrom } from '../../state-versions/retention-policy.ts';
import type { StateVersion } from '../../state-versions/state-version.ts';
import type { Workspace } from '../../workspace/workspace-record.ts';
import { ALIVE, type RequestContext, requireAlive, type Transition } from '../transition.ts';

/** Tells whether a state version is the current one, or may become it: the pending or the intermediate one. */
export const isNeeded = ({ current, intermediate, pending }: Workspace, id: string): boolean =>
  [current, intermediate, pending].some((version) => version?.id === id);

/**
 * Deletes a state version that the data retention policy does not keep (RET-7). `plan` throws a 409 error if the version
 * is needed, or if the policy keeps it.
 */
export const deleteStateVersion = (
  request: RequestContext,
  { id, serial, createdAt }: Pick<StateVersion, 'id' | 'serial' | 'createdAt'>,
  organizationDefault: RetentionPolicy | undefined,
  now: number,
): Transition => ({
  type: 'workspace.state-version-deleted',
  plan: (read) => {
    const image = requireAlive(read);
    const from = retainedFrom(image, organizationDefault, now);
    if (from === undefined || createdAt >= from || isNeeded(image, id)) {
      throw conflict('The state version is needed, or the data retention policy keeps it.');
    }
    return {
      condition: all(
        ALIVE,
        // A change of the workspace's policy increments the revision.
        equals('revision', image.revision),
        ...['current.id', 'intermediate.id', 'pending.id'].map((path) => differs(path, id)),
      ),
      change: { add: { stateVersions: -1 } },
      stateVersion: { id, serial },
    };
  },
  applied: ({ change }) => change.request === request.id,
});
