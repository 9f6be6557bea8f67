import type { OrganizationPermission } from '../domain/directory/grants.ts';
import type { Caller, Organization, Team } from '../domain/directory/records.ts';
import type { TokenSubject } from '../domain/directory/tokens.ts';
import { type DomainError, notFound } from '../domain/errors.ts';
import { belongsTo } from './rights.ts';

/** Who asks for something in an organization. */
interface Context {
  readonly caller: Caller;
  readonly organization: Pick<Organization, 'name' | 'access'>;
}

interface Rule {
  /** Which organization permissions are enough, each by itself; owners may everything. */
  readonly by: readonly OrganizationPermission[] | 'members';
  /** The organization's token manages its directory, except for SSH keys and what the token itself hangs on. */
  readonly token: boolean;
  /** What the caller lacks, in the words of a refusal. */
  readonly missing: string;
  /** The names under which the caller sees it among an organization's `permissions` (PERM-14). */
  readonly permissions?: readonly string[];
}

/** Managing access includes managing teams, and that includes managing who is in them (PERM-15). */
const ACCESS = ['manage-organization-access'] as const;
const TEAMS = ['manage-teams', ...ACCESS] as const;
const MEMBERSHIP = ['manage-membership', ...TEAMS] as const;

/** The one table of what is done in an organization; what is done with its workspaces is decided by `decide.ts`. */
const actions = {
  'organization.read': {
    by: 'members',
    token: true,
    missing: 'membership of the organization',
    permissions: ['can-traverse'],
  },
  'organization.update': {
    by: [],
    token: true,
    missing: 'ownership of the organization',
    permissions: ['can-update'],
  },
  'organization.delete': {
    by: [],
    token: false,
    missing: 'ownership of the organization',
    permissions: ['can-destroy'],
  },
  'organization-token.manage': {
    by: [],
    token: false,
    missing: 'ownership of the organization',
    permissions: ['can-update-api-token'],
  },
  'workspace.create': {
    by: ['manage-workspaces', 'manage-projects'],
    token: true,
    missing: 'permission to manage workspaces',
    permissions: ['can-create-workspace'],
  },
  'project.create': {
    by: ['manage-projects'],
    token: true,
    missing: 'permission to manage projects',
    permissions: ['can-create-project'],
  },
  'team.manage': {
    by: TEAMS,
    token: true,
    missing: 'permission to manage teams',
    permissions: ['can-create-team'],
  },
  'team.read-secret': {
    by: ['manage-teams', 'access-secret-teams'],
    token: true,
    missing: 'permission to see secret teams',
  },
  'organization-access.manage': {
    by: ACCESS,
    token: true,
    missing: 'permission to manage organization access',
  },
  'owner.manage': { by: [], token: true, missing: 'ownership of the organization', permissions: ['can-manage-owners'] },
  'membership.manage': {
    by: MEMBERSHIP,
    token: true,
    missing: 'permission to manage membership',
    permissions: ['can-manage-users', 'can-manage-membership'],
  },
  'tag.manage': {
    by: ['manage-workspaces', 'manage-projects'],
    token: true,
    missing: 'permission to manage workspaces',
    permissions: ['can-manage-tags'],
  },
  'agent-pool.manage': {
    by: ['manage-agent-pools'],
    token: true,
    missing: 'permission to manage agent pools',
    permissions: ['can-update-agent-pools'],
  },
  'vcs-connection.manage': {
    by: ['manage-vcs-settings'],
    token: true,
    missing: 'permission to manage VCS settings',
    permissions: ['can-update-oauth'],
  },
  'ssh-key.read': { by: 'members', token: false, missing: 'membership of the organization' },
  'ssh-key.manage': {
    by: ['manage-vcs-settings'],
    token: false,
    missing: 'permission to manage VCS settings',
    permissions: ['can-update-ssh-keys'],
  },
} as const satisfies Record<string, Rule>;

export type OrganizationAction = keyof typeof actions;
const rules: Readonly<Record<OrganizationAction, Rule>> = actions;

const allows = ({ caller, organization }: Context, { by, token }: Rule): boolean => {
  if (!belongsTo(caller, organization)) return false;
  if (caller.principal.kind === 'organization') return token;
  if (by === 'members') return true;
  return caller.teams.some((team) => {
    const access = organization.access[team] ?? [];
    return access === 'owners' || by.some((permission) => access.includes(permission));
  });
};

/** Whether the caller may do something in the organization; nobody may in one that they do not belong to. */
export const mayIn = (context: Context, action: OrganizationAction): boolean => allows(context, rules[action]);

/** As if what is asked for were not there, naming what is missing: for who knows that it is. */
export const lacking = (action: OrganizationAction): DomainError => notFound(`This needs ${rules[action].missing}.`);

/** @throws DomainError 404 unless the caller may; it names what is missing to members alone. */
export const requireOrganizationPermission = (context: Context, action: OrganizationAction): void => {
  if (mayIn(context, action)) return;
  throw belongsTo(context.caller, context.organization) ? lacking(action) : notFound();
};

/** Whether a team is there for the caller: secret ones are for who is in them, and for who may see such. */
export const seesTeam = (context: Context, { id, visibility }: Pick<Team, 'id' | 'visibility'>): boolean =>
  belongsTo(context.caller, context.organization) &&
  (visibility === 'organization' || context.caller.teams.includes(id) || mayIn(context, 'team.read-secret'));

const permissions = Object.values(rules).flatMap((rule: Rule) =>
  (rule.permissions ?? []).map((name) => ({ name, rule })),
);

export const organizationPermissionNames: readonly string[] = permissions.map(({ name }) => name);

/** The `permissions` of an organization in an answer: what this caller may do in it. */
export const permissionsIn = (context: Context): Record<string, boolean> =>
  Object.fromEntries(permissions.map(({ name, rule }) => [name, allows(context, rule)]));

/**
 * What managing a token takes: those of the owners are as good as owning the organization, and so is its own. Managing
 * teams lets one join the others, so it lets one have their tokens as well.
 */
export const tokenAction = (
  { ownersTeam }: Pick<Organization, 'ownersTeam'>,
  { kind, id }: TokenSubject,
): OrganizationAction => (kind === 'organization' || id === ownersTeam ? 'organization-token.manage' : 'team.manage');
