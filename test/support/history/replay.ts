import { isDeepStrictEqual } from 'node:util';
import { kebabCase, wireName } from '../../../shared/domain/changes/wire-names.ts';
import { LARGE_VALUE, sizeOfValue } from '../../../shared/domain/history/history-entry.ts';
import type { Variable } from '../../../shared/domain/workspace/variable.ts';
import type { Lock, Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import type { OutgoingEvent } from '../../../shared/events/schemas/outgoing.ts';
import type { ShownChange, ShownEntry } from './history-follower.ts';

/** A workspace as it is stored: its item with the long text, its variables and its remote state consumers. */
export interface StoredWorkspace {
  readonly workspace: Workspace;
  readonly variables: readonly Variable[];
  readonly consumers: readonly string[];
}

/** The history of a workspace and its events, each in the order of the changes. */
export interface RecordedChanges {
  readonly entries: readonly ShownEntry[];
  /** Events in the order of their arrival, including repeated ones. */
  readonly events: readonly OutgoingEvent[];
}

type Value = readonly [attribute: string, value: unknown, member?: string];

const time = (milliseconds: number): string => new Date(milliseconds).toISOString();
const withWireNames = (of: object) =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [kebabCase(name), value]));
const versionValue = (of: { readonly id: string; readonly serial: number } | null | undefined) =>
  of ? { id: of.id, serial: of.serial } : null;
const lockValue = ({ id, kind, name, reason, leaseSeconds, by, at, expiresAt }: Lock) => ({
  ...{ id, kind, name, reason, holder: by, at: time(at) },
  ...(leaseSeconds !== undefined && { 'lease-seconds': leaseSeconds }),
  ...(expiresAt !== undefined && { 'expires-at': time(expiresAt) }),
});

/**
 * The values that a replay must yield for each member of a stored workspace; a text says why a member is not replayed. A new
 * member of a workspace is a type error here until this table says which attribute of the history has it.
 */
const members: {
  readonly [M in keyof Required<Omit<Workspace, 'stored'>>]: ((workspace: Workspace) => readonly Value[]) | string;
} = {
  name: ({ name }) => [['name', name]],
  project: ({ project }) => [['project', project]],
  settings: ({ settings }) =>
    Object.entries(settings).map(([name, value]) => [
      wireName(name),
      name === 'autoDestroyAt' && typeof value === 'number' ? time(value) : value,
    ]),
  text: ({ text }) => Object.entries(text).map(([name, value]) => [kebabCase(name), value]),
  overwrites: ({ overwrites }) => [['setting-overwrites', withWireNames(overwrites)]],
  vcsRepo: ({ vcsRepo }) => [['vcs-repo', vcsRepo && withWireNames(vcsRepo)]],
  sshKey: ({ sshKey }) => [['ssh-key', sshKey]],
  tags: ({ tags }) => tags.map(({ key, value = null }) => ['tag-bindings', { value }, key]),
  access: ({ access }) => Object.entries(access).map(([team, level]) => ['team-access', level, team]),
  retentionPolicy: ({ retentionPolicy }) => [
    ['data-retention-policy', retentionPolicy && withWireNames(retentionPolicy)],
  ],
  run: ({ run, runStatus }) => [['current-run', run && { id: run.id, status: runStatus }]],
  runStatus: 'part of the current run',
  configurationVersion: ({ configurationVersion }) => [['current-configuration-version', configurationVersion?.id]],
  lock: ({ lock }) => [['lock', lock && lockValue(lock)]],
  lockReason: 'part of the lock',
  current: ({ current }) => [['current-state-version', versionValue(current)]],
  intermediate: ({ intermediate }) => [['intermediate-state-version', versionValue(intermediate)]],
  pending: ({ pending }) => [['pending-state-version', versionValue(pending)]],
  deletedAt: ({ deletedAt }) => [['deleted-at', deletedAt === undefined ? null : time(deletedAt)]],
  consumers: 'the ids are compared, not how they are stored',
  id: 'the same in all entries',
  organization: 'the same in all entries',
  createdAt: 'the time of the first entry',
  updatedAt: 'the time of an entry',
  latestChangeAt: 'the time of an entry',
  textRevision: 'where the long text is stored',
  hasVariables: 'follows from the variables',
  variableCount: 'follows from the variables',
  runAt: 'content of a report of the runner',
  runCount: 'follows from the runs',
  runMetrics: 'follows from the runs',
  readme: 'content of a report of the runner',
  hasConfigurations: 'where to look for other items',
  hasVariableSets: 'where to look for other items',
  revision: 'counts changes of the settings',
  fence: 'counts changes of the lock',
  sequence: 'the number of the last entry',
  change: 'the last entry itself',
  released: 'recognizes repeated requests',
  stateVersions: 'follows from the state versions',
  serial: 'follows from the state versions',
  lineage: 'content of a state version',
  md5: 'content of a state version',
  listedSettings: 'copies of settings',
  listedAt: 'position in the list index',
  activityAt: 'when the cleanup looks at the workspace',
  projectInactivity: 'copy of a setting of the project',
  destroyRequested: 'when the cleanup looks at the workspace',
  due: 'when the cleanup looks at the workspace',
  restoration: 'recognizes repeated requests',
  purgeAt: 'end of the time in which the workspace can be restored',
};

