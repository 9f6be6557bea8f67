import { hash } from 'node:crypto';
import type { RecordKind } from '../../domain/directory/records.ts';
import type { TokenSubject } from '../../domain/directory/tokens.ts';
import { computedId, prefixes as ids } from '../../domain/ids.ts';
import { outputIdStem } from '../../domain/state-versions/state-outputs.ts';
import { LATEST } from '../../domain/timestamps.ts';
import { rejections, tokenUses } from './table-definition.ts';

/** An item as the table holds it, with plain JavaScript values for attributes. */
export type Item = Readonly<Record<string, unknown>>;

/**
 * Key of an item. One table holds everything: `pk` names the owner of an item, `sk` names the item (STORE-1).
 * Keys are built in this module only.
 */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** Key prefixes of name claims, by the kind of resource that has the name. */
export const claimKinds = {
  workspace: 'N',
  project: 'NP',
  team: 'NT',
  agentPool: 'NA',
  sshKey: 'NS',
  vcsConnection: 'NV',
  appInstallation: 'NI',
  variableSet: 'NVS',
  workloadIdentity: 'NW',
} as const;
export type ClaimKind = keyof typeof claimKinds;

/** Key prefixes of the simple records of an organization. */
export const recordKinds: Readonly<Record<RecordKind, string>> = {
  agentPool: 'POOL',
  sshKey: 'SSH',
  vcsConnection: 'VCS',
  appInstallation: 'INST',
  workloadIdentity: 'WI',
};

/** Sort keys of a workspace's own item and of its long text: one query for `W` returns both. */
export const WORKSPACE = 'W';
export const WORKSPACE_TEXT = 'W.TEXT';

/** Sort key of a variable set's own item. */
export const VARIABLE_SET = 'VARSET';

/** Sort key of a bulk job's own item. */
export const BULK_JOB = 'JOB';

/** Sort key prefix of all chunks of remote state consumers. */
const CONSUMERS = 'C#';

const membershipOf = (organization: string): string => `MEM#${organization}#`;

const itemKey = (pk: string, sk: string): Key => ({ pk, sk });

const sliceNumber = (slice: number): string => String(slice).padStart(6, '0');

/**
 * Builds the keys of items.
 * @example
 * keys.workspace('ws-2jPTvTDXBPFzPGbT'); // { pk: 'WS#ws-2jPTvTDXBPFzPGbT', sk: 'W' }
 */
