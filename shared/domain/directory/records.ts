import { limits } from '../limits.ts';
import type { RetentionPolicy } from '../state-versions/retention-policy.ts';
import type { Tags } from '../tags/tag.ts';
import type { Grants, OrganizationAccess, ProjectGrant } from './grants.ts';

/** The records around workspaces. Times are milliseconds since the epoch. */

export const executionModes = ['remote', 'local', 'agent'] as const;
export type ExecutionMode = (typeof executionModes)[number];

export const plans = ['free', 'standard', 'plus'] as const;
/** What an organization has paid for, on the hosted edition; the Plus tier brings health assessments (EDITION-2). */
export type Plan = (typeof plans)[number];

export interface Organization {
  /** Also its id; immutable. */
  readonly name: string;
  /** `org-…` */
  readonly externalId: string;
  readonly email: string;
  readonly createdAt: number;
  readonly defaultProject: string;
  readonly ownersTeam: string;
  readonly defaultExecutionMode: ExecutionMode;
  readonly defaultAgentPool: string | null;
  /** Lets workspace admins force delete (DEL-6). */
  readonly allowForceDeleteWorkspaces: boolean;
  readonly assessmentsEnforced: boolean;
  /** For workspaces without one of their own (RET-1). */
  readonly retentionPolicy?: RetentionPolicy;
  readonly plan: Plan;
  readonly access: Grants<OrganizationAccess>;
  /** In how many partitions of the list index its workspaces lie. */
  readonly shards: number;
  /** Since when it is so many, while some still lie where they lay with fewer. */
  readonly spreadAt?: number;
  /** From when the snapshot of its list index is; absent where there is none. */
  readonly snapshotAt?: number;
}

export interface Project {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  readonly description: string | null;
  readonly createdAt: number;
  /** Null: the organization's. */
  readonly defaultExecutionMode: ExecutionMode | null;
  readonly defaultAgentPool: string | null;
  /** After so long without activity, a destroy run is asked for in those of its workspaces that inherit it. */
  readonly autoDestroyActivityDuration?: string | null;
  /** Since when it says so. */
  readonly autoDestroySince?: number;
  readonly access: Grants<ProjectGrant>;
  /** Key-value tag bindings that its workspaces inherit; each has a value. */
  readonly bindings: Tags;
}

/** What a project passes on of auto-destroy: after how long without activity, and since when it says so. */
export interface Inactivity {
  readonly duration: string;
  /** Nothing is due earlier than that and the duration: who sets it does not destroy at once what lay idle before. */
  readonly since: number;
}

/**
 * Who presents a token: a user, with the teams they are in, a team, or an organization (AUTH-6); an administrator
 * of the whole deployment, who makes organizations and is a stranger in each of them; or a run, for as long as it
 * lasts.
 */
export type Principal =
  | { readonly kind: 'user'; readonly id: string; readonly name: string }
  | { readonly kind: 'team'; readonly id: string; readonly name: string; readonly organization: string }
  | { readonly kind: 'organization'; readonly id: string; readonly name: string; readonly organization: string }
  | { readonly kind: 'site'; readonly id: string; readonly name: string }
  | RunPrincipal;

/** A run acts for its workspace alone. */
export interface RunPrincipal {
  readonly kind: 'run';
  readonly id: string;
  readonly name: string;
  readonly organization: string;
  readonly workspace: string;
}

/** What acts without a token, invoked with IAM: administration, for one. */
export interface Service {
  readonly kind: 'service';
  readonly id: string;
  readonly name: string;
}

/** A principal and the ids of its teams in the organization at hand. */
export interface Caller {
  readonly principal: Principal;
  readonly teams: readonly string[];
  /** A user may belong to the organization without being in any team of it. */
  readonly member?: boolean;
  /** Of a run: the workspace at hand, where that shares its state with the run's own. */
  readonly sharing?: string;
}

export const serviceProviders = [
  'github',
  'github_enterprise',
  'gitlab_hosted',
  'gitlab_community_edition',
  'gitlab_enterprise_edition',
  'bitbucket_hosted',
  'bitbucket_server',
  'bitbucket_data_center',
  'ado_server',
  'ado_services',
] as const;

export type ServiceProvider = (typeof serviceProviders)[number];

/** A connection to a VCS provider: the OAuth client and its token in one record, referred to by the token's id. */
export interface VcsConnection {
  /** `ot-…`, what `vcs-repo.oauth-token-id` refers to. */
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  readonly serviceProvider: ServiceProvider;
  /** Where repositories are shown: `https://github.com`. */
  readonly httpUrl: string;
  readonly apiUrl?: string;
  /** The token, encrypted; absent where there is none. */
  readonly sealed?: Uint8Array;
  readonly createdAt: number;
}

/** An installation of the VCS provider's app, what `vcs-repo.app-installation-id` refers to. */
export interface AppInstallation {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  readonly httpUrl: string;
  readonly createdAt: number;
}

export interface AgentPool {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  readonly createdAt: number;
}

/** A key for fetching modules over SSH (SSH-3). */
export interface SshKey {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  /** The private key, encrypted. */
  readonly sealed: Uint8Array;
  readonly createdAt: number;
}

export const teamVisibilities = ['secret', 'organization'] as const;

export interface Team {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  /** Whether members of other teams can see it. */
  readonly visibility: (typeof teamVisibilities)[number];
  /** What it may do in the organization; the organization holds the same, so that one read tells all teams'. */
  readonly permissions: OrganizationAccess;
  /** Whether automation may act as it, without a token. */
  readonly service?: boolean;
  readonly createdAt: number;
}

export interface User {
  readonly id: string;
  /** Unique in the deployment. */
  readonly username: string;
  readonly email: string;
  readonly serviceAccount: boolean;
  readonly createdAt: number;
}

/** That a user belongs to an organization; what they may do there, the teams say that they are in. */
export interface Membership {
  /** `ou-…` */
  readonly id: string;
  readonly organization: string;
  readonly user: string;
  readonly createdAt: number;
}

/** The named records of an organization, by kind. */
export interface Records {
  readonly project: Project;
  readonly team: Team;
  readonly agentPool: AgentPool;
  readonly sshKey: SshKey;
  readonly vcsConnection: VcsConnection;
  readonly appInstallation: AppInstallation;
}
export type NamedKind = keyof Records;
/** The kinds of records that nothing but their organization, name and attributes describes. */
export type RecordKind = Exclude<NamedKind, 'project' | 'team'>;

/** A username for who has an e-mail address: its part before the @, as far as it can be one. */
export const usernameOf = (email: string): string =>
  (email.split('@', 1)[0] ?? '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, limits.username)
    .replaceAll(/^-+|-+$/g, '') || 'owner';

/** The name of the team that may do everything, and of the project that every organization starts with. */
export const OWNERS_TEAM = 'owners';
export const DEFAULT_PROJECT = 'Default Project';