/** Returns the value of a variable that the history shows. */
const variableValue = ({ key, category, description, hcl, content, fingerprint }: Variable) => {
  const shown = { key, category, description, hcl, value: null, 'value-reference': null };
  if ('reference' in content) return { ...shown, sensitive: content.sensitive, 'value-reference': content.reference };
  if ('encryptedValue' in content) return { ...shown, sensitive: true };
  const length = sizeOfValue(content.value);
  const value = length > LARGE_VALUE ? { length, fingerprint: fingerprint ?? null } : content.value;
  return { ...shown, sensitive: false, value };
};

const identify = (attribute: string, member: string | undefined): string =>
  member === undefined ? attribute : `${attribute} ${member}`;

/** Lists the values of a stored workspace by attribute and member. Null stands for no value, and is left out. */
const storedValues = ({ workspace, variables, consumers }: StoredWorkspace): Map<string, unknown> => {
  const values = Object.values(members).flatMap((read) => (typeof read === 'string' ? [] : read(workspace)));
  return new Map([
    ...values.flatMap(([attribute, value, member]) =>
      value === null || value === undefined ? [] : [[identify(attribute, member), value] as const],
    ),
    ...variables.map((variable) => [identify('variables', variable.id), variableValue(variable)] as const),
    ...consumers.map((id) => [identify('consumers', id), true] as const),
  ]);
};

type Consumers = { readonly change: 'added' | 'removed' | 'replaced'; readonly ids: readonly string[] };

/** Changes of remote state consumers are in the details of an entry, with their ids (HIST-4). */
const applyConsumers = (values: Map<string, unknown>, { change, ids }: Consumers): void => {
  const named = ids.map((id) => identify('consumers', id));
  if (change === 'replaced') for (const key of values.keys()) if (key.startsWith('consumers ')) values.delete(key);
  for (const key of named) {
    if (change === 'removed') values.delete(key);
    else values.set(key, true);
  }
};

type LockValue = ReturnType<typeof lockValue>;

/** Builds the row of an event (EVENT-3) from the replayed values of the entries. */
const rowOf = (values: ReadonlyMap<string, unknown>): OutgoingEvent['row'] => {
  const lock = values.get('lock') as LockValue | undefined;
  const run = values.get('current-run') as { readonly status: string } | undefined;
  const isDeleted = values.has('deleted-at');
  const tags = [...values].flatMap(([key, value]) =>
    key.startsWith('tag-bindings ')
      ? [{ key: key.slice('tag-bindings '.length), value: (value as { readonly value: string | null }).value }]
      : [],
  );
  return {
    name: String(values.get('name')),
    project: String(values.get('project')),
    lock:
      lock === undefined || isDeleted
        ? null
        : {
            ...{ id: lock.id, kind: lock.kind, holder: lock.holder, name: lock.name, reason: lock.reason },
            lockedAt: lock.at,
            ...(lock['expires-at'] !== undefined && { expiresAt: lock['expires-at'] }),
          },
    tags,
    mode: (values.get('execution-mode') as string | undefined) ?? null,
    version: String(values.get('infra-version')),
    protection: (values.get('deletion-protection') as boolean | undefined) ?? null,
    runStatus: run?.status ?? null,
    deleted: isDeleted,
  };
};