export const keys = {
  organization: (name: string) => itemKey(`ORG#${name}`, 'ORG'),
  claim: (organization: string, kind: ClaimKind, name: string) =>
    itemKey(`ORG#${organization}#${claimKinds[kind]}#${name}`, 'N'),
  workspace: (id: string) => itemKey(`WS#${id}`, WORKSPACE),
  workspaceText: (id: string) => itemKey(`WS#${id}`, WORKSPACE_TEXT),
  /**
   * A variable of a workspace or of a variable set, unique by category and key. The variable's key comes last, so it may
   * contain any character.
   */
  variable: (owner: string, category: string, key: string) =>
    itemKey(variablePartition(owner), `${prefixes.variables}${category}#${key}`),
  variableSet: (id: string) => itemKey(variablePartition(id), VARIABLE_SET),
  /** A variable set that is assigned to a workspace or a project, stored with the workspace or project. */
  assignedVariableSet: (target: string, variableSet: string) =>
    itemKey(assignmentPartition(target), `${prefixes.assignedVariableSets}${variableSet}`),
  /** A variable set that a project owns, stored with the project. */
  ownedVariableSet: (project: string, variableSet: string) =>
    itemKey(`PRJ#${project}`, `${prefixes.ownedVariableSets}${variableSet}`),
  /** The global variable sets of an organization, and the keys of their variables. */
  globalVariables: (organization: string) => itemKey(`ORG#${organization}`, 'GVS'),
  /**
   * A run, sorted by the creation time that its first report stated (RUN-12).
   * @param at absent for runs of earlier releases, whose keys have no time.
   */
  run: (workspace: string, at: number | undefined, id: string) =>
    itemKey(`WS#${workspace}`, at === undefined ? `${prefixes.runs}${id}` : `${runsAt(at)}${id}`),
  /** The finished runs from which the metrics of a workspace are computed, in one item. */
  runWindow: (workspace: string) => itemKey(`WS#${workspace}`, 'RW'),
  configurationVersion: (workspace: string, id: string) => itemKey(`WS#${workspace}`, `CV#${id}`),
  readme: (workspace: string) => itemKey(`WS#${workspace}`, 'README'),
  /** A state version, sorted by the time of its creation. */
  stateVersion: (workspace: string, at: number, id: string) =>
    itemKey(`WS#${workspace}`, `S#${sortableTime(at)}#${id}`),
  /** One chunk of the outputs of a state version. */
  stateOutputs: (workspace: string, stateVersion: string, chunk: number) =>
    itemKey(`WS#${workspace}`, `${prefixes.stateOutputsOf(stateVersion)}${String(chunk).padStart(4, '0')}`),
  /** A deleted state version whose stored objects have yet to be removed. */
  stateDependants: (workspace: string, at: number, id: string) =>
    itemKey(`WS#${workspace}`, `${prefixes.stateDependants}${sortableTime(at)}#${id}`),
  /** Pointer from the id of a state version, or of one of its outputs, to its key. */
  stateVersionId: (id: string) => itemKey(`REF#${outputIdStem(id)}`, 'R'),
  /** One chunk of one generation of the remote state consumers of a workspace. */
  consumers: (id: string, generation: string, chunk: number) =>
    itemKey(`WS#${id}`, `${prefixes.consumersIn(generation)}${String(chunk).padStart(4, '0')}`),
  project: (id: string) => itemKey(`PRJ#${id}`, 'P'),
  team: (id: string) => itemKey(`TEAM#${id}`, 'T'),
  user: (id: string) => itemKey(`USER#${id}`, 'U'),
  /** Usernames are unique in the deployment. */
  username: (name: string) => itemKey(`USERNAME#${name}`, 'N'),
  membership: (user: string, organization: string, team: string) =>
    itemKey(`USER#${user}`, membershipOf(organization) + team),
  /** Mirror of a team membership, stored with the team. */
  member: (team: string, user: string) => itemKey(`TEAM#${team}`, `MEM#${user}`),
  /** Membership of a user in an organization: one query returns it with the user's teams there. */
  organizationMembership: (user: string, organization: string) => itemKey(`USER#${user}`, membershipOf(organization)),
  /** Mirror of an organization membership, stored with the organization. */
  organizationMember: (organization: string, user: string) => itemKey(`ORG#${organization}`, `MEM#${user}`),
  /** A user by e-mail address in lower case; several users may have the same address. */
  email: (address: string, user: string) => itemKey(emailPartition(address), `USER#${user}`),
  /** A token is found by the SHA-256 of its text, in hexadecimal; the text itself is never stored. */
  token: (digest: string) => itemKey(`TOK#${digest}`, 'K'),
  /** Mirror of a token, stored with its subject by the token's id: for listing and revoking. */
  tokenOf: (subject: TokenSubject, id: string) => itemKey(subjectPartition(subject), `TOK#${id}`),
  /** The first use of a token, by its id, until it is recorded on the token (AUTH-21). */
  tokenUse: (id: string) => itemKey(tokenUses.prefix + id, tokenUses.sortKey),
  /** The first use of a token on a later day, in UTC as `2026-11-28`, until it is recorded on the token (AUTH-13). */
  tokenDay: (id: string, day: string) => itemKey(`${tokenUses.prefix}${id}#${day}`, tokenUses.sortKey),
  /** Rejected requests of a token, or of a caller without one, in a minute, which is counted since the epoch. */
  rejections: (id: string, minute: number) => itemKey(rejections.prefix + id, rejections.sortKey + minute),
  /** A secret that works once, such as an authorization code, by the SHA-256 of its text, in hexadecimal. */
  oneTimeSecret: (kind: string, digest: string) => itemKey(`ONCE#${kind}#${digest}`, 'O'),
  /** A login of a machine without a browser, by the SHA-256 of the code that a person types, in hexadecimal. */
  deviceLogin: (userCode: string) => itemKey(`DEVICE#${userCode}`, 'D'),
  /** Times of the wrong codes that a user has typed (LOGIN-10). */
  deviceTries: (user: string) => itemKey(`TRIES#${user}`, 'D'),
  /** Pointer from the id of an item that has another key, such as a token or a variable, to that key. */
  pointer: (id: string) => itemKey(`REF#${id}`, 'R'),
  /** Pointer from the computed id of a team's access to a workspace. */
  workspaceAccessId: (workspace: string, team: string): Key =>
    keys.pointer(computedId('workspaceAccess', workspace, team)),
  /** Pointer from the computed id of a team's access to a project. */
  projectAccessId: (project: string, team: string): Key => keys.pointer(computedId('projectAccess', project, team)),
  record: (kind: RecordKind, id: string) => itemKey(`${recordKinds[kind]}#${id}`, recordKinds[kind]),
  /** A command of automation, by its principal and its id. */
  command: (principal: string, id: string) => itemKey(`CMD#${principal}#${id}`, 'C'),
  /** Times of the verifications of a variable by a user, team or organization, which `person` names (VAR-16). */
  verifications: (variable: string, person: string) => itemKey(`VERIFY#${variable}`, person),
  /** Progress of a job that continues over many invocations, by its name. */
  job: (name: string) => itemKey(`JOB#${name}`, 'J'),
  bulkJob: (id: string) => itemKey(`BULK#${id}`, BULK_JOB),
  /** Selected workspaces of a bulk job with their previews, in slices. */
  jobSlice: (job: string, slice: number) => itemKey(`BULK#${job}`, `${prefixes.jobSlices}${sliceNumber(slice)}#P`),
  /** Results of a slice of a bulk job. The slice comes before them. */
  jobResults: (job: string, slice: number) => itemKey(`BULK#${job}`, `${prefixes.jobSlices}${sliceNumber(slice)}#R`),
  /** The bulk job of an organization that is active. */
  activeJob: (organization: string) => itemKey(`ORG#${organization}`, 'BULK'),
  /** An identity at an identity provider, by the id that is computed from issuer and subject. */
  linkedIdentity: (id: string) => itemKey(`IDENTITY#${id}`, 'I'),
  /** Mirror of a linked identity, stored with its user. */
  linkedIdentityOf: (user: string, id: string) => itemKey(`USER#${user}`, prefixes.linkedIdentities + id),
  session: (id: string) => itemKey(`SESSION#${id}`, 'SS'),
  /** Mirror of a session, stored with its user. */
  sessionOf: (user: string, id: string) => itemKey(`USER#${user}`, prefixes.sessions + id),
  /** Pointer from the id that an identity provider gave a session of its own to ours. */
  sessionOfProvider: (issuer: string, sid: string, id: string) =>
    itemKey(providerSessionPartition(issuer, sid), prefixes.sessions + id),
  /** An identity provider that is disabled, by its name. */
  disabledProvider: (name: string) => itemKey(`PROVIDER#${name}`, 'DISABLED'),
  /** Pointer to a session that comes from an identity provider, by the name of the provider. */
  sessionAtProvider: (provider: string, id: string) => itemKey(`PROVIDER#${provider}`, prefixes.sessions + id),
  /** Pointer from a group at identity providers to a team whose members are the people in it. */
  group: (group: string, organization: string, team: string) =>
    itemKey(groupPartition(group), `ORG#${organization}#${team}`),
  releases: () => itemKey('RELEASES', 'R'),
  /** An entry of the history of a resource, sorted by time and then by the number of the change. */
  historyEntry: (resource: string, at: number, sequence: number) =>
    itemKey(historyPartition(resource), `${sortableTime(at)}#${String(sequence).padStart(10, '0')}`),
  /** A version of a variable in the history, by the id of the variable. */
  historyValue: (variable: string, version: string) =>
    itemKey(historyPartition(variable), prefixes.historyValues + version),
  /** Marks a variable whose plain values the history must not have. */
  historySecret: (variable: string) => itemKey(historyPartition(variable), 'SECRET'),
  /** Long text of a workspace in the history, by its revision. */
  historyText: (workspace: string, revision: number) => itemKey(historyPartition(workspace), `T#${revision}`),
  /** The ids that one change adds to a chunk of remote state consumers, or removes from it. `change` counts the changes. */
  historyConsumers: (workspace: string, generation: string, change: number, chunk: number) =>
    itemKey(historyPartition(workspace), `CC#${generation}#${change}#${chunk}`),
  /** Numbers of the days of a month, such as `2026-11`, in an organization. */
  activityMonth: (organization: string, month: string) =>
    itemKey(activityPartition(organization), prefixes.activityMonths + month),
  /** Marks a day whose entries in the audit trail have to be counted. `hour` counts since the epoch: when it was marked. */
  activityMark: (organization: string, day: string, hour: number) =>
    itemKey(activityPartition(organization), `DAY#${day}#${hour}`),
  /** Pointer from the audit trail of an organization to an entry. `change` is the id of the change. */
  auditPointer: (organization: string, at: number, change: string) =>
    itemKey(auditPartitions(organization)[shardOf(change, AUDIT_SHARDS)] ?? '', `${sortableTime(at)}#${change}`),
} as const;

