import type { ChangeRecordBase } from '../domain/changes/change-context.ts';
import {
  type ChangeType,
  changeTypes,
  type Details,
  type ExpiredLock,
  type ReleasedLock,
  variableSetChangeTypes,
} from '../domain/changes/change-records.ts';
import {
  type ChangedResource,
  isOrganizationChangeType,
  type OrganizationChange,
  resourceTypeOf,
} from '../domain/changes/organization-changes.ts';
import { wireName } from '../domain/changes/wire-names.ts';
import type { RetentionRule } from '../domain/state-versions/retention-policy.ts';
import type { VariableSet } from '../domain/variable-sets/variable-set.ts';
import type { Workspace } from '../domain/workspace/workspace-record.ts';
import { timestamp } from '../lib/clock.ts';
import type { Envelope } from './schemas/envelope.ts';
import type { OutgoingEvent, OutgoingEvents } from './schemas/outgoing.ts';
import type { OrganizationEvent } from './schemas/outgoing-organization.ts';
import type { VariableSetEvent } from './schemas/outgoing-variable-sets.ts';
import type { WorkspaceSnapshot } from './schemas/snapshots.ts';

/**
 * Returns a detail of the change record. An event is never published with a part missing.
 * @throws TypeError if the detail is absent.
 */
const requireDetail = <T>(value: T | undefined, name: string): T => {
  if (value === undefined) throw new TypeError(`The change record lacks ${name}`);
  return value;
};

const pickKeys = ({ keys }: Details) => ({ keys: (keys ?? []).map(wireName) });
const pickPrevious = ({ previous }: Details) => previous && { previous };
const pickVariable = ({ variable }: Details) => ({ variable: requireDetail(variable, 'a variable') });
const pickStateVersion = ({ stateVersion }: Details) => ({
  stateVersion: requireDetail(stateVersion, 'a state version'),
});
const pickRun = ({ run }: Details) => run && { run };
const lockMember = ({ id, kind, by: holder, name }: ReleasedLock) => ({ id, kind, holder, name });
const heldLock = (held: Workspace['lock']) => {
  const { reason, at, expiresAt, ...lock } = requireDetail(held, 'a lock');
  return {
    ...lockMember(lock),
    reason,
    lockedAt: timestamp(at),
    ...(expiresAt !== undefined && { expiresAt: timestamp(expiresAt) }),
  };
};
const pickReleased = ({ released, stateVersion, run }: Details) => ({
  ...(released && { lock: lockMember(released) }),
  ...(stateVersion && { stateVersion }),
  ...(run && { run }),
});

const expiredLockMember = ({ expiresAt, stateVersion, ...lock }: ExpiredLock) => ({
  ...lockMember(lock),
  expiresAt: timestamp(expiresAt),
  ...(stateVersion && { stateVersion }),
});

const ruleOf = (policy: RetentionRule | undefined) =>
  policy ? { type: policy.type, deleteOlderThanDays: policy.deleteOlderThanDays } : null;

/** Builds the row of an event: what lists show of the workspace after the change (EVENT-3). */
const rowOf = ({ name, project, lock, tags, settings, runStatus, deletedAt }: Workspace): Envelope['row'] => ({
  name,
  project,
  lock: lock && deletedAt === undefined ? heldLock(lock) : null,
  tags: tags.map(({ key, value }) => ({ key, value: value ?? null })),
  mode: settings.executionMode,
  version: settings.infraVersion,
  protection: settings.deletionProtection ?? null,
  runStatus: runStatus ?? null,
  deleted: deletedAt !== undefined,
});

type Payload<T extends keyof OutgoingEvents> = Omit<OutgoingEvents[T], keyof Envelope>;

/** Event types that add members to the envelope. */
type TypeWithPayload = {
  [T in keyof OutgoingEvents]: keyof Payload<T> extends never ? never : T;
}[keyof OutgoingEvents];

/** Builds the members that an event type adds to the envelope. The workspace is the one after the change. */
const payloads: { readonly [T in TypeWithPayload]: (details: Details, workspace: Workspace) => Payload<T> } = {
  'workspace.created': (_, { settings: { importedFrom } }) => ({ ...(importedFrom && { importedFrom }) }),
  'workspace.updated': (details) => ({ ...pickKeys(details), ...pickPrevious(details) }),
  'workspace.moved': (details) => ({ ...pickKeys(details), ...pickPrevious(details) }),
  'workspace.locked': (details, { lock }) => ({ lock: heldLock(lock), ...pickRun(details) }),
  'workspace.lock-renewed': (_, { lock }) => ({ lock: heldLock(lock) }),
  'workspace.unlocked': pickReleased,
  'workspace.force-unlocked': (details) => ({
    ...pickReleased(details),
    ...(details.reason !== undefined && { reason: details.reason }),
  }),
  'workspace.deleted': ({ forced }) => ({ forced: forced ?? false }),
  'workspace.restored': (details) => ({
    ...pickKeys(details),
    ...pickPrevious(details),
    ...(details.stateVersion && { stateVersion: details.stateVersion }),
  }),
  'workspace.tags-changed': ({ keys }, { tags }) => ({ tags: { changed: [...(keys ?? [])], count: tags.length } }),
  'workspace.consumers-changed': ({ consumers }) => {
    const { change, count, ids } = requireDetail(consumers, 'consumers');
    return { consumers: { change, count, ...(ids && { ids: [...ids] }) } };
  },
  'workspace.access-changed': ({ team }) => ({ team: requireDetail(team, 'a team') }),
  'workspace.retention-policy-changed': (_, { retentionPolicy }) => ({ retentionPolicy: ruleOf(retentionPolicy) }),
  'workspace.variable-created': pickVariable,
  'workspace.variable-updated': (details) => ({ ...pickKeys(details), ...pickVariable(details) }),
  'workspace.variable-deleted': pickVariable,
  'workspace.variable-verified': (details) => ({
    ...pickVariable(details),
    matches: requireDetail(details.matches, 'whether the value matches'),
  }),
  'workspace.state-version-created': pickStateVersion,
  'workspace.state-version-finalized': pickStateVersion,
  'workspace.state-version-deleted': pickStateVersion,
  'workspace.state-version-backing-data-changed': ({ stateVersion }) => {
    const { id, serial, backingData } = requireDetail(stateVersion, 'a state version');
    return {
      stateVersion: {
        id,
        ...(serial !== undefined && { serial }),
        backingData: requireDetail(backingData, 'the status of the backing data'),
      },
    };
  },
  'workspace.run-updated': ({ run }) => ({ run: requireDetail(run, 'a run') }),
  'workspace.configuration-version-updated': ({ configurationVersion }) => ({
    configurationVersion: requireDetail(configurationVersion, 'a configuration version'),
  }),
  'workspace.destroy-requested': ({ due }) => ({ due: timestamp(requireDetail(due, 'a due time')) }),
};

