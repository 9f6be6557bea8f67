import { isDeepStrictEqual } from 'node:util';
import type { OrganizationPermission } from '../domain/directory/grants.ts';
import type { Caller, Membership, Organization, Team } from '../domain/directory/records.ts';
import type { TokenSubject } from '../domain/directory/tokens.ts';
import { createPolicy, type PolicyRule } from './policy.ts';
import { atLeast, belongsTo, organizationRights } from './rights.ts';

/** A caller in an organization. */
export interface CallerInOrganization {
  readonly caller: Caller;
  readonly organization: Pick<Organization, 'name' | 'access' | 'userTokensEnabled'>;
}

/** Decides for a caller in an organization. */
type Allows = (context: CallerInOrganization) => boolean;

/** Allows every member of the organization, and the organization token. */
const members: Allows = ({ caller, organization }) => belongsTo(caller, organization);

/** Allows teams with any one of the permissions, always the owners, and the organization's own token. */
const teamsWith =
  (permissions: readonly OrganizationPermission[]): Allows =>
  ({ caller, organization }) => {
    if (!belongsTo(caller, organization)) return false;
    if (caller.principal.kind === 'organization') return true;
    return caller.teams.some((team) => {
      const access = organization.access[team] ?? [];
      return access === 'owners' || permissions.some((permission) => access.includes(permission));
    });
  };

/** Excludes the organization's own token: from SSH keys, from what the token itself depends on, and from the owners. */
const exceptOrganizationToken =
  (allows: Allows): Allows =>
  (context) =>
    context.caller.principal.kind !== 'organization' && allows(context);

/** Managing access includes managing teams, and that includes managing memberships (PERM-12). */
const ACCESS = ['manage-organization-access'] as const;
const TEAMS = ['manage-teams', ...ACCESS] as const;
const MEMBERSHIP = ['manage-membership', ...TEAMS] as const;

/** The one table of actions on organizations (PERM-14); `workspace-policy.ts` has those on their workspaces. */
const rules = {
  'organization.read': {
    allows: members,
    missing: 'membership of the organization',
    permissions: ['can-traverse'],
  },
  'organization.update': {
    allows: teamsWith([]),
    missing: 'ownership of the organization',
    permissions: ['can-update'],
  },
  'organization.delete': {
    allows: exceptOrganizationToken(teamsWith([])),
    missing: 'ownership of the organization',
    permissions: ['can-destroy'],
  },
  'organization-token.manage': {
    allows: exceptOrganizationToken(teamsWith([])),
    missing: 'ownership of the organization',
    permissions: ['can-update-api-token'],
  },
  'workspace.create': {
    allows: teamsWith(['manage-workspaces', 'manage-projects']),
    missing: 'permission to manage workspaces',
    permissions: ['can-create-workspace'],
  },
  'project.create': {
    allows: teamsWith(['manage-projects']),
    missing: 'permission to manage projects',
    permissions: ['can-create-project'],
  },
  'team.manage': {
    allows: teamsWith(TEAMS),
    missing: 'permission to manage teams',
    permissions: ['can-create-team'],
  },
  'team.read-secret': {
    allows: teamsWith(['manage-teams', 'access-secret-teams']),
    missing: 'permission to see secret teams',
  },
  'organization-access.manage': {
    allows: teamsWith(ACCESS),
    missing: 'permission to manage organization access',
  },
  'owner.manage': {
    allows: exceptOrganizationToken(teamsWith([])),
    missing: 'ownership of the organization',
    permissions: ['can-manage-owners'],
  },
  'membership.manage': {
    allows: teamsWith(MEMBERSHIP),
    missing: 'permission to manage membership',
    permissions: ['can-manage-users', 'can-manage-membership'],
  },
  'tag.manage': {
    allows: teamsWith(['manage-workspaces', 'manage-projects']),
    missing: 'permission to manage workspaces',
    permissions: ['can-manage-tags'],
  },
  'variable-set.read': {
    allows: ({ caller, organization }) => atLeast(organizationRights(caller, organization), 'variables', 'read'),
    missing: 'permission to read variable sets',
    permissions: ['can-read-varsets'],
  },
  'variable-set.manage': {
    allows: teamsWith(['manage-workspaces', 'manage-projects']),
    missing: 'permission to manage variable sets',
    permissions: ['can-manage-varsets'],
  },
  'agent-pool.manage': {
    allows: teamsWith(['manage-agent-pools']),
    missing: 'permission to manage agent pools',
    permissions: ['can-update-agent-pools'],
  },
  'vcs-connection.manage': {
    allows: teamsWith(['manage-vcs-settings']),
    missing: 'permission to manage VCS settings',
    permissions: ['can-update-oauth'],
  },
  'audit-trail.read': {
    allows: exceptOrganizationToken(teamsWith(['read-audit-trail'])),
    missing: 'permission to read the audit trail',
  },
  'ssh-key.read': { allows: exceptOrganizationToken(members), missing: 'membership of the organization' },
  'ssh-key.manage': {
    allows: exceptOrganizationToken(teamsWith(['manage-vcs-settings'])),
    missing: 'permission to manage VCS settings',
    permissions: ['can-update-ssh-keys'],
  },
} as const satisfies Record<string, PolicyRule<CallerInOrganization>>;

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
  (visibility === 'organization' || context.caller.teams.includes(id) || mayIn(context, 'team.read-secret'));

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
  if (kind === 'agentPool') return 'agent-pool.manage';
  return kind !== 'team' || id === ownersTeam ? 'organization-token.manage' : 'team.manage';
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