/** Builds the partition key of the owner of variables: a workspace or a variable set. */
export const variablePartition = (owner: string): string =>
  owner.startsWith(ids.variableSet) ? `VARSET#${owner}` : `WS#${owner}`;

/** Builds the partition key of the history of a resource, or of the values of a variable. */
export const historyPartition = (id: string): string => `HIST#${id}`;

/** Number of partitions of the audit trail of an organization: none takes more than a quarter of its changes. */
const AUDIT_SHARDS = 4;
/** Builds the partition keys of the audit trail of an organization. */
export const auditPartitions = (organization: string): string[] =>
  Array.from({ length: AUDIT_SHARDS }, (_, shard) => `AUDIT#${organization}#${shard}`);

/** Builds the partition key of the numbers of an organization by day. */
export const activityPartition = (organization: string): string => `ACTIVITY#${organization}`;

/** Builds the partition key of what a variable set is assigned to: a workspace or a project. */
export const assignmentPartition = (target: string): string =>
  target.startsWith(ids.project) ? `PRJ#${target}` : `WS#${target}`;

/** Builds the partition key of a group at identity providers. A group can have any text as name. */
export const groupPartition = (group: string): string => `GROUP#${hash('sha256', group)}`;

/** Builds the partition key of the sessions that one session at an identity provider led to. */
export const providerSessionPartition = (issuer: string, sid: string): string =>
  `SID#${hash('sha256', JSON.stringify([issuer, sid]))}`;

