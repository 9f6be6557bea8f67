import { isDeepStrictEqual } from 'node:util';
import type { OrganizationPermission } from '../domain/directory/grants.ts';
import type { Caller, Membership, Organization, Team } from '../domain/directory/records.ts';
import type { TokenSubject } from '../domain/directory/tokens.ts';
import { invalid } from '../domain/errors.ts';
import { createPolicy, type PolicyRule, rule } from './policy.ts';
import { type AccessSettings, atLeast, belongsTo, organizationRights, scopeOf, workloadOf } from './rights.ts';

/** A caller in an organization. */
export interface CallerInOrganization {
  readonly caller: Caller;
  readonly organization: AccessSettings;
}

/** Decides for a caller in an organization. */
type Allows = (context: CallerInOrganization) => boolean;

/** Allows every member of the organization, and the organization token. */
const members: Allows = ({ caller, organization }) => belongsTo(caller, organization);

/** Excludes callers who are limited to some projects and workspaces (WI-11). */
const unlimited =
  (allows: Allows): Allows =>
  (context) =>
    scopeOf(context.caller) === undefined && allows(context);

/** Excludes pipelines: they change nothing about who has access (WI-10). */
const exceptWorkloads =
  (allows: Allows): Allows =>
  (context) =>
    workloadOf(context.caller) === undefined && allows(context);

/**
 * Allows teams with any one of the permissions, always the owners, and the organization's own token. The permissions of a team
 * in the organization do not apply to callers who are limited to some projects and workspaces.
 */
const teamsWith = (...permissions: readonly OrganizationPermission[]): Allows =>
  unlimited(({ caller, organization }) => {
    if (!belongsTo(caller, organization)) return false;
    if (caller.principal.kind === 'organization') return true;
    return caller.teams.some((team) => {
      const access = organization.access[team] ?? [];
      return access === 'owners' || permissions.some((permission) => access.includes(permission));
    });
  });

/** Excludes the organization's own token: from SSH keys, from what the token itself depends on, and from the owners. */
const exceptOrganizationToken =
  (allows: Allows): Allows =>
  (context) =>
    context.caller.principal.kind !== 'organization' && allows(context);

const owners = exceptOrganizationToken(teamsWith());
const workspaceManagers = teamsWith('manage-workspaces', 'manage-projects');
/** Managing access includes managing teams, and that includes managing memberships (PERM-12). */
const ACCESS = ['manage-organization-access'] as const;
const TEAMS = ['manage-teams', ...ACCESS] as const;
const MEMBERSHIP = ['manage-membership', ...TEAMS] as const;

/** The one table of actions on organizations (PERM-14); `workspace-policy.ts` has those on their workspaces. */
const rules = {
  'organization.read': rule(members, 'membership of the organization', 'can-traverse'),
  'shared-record.read': rule(unlimited(members), 'membership of the organization'),
  'organization.update': rule(teamsWith(), 'ownership of the organization', 'can-update'),
  'organization.delete': rule(owners, 'ownership of the organization', 'can-destroy'),
  'organization-token.manage': rule(exceptWorkloads(owners), 'ownership of the organization', 'can-update-api-token'),
  'workspace.create': rule(workspaceManagers, 'permission to manage workspaces', 'can-create-workspace'),
  'project.create': rule(teamsWith('manage-projects'), 'permission to manage projects', 'can-create-project'),
  'team.manage': rule(exceptWorkloads(teamsWith(...TEAMS)), 'permission to manage teams', 'can-create-team'),
  'team.read-secret': rule(teamsWith('manage-teams', 'access-secret-teams'), 'permission to see secret teams'),
  'organization-access.manage': rule(exceptWorkloads(teamsWith(...ACCESS)), 'permission to manage organization access'),
  'owner.manage': rule(exceptWorkloads(owners), 'ownership of the organization', 'can-manage-owners'),
  'membership.manage': rule(
    exceptWorkloads(teamsWith(...MEMBERSHIP)),
    'permission to manage membership',
    'can-manage-users',
    'can-manage-membership',
  ),
  'bulk-job.read-all': rule(workspaceManagers, 'permission to manage workspaces'),
  'tag.manage': rule(workspaceManagers, 'permission to manage workspaces', 'can-manage-tags'),
  'variable-set.read': rule(
    ({ caller, organization }) => atLeast(organizationRights(caller, organization), 'variables', 'read'),
    'permission to read variable sets',
    'can-read-varsets',
  ),
  'variable-set.manage': rule(workspaceManagers, 'permission to manage variable sets', 'can-manage-varsets'),
  'agent-pool.manage': rule(
    teamsWith('manage-agent-pools'),
    'permission to manage agent pools',
    'can-update-agent-pools',
  ),
  'agent-pool-token.manage': rule(exceptWorkloads(teamsWith('manage-agent-pools')), 'permission to manage agent pools'),
  'vcs-connection.manage': rule(
    teamsWith('manage-vcs-settings'),
    'permission to manage VCS settings',
    'can-update-oauth',
  ),
  'audit-trail.read': rule(
    exceptOrganizationToken(teamsWith('read-audit-trail')),
    'permission to read the audit trail',
  ),
  'ssh-key.read': rule(exceptOrganizationToken(unlimited(members)), 'membership of the organization'),
  'ssh-key.manage': rule(
    exceptOrganizationToken(teamsWith('manage-vcs-settings')),
    'permission to manage VCS settings',
    'can-update-ssh-keys',
  ),
} satisfies Record<string, PolicyRule<CallerInOrganization>>;

