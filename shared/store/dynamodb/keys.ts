import type { RecordKind } from '../../domain/directory/records.ts';
import type { TokenSubject } from '../../domain/directory/tokens.ts';
import { stemOf } from '../../domain/state-versions/state-outputs.ts';
import { LATEST } from '../../domain/timestamps.ts';

/**
 * The only speller of keys. One table holds everything: `pk` says whose an item is, `sk` what it is (README, The table).
 */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** Records of an organization that are named, and so have a claim on their name. */
export const claimKinds = {
  workspace: 'N',
  project: 'NP',
  team: 'NT',
  agentPool: 'NA',
  sshKey: 'NS',
  vcsConnection: 'NV',
  appInstallation: 'NI',
} as const;
export type ClaimKind = keyof typeof claimKinds;

/** Simple records of an organization, each an item of its own under its id. */
export const recordKinds: Readonly<Record<RecordKind, string>> = {
  agentPool: 'POOL',
  sshKey: 'SSH',
  vcsConnection: 'VCS',
  appInstallation: 'INST',
};

/** Sort keys of a workspace's own item and of its long text: one query for `W` brings both. */
export const WORKSPACE = 'W';
export const WORKSPACE_TEXT = 'W.TEXT';

/** Where the sort keys of all consumers of a workspace begin. */
const CONSUMERS = 'C#';

const membershipOf = (organization: string): string => `MEM#${organization}#`;

export const keys = {
  organization: (name: string): Key => ({ pk: `ORG#${name}`, sk: 'ORG' }),
  claim: (organization: string, kind: ClaimKind, name: string): Key => ({
    pk: `ORG#${organization}#${claimKinds[kind]}#${name}`,
    sk: 'N',
  }),
  workspace: (id: string): Key => ({ pk: `WS#${id}`, sk: WORKSPACE }),
  workspaceText: (id: string): Key => ({ pk: `WS#${id}`, sk: WORKSPACE_TEXT }),
  /** That a key is taken is that there is an item under it. The variable's own comes last, so it may hold anything. */
  variable: (workspace: string, category: string, key: string): Key => ({
    pk: `WS#${workspace}`,
    sk: `V#${category}#${key}`,
  }),
  run: (workspace: string, id: string): Key => ({ pk: `WS#${workspace}`, sk: `${prefixes.runs}${id}` }),
  /** The finished runs that its figures are of, in one item. */
  runWindow: (workspace: string): Key => ({ pk: `WS#${workspace}`, sk: 'RW' }),
  configurationVersion: (workspace: string, id: string): Key => ({ pk: `WS#${workspace}`, sk: `CV#${id}` }),
  readme: (workspace: string): Key => ({ pk: `WS#${workspace}`, sk: 'README' }),
  /** A state version, among its workspace's by the time of its creation. */
  stateVersion: (workspace: string, at: number, id: string): Key => ({
    pk: `WS#${workspace}`,
    sk: `S#${sortableTime(at)}#${id}`,
  }),
  /** One chunk of the outputs of a state version. */
  stateOutputs: (workspace: string, stateVersion: string, chunk: number): Key => ({
    pk: `WS#${workspace}`,
    sk: `${prefixes.stateOutputsOf(stateVersion)}${String(chunk).padStart(4, '0')}`,
  }),
  /** What is left of a state version that is deleted, beside the table. */
  stateDependants: (workspace: string, at: number, id: string): Key => ({
    pk: `WS#${workspace}`,
    sk: `${prefixes.stateDependants}${sortableTime(at)}#${id}`,
  }),
  /** From the id of a state version, or of an output of it, to where it lies. */
  stateVersionId: (id: string): Key => ({ pk: `REF#${stemOf(id)}`, sk: 'R' }),
  /** One chunk of a generation of its remote state consumers. */
  consumers: (id: string, generation: string, chunk: number): Key => ({
    pk: `WS#${id}`,
    sk: `${prefixes.consumersIn(generation)}${String(chunk).padStart(4, '0')}`,
  }),
  project: (id: string): Key => ({ pk: `PRJ#${id}`, sk: 'P' }),
  team: (id: string): Key => ({ pk: `TEAM#${id}`, sk: 'T' }),
  user: (id: string): Key => ({ pk: `USER#${id}`, sk: 'U' }),
  /** Usernames are unique in the deployment. */
  username: (name: string): Key => ({ pk: `USERNAME#${name}`, sk: 'N' }),
  membership: (user: string, organization: string, team: string): Key => ({
    pk: `USER#${user}`,
    sk: membershipOf(organization) + team,
  }),
  /** The same membership, seen from the team. */
  member: (team: string, user: string): Key => ({ pk: `TEAM#${team}`, sk: `MEM#${user}` }),
  /** That a user belongs to an organization: one query brings it with their teams there. */
  organizationMembership: (user: string, organization: string): Key => ({
    pk: `USER#${user}`,
    sk: membershipOf(organization),
  }),
  /** The same, seen from the organization. */
  organizationMember: (organization: string, user: string): Key => ({ pk: `ORG#${organization}`, sk: `MEM#${user}` }),
  /** A user, by an e-mail address in lower case; several may have the same. */
  email: (address: string, user: string): Key => ({ pk: emailPartition(address), sk: `USER#${user}` }),
  /** A token is found by the SHA-256 of its text, in hexadecimal; the text itself is never stored. */
  token: (digest: string): Key => ({ pk: `TOK#${digest}`, sk: 'K' }),
  /** A token among its subject's, by its id: for listing and revoking. */
  tokenOf: (subject: TokenSubject, id: string): Key => ({ pk: subjectPartition(subject), sk: `TOK#${id}` }),
  /** From the id of what lies under another key, a token or a variable, to that key. */
  pointer: (id: string): Key => ({ pk: `REF#${id}`, sk: 'R' }),
  record: (kind: RecordKind, id: string): Key => ({ pk: `${recordKinds[kind]}#${id}`, sk: recordKinds[kind] }),
  /** A command of automation, by whose it is and the id that it came with. */
  command: (principal: string, id: string): Key => ({ pk: `CMD#${principal}#${id}`, sk: 'C' }),
  releases: (): Key => ({ pk: 'RELEASES', sk: 'R' }),
} as const;

