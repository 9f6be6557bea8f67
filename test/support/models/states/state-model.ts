import { applyChange, satisfies } from '../../../../shared/domain/changes/conditions.ts';
import { DomainError, StatePending } from '../../../../shared/domain/errors.ts';
import type { StateContent, StateVersion } from '../../../../shared/domain/state-versions/state-version.ts';
import { atTime, withLease } from '../../../../shared/domain/transitions/locks/lease.ts';
import { lock } from '../../../../shared/domain/transitions/locks/lock.ts';
import { renewLock } from '../../../../shared/domain/transitions/locks/renew-lock.ts';
import { forceUnlock, unlock } from '../../../../shared/domain/transitions/locks/unlock.ts';
import { createStateVersion } from '../../../../shared/domain/transitions/state-versions/create-state-version.ts';
import {
  finalizeStateVersion,
  NotPending,
} from '../../../../shared/domain/transitions/state-versions/finalize-state-version.ts';
import type { RequestContext, Step, Transition } from '../../../../shared/domain/transitions/transition.ts';
import { safeDelete } from '../../../../shared/domain/transitions/workspaces/delete-workspace.ts';
import { toImage, type Workspace } from '../../../../shared/domain/workspace/workspace-record.ts';
import { unlockedWorkspace } from '../locks/lock-model.ts';

/**
 * Explores all interleavings of clients that lock, upload states, unlock, force-unlock and delete one workspace, while the
 * content of uploads arrives at any time or never. Writes may be planned from an old image. The rules are the real
 * transitions, evaluated in memory. With `leases`, every lock expires unless it is renewed. Lost responses are explored by
 * `lock-model.ts`.
 */

const kinds = ['lock', 'upload', 'unlock', 'force-unlock', 'safe-delete'] as const;
const leaseKinds = [...kinds, 'renew'] as const;
export type Kind = (typeof leaseKinds)[number];

export type Violation =
  | 'an unlock passes its own pending version'
  | 'an unlock passes content that had arrived'
  | 'after a release the current version is not the newest finalized one'
  | 'after an expiry a read does not show the newest finalized version'
  | 'a call uses an expired lock'
  | 'a workspace is deleted that manages resources'
  | 'a workspace is deleted whose newest content nobody has read'
  | 'a finalized version waits for a lock that is gone'
  | 'a version is finalized twice'
  | 'two versions are pending';

/** State of a version outside the workspace item: its record and its content. */
interface Version {
  readonly status: StateVersion['status'];
  readonly lock: string;
  readonly serial: number;
  readonly hasArrived: boolean;
}

/** Versions by the order of their creation; every other one has a resource in it. */
const resourcesOf = (index: number): number => (index + 1) % 2;
const idOf = (index: number): string => `sv-${index}`;
const indexOf = (id: string): number => Number(id.slice(3));

/** A call on its way: a write planned from an image that may be old by now, or a look at the bucket. */
interface Waiting {
  readonly kind: Kind;
  readonly name: string;
  readonly next:
    | { readonly do: 'write'; readonly step: number }
    | { readonly do: 'look'; readonly at: string }
    | { readonly do: 'finalize'; readonly version: string; readonly step: number };
  readonly looked?: string;
  readonly serial?: number;
  readonly attempt: number;
}

interface State {
  readonly image: Workspace;
  readonly versions: readonly Version[];
  /** Position among the times of the exploration. */
  readonly time: number;
  readonly made: readonly number[];
  readonly waiting: readonly (Waiting | undefined)[];
  /** The bucket's events, each being worked on: a version, and the write that was planned for it. */
  readonly worker?: { readonly version: string; readonly step: number } | undefined;
}

interface Options {
  readonly clients: number;
  readonly calls: number;
  readonly attempts: number;
  /** Whether they are processes of one user, who holds the lock at the beginning: all of them do. */
  readonly isOneUser?: boolean;
  /** Explores leases of `LEASE_SECONDS`. `uploadsEnd` is the end of the time for uploads, in milliseconds. */
  readonly leases?: { readonly uploadsEnd: number };
  /** Completes steps by what leases require. */
  readonly lease?: typeof withLease;
  /** Ends as soon as this is found. */
  readonly until?: Violation;
  /** Replaces a rule by a broken one, to prove that the model notices it. */
  readonly broken?: (kind: Kind | 'finalize', transition: Transition, request: RequestContext) => Transition;
}