/** Builds the partition key of an e-mail address, in lower case. */
export const emailPartition = (address: string): string => `EMAIL#${address.toLowerCase()}`;

const partitions = {
  user: 'USER',
  team: 'TEAM',
  organization: 'ORG',
  'audit-trails': 'ORG',
  agentPool: recordKinds.agentPool,
  workloadIdentity: recordKinds.workloadIdentity,
  site: 'SITE',
};

/** Key without an item, which is read in place of an item that a missing one would have led to (PERM-21). */
export const NOTHING: Key = keys.pointer('');
/** Builds the partition key of a subject of tokens, such as a user, where its tokens are listed. */
export const subjectPartition = ({ kind, id }: TokenSubject): string => `${partitions[kind]}#${id}`;

/** Builds the prefix of the sort keys of the runs that were created at a time, in epoch milliseconds. */
export const runsAt = (time: number): string => `${prefixes.runs}${sortableTime(time)}#`;

/** Returns the time in the sort key of a run; undefined if it has none. */
export const timeInRunKey = (sk: string): number | undefined => {
  const digits = /^R#([0-9]{13})#/.exec(sk)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

/** Sort key prefixes for queries within a partition. */
export const prefixes = {
  memberships: 'MEM#',
  tokens: 'TOK#',
  linkedIdentities: 'IDENTITY#',
  sessions: 'SESSION#',
  variables: 'V#',
  assignedVariableSets: 'VS#',
  ownedVariableSets: 'VO#',
  runs: 'R#',
  consumers: CONSUMERS,
  stateVersions: 'S#',
  stateOutputsOf: (stateVersion: string): string => `O#${stateVersion}#`,
  stateDependants: 'X#',
  historyValues: 'P#',
  jobSlices: 'J#',
  activityMonths: 'MONTH#',
  consumersIn: (generation: string): string => `${CONSUMERS}${generation}#`,
} as const;

/**
 * Assigns an id to one of `over` shards or chunks by its FNV-1a hash. Stored keys depend on the result, so it must
 * never change.
 */
export const shardOf = (text: string, over: number): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash % over;
};