/** The tokens of site administrators are the deployment's own: there is no record of whom they belong to. */
export const SITE: TokenSubject = { kind: 'site', id: 'site' };

export const emailPartition = (address: string): string => `EMAIL#${address.toLowerCase()}`;

const partitions = { user: 'USER', team: 'TEAM', organization: 'ORG', site: 'SITE' };
export const subjectPartition = ({ kind, id }: TokenSubject): string => `${partitions[kind]}#${id}`;

/** Sort key prefixes for queries within a partition. */
export const prefixes = {
  memberships: 'MEM#',
  tokens: 'TOK#',
  variables: 'V#',
  runs: 'R#',
  consumers: CONSUMERS,
  stateVersions: 'S#',
  stateOutputsOf: (stateVersion: string): string => `O#${stateVersion}#`,
  stateDependants: 'X#',
  consumersIn: (generation: string): string => `${CONSUMERS}${generation}#`,
} as const;

/** FNV-1a: spreads ids over partitions or chunks; which one an id falls in must never change. */
export const spread = (text: string, over: number): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash % over;
};

/** Partitions of the list index. */
export const lists = {
  workspaces: (organization: string, shard: number): string => `ORG#${organization}#W#${shard}`,
  workspacesOf: (organization: string, id: string, shards: number): string =>
    lists.workspaces(organization, spread(id, shards)),
  /** Projects, teams and other records of an organization, by kind. */
  records: (organization: string, kind: Exclude<ClaimKind, 'workspace'>): string =>
    `ORG#${organization}#${claimKinds[kind]}`,
} as const;

/** In how many partitions of the due index the scheduled destroy runs lie, and the unfinished deletions. */
const DUE_SHARDS = 4;
export const duePartitions = Array.from({ length: DUE_SHARDS }, (_, shard) => `DUE#${shard}`);
export const duePartition = (workspace: string): string => `DUE#${spread(workspace, DUE_SHARDS)}`;
export const isDuePartition = (partition: unknown): boolean => duePartitions.some((known) => known === partition);

/** Where in the same index it is noted what a deletion has yet to take with it, by the time from which that may be. */
export const cleanupPartitions = Array.from({ length: DUE_SHARDS }, (_, shard) => `SWEEP#${shard}`);
export const cleanupPartition = (id: string): string => `SWEEP#${spread(id, DUE_SHARDS)}`;

/**
 * A time as a sort key: 13 digits, so that text order is time order.
 * @throws RangeError for one that has more.
 */
export const sortableTime = (time: number): string => {
  if (time > LATEST) throw new RangeError(`${time} is too late to be sorted`);
  return String(time).padStart(13, '0');
};