/** End of the time for uploads without leases, and the times of the exploration, in milliseconds. */
const UPLOADS_END = 5;
const TIMES = [1, 9];
/** A lock that is taken at the first time has expired at the last one; a lock that is taken or renewed at the second has not. */
const LEASE_SECONDS = 5;
const LEASE_TIMES = [0, 4_000, 9_000];
const requestContextFor = (name: string, isOneUser: boolean): RequestContext => {
  const user = isOneUser ? 'U' : name.charAt(0);
  return { id: `request-${name}`, principal: { kind: 'user', id: `user-${user}`, name: user } };
};

const versionOf = (index: number, serial: number, until: number): StateVersion => ({
  id: idOf(index),
  workspace: unlockedWorkspace.id,
  createdAt: index,
  serial,
  lineage: null,
  md5: String(index),
  status: 'pending',
  // Both kinds, in turn.
  intermediate: index % 2 === 0,
  until,
  createdBy: { kind: 'user', id: '' },
  run: null,
});
const contentOf = (index: number): StateContent => ({
  size: 1,
  object: '1',
  resources: resourcesOf(index),
  format: 4,
  terraformVersion: null,
  outputs: { count: 0 },
});

type Planned = { readonly step: Step } | { readonly look: string } | { readonly response: 'refused' };

/** Plans a step from a workspace as it is stored. */
const plan = (transition: Transition, stored: Workspace, now: number, lease: typeof withLease): Planned => {
  const image = atTime(stored, now);
  try {
    return { step: lease(transition.plan(image), image, now) };
  } catch (error) {
    if (error instanceof StatePending) return { look: error.pending.id };
    if (error instanceof DomainError || error instanceof NotPending) return { response: 'refused' };
    throw error;
  }
};