/** Builds the members of an event that say which change it reports, who made it, and when. */
const changeMembers = <T extends string>({ id, type, at, actor, request }: ChangeRecordBase<T>, sequence: number) => ({
  id,
  type,
  sequence,
  time: timestamp(at),
  actor: { kind: actor.kind, id: actor.id },
  requestId: request,
});

const hasPayload = (type: ChangeType): type is TypeWithPayload => Object.hasOwn(payloads, type);

/**
 * Builds the event of the last change of a workspace.
 * @param workspace the workspace as that change left it.
 * @throws TypeError if the change record has an unknown type or lacks a detail.
 */
export const toOutgoingEvent = (workspace: Workspace): OutgoingEvent => {
  const { change, sequence, organization, id, name, project } = workspace;
  if (!changeTypes.includes(change.type)) throw new TypeError(`There is no event for ${change.type}`);
  return {
    version: 2,
    ...changeMembers(change, sequence),
    organization,
    workspace: { id, name, project },
    row: rowOf(workspace),
    ...(change.expiredLock && { expiredLock: expiredLockMember(change.expiredLock) }),
    ...(hasPayload(change.type) && payloads[change.type](change, workspace)),
  } as OutgoingEvent;
};

/**
 * Builds the event of a snapshot for a workspace (EVENT-20).
 * @param snapshotAt time at which the snapshot began.
 */
export const toSnapshotEvent = (workspace: Workspace, snapshotAt: string): WorkspaceSnapshot => {
  const { change, sequence, organization, id, name, project } = workspace;
  return {
    version: 1,
    type: 'workspace.snapshot',
    snapshotAt,
    sequence,
    time: timestamp(change.at),
    organization,
    workspace: { id, name, project },
    row: rowOf(workspace),
  };
};

/** The parts of a variable set that its events need. */
export type PublishedVariableSet = Pick<
  VariableSet,
  'id' | 'organization' | 'name' | 'project' | 'global' | 'sequence' | 'change'
>;

/**
 * Builds the event of the last change of a variable set.
 * @param variableSet the variable set as that change left it.
 * @throws TypeError if the change record has an unknown type.
 */
export const toVariableSetEvent = (variableSet: PublishedVariableSet): VariableSetEvent => {
  const { change, sequence, organization, id, name, project = null, global } = variableSet;
  if (!variableSetChangeTypes.includes(change.type)) throw new TypeError(`There is no event for ${change.type}`);
  const { keys, variable, matches, assignments } = change;
  return {
    version: 1,
    ...changeMembers(change, sequence),
    organization,
    variableSet: { id, name, project, global },
    ...(keys && { keys: [...keys] }),
    ...(variable && { variable }),
    ...(matches !== undefined && { matches }),
    ...(assignments && { assignments }),
  } as VariableSetEvent;
};

/** A change of an organization or what belongs to it, with the resource as the write left it. */
export interface PublishedOrganizationChange {
  readonly resource: ChangedResource;
  readonly sequence: number;
  readonly change: OrganizationChange;
}

/**
 * Builds the event of a change of an organization or what belongs to it (EVENT-17).
 * @throws TypeError if the change record has an unknown type.
 */
export const toOrganizationEvent = ({ resource, sequence, change }: PublishedOrganizationChange): OrganizationEvent => {
  const { type, keys, previous, team, reservedTagKey, presented, signIn, teams } = change;
  if (!isOrganizationChangeType(type)) throw new TypeError(`There is no event for ${type}`);
  const { organization, id, name, owner, retentionPolicy, job } = resource;
  return {
    version: 1,
    ...changeMembers(change, sequence),
    organization,
    resource: { type: resourceTypeOf(type), id, name },
    ...(keys && { keys: keys.map(wireName) }),
    ...(previous && { previous }),
    ...(team && { team }),
    ...(reservedTagKey && { reservedTagKey }),
    ...(presented && { presented }),
    ...(signIn && { signIn }),
    ...(teams && { teams }),
    ...(resource.team !== undefined && { team: { id: resource.team } }),
    ...(resource.user !== undefined && { user: { id: resource.user } }),
    ...(owner && { owner }),
    ...(job && { job }),
    ...(type === 'organization.retention-policy-changed' && { retentionPolicy: ruleOf(retentionPolicy) }),
  } as OrganizationEvent;
};
