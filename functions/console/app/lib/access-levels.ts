import type { ProjectAccess } from '../../../../shared/client/projects.ts';
import type { AccessLevel } from '../../../../shared/client/team-access.ts';
import type { OrganizationAccess } from '../../../../shared/client/teams.ts';
import { toWords } from './words.ts';

const ADMIN = 'Admin: everything';
const CUSTOM = 'Custom: a level for each part';
const READ = 'Read: see everything, change nothing';

/** Labels of levels of access, the suggestion first. */
export type AccessLevels<L extends string> = Readonly<Record<L, string>>;

/** Levels of access to a workspace, with their meaning. */
export const workspaceLevels: AccessLevels<AccessLevel> = {
  read: READ,
  plan: 'Plan: read and create plans',
  write: 'Write: plan, apply, lock, set variables',
  admin: ADMIN,
  custom: CUSTOM,
};

/** Levels of access to a project, with their meaning. */
export const projectLevels: AccessLevels<ProjectAccess> = {
  read: READ,
  write: 'Write: plan, apply, lock, set variables',
  maintain: 'Maintain: create and delete workspaces',
  admin: ADMIN,
  custom: CUSTOM,
};

type OrganizationRight = keyof OrganizationAccess;

/** Rights that the console does not offer: the service has no policies, run tasks and registries. */
type NotOffered =
  | 'delegate-policy-overrides'
  | 'manage-modules'
  | 'manage-policies'
  | 'manage-policy-overrides'
  | 'manage-providers'
  | 'manage-run-tasks';

type RightLabel = readonly [label: string, hint?: string];

/** Labels of the rights of a team in its whole organization, with what each allows beyond its label (PERM-12, PERM-14, PERM-15). */
const rightLabels: Readonly<Record<Exclude<OrganizationRight, NotOffered>, RightLabel>> = {
  'manage-workspaces': ['Manage all workspaces', 'Admin access to each, and creating workspaces.'],
  'manage-projects': ['Manage all projects', 'Admin access to each, and creating projects. Requires the right above.'],
  'read-workspaces': ['Read all workspaces', 'Settings, runs, variables and states.'],
  'read-projects': ['Read all projects', 'Requires to read or manage all workspaces.'],
  'manage-agent-pools': ['Manage agent pools'],
  'manage-vcs-settings': ['Manage VCS connections and SSH keys'],
  'manage-membership': ['Manage members'],
  'manage-teams': ['Manage teams', 'Includes their tokens, and managing members.'],
  'manage-organization-access': [
    'Manage the rights of teams in the organization',
    'Includes managing teams. Who has it can give these rights to any team, also to the own one.',
  ],
  'access-secret-teams': ['See secret teams'],
  'read-audit-trail': ['Read the audit trail'],
};

/** Rights that teams can be given. */
export const organizationRights = Object.entries(rightLabels) as readonly (readonly [
  keyof typeof rightLabels,
  RightLabel,
])[];

/** Returns the labels of the rights that a team has. */
export const heldRights = (access: OrganizationAccess): readonly string[] =>
  organizationRights.flatMap(([right, [label]]) => (access[right] ? [label] : []));

/** Names the rights that a team has in one line. */
export const rightsInWords = (access: OrganizationAccess): string | null => {
  const held = heldRights(access);
  return held.length === organizationRights.length ? 'all' : held.join(', ') || null;
};

/** Rights that include no access to workspaces. */
type WithoutAccess =
  | 'access-secret-teams'
  | 'delegate-policy-overrides'
  | 'manage-membership'
  | 'manage-modules'
  | 'manage-organization-access'
  | 'manage-providers'
  | 'manage-run-tasks'
  | 'manage-teams'
  | 'manage-vcs-settings'
  | 'read-audit-trail';

/** Access to every workspace that rights in the organization include (PERM-12), the most permissive first. */
const accessByRight: Readonly<Record<Exclude<OrganizationRight, WithoutAccess>, string>> = {
  'manage-projects': ADMIN,
  'manage-workspaces': ADMIN,
  'read-projects': READ,
  'read-workspaces': READ,
  'manage-agent-pools': READ,
  'manage-policy-overrides': 'Read runs, override policies',
  'manage-policies': 'Read runs',
};

/** Returns what a team may do with every workspace by a right in the organization; undefined if it has no such right. */
export const accessByOrganization = (
  held: OrganizationAccess,
): { readonly access: string; readonly right: string } | undefined => {
  const [right, access] = Object.entries(accessByRight).find(([name]) => held[name as OrganizationRight]) ?? [];
  if (right === undefined || access === undefined) return undefined;
  return { access, right: organizationRights.find(([name]) => name === right)?.[1][0] ?? toWords(right) };
};