/** Visits every state that can be reached, breadth first; the shortest way to each kind of violation. */
export const exploreStates = ({
  clients,
  calls,
  attempts,
  isOneUser = false,
  leases,
  lease = withLease,
  until,
  broken = (_, transition) => transition,
}: Options) => {
  const steps: Step[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (step: Step): number => {
    const text = JSON.stringify(step);
    const known = numbers.get(text) ?? steps.push(step) - 1;
    numbers.set(text, known);
    return known;
  };
  const violations = new Map<Violation, readonly string[]>();
  let found: Violation[] = [];
  const times = leases ? LEASE_TIMES : TIMES;
  const { uploadsEnd = UPLOADS_END } = leases ?? {};
  const timeOf = ({ time }: State): number => times[time] as number;
  const isLate = (state: State): boolean => timeOf(state) > uploadsEnd;

  const transitionFor = (
    state: State,
    { kind, name, looked }: Pick<Waiting, 'kind' | 'name' | 'looked'>,
  ): Transition => {
    const request = requestContextFor(name, isOneUser);
    const at = timeOf(state);
    const of = (): Transition => {
      switch (kind) {
        case 'lock':
          return lock(request, {
            id: `lock-${name}`,
            reason: '',
            at: leases ? at : 0,
            ...(leases && { leaseSeconds: LEASE_SECONDS }),
          });
        case 'renew':
          return renewLock(request, at);
        case 'upload':
          return createStateVersion(
            request,
            versionOf(state.versions.length, (state.image.serial ?? 0) + 1, uploadsEnd),
            { force: false, checkedId: looked },
          );
        case 'unlock':
          return unlock(request, at, looked);
        case 'force-unlock':
          return forceUnlock(request);
        case 'safe-delete':
          return safeDelete(request, at, undefined, looked);
      }
    };
    return broken(kind, of(), request);
  };
  const finalizing = (state: State, id: string): Planned => {
    const index = indexOf(id);
    const version = versionOf(index, state.versions[index]?.serial ?? 0, uploadsEnd);
    const transition = finalizeStateVersion(version, contentOf(index));
    return plan(broken('finalize', transition, requestContextFor('W', true)), state.image, timeOf(state), lease);
  };

  const newest = (versions: readonly Version[]): number =>
    versions.findLastIndex(({ status }) => status === 'finalized');

  const hasExpired = (state: State): boolean => atTime(state.image, timeOf(state)) !== state.image;
  const isCurrentShown = (state: State): boolean => {
    const index = newest(state.versions);
    return index < 0 || atTime(state.image, timeOf(state)).current?.id === idOf(index);
  };

  /** A write reaches the table. */
  const arrive = (state: State, step: Step, kind: Kind | 'finalize'): State | undefined => {
    if (!satisfies(step.condition, toImage(state.image))) return undefined;
    const image = applyChange(step.change, { ...state.image }) as unknown as Workspace;
    let { versions } = state;
    if (kind === 'upload' && image.pending) {
      const { lock: held, serial } = image.pending;
      versions = [...versions, { status: 'pending', lock: held, serial, hasArrived: false }];
    }
    for (const write of step.stateWrites ?? []) {
      const index = indexOf(write.id);
      const version = versions[index] as Version;
      if (version.status !== 'pending') found.push('a version is finalized twice');
      versions = versions.with(index, { ...version, status: write.kind === 'discard' ? 'discarded' : 'finalized' });
    }
    const { lock: held, pending, current } = state.image;
    if (kind === 'unlock') {
      if (pending && pending.lock === held?.id && !isLate(state))
        found.push('an unlock passes its own pending version');
      const passed = state.versions.some((it) => it.lock === held?.id && it.status === 'pending' && it.hasArrived);
      if (passed) found.push('an unlock passes content that had arrived');
    }
    if (held && image.lock?.id !== held.id) {
      const index = newest(versions);
      if (index >= 0 && image.current?.id !== idOf(index)) {
        found.push('after a release the current version is not the newest finalized one');
      }
    }
    if (kind === 'safe-delete') {
      const index = newest(state.versions);
      if ((index >= 0 && resourcesOf(index) > 0) || (current?.resources ?? 0) > 0) {
        found.push('a workspace is deleted that manages resources');
      }
      const isUnread = state.versions.some(({ status, hasArrived }) => status === 'pending' && hasArrived);
      if (isUnread || (pending && !isLate(state))) {
        found.push('a workspace is deleted whose newest content nobody has read');
      }
    }
    if (image.intermediate && !image.lock) found.push('a finalized version waits for a lock that is gone');
    if (versions.filter(({ status }) => status === 'pending').length > 1) found.push('two versions are pending');
    return { ...state, image, versions };
  };

  /** Computes the next step of a call from the current state. */
  const proceed = (state: State, client: number, call: Omit<Waiting, 'next'>): State => {
    const done = { ...state, waiting: state.waiting.with(client, undefined) };
    if (call.attempt > attempts) return done;
    const planned = plan(transitionFor(state, call), state.image, timeOf(state), lease);
    if ('response' in planned) return done;
    const usesLock = call.kind === 'upload' || call.kind === 'unlock' || call.kind === 'renew';
    if (usesLock && hasExpired(state)) found.push('a call uses an expired lock');
    // Nothing came, and it is not too late for it: 503.
    if ('look' in planned && planned.look === call.looked) return done;
    const next: Waiting['next'] =
      'look' in planned ? { do: 'look', at: planned.look } : { do: 'write', step: numberOf(planned.step) };
    return { ...state, waiting: state.waiting.with(client, { ...call, next }) };
  };

  const end = { leaseSeconds: LEASE_SECONDS, expiresAt: LEASE_SECONDS * 1_000 };
  const held = { id: 'lock-0', kind: 'User', by: 'user-U', name: 'U', reason: '', at: 0, ...(leases && end) } as const;
  const start: State = {
    image: isOneUser ? { ...unlockedWorkspace, fence: 1, lock: held } : unlockedWorkspace,
    versions: [],
    time: 0,
    made: Array(clients).fill(0),
    waiting: Array(clients).fill(undefined),
  };
  const keyOf = ({ image, versions, time, made, waiting, worker }: State): string => {
    const { fence, lock: held, pending, intermediate, current, serial, stateVersions, deletedAt } = image;
    return JSON.stringify([
      [fence, held?.id, held?.expiresAt, pending, intermediate?.id, current?.id, serial, stateVersions, deletedAt],
      versions.map(({ status, hasArrived }) => [status, hasArrived]),
      [time, made, waiting, worker],
    ]);
  };
  const seen = new Set([keyOf(start)]);
  const queue: { readonly state: State; readonly from?: number; readonly event?: string }[] = [{ state: start }];
  const traceTo = (index: number | undefined): string[] => {
    const { from, event } = index === undefined ? {} : (queue[index] ?? {});
    return event === undefined ? [] : [...traceTo(from), event];
  };

  for (let head = 0; head < queue.length && !(until && violations.has(until)); head++) {
    const { state } = queue[head] as (typeof queue)[number];
    const visit = (next: State, event: string): void => {
      if (hasExpired(next) && !isCurrentShown(next)) {
        found.push('after an expiry a read does not show the newest finalized version');
      }
      for (const violation of found) {
        if (!violations.has(violation)) violations.set(violation, [...traceTo(head), event]);
      }
      found = [];
      const key = keyOf(next);
      if (seen.has(key)) return;
      seen.add(key);
      queue.push({ state: next, from: head, event });
    };

    for (let client = 0; client < clients; client++) {
      const call = state.waiting[client];
      const made = state.made[client] as number;
      if (call === undefined) {
        if (made === calls || state.image.deletedAt !== undefined) continue;
        for (const kind of leases ? leaseKinds : kinds) {
          const name = `${'ABC'[client]}${made}`;
          const begun = { ...state, made: state.made.with(client, made + 1) };
          visit(proceed(begun, client, { kind, name, attempt: 1 }), `${name} (${kind}) reads`);
        }
        continue;
      }
      const { next, ...rest } = call;
      const again = { ...rest, attempt: call.attempt + 1 };
      const what = `${call.name} (${call.kind})`;
      if (next.do === 'look') {
        const hasArrived = state.versions[indexOf(next.at)]?.hasArrived === true;
        const planned = hasArrived ? finalizing(state, next.at) : undefined;
        if (planned && 'step' in planned) {
          const finalize = { do: 'finalize', version: next.at, step: numberOf(planned.step) } as const;
          visit(
            { ...state, waiting: state.waiting.with(client, { ...call, next: finalize }) },
            `${what} finds content`,
          );
        } else visit(proceed(state, client, { ...again, looked: next.at }), `${what} finds no content`);
      } else if (next.do === 'finalize') {
        const after = arrive(state, steps[next.step] as Step, 'finalize');
        const planned = after ? undefined : finalizing(state, next.version);
        if (planned && 'step' in planned && call.attempt < attempts) {
          const waiting = { ...again, next: { ...next, step: numberOf(planned.step) } };
          visit({ ...state, waiting: state.waiting.with(client, waiting) }, `${what} plans the finalization again`);
        } else visit(proceed(after ?? state, client, { ...again, looked: next.version }), `${what} finalizes`);
      } else {
        const after = arrive(state, steps[next.step] as Step, call.kind);
        if (after) visit({ ...after, waiting: after.waiting.with(client, undefined) }, `${what} is written`);
        else visit(proceed(state, client, again), `${what} fails and reads`);
      }
    }
    for (const [index, version] of state.versions.entries()) {
      if (version.hasArrived || isLate(state)) continue;
      const versions = state.versions.with(index, { ...version, hasArrived: true });
      visit({ ...state, versions }, `the content of ${idOf(index)} arrives`);
    }
    if (state.worker) {
      const after = arrive(state, steps[state.worker.step] as Step, 'finalize') ?? state;
      visit({ ...after, worker: undefined }, `the event of ${state.worker.version} is written, or given up`);
    } else {
      for (const [index, { status, hasArrived }] of state.versions.entries()) {
        if (status !== 'pending' || !hasArrived) continue;
        const planned = finalizing(state, idOf(index));
        if (!('step' in planned)) continue;
        const worker = { version: idOf(index), step: numberOf(planned.step) };
        visit({ ...state, worker }, `the event of ${idOf(index)} is read`);
      }
    }
    const isTimed = state.image.pending ?? (leases && state.image.lock);
    if (isTimed && state.time < times.length - 1) visit({ ...state, time: state.time + 1 }, 'time passes');
  }
  return { states: seen.size, violations };
};
