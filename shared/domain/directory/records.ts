import { limits } from '../limits.ts';
import type { RetentionPolicy } from '../state-versions/retention-policy.ts';
import type { ReservedTagKey } from '../tags/reserved-tag-keys.ts';
import type { Tags } from '../tags/tag.ts';
import type { Grants, ProjectGrant, TeamPermissions } from './grants.ts';
import type { SignInTimes } from './sign-in-policy.ts';
import type { TokenTtlPolicies } from './token-ttl-policies.ts';

/** The records around workspaces. Times are milliseconds since the epoch. */

export const executionModes = ['remote', 'local', 'agent'] as const;
export type ExecutionMode = (typeof executionModes)[number];

export const plans = ['free', 'standard', 'plus'] as const;
/** Subscription of an organization on the hosted edition. The plan `plus` includes health assessments (EDITION-2). */
export type Plan = (typeof plans)[number];

/** Settings of an organization, stored and returned as requests send them. The attribute table in `shared/resources/organizations` declares them. */
// biome-ignore lint/suspicious/noEmptyInterface: the attribute table adds the members.
export interface OrganizationSettings {}

/** A record whose settings requests change. */
interface Editable {
  /** Set anew by every change of its settings; absent if they have never changed. */
  readonly revision?: string;
}

export interface Organization extends Partial<OrganizationSettings>, Editable {
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
  readonly assessmentsEnforced: boolean;
  /** Policy of the workspaces that have none of their own (RET-1). */
  readonly retentionPolicy?: RetentionPolicy;
  readonly plan: Plan;
  readonly reservedTagKeys?: readonly ReservedTagKey[];
  /** Limits of the lifetime of tokens that were set, by type; they are in force while `maxTtlEnabled` is true (AUTH-22). */
  readonly tokenTtlPolicies?: TokenTtlPolicies;
  readonly access: Grants<TeamPermissions>;
  /** Set from the creation with a site token until the first owner is added, also with that token (ORG-2). */
  readonly ownerless?: true;
  /** Number of partitions of the list index that contain the workspaces; immutable. */
  readonly shards: number;
  /** Time of the list index snapshot; absent if there is none. */
  readonly snapshotAt?: number;
}

/** Settings of a project, stored and returned as requests send them. The attribute table in `shared/resources/projects` declares them. */
// biome-ignore lint/suspicious/noEmptyInterface: the attribute table adds the members.
export interface ProjectSettings {}

export interface Project extends Partial<ProjectSettings>, Editable {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  readonly createdAt: number;
  /** Null: the default of the organization applies. */
  readonly defaultExecutionMode: ExecutionMode | null;
  readonly defaultAgentPool: string | null;
  /** Deletion protection of its workspaces; null or absent: the default of the organization applies (DEL-11). */
  readonly defaultDeletionProtection?: boolean | null;
  /** Time without activity after which a destroy run is requested in the workspaces that inherit the setting. */
  readonly autoDestroyActivityDuration?: string | null;
  /** Time at which `autoDestroyActivityDuration` was set. */
  readonly autoDestroySince?: number;
  readonly access: Grants<ProjectGrant>;
  /** Key-value tag bindings that its workspaces inherit; each has a value. */
  readonly bindings: Tags;
}

/** Auto-destroy settings that workspaces inherit from their project. */
export interface Inactivity {
  readonly duration: string;
  /** Time at which the duration was set. It counts as activity, so idle workspaces are not destroyed at once. */
  readonly since: number;
}

/**
 * Principal that a token authenticates (AUTH-6): a user, a team, an organization, the site administrator or a run. The
 * site administrator creates organizations, but belongs to none. The token of a run is valid until the run ends.
 */
export type Principal = (
  | UserPrincipal
  | TeamPrincipal
  | { readonly kind: 'organization'; readonly id: string; readonly name: string; readonly organization: string }
  | { readonly kind: 'site'; readonly id: string; readonly name: string }
  | RunPrincipal
) & {
  /** Id of the token that authenticated it; absent for runs and for teams that automation acts as. */
  readonly token?: string;
};

