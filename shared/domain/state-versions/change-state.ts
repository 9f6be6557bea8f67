import { absent, all, any, type Change, type Condition, differs, equals } from '../changes/conditions.ts';
import { ALIVE, alive, describe, holds, type RequestContext, type Transition } from '../changes/transitions.ts';
import { conflict, DomainError, StatePending, unavailable } from '../errors.ts';
import type { Lock, Workspace } from '../workspace/workspace-record.ts';
import { finalizedOf, type StateContent, type StateVersion } from './state-version.ts';

/** That it still is what it was when it was read: there, with that value, or not there. */
const asRead = (path: string, value: string | number | undefined): Condition =>
  value === undefined ? absent(path) : equals(path, value);

/** Whoever writes state holds the lock (STATE-2). */
const requireLock = ({ lock }: Workspace, principal: RequestContext['principal']): Lock => {
  if (!lock) throw conflict('This workspace is not locked and will only accept state uploads when locked');
  if (holds(lock, principal)) return lock;
  throw conflict(
    `This workspace is locked by ${describe(lock)} and will only accept state uploads from them while locked.`,
  );
};

const failed = (attribute: 'serial' | 'lineage', detail: string): DomainError =>
  new DomainError('precondition-failed', detail, { source: { pointer: `/data/attributes/${attribute}` } });

/** It has to follow the newest one that is finalized; the same one may be sent again. */
const requireSuccessor = (
  { serial, lineage, md5 }: Pick<Workspace, 'serial' | 'lineage' | 'md5'>,
  version: Pick<StateVersion, 'serial' | 'lineage' | 'md5'>,
): void => {
  if (lineage !== undefined && version.lineage !== null && version.lineage !== lineage) {
    throw failed('lineage', `Lineage is not that of the workspace's state, which is ${lineage}`);
  }
  if (serial === undefined || version.serial > serial) return;
  if (version.serial < serial) throw failed('serial', `Serial is below that of the workspace's state, ${serial}`);
  if (version.md5 !== md5) throw failed('serial', `Serial ${serial} is already that of another state`);
};

/**
 * Puts a state version in the place of the pending one. What it has to follow, and what it takes the place of, is
 * pinned as it was read.
 * @param force whether it may be any, whatever there was before.
 * @param looked the pending version whose content was looked for: what has arrived is not discarded.
 */
export const createStateVersion = (
  request: RequestContext,
  version: StateVersion,
  { force, looked }: { readonly force: boolean; readonly looked?: string | undefined },
): Transition => ({
  type: 'workspace.state-version-created',
  plan: (read) => {
    const image = alive(read);
    const held = requireLock(image, request.principal);
    const { pending, stateVersions, serial, lineage, md5 } = image;
    if (pending !== undefined && pending.id !== looked) {
      throw new StatePending(pending, unavailable('The latest state version is still pending. Try again shortly.'));
    }
    if (!force) requireSuccessor(image, version);
    const { id, createdAt: at, intermediate, until } = version;
    return {
      condition: all(
        ALIVE,
        equals('lock.id', held.id),
        asRead('pending.id', pending?.id),
        asRead('stateVersions', stateVersions),
        asRead('serial', serial),
        asRead('lineage', lineage),
        asRead('md5', md5),
      ),
      change: {
        set: {
          pending: { id, serial: version.serial, at, lock: held.id, intermediate, until },
          stateVersions: (stateVersions ?? 0) + 1,
        },
      },
      stateWrites: pending ? [{ kind: 'discard', id: pending.id, at: pending.at }] : [],
      stateVersion: { id, serial: version.serial, ...(pending && { supersedes: pending.id }) },
    };
  },
  applied: (image) => isKnown(image, version.id),
  counter: 'sequence',
});

const isFinalized = ({ intermediate, current }: Workspace, id: string): boolean =>
  intermediate?.id === id || current?.id === id;

const isKnown = (image: Workspace, id: string): boolean => image.pending?.id === id || isFinalized(image, id);

/** Another version has taken its place, or it is finalized already: its item says which. */
export class NotPending extends Error {
  override readonly name = 'NotPending';
}

/**
 * Makes a pending version what the workspace knows of its state, now that its content was read. While its lock is held
 * it waits for that to end; where that has ended without it, by force, it becomes the current one at once.
 * @throws NotPending
 */
export const finalizeStateVersion = (version: StateVersion, content: StateContent): Transition => ({
  type: 'workspace.state-version-finalized',
  plan: (read) => {
    const image = alive(read);
    const { pending, lock } = image;
    if (pending?.id !== version.id) throw new NotPending('The state version is no longer pending');
    const finalized = finalizedOf(version, content);
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
