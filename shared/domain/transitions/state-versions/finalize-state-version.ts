import { all, any, type Change, type Condition, differs, equals } from '../../changes/conditions.ts';
import { type StateContent, type StateVersion, toFinalizedStateVersion } from '../../state-versions/state-version.ts';
import type { Workspace } from '../../workspace/workspace-record.ts';
import { ALIVE, requireAlive, type Transition } from '../transition.ts';

/** Tells whether a workspace knows a state version as finalized: as the intermediate or the current one. */
export const isFinalized = ({ intermediate, current }: Workspace, id: string): boolean =>
  intermediate?.id === id || current?.id === id;

/** Thrown if a state version is not pending: it was replaced, or it is already finalized. Its item tells which. */
export class NotPending extends Error {
  override readonly name = 'NotPending';
}

/**
 * Finalizes a pending state version whose content has been read (STATE-8). An intermediate version waits for the end of
 * its lock. If that lock has already ended by force, the version becomes the current one at once (LOCK-11).
 *
 * `plan` throws `NotPending`, or a `DomainError` 404 for a deleted workspace.
 */
export const finalizeStateVersion = (version: StateVersion, content: StateContent): Transition => ({
  type: 'workspace.state-version-finalized',
  plan: (read) => {
    const image = requireAlive(read);
    const { pending, lock } = image;
    if (pending?.id !== version.id) throw new NotPending('The state version is no longer pending');
    const finalized = toFinalizedStateVersion(version, content);
    const { id, serial, createdAt: at, lineage, md5 } = version;
    const waits = pending.intermediate && lock?.id === pending.lock;
    const role: { condition: Condition; change: Change } = waits
      ? {
          condition: equals('lock.id', pending.lock),
          change: { set: { intermediate: finalized }, remove: ['pending'] },
        }
      : {
          condition: any(equals('pending.intermediate', false), differs('lock.id', pending.lock)),
          change: { set: { current: finalized, latestChangeAt: at }, remove: ['pending', 'intermediate'] },
        };
    return {
      condition: all(ALIVE, equals('pending.id', id), role.condition),
      change: { ...role.change, set: { ...role.change.set, serial, md5, ...(lineage !== null && { lineage }) } },
      stateWrites: [{ kind: 'finalize', id, at, lineage, content }],
      stateVersion: { id, serial },
      isActivity: true,
    };
  },
  applied: (image) => isFinalized(image, version.id),
});