/** Principal of a user: of one of the user's tokens, or of a token of a session (SESSION-2). */
export interface UserPrincipal {
  readonly kind: 'user';
  readonly id: string;
  readonly name: string;
  /** Id of the session of the token; absent for a token that does not belong to one. */
  readonly session?: string;
}

/** Principal of a team: of one of its tokens, or of a token that a workload identity gave to a pipeline (WI-10). */
export interface TeamPrincipal {
  readonly kind: 'team';
  readonly id: string;
  readonly name: string;
  readonly organization: string;
  /** Set for the token of a pipeline. */
  readonly workload?: Workload;
}

/** The rights of a pipeline within those of its team. */
export interface Workload {
  /** Id of the workload identity. */
  readonly identity: string;
  /** Absent: everything that the team has access to. */
  readonly scope?: WorkloadScope;
}

/** The projects and workspaces that a pipeline can reach. An empty scope is nothing. */
export interface WorkloadScope {
  /** Ids of projects: every workspace in them is in the scope. */
  readonly projects: readonly string[];
  /** Ids of workspaces. */
  readonly workspaces: readonly string[];
}

/** Holder of the token that reads the audit trails of an organization, and nothing else (AUTH-18). */
export interface AuditTrailPrincipal {
  readonly kind: 'audit-trails';
  readonly id: string;
  readonly name: string;
  readonly organization: string;
}

/** Principal of a run. It has rights on its own workspace only. */
export interface RunPrincipal {
  readonly kind: 'run';
  readonly id: string;
  readonly name: string;
  readonly organization: string;
  readonly workspace: string;
}

/**
 * Principal without a token: one that is authorized by IAM, such as the admin function, the workload identity that a pipeline
 * names in its request for a token, or an identity provider, whose groups decide about memberships.
 */
export interface Service {
  readonly kind: 'service' | 'workload-identity' | 'identity-provider';
  readonly id: string;
  readonly name: string;
}

/** A membership of a user in an organization, as the requests of the user need it. */
export interface CallerMembership {
  /** Ids of teams. */
  readonly teams: readonly string[];
  /** Whether the user has signed in at an identity provider recently enough, or is exempt from that (POLICY-1). */
  readonly isFresh: boolean;
}