/** Number of partitions with the keys of the variables of an organization: none takes more than a quarter of an import. */
const KEY_SHARDS = 4;
/** Separator of a key and an id. It comes before all other characters, so that the order is that of the keys. */
const AFTER_KEY = '\0';

/** Builds the beginning of the sort keys of the variables whose keys begin with a text, ignoring case. */
export const variableKeysFrom = (text: string): string =>
  // Letter by letter, because the lower case of a sigma at the end of a word is another one.
  Array.from(text, (letter) => letter.toLowerCase()).join('');

/** Builds the sort key of a variable in the table's index `list`, in lower case. The id makes it unique. */
export const variableSortKey = ({ key, id }: { readonly key: string; readonly id: string }): string =>
  variableKeysFrom(key) + AFTER_KEY + id;

/** Partitions of the table's index `list`. */
export const listPartition = {
  workspaces: (organization: string, shard: number): string => `ORG#${organization}#W#${shard}`,
  workspacesOf: (organization: string, id: string, shards: number): string =>
    listPartition.workspaces(organization, shardOf(id, shards)),
  allWorkspaces: (organization: string, shards: number): string[] =>
    Array.from({ length: shards }, (_, shard) => listPartition.workspaces(organization, shard)),
  /** Projects, teams and other records of an organization, by kind. */
  records: (organization: string, kind: Exclude<ClaimKind, 'workspace'>): string =>
    `ORG#${organization}#${claimKinds[kind]}`,
  /** Keys of the variables of an organization, of its workspaces and of its variable sets (STORE-40). */
  variableKeys: (organization: string, shard: number): string => `ORG#${organization}#K#${shard}`,
  variableKeysOf: (organization: string, id: string): string =>
    listPartition.variableKeys(organization, shardOf(id, KEY_SHARDS)),
  allVariableKeys: (organization: string): string[] =>
    Array.from({ length: KEY_SHARDS }, (_, shard) => listPartition.variableKeys(organization, shard)),
  /** Bulk jobs of an organization, by the time of their creation. */
  bulkJobs: (organization: string): string => `ORG#${organization}#BULK`,
} as const;

/** Number of partitions of the index `due`, for destroy runs and for the cleanup queue each. */
const DUE_SHARDS = 4;
/** Partitions of the index `due` that contain workspaces with a scheduled destroy run. */
export const duePartitions = Array.from({ length: DUE_SHARDS }, (_, shard) => `DUE#${shard}`);
/** Returns the partition of the index `due` for a workspace id. */
export const duePartition = (workspace: string): string => `DUE#${shardOf(workspace, DUE_SHARDS)}`;
/** Returns whether a value is one of `duePartitions`. */
export const isDuePartition = (partition: unknown): boolean => duePartitions.some((known) => known === partition);

/** Partitions of the cleanup queue in the same index, sorted by the time from which an entry may be handled. */
export const cleanupPartitions = Array.from({ length: DUE_SHARDS }, (_, shard) => `SWEEP#${shard}`);
/** Returns the partition of the cleanup queue for an id. */
export const cleanupPartition = (id: string): string => `SWEEP#${shardOf(id, DUE_SHARDS)}`;

/** Partitions of the days that have to be counted in the same index, sorted by the time from which they may be. */
export const countPartitions = Array.from({ length: DUE_SHARDS }, (_, shard) => `COUNT#${shard}`);
/** Returns the partition of the days of an organization that have to be counted. */
export const countPartition = (organization: string): string => `COUNT#${shardOf(organization, DUE_SHARDS)}`;

/**
 * Formats a time in epoch milliseconds as a sort key: 13 digits, so that the order of texts is the order of times.
 * @throws RangeError for a time with more digits.
 */
export const sortableTime = (time: number): string => {
  if (time > LATEST) throw new RangeError(`${time} is too late to be sorted`);
  return String(time).padStart(13, '0');
};
