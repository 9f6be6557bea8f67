import type { OrganizationAccess } from '../api/teams.ts';
import { toWords } from './words.ts';

const READ = 'Read: see everything, change nothing';

/** Levels of access to a workspace without `custom`, with their meaning. */
export const workspaceLevels = [
  { value: 'read', label: READ },
  { value: 'plan', label: 'Plan: read and create plans' },
  { value: 'write', label: 'Write: plan, apply, lock, set variables' },
  { value: 'admin', label: 'Admin: everything' },
] as const;

/** Levels of access to a project without `custom`, with their meaning. */
export const projectLevels = [
  { value: 'read', label: READ },
  { value: 'write', label: 'Write: plan, apply, lock, set variables' },
  { value: 'maintain', label: 'Maintain: create and delete workspaces' },
  { value: 'admin', label: 'Admin: everything' },
] as const;

type OrganizationRight = keyof OrganizationAccess;

/** Rights of a team in its whole organization, with what each allows beyond its label (PERM-12, PERM-14, PERM-15). */
export const organizationRights: readonly (readonly [right: OrganizationRight, label: string, hint?: string])[] = [
  ['manage-workspaces', 'Manage all workspaces', 'Admin access to each, and creating workspaces.'],
  ['manage-projects', 'Manage all projects', 'Admin access to each, and creating projects. Requires the right above.'],
  ['read-workspaces', 'Read all workspaces', 'Settings, runs, variables and states.'],
  ['read-projects', 'Read all projects', 'Requires to read or manage all workspaces.'],
  ['manage-agent-pools', 'Manage agent pools'],
  ['manage-vcs-settings', 'Manage VCS connections and SSH keys'],
  ['manage-membership', 'Manage members'],
  ['manage-teams', 'Manage teams', 'Includes their tokens, and managing members.'],
  [
    'manage-organization-access',
    'Manage the rights of teams in the organization',
    'Includes managing teams. Who has it can give these rights to any team, also to the own one.',
  ],
  ['access-secret-teams', 'See secret teams'],
  ['read-audit-trail', 'Read the audit trail'],
];

const ADMIN = 'Admin: everything';

/** Access to every workspace that rights in the organization include (PERM-12), the most permissive first. */
const accessByRight: readonly (readonly [right: OrganizationRight, access: string])[] = [
  ['manage-projects', ADMIN],
  ['manage-workspaces', ADMIN],
  ['read-projects', READ],
  ['read-workspaces', READ],
  ['manage-agent-pools', READ],
  ['manage-policy-overrides', 'Read runs, override policies'],
  ['manage-policies', 'Read runs'],
];

/** Returns what a team may do with every workspace by a right in the organization; undefined if it has no such right. */
export const accessByOrganization = (
  held: OrganizationAccess,
): { readonly access: string; readonly right: string } | undefined => {
  const [right, access] = accessByRight.find(([name]) => held[name]) ?? [];
  if (right === undefined || access === undefined) return undefined;
  return { access, right: organizationRights.find(([name]) => name === right)?.[1] ?? toWords(right) };
};