/** Replays are compared with tags in the order of their keys: an entry names members, not their order. */
const inOrder = (row: OutgoingEvent['row']): OutgoingEvent['row'] => ({
  ...row,
  tags: row.tags.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
});

/** Large text is shown by its length and fingerprint, which only the service can compute. */
const isShownAs = (stored: unknown, shown: unknown): boolean => {
  if (isDeepStrictEqual(stored, shown)) return true;
  const length = sizeOfValue(stored);
  return length > LARGE_VALUE && (shown as { readonly length?: number } | null)?.length === length;
};

/**
 * Replays the entries of a workspace from nothing, together with its events. Every entry must continue where the one before ended,
 * every event must show the workspace as its entry left it, and the last entry must leave it as it is stored.
 * @returns the contradictions; empty if there are none.
 */
export const replay = ({ entries, events }: RecordedChanges, stored: StoredWorkspace): string[] => {
  const findings: string[] = [];
  const values = new Map<string, unknown>();
  const bySequence = new Map<number, OutgoingEvent>();
  for (const event of events) {
    const known = bySequence.get(event.sequence);
    if (known === undefined && event.sequence !== bySequence.size + 1)
      findings.push(`event ${event.sequence} follows ${bySequence.size}`);
    if (known !== undefined && !isDeepStrictEqual(known, event))
      findings.push(`two events have the sequence ${event.sequence}`);
    bySequence.set(event.sequence, event);
  }

  const apply = (sequence: number, { attribute, member, old, new: current }: ShownChange): void => {
    const key = identify(attribute, member);
    if (!isDeepStrictEqual(values.get(key) ?? null, old)) findings.push(`${sequence}: ${key} was not ${describe(old)}`);
    if (current === null) values.delete(key);
    else values.set(key, current);
  };
  let last = 0;
  for (const { id, attributes } of entries) {
    const { sequence, action, actor, changes, details } = attributes;
    if (sequence !== last + 1) findings.push(`entry ${sequence} follows ${last}`);
    last = sequence;
    for (const change of changes) apply(sequence, change);
    if (details.consumers !== undefined) applyConsumers(values, details.consumers);
    const event = bySequence.get(sequence);
    if (event === undefined) findings.push(`entry ${sequence} has no event`);
    else if (event.id !== id || event.type !== action || event.actor.id !== actor.id)
      findings.push(`entry ${sequence} is of another change than its event`);
    else if (!isDeepStrictEqual(inOrder(event.row), inOrder(rowOf(values))))
      findings.push(`${sequence}: the row of the event is ${describe(event.row)}, not ${describe(rowOf(values))}`);
  }

  const { sequence } = stored.workspace;
  if (last !== sequence) findings.push(`${sequence} changes, of which ${last} have an entry`);
  if (bySequence.size !== sequence) findings.push(`${sequence} changes, of which ${bySequence.size} have an event`);
  const expected = storedValues(stored);
  for (const [key, value] of expected)
    if (!isShownAs(value, values.get(key) ?? null))
      findings.push(`${key} is ${describe(value)}, but its replay ${describe(values.get(key))}`);
  for (const [key, value] of values)
    if (!expected.has(key)) findings.push(`${key} is not set, but its replay ${describe(value)}`);
  return findings;
};

const describe = (value: unknown): string => JSON.stringify(value)?.slice(0, 300) ?? 'nothing';
