import { absent, all, any, type Change, type Condition, differs, equals } from './conditions.ts';
import { conflict, DomainError, StatePending, unavailable } from './errors.ts';
import { finalizedOf, type StateContent, type StateVersion } from './state-versions.ts';
import { ALIVE, alive, describe, holds, type Request, type Transition } from './transitions.ts';
import type { Lock, Workspace } from './workspace.ts';

/** That it still is what it was when it was read: there, with that value, or not there. */
const asRead = (path: string, value: string | number | undefined): Condition =>
  value === undefined ? absent(path) : equals(path, value);

/** Whoever writes state holds the lock (contract 3.5). */
const demandLock = ({ lock }: Workspace, principal: Request['principal']): Lock => {
  if (!lock) throw conflict('This workspace is not locked and will only accept state uploads when locked');
  if (holds(lock, principal)) return lock;
  throw conflict(
    `This workspace is locked by ${describe(lock)} and will only accept state uploads from them while locked.`,
  );
};

const failed = (attribute: 'serial' | 'lineage', detail: string): DomainError =>
  new DomainError('precondition-failed', detail, { source: { pointer: `/data/attributes/${attribute}` } });

/** It has to follow the newest one that is finalized; the same one may be sent again. */
const demandSuccessor = (
  { serial, lineage, md5 }: Pick<Workspace, 'serial' | 'lineage' | 'md5'>,
  version: Successor,
): void => {
  if (lineage !== undefined && version.lineage !== null && version.lineage !== lineage) {
    throw failed('lineage', `Lineage is not that of the workspace's state, which is ${lineage}`);
  }
  if (serial === undefined || version.serial > serial) return;
  if (version.serial < serial) throw failed('serial', `Serial is below that of the workspace's state, ${serial}`);
  if (version.md5 !== md5) throw failed('serial', `Serial ${serial} is already that of another state`);
};

/** What a new version says of itself, and whether it may be any, whatever there was before. */
type Successor = Pick<StateVersion, 'serial' | 'lineage' | 'md5'>;

const demandNext = (image: Workspace, { principal }: Request, version: Successor, force: boolean): Lock => {
  const held = demandLock(image, principal);
  if (!force) demandSuccessor(image, version);
  return held;
};

/** Creates a state version that waits for its content. What it has to follow is pinned as it was read. */
export const createStateVersion = (request: Request, version: StateVersion, force: boolean): Transition => ({
  type: 'workspace.state-version-created',
  plan: (read) => {
    const image = alive(read);
    const held = demandNext(image, request, version, force);
    const { pending, stateVersions, serial, lineage, md5 } = image;
    if (pending !== undefined) {
      throw new StatePending(pending, unavailable('The latest state version is still pending. Try again shortly.'));
    }
    const { id, createdAt: at, intermediate, until } = version;
    return {
      condition: all(
        ALIVE,
        equals('lock.id', held.id),
        absent('pending'),
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
      stateVersion: { id, serial: version.serial },
    };
  },
  applied: (image) => isKnown(image, version.id),
  counter: 'sequence',
});

/**
 * Gives a pending version up, whose content was looked for and has not come: for a newer one, that could take its place.
 * @throws NotPending
 */
export const discardStateVersion = (request: Request, id: string, newer: Successor, force: boolean): Transition => ({
  type: 'workspace.state-version-discarded',
  plan: (read) => {
    const image = alive(read);
    const held = demandNext(image, request, newer, force);
    const { pending } = image;
    if (pending?.id !== id) throw new NotPending('The state version is no longer pending');
    return {
      condition: all(ALIVE, equals('lock.id', held.id), equals('pending.id', id)),
      change: { remove: ['pending'] },
      stateWrites: [{ kind: 'discard', id, at: pending.at }],
      stateVersion: { id, serial: pending.serial },
    };
  },
  applied: ({ change }) => change.request === request.id && change.type === 'workspace.state-version-discarded',
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
