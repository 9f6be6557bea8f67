import type { Principal, Service } from '../directory/records.ts';
import { conflict, type DomainError, invalid, notFound, StatePending, unavailable } from '../errors.ts';
import type { ConsumersWrite } from '../remote-state-consumers/consumer-set.ts';
import type { StateVersionWrite } from '../state-versions/state-version.ts';
import { isAlive, type Lock, type PendingStateVersion, type Workspace } from '../workspace/workspace-record.ts';
import { type ChangeRecord, type ChangeType, type Details, detailsOf } from './change-records.ts';
import { absent, all, any, below, type Change, type Condition, differs, equals, exists, merge } from './conditions.ts';

/**
 * A transition of a workspace (STORE-2) as a value. `plan` looks at an image of the workspace and either refuses, or
 * says which one conditional write would make the change. When that write's condition fails, the image that refused it
 * is planned again: so what a failure means is said once, and a read may refuse but only a condition may grant.
 */
export interface Transition {
  readonly type: ChangeType;
  /** @throws DomainError when the image rules the transition out. */
  readonly plan: (image: Workspace | undefined) => Step;
  /** Whether the image shows that this very request was already applied, its answer having been lost. */
  readonly applied: (image: Workspace) => boolean;
  /**
   * The counter that it raises, where making it twice would not be making it once. If others have raised it too since a
   * write that was not answered, that write may have been applied and undone, and nothing can be claimed any more.
   */
  readonly counter?: 'fence' | 'revision' | 'sequence';
}

/** One conditional write, with what its change record says of it. */
export interface Step extends Details {
  readonly condition: Condition;
  readonly change: Change;
  /** Writes on the name's claim, in one transaction with the workspace's. */
  readonly claims?: readonly ClaimWrite[];
  /** Writes on the ids of teams' access, likewise. */
  readonly accessIds?: readonly AccessIdWrite[];
  /** Writes on the chunks of its consumers, in the same transaction. */
  readonly chunks?: ConsumersWrite;
  /** Writes on its state versions, likewise. */
  readonly stateWrites?: readonly StateVersionWrite[];
  /** The workspace was used: where inactivity counts, it counts from now on anew. */
  readonly isActivity?: boolean;
  /** What hangs on the workspace is to be deleted: it is noted where the cleanup looks, in the same write. */
  readonly leavesDependants?: boolean;
}

/** A name is taken by an item of its own, for one workspace; only that workspace may change or give up its claim. */
export interface ClaimWrite {
  readonly kind: 'take' | 'give-up';
  readonly name: string;
  readonly project: string;
}

/** That a team has access is written on the workspace; the id of that leads there by an item of its own. */
export interface AccessIdWrite {
  readonly kind: 'put' | 'delete';
  readonly team: string;
}

export interface RequestContext {
  readonly id: string;
  readonly principal: Principal | Service;
}

/** What a change leaves on the workspace for those who follow it; `id` tells it from the change before. */
export const recordChange = (
  id: string,
  type: ChangeType,
  { id: request, principal }: RequestContext,
  at: number,
  details: Details = {},
): ChangeRecord => ({
  id,
  type,
  actor: { kind: principal.kind, id: principal.id },
  at,
  request,
  ...detailsOf(details),
});

export const ALIVE = all(exists('pk'), absent('gone'));

export const claimCondition = (kind: ClaimWrite['kind'], workspace: string): Condition =>
  kind === 'take' ? any(absent('pk'), equals('workspace', workspace)) : equals('workspace', workspace);

export const nameTaken = (): DomainError => invalid('name', 'Name has already been taken');

export const alive = (image: Workspace | undefined): Workspace => {
  if (!isAlive(image)) throw notFound();
  return image;
};

/** The same for as long as the workspace has the name that the path gave; renamed, it is not there under it. */
export const whileNamed = (name: string | undefined, transition: Transition): Transition =>
  name === undefined
    ? transition
    : {
        ...transition,
        plan: (image) => {
          if (image?.name !== name) throw notFound();
          return transition.plan(image);
        },
      };

