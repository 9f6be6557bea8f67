import type { Static } from 'typebox';
import type { schemas } from './schemas.ts';

/** Files of an organization in a bundle, without their ending: one for each type of record (docs/reference/bundle.md). */
export type RecordType = keyof typeof schemas;

/** A record of a type, as one line of its file contains it. */
export type RecordOf<T extends RecordType> = Static<(typeof schemas)[T]>;

/** The file `bundle.json`. */
export type Manifest = Static<typeof import('./schemas.ts').manifest>;

/** Content of the file of a type, identity of its lines, and the records to which they refer. */
interface TypeDefinition<T extends RecordType> {
  readonly content: string;
  /** Members that identify a record. Lines are sorted by them. */
  readonly identity: readonly (keyof RecordOf<T> & string)[];
  /** Types of the records that members name. A list names several. */
  readonly references?: { readonly [M in keyof RecordOf<T> & string]?: RecordType };
}

/** The types of records. The order is that in which an import creates them. */
export const types: { readonly [T in RecordType]: TypeDefinition<T> } = {
  organization: {
    content: 'settings of the organization, its default data retention policy and the limits of the lifetime of tokens',
    identity: ['name'],
    references: { 'default-project': 'projects', 'default-agent-pool': 'agent-pools' },
  },
  projects: {
    content: 'projects with their tag bindings',
    identity: ['name'],
    references: { 'default-agent-pool': 'agent-pools' },
  },
  teams: { content: 'teams and what they may do in the organization', identity: ['name'] },
  memberships: {
    content: 'members by their e-mail addresses, with their teams',
    identity: ['email'],
    references: { teams: 'teams' },
  },
  'agent-pools': {
    content: 'agent pools and who may use them',
    identity: ['name'],
    references: {
      'allowed-projects': 'projects',
      'allowed-workspaces': 'workspaces',
      'excluded-workspaces': 'workspaces',
    },
  },
  'ssh-keys': { content: 'names of SSH keys', identity: ['name'] },
  'vcs-connections': {
    content: 'VCS connections without their tokens',
    identity: ['name'],
    references: { projects: 'projects' },
  },
  'reserved-tag-keys': { content: 'reserved tag keys', identity: ['key'] },
  'project-access': {
    content: 'access of teams to projects',
    identity: ['project', 'team'],
    references: { project: 'projects', team: 'teams' },
  },
  workspaces: {
    content: 'workspaces with their own settings, tags and data retention policy',
    identity: ['name'],
    references: {
      project: 'projects',
      'agent-pool': 'agent-pools',
      'ssh-key': 'ssh-keys',
      'vcs-connection': 'vcs-connections',
    },
  },
  'workspace-access': {
    content: 'access of teams to workspaces',
    identity: ['workspace', 'team'],
    references: { workspace: 'workspaces', team: 'teams' },
  },
  'remote-state-consumers': {
    content: 'workspaces that may read the state of a workspace',
    identity: ['workspace', 'consumer'],
    references: { workspace: 'workspaces', consumer: 'workspaces' },
  },
  variables: {
    content: 'variables of workspaces',
    identity: ['workspace', 'category', 'key'],
    references: { workspace: 'workspaces' },
  },
  'variable-sets': {
    content: 'variable sets and their assignments',
    identity: ['name'],
    references: { 'owner-project': 'projects', projects: 'projects', workspaces: 'workspaces' },
  },
  'variable-set-variables': {
    content: 'variables of variable sets',
    identity: ['variable-set', 'category', 'key'],
    references: { 'variable-set': 'variable-sets' },
  },
  'workload-identities': {
    content: 'workload identities and their scope',
    identity: ['name'],
    references: { team: 'teams', projects: 'projects', workspaces: 'workspaces' },
  },
  'state-versions': {
    content: 'state versions of workspaces, the oldest first, with the SHA-256 of their content',
    identity: ['workspace', 'position'],
    references: { workspace: 'workspaces' },
  },
  withheld: {
    content: 'what is missing in the bundle, and why',
    identity: ['type', 'name', 'reason', 'detail'],
  },
};

/** Names of all types of records. */
export const recordTypes = Object.keys(types) as readonly RecordType[];

/** Name and version of the format that is written, its major version, which alone is read, and the names of its files (BUNDLE-2). */
export const FORMAT = {
  name: 'holdfast-bundle',
  version: '1.0',
  major: '1',
  manifest: 'bundle.json',
  sums: 'SHA256SUMS',
} as const;