/** An action on an organization. */
export type OrganizationAction = keyof typeof rules;

const policy = createPolicy<CallerInOrganization, OrganizationAction>(rules, members);

export const {
  allows: mayIn,
  require: requireOrganizationPermission,
  lacking,
  permissions: organizationPermissions,
} = policy;

/** Names in the `permissions` of an organization. */
export const organizationPermissionNames: readonly string[] = policy.permissionNames;

/** Checks whether a caller can see a team: a secret one is visible to its members, and with a permission to see those. */
export const seesTeam = (context: CallerInOrganization, { id, visibility }: Pick<Team, 'id' | 'visibility'>): boolean =>
  belongsTo(context.caller, context.organization) &&
  (context.caller.teams.includes(id) ||
    (visibility === 'organization' && scopeOf(context.caller) === undefined) ||
    mayIn(context, 'team.read-secret'));

/** Checks whether a caller sees a membership: managers of memberships see all, other callers their own (ORG-11). */
export const seesMembership = (context: CallerInOrganization, { user }: Pick<Membership, 'user'>): boolean =>
  context.caller.principal.id === user || mayIn(context, 'membership.manage');

/**
 * Returns the action that managing a token requires. Tokens of the owners and of the organization itself give as much as
 * owning it. Managing teams is enough for the tokens of other teams, because it lets one join those teams.
 */
export const tokenAction = (
  { ownersTeam }: Pick<Organization, 'ownersTeam'>,
  { kind, id }: TokenSubject,
): OrganizationAction => {
  if (kind === 'agentPool') return 'agent-pool-token.manage';
  // A workload identity never belongs to the owners.
  if (kind === 'workloadIdentity') return 'team.manage';
  return kind !== 'team' || id === ownersTeam ? 'organization-token.manage' : 'team.manage';
};

/**
 * Requires that a caller may change the group at identity providers whose people are owners: only owners may (SESSION-7). Other
 * callers may repeat the present one.
 * @throws DomainError 404; its detail names what is missing to members only.
 */
export const requireOwnersGroupPermission = (
  context: CallerInOrganization & { readonly organization: Pick<Organization, 'ownersTeamSamlRoleId'> },
  { ownersTeamSamlRoleId: group }: Pick<Partial<Organization>, 'ownersTeamSamlRoleId'>,
): void => {
  if (group === undefined || group === (context.organization.ownersTeamSamlRoleId ?? null)) return;
  requireOrganizationPermission(context, 'owner.manage');
};

/**
 * Requires that a caller may change the sign-in policy of an organization (POLICY-2): only owners may, and who requires
 * sign-ins must have signed in, so that nobody locks themselves out. Other callers may repeat the present policy.
 * @throws DomainError 404; its detail names what is missing to members only. 422 without a recent sign-in of the caller.
 */
export const requireSignInPolicyPermission = (
  context: CallerInOrganization,
  { signInPolicy: policy }: Pick<Partial<Organization>, 'signInPolicy'>,
): void => {
  if (policy === undefined || policy === (context.organization.signInPolicy ?? 'any')) return;
  requireOrganizationPermission(context, 'owner.manage');
  if (policy === 'sso' && context.caller.isFresh !== true) {
    throw invalid(
      'sign-in-policy',
      'Sign-in policy sso would reject your own tokens: sign in to the console at an identity provider first',
    );
  }
};

interface AllowingReferences {
  readonly allowedValueReferences?: readonly string[];
}

/**
 * Requires that a caller may change the allowed value references of an organization or a project (VAR-18). Only owners
 * may, because they decide which secrets variables can name. Other callers may repeat the present ones.
 * @returns the change, without value references that are the present ones.
 * @throws DomainError 404; its detail names what is missing to members only.
 */
export const requireReferencesPermission = <C extends AllowingReferences>(
  context: CallerInOrganization,
  { allowedValueReferences: present = [] }: AllowingReferences,
  change: C,
): C | Omit<C, 'allowedValueReferences'> => {
  const { allowedValueReferences, ...others } = change;
  if (isDeepStrictEqual(allowedValueReferences ?? present, present)) return others;
  requireOrganizationPermission(context, 'owner.manage');
  return change;
};