export const describe = ({ kind, by, name }: Lock): string => `${kind} ${kind === 'User' ? name : by}`;

const holderKind = ({ kind }: RequestContext['principal']): Lock['kind'] =>
  kind === 'team' ? 'Team' : kind === 'run' ? 'Run' : 'User';

/** Whether a lock is held by somebody. */
export const holds = (lock: Lock, principal: RequestContext['principal']): boolean =>
  lock.by === principal.id && lock.kind === holderKind(principal);

/** Who holds a lock is who asks for it. */
export const lockOf = (
  { principal }: Pick<RequestContext, 'principal'>,
  { id, reason, at }: Pick<Lock, 'id' | 'reason' | 'at'>,
): Lock => ({ id, kind: holderKind(principal), by: principal.id, name: principal.name, reason, at });

/** Puts a lock on a workspace that has none. */
export const grant = (image: Workspace, held: Lock): Step => ({
  condition: all(ALIVE, absent('lock'), equals('fence', image.fence)),
  change: { set: { lock: held }, add: { fence: 1 } },
});

/**
 * Takes the lock. The fence says that nothing was locked or unlocked since the image was read: with the lock's absence
 * alone, a request that arrives after its own retry was granted and released would lock again, for nobody.
 */
export const lock = (request: RequestContext, { id, reason, at }: Pick<Lock, 'id' | 'reason' | 'at'>): Transition => ({
  type: 'workspace.locked',
  plan: (read) => {
    const image = alive(read);
    if (image.lock) {
      throw conflict(`Unable to lock workspace. The workspace is already locked by ${describe(image.lock)}.`);
    }
    if (image.released?.id === id) {
      throw conflict('Unable to lock workspace. The lock that this request took has been released since.');
    }
    return grant(image, lockOf(request, { id, reason, at }));
  },
  applied: (image) => image.lock?.id === id,
  counter: 'fence',
});

/** The newest finalized intermediate state version becomes the current one. */
const promote = ({ intermediate }: Workspace): Pick<Step, 'condition' | 'change' | 'stateVersion'> =>
  intermediate
    ? {
        condition: equals('intermediate.id', intermediate.id),
        change: { set: { current: intermediate, latestChangeAt: intermediate.at }, remove: ['intermediate'] },
        stateVersion: { id: intermediate.id, serial: intermediate.serial },
      }
    : { condition: absent('intermediate'), change: {} };

/** Takes a lock off, which must still be the one that was seen. */
export const release = (image: Workspace, held: Lock, request: RequestContext): Step => {
  const { condition, change, ...promoted } = promote(image);
  return {
    ...promoted,
    condition: all(ALIVE, equals('lock.id', held.id), condition),
    change: merge(change, {
      set: { released: { id: held.id, request: request.id } },
      add: { fence: 1 },
      remove: ['lock'],
    }),
  };
};

const releasedBy =
  (request: RequestContext) =>
  (image: Workspace): boolean =>
    image.released?.request === request.id;

/** Content is no longer waited for, and none was there when somebody looked. */
const isGivenUp = ({ id, until }: PendingStateVersion, at: number, looked: string | undefined): boolean =>
  until < at && id === looked;

/**
 * Gives the lock back; only its holder may, and not while the newest state version of that lock has no content.
 * @param looked the state version whose content was looked for: only then is it accepted that none came in time.
 */
