import { isDeepStrictEqual } from 'node:util';
import type { BulkJob } from '../bulk-jobs/bulk-job.ts';
import type { NamedKind } from '../directory/records.ts';
import type { RetentionPolicy } from '../state-versions/retention-policy.ts';
import type { PresentedToken } from '../workload-identities/presented-token.ts';
import type { ChangeRecordBase } from './change-context.ts';
import type { Details } from './change-records.ts';

/**
 * Types of changes of an organization and of what belongs to it, except workspaces and variable sets. The part before the
 * dot names the resource on whose item the change record and its sequence number are stored (EVENT-17).
 */
export const organizationChangeTypes = [
  'organization.created',
  'organization.updated',
  'organization.deleted',
  'organization.retention-policy-changed',
  'organization.reserved-tag-key-created',
  'organization.reserved-tag-key-updated',
  'organization.reserved-tag-key-deleted',
  'project.created',
  'project.updated',
  'project.access-changed',
  'project.deleted',
  'team.created',
  'team.updated',
  'team.deleted',
  'team-membership.created',
  'team-membership.deleted',
  'organization-membership.created',
  'organization-membership.deleted',
  'user.signed-in',
  'user.sign-in-link-created',
  'user.suspended',
  'user.resumed',
  'user.exempted',
  'identity.linked',
  'identity.unlinked',
  'membership.synced',
  'session.ended',
  'token.created',
  'token.issued',
  'token.first-used',
  'token.revoked',
  'agent-pool.created',
  'agent-pool.updated',
  'agent-pool.deleted',
  'ssh-key.created',
  'ssh-key.updated',
  'ssh-key.deleted',
  'vcs-connection.created',
  'vcs-connection.updated',
  'vcs-connection.deleted',
  'app-installation.created',
  'app-installation.updated',
  'app-installation.deleted',
  'workload-identity.created',
  'workload-identity.updated',
  'workload-identity.deleted',
  'bulk-job.created',
  'bulk-job.ready',
  'bulk-job.applied',
  'bulk-job.canceled',
  'bulk-job.completed',
] as const;
export type OrganizationChangeType = (typeof organizationChangeTypes)[number];

/** Changes that leave no entry in the history: a bulk job shows them, and has one entry, that of its application (JOB-16). */
const unrecordedTypes = [
  'bulk-job.created',
  'bulk-job.ready',
  'bulk-job.canceled',
  'bulk-job.completed',
] as const satisfies readonly OrganizationChangeType[];
export type RecordedChangeType = Exclude<OrganizationChangeType, (typeof unrecordedTypes)[number]>;

/** Returns whether changes of a type have an entry in the history. */
export const isRecorded = (type: OrganizationChangeType): type is RecordedChangeType =>
  !(unrecordedTypes as readonly string[]).includes(type);

/** Returns whether a type is one of an organization or of what belongs to it. */
export const isOrganizationChangeType = (type: string): type is OrganizationChangeType =>
  (organizationChangeTypes as readonly string[]).includes(type);

/** Kinds of resources whose items have change records of these types. */
export type ChangedKind = OrganizationChangeType extends infer T
  ? T extends `${infer K}.${string}`
    ? K
    : never
  : never;

/** Kinds of named records, as the types of their changes spell them. */
const changedKinds = {
  project: 'project',
  team: 'team',
  agentPool: 'agent-pool',
  sshKey: 'ssh-key',
  vcsConnection: 'vcs-connection',
  appInstallation: 'app-installation',
  workloadIdentity: 'workload-identity',
} as const satisfies Readonly<Record<NamedKind, ChangedKind>>;

/** Returns the type of a change that every kind of named record has. */
export const recordChangeType = (kind: NamedKind, change: 'created' | 'updated' | 'deleted'): OrganizationChangeType =>
  `${changedKinds[kind]}.${change}`;

/** Details of a change that its resource does not show afterwards. They never contain a secret. */
export interface OrganizationChangeDetails extends Pick<Details, 'keys' | 'team'> {
  /** Previous name, if it changed. */
  readonly previous?: { readonly name: string };
  /** The reserved tag key that changed; after a deletion, as it was. */
  readonly reservedTagKey?: { readonly id: string; readonly key: string; readonly disableOverrides: boolean };
  /** The identity token that a pipeline changed for a token. */
  readonly presented?: PresentedToken;
  /** The identity provider of a sign-in, and the id of the session. */
  readonly signIn?: { readonly provider: string; readonly session?: string };
  /** Ids of the teams that a user joined or left because of groups. */
  readonly teams?: { readonly added: readonly string[]; readonly removed: readonly string[] };
}

/** The last change of an organization or of what belongs to it: its type, time, actor and request, and its details. */
export interface OrganizationChange extends ChangeRecordBase<OrganizationChangeType>, OrganizationChangeDetails {}

/** The resource that a change record is about, as the write left it. */
export interface ChangedResource {
  /** Name of the organization; null for the tokens of users and of the site, which belong to none. */
  readonly organization: string | null;
  /** Id; for an organization its name, for a membership of a team the ids of the team and the user. */
  readonly id: string;
  /** Name, or the description of a token. Null: it has none. */
  readonly name: string | null;
  /** Default policy of an organization. */
  readonly retentionPolicy?: RetentionPolicy | undefined;
  /** Team of a membership, or as which a workload identity and its tokens act. */
  readonly team?: string;
  /** User of a membership. */
  readonly user?: string;
  /** Owner of a token. */
  readonly owner?: { readonly kind: string; readonly id: string };
  /** Action, status and results of a bulk job. */
  readonly job?: Pick<BulkJob, 'action' | 'status' | 'previews' | 'outcomes'> & { readonly total: number | null };
}

/** Types of the resources in responses, by the part of the type of a change before the dot. */
const resourceTypes: Readonly<Record<ChangedKind, string>> = {
  organization: 'organizations',
  project: 'projects',
  team: 'teams',
  'team-membership': 'team-memberships',
  'organization-membership': 'organization-memberships',
  user: 'organization-memberships',
  identity: 'organization-memberships',
  membership: 'organization-memberships',
  session: 'organization-memberships',
  token: 'authentication-tokens',
  'agent-pool': 'agent-pools',
  'ssh-key': 'ssh-keys',
  'vcs-connection': 'oauth-tokens',
  'app-installation': 'github-app-installations',
  'workload-identity': 'workload-identities',
  'bulk-job': 'bulk-jobs',
};

/** Returns the type that the resource of a change has in responses. */
export const resourceTypeOf = (type: OrganizationChangeType): string =>
  resourceTypes[type.slice(0, type.indexOf('.')) as ChangedKind];

/** Names of all types of resources that have changes of these types. */
export const changedResourceTypes: readonly string[] = [...new Set(Object.values(resourceTypes))];

/** Returns the names of the members in which two versions of a record differ, sorted. */
export const changedMembers = (before: object, after: object): string[] => {
  const [from, to] = [before, after] as readonly Readonly<Record<string, unknown>>[];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isDeepStrictEqual(from?.[name], to?.[name])).sort();
};
