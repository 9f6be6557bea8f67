import { all, equals, unchanged } from '../../changes/conditions.ts';
import { conflict, DomainError, StatePending, unavailable } from '../../errors.ts';
import type { StateVersion } from '../../state-versions/state-version.ts';
import type { Lock, Workspace } from '../../workspace/workspace-record.ts';
import { describeHolder, isHeldBy, lockMeta } from '../locks/lock.ts';
import { ALIVE, type RequestContext, requireAlive, type Transition } from '../transition.ts';
import { isFinalized } from './finalize-state-version.ts';

const requireLock = ({ lock }: Workspace, principal: RequestContext['principal']): Lock => {
  if (!lock) throw conflict('This workspace is not locked and will only accept state uploads when locked');
  if (isHeldBy(lock, principal)) return lock;
  throw conflict(
    `This workspace is locked by ${describeHolder(lock)} and will only accept state uploads from them while locked.`,
    lockMeta(lock),
  );
};

const preconditionFailed = (attribute: 'serial' | 'lineage', detail: string): DomainError =>
  new DomainError('precondition-failed', detail, { source: { pointer: `/data/attributes/${attribute}` } });

/** Requires that a version follows the newest finalized one; the same state may be sent again (STATE-3). */
const requireSuccessor = (
  { serial, lineage, md5 }: Pick<Workspace, 'serial' | 'lineage' | 'md5'>,
  version: Pick<StateVersion, 'serial' | 'lineage' | 'md5'>,
): void => {
  if (lineage !== undefined && version.lineage !== null && version.lineage !== lineage) {
    throw preconditionFailed('lineage', `Lineage must be ${lineage}, the lineage of the workspace's state`);
  }
  if (serial === undefined || version.serial > serial) return;
  if (version.serial < serial) {
    throw preconditionFailed('serial', `Serial must not be lower than ${serial}, the serial of the workspace's state`);
  }
  if (version.md5 !== md5) throw preconditionFailed('serial', `Serial ${serial} already belongs to another state`);
};

/**
 * Creates a state version and makes it the pending one. A version that was pending is discarded (STATE-4).
 *
 * `plan` throws a `DomainError`: 404 for a deleted workspace, 409 without the lock (STATE-2), 412 for a version that does
 * not follow the newest one (STATE-3), and `StatePending` for a pending version whose content was not looked for yet.
 * @param options.force skips the check that the version follows the newest one.
 * @param options.checkedId id of the pending version whose content was looked for. Content that has arrived is never
 * discarded.
 */
export const createStateVersion = (
  request: RequestContext,
  version: StateVersion,
  { force, checkedId }: { readonly force: boolean; readonly checkedId?: string | undefined },
): Transition => ({
  type: 'workspace.state-version-created',
  plan: (read) => {
    const image = requireAlive(read);
    const held = requireLock(image, request.principal);
    const { pending, stateVersions, serial, lineage, md5 } = image;
    if (pending !== undefined && pending.id !== checkedId) {
      throw new StatePending(pending, unavailable('The latest state version is still pending. Try again shortly.'));
    }
    if (!force) requireSuccessor(image, version);
    const { id, createdAt: at, intermediate, until, importedFrom, rolledBackTo } = version;
    return {
      condition: all(
        ALIVE,
        equals('lock.id', held.id),
        unchanged('pending.id', pending?.id),
        unchanged('stateVersions', stateVersions),
        unchanged('serial', serial),
        unchanged('lineage', lineage),
        unchanged('md5', md5),
      ),
      change: {
        set: {
          pending: { id, serial: version.serial, at, lock: held.id, intermediate, until },
          stateVersions: (stateVersions ?? 0) + 1,
        },
      },
      stateWrites: pending ? [{ kind: 'discard', id: pending.id, at: pending.at }] : [],
      stateVersion: {
        id,
        serial: version.serial,
        ...(pending && { supersedes: pending.id }),
        ...(importedFrom && { importedFrom }),
        ...(rolledBackTo && { rolledBackTo }),
      },
    };
  },
  applied: (image) => image.pending?.id === version.id || isFinalized(image, version.id),
  counter: 'sequence',
});