export const unlock = (request: RequestContext, at: number, looked?: string): Transition => ({
  type: 'workspace.unlocked',
  plan: (read) => {
    const image = alive(read);
    const held = image.lock;
    if (!held) throw conflict('Unable to unlock workspace. The workspace is not locked.');
    if (!holds(held, request.principal)) {
      throw conflict(
        `Unable to unlock workspace. The workspace is locked by ${describe(held)} and may not be unlocked except by them.`,
      );
    }
    const { pending } = image;
    if (pending?.lock === held.id && !isGivenUp(pending, at, looked)) {
      const refusal = unavailable(
        'Unable to unlock workspace: its latest state version is still pending. Upload its content and try again, or force unlock.',
      );
      throw new StatePending(pending, refusal);
    }
    const step = release(image, held, request);
    return {
      ...step,
      condition: all(
        step.condition,
        any(absent('pending'), differs('pending.lock', held.id), below('pending.until', at)),
      ),
    };
  },
  applied: releasedBy(request),
  counter: 'fence',
});

/** Takes the lock away from whoever holds it; the lock that was seen, never the next holder's. */
export const forceUnlock = (request: RequestContext): Transition => ({
  type: 'workspace.force-unlocked',
  plan: (read) => {
    const image = alive(read);
    if (!image.lock) throw conflict('Unable to force unlock workspace. The workspace is not locked.');
    return release(image, image.lock, request);
  },
  applied: releasedBy(request),
  counter: 'fence',
});

/** Tombstones are kept for longer than any reader of the list index may lag behind. */
export const TOMBSTONE_SECONDS = 7 * 24 * 60 * 60;

/** Attributes that tell of items beside the workspace's own, which its deletion leaves to the cleanup. */
const dependants = ['hasVariables', 'consumers', 'run', 'hasConfigurations', 'stateVersions'] as const;

const writeTombstone = (image: Workspace, condition: Condition, at: number, forced: boolean): Step => {
  const leaves = dependants.some((attribute) => image[attribute] !== undefined);
  // Of a workspace that seems to have none, none may come into being before it is deleted.
  const asSeen = leaves ? all() : all(...dependants.map(absent));
  // Grants stay on the tombstone, to tell which ids led to them; lists show them, so none can come unseen either.
  const leavesDependants = leaves || Object.keys(image.access).length > 0;
  return {
    condition: all(ALIVE, equals('name', image.name), asSeen, condition),
    change: { set: { gone: at, ttl: Math.ceil(at / 1000) + TOMBSTONE_SECONDS } },
    claims: [{ kind: 'give-up', name: image.name, project: image.project }],
    leavesDependants,
    forced,
  };
};

const deletedBy =
  (request: RequestContext) =>
  (image: Workspace): boolean =>
    image.gone !== undefined && image.change.request === request.id;

/**
 * Deletes a workspace that manages nothing: unlocked, no state being processed, no resources, all in one condition.
 * @param looked the state version whose content was looked for, as in `unlock`.
 */
export const safeDelete = (request: RequestContext, at: number, looked?: string): Transition => ({
  type: 'workspace.deleted',
  plan: (read) => {
    const image = alive(read);
    if (image.lock) {
      throw conflict('Workspace is currently locked. Workspace must be unlocked before it can be safely deleted.');
    }
    const processing = conflict(
      'The latest state of the workspace is being processed to discover resources. Try again later.',
    );
    const { pending } = image;
    if (pending && !isGivenUp(pending, at, looked)) throw new StatePending(pending, processing);
    if (image.intermediate) throw processing;
    if (image.current && image.current.resources < 0) {
      throw conflict(
        'The current state cannot be read, so the workspace may manage resources. Force delete the workspace.',
      );
    }
    if (image.current && image.current.resources !== 0) {
      throw conflict('The workspace still manages resources. Destroy them first, or force delete the workspace.');
    }
    return writeTombstone(
      image,
      all(
        absent('lock'),
        absent('intermediate'),
        any(absent('pending'), below('pending.until', at)),
        any(absent('current.resources'), equals('current.resources', 0)),
      ),
      at,
      false,
    );
  },
  applied: deletedBy(request),
});

/** Deletes a workspace, whatever it manages and whoever holds it. */
export const forceDelete = (request: RequestContext, at: number): Transition => ({
  type: 'workspace.deleted',
  plan: (read) => writeTombstone(alive(read), all(), at, true),
  applied: deletedBy(request),
});
