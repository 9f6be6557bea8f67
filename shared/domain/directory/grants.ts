import { canonicalJson, type Revised } from '../changes/entity-tags.ts';
import { computedId } from '../ids.ts';

/**
 * Permissions and access levels of teams: organization, project and workspace (PERM-6, PERM-9, PERM-12). The values of
 * a list are in ascending order.
 */

export const teamPermissions = [
  'manage-workspaces',
  'manage-projects',
  'read-workspaces',
  'read-projects',
  'manage-policies',
  'manage-policy-overrides',
  'manage-agent-pools',
  'manage-vcs-settings',
  'manage-run-tasks',
  'manage-modules',
  'manage-providers',
  'manage-membership',
  'manage-teams',
  'manage-organization-access',
  'access-secret-teams',
  'delegate-policy-overrides',
  'read-audit-trail',
] as const;
export type OrganizationPermission = (typeof teamPermissions)[number];

/** Permissions that require others. Managing workspaces includes reading them. */
const required: Partial<Record<OrganizationPermission, readonly OrganizationPermission[]>> = {
  'manage-projects': ['manage-workspaces'],
  'read-projects': ['read-workspaces'],
};

/** Finds a given permission that requires another one which is not given (PERM-12); undefined if there is none. */
export const lackingPermission = (given: readonly OrganizationPermission[]) => {
  for (const of of given) {
    const permission = required[of]?.find(
      (other) => !given.includes(other) && !(other === 'read-workspaces' && given.includes('manage-workspaces')),
    );
    if (permission !== undefined) return { of, permission };
  }
  return undefined;
};

/** The organization permissions of a team: all for the owners, otherwise a list. */
export type TeamPermissions = 'owners' | readonly OrganizationPermission[];

export const parts = {
  runs: ['read', 'plan', 'apply'],
  variables: ['none', 'read', 'write'],
  stateVersions: ['none', 'read-outputs', 'read', 'write'],
  sentinelMocks: ['none', 'read'],
} as const;
export const flags = ['workspaceLocking', 'runTasks', 'policyOverrides'] as const;
export const projectFlags = ['create', 'delete', 'move'] as const;

/** Parts of custom access that concern the project itself, not its workspaces. */
export const projectParts = {
  projectSettings: ['read', 'update', 'delete'],
  projectTeams: ['none', 'read', 'manage'],
  variableSets: ['none', 'read', 'write'],
} as const;

type Parts = { readonly [P in keyof typeof parts]: (typeof parts)[P][number] };

/** Custom access to a workspace. A part that is left out has its lowest value. */
export type CustomAccess = Partial<Parts> & { readonly [F in (typeof flags)[number]]?: boolean };
/** Custom access to a project: access to each of its workspaces, and permissions on the project itself. */
export type CustomProjectAccess = CustomAccess & { readonly [F in (typeof projectFlags)[number]]?: boolean } & {
  readonly [P in keyof typeof projectParts]?: (typeof projectParts)[P][number];
};

export const workspaceLevels = ['read', 'plan', 'write', 'admin'] as const;
export const projectLevels = ['read', 'write', 'maintain', 'admin'] as const;
export type WorkspaceGrant = (typeof workspaceLevels)[number] | CustomAccess;
export type ProjectGrant = (typeof projectLevels)[number] | CustomProjectAccess;

/** Grants by the id of the team that has them. */
export type Grants<G> = Readonly<Record<string, G>>;

/** Lowest value of each part of custom access (PERM-6). */
const LEAST: Required<CustomAccess> = {
  runs: 'read',
  variables: 'none',
  stateVersions: 'none',
  sentinelMocks: 'none',
  workspaceLocking: false,
  runTasks: false,
  policyOverrides: false,
};
const READ: Required<CustomAccess> = { ...LEAST, variables: 'read', stateVersions: 'read' };
const WRITE: Required<CustomAccess> = {
  ...LEAST,
  runs: 'apply',
  variables: 'write',
  stateVersions: 'write',
  sentinelMocks: 'read',
  workspaceLocking: true,
};

/** The parts of each level of access to a workspace (PERM-6). */
export const workspaceLevelParts: Readonly<Record<(typeof workspaceLevels)[number], Required<CustomAccess>>> = {
  read: READ,
  plan: { ...READ, runs: 'plan' },
  write: WRITE,
  admin: { ...WRITE, runTasks: true, policyOverrides: true },
};

/** Returns every part of a grant, from its level or from the custom parts. */
export const partsOf = (grant: WorkspaceGrant): Required<CustomAccess> =>
  typeof grant === 'string' ? workspaceLevelParts[grant] : { ...LEAST, ...grant };

/** All parts of access to a project: the parts for each workspace and the parts for the project. */
type ProjectAccessParts = Required<CustomProjectAccess>;
const ON_PROJECT = { projectSettings: 'read', projectTeams: 'none', variableSets: 'none' } as const;
const MANAGES = { create: true, delete: true } as const;

/** Parts of each level of access to a project (PERM-9). */
const projectLevelParts: Readonly<Record<(typeof projectLevels)[number], ProjectAccessParts>> = {
  read: { ...READ, ...ON_PROJECT, create: false, delete: false, move: false },
  write: { ...WRITE, ...ON_PROJECT, create: false, delete: false, move: false },
  maintain: { ...workspaceLevelParts.admin, ...ON_PROJECT, ...MANAGES, move: false, variableSets: 'write' },
  admin: {
    ...workspaceLevelParts.admin,
    ...MANAGES,
    move: true,
    projectSettings: 'delete',
    projectTeams: 'manage',
    variableSets: 'write',
  },
};

/** Returns every part of a grant on a project, from its level or from the custom parts. */
export const projectPartsOf = (grant: ProjectGrant): ProjectAccessParts =>
  typeof grant === 'string'
    ? projectLevelParts[grant]
    : { ...LEAST, ...ON_PROJECT, create: false, delete: false, move: false, ...grant };

/** Returns the level of a grant, or `custom`. */
export const levelOf = <L extends string>(grant: L | CustomAccess): L | 'custom' =>
  typeof grant === 'string' ? grant : 'custom';

const accessAsRevised =
  (kind: 'workspaceAccess' | 'projectAccess') =>
  (target: string, team: string, grant: WorkspaceGrant | ProjectGrant): Revised => ({
    id: computedId(kind, target, team),
    revision: canonicalJson(grant),
  });

/** Returns the access of a team to a workspace as a resource with a revision: the grant. */
export const workspaceAccessAsRevised = accessAsRevised('workspaceAccess');

/** Returns the access of a team to a project as a resource with a revision: the grant. */
export const projectAccessAsRevised = accessAsRevised('projectAccess');