/** A principal and the ids of its teams in the organization at hand. */
export interface Caller extends Partial<CallerMembership> {
  readonly principal: Principal;
  readonly teams: readonly string[];
  /** A user may belong to the organization without being in any team of it. */
  readonly member?: boolean;
  /** For a run: id of the requested workspace if it shares its state with the workspace of the run. */
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
export interface VcsConnection extends Partial<VcsConnectionScope>, Editable {
  /** `ot-…`, the value of `vcs-repo.oauth-token-id`. */
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  readonly serviceProvider: ServiceProvider;
  /** Base URL of the pages of repositories: `https://github.com`. */
  readonly httpUrl: string;
  readonly apiUrl?: string;
  /** Absent if there is none. */
  readonly encryptedToken?: Uint8Array;
  readonly createdAt: number;
}

/** The projects whose workspaces may use a VCS connection (VCS-5). Records without it are open to the whole organization. */
export interface VcsConnectionScope {
  /** False: only the workspaces of the projects may use the connection. */
  readonly organizationScoped: boolean;
  /** Ids of projects. */
  readonly projects: readonly string[];
}

/** An installation of the app of a VCS provider. `vcs-repo.app-installation-id` contains its id. */
export interface AppInstallation extends Editable {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  readonly httpUrl: string;
  readonly createdAt: number;
}

export interface AgentPool extends Partial<AgentPoolScope>, Editable {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  readonly createdAt: number;
}

/** The workspaces that may use an agent pool (POOL-4). Records without it are open to the whole organization. */
export interface AgentPoolScope {
  /** False: only the allowed workspaces and the workspaces of the allowed projects may use the pool. */
  readonly organizationScoped: boolean;
  /** Ids of workspaces. */
  readonly allowedWorkspaces: readonly string[];
  /** Ids of projects. */
  readonly allowedProjects: readonly string[];
  /** Ids of workspaces that may not use the pool, whatever else allows it. */
  readonly excludedWorkspaces: readonly string[];
}

/** A key for fetching modules over SSH (SSH-3). */
export interface SshKey extends Editable {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  /** The private key, encrypted. */
  readonly encryptedKey: Uint8Array;
  readonly createdAt: number;
}

/**
 * A workload identity: the rule by which a pipeline changes an identity token of its own platform for a short token that acts
 * as a team (WI-1).
 */
export interface WorkloadIdentity extends Editable {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  /** URL of the issuer of the identity tokens, exactly as their `iss` has it. */
  readonly issuer: string;
  /** Audience that the identity tokens must be for. */
  readonly audience: string;
  readonly conditions: readonly ClaimCondition[];
  /** Id of the team as which its tokens act. */
  readonly team: string;
  /** Absent: its tokens reach everything that the team has access to. */
  readonly scope?: WorkloadScope;
  /** Lifetime of its tokens. */
  readonly lifetimeMinutes: number;
  readonly enabled: boolean;
  readonly createdAt: number;
}

/** Condition on a claim of an identity token, which a JSON pointer names (WI-4). */
export type ClaimCondition = { readonly claim: string } & (
  | { readonly equals: readonly string[] }
  | { readonly matches: string }
);

export const teamVisibilities = ['secret', 'organization'] as const;

/** Settings of a team, stored and returned as requests send them. The attribute table in `shared/resources/teams` declares them. */
// biome-ignore lint/suspicious/noEmptyInterface: the attribute table adds the members.
export interface TeamSettings {}

export interface Team extends Partial<TeamSettings>, Editable {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  /** Organization permissions. The organization has a copy, so that one read returns the permissions of all teams. */
  readonly permissions: TeamPermissions;
  /** True if automation may act as the team without a token. */
  readonly service?: boolean;
  readonly createdAt: number;
}

export interface User extends Editable {
  readonly id: string;
  /** Unique in the deployment. */
  readonly username: string;
  readonly email: string;
  /** True while an invitation is all that is known of the user (ORG-9). */
  readonly invited?: boolean;
  /** Another address that the user has requested (AUTH-20). */
  readonly unconfirmedEmail?: string | null;
  readonly serviceAccount: boolean;
  /** True for a site administrator, who may create organizations (ORG-2). */
  readonly siteAdmin?: boolean;
  /** Source of `siteAdmin`, if a group of an identity provider decides about it (SESSION-6). */
  readonly siteAdminSource?: string;
  /** True once an identity at an identity provider was linked with the user (SESSION-4). */
  readonly isLinked?: true;
  /** Time at which the user was suspended, in milliseconds; absent unless the user is suspended (SUSPEND-1). */
  readonly suspendedAt?: number;
  readonly createdAt: number;
}

/** Membership of a user in an organization. The rights of the user follow from teams. */
export interface Membership extends SignInTimes {
  /** `ou-…` */
  readonly id: string;
  readonly organization: string;
  readonly user: string;
  readonly createdAt: number;
  /** True if the user was invited when the membership began. The user has the present state. */
  readonly invited?: boolean;
  /** Source of the membership, if groups of an identity provider gave it (SESSION-7); absent if a person did. */
  readonly source?: string;
}

/** The named records of an organization, by kind. */
export interface Records {
  readonly project: Project;
  readonly team: Team;
  readonly agentPool: AgentPool;
  readonly sshKey: SshKey;
  readonly vcsConnection: VcsConnection;
  readonly appInstallation: AppInstallation;
  readonly workloadIdentity: WorkloadIdentity;
}
export type NamedKind = keyof Records;
/** Kinds of records that have only an organization, a name and attributes. */
export type RecordKind = Exclude<NamedKind, 'project' | 'team'>;

/**
 * Derives a username from an e-mail address: the part before the @, without characters that are not allowed.
 * @param fallback used if no character is left.
 */
export const usernameOf = (email: string, fallback = 'owner'): string =>
  (email.split('@', 1)[0] ?? '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, limits.username)
    .replaceAll(/^-+|-+$/g, '') || fallback;

/** Names of the team that has all rights, and of the project that every organization has at first. */
export const OWNERS_TEAM = 'owners';
export const DEFAULT_PROJECT = 'Default Project';
