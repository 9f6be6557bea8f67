import {
  type CustomAccess,
  type CustomProjectAccess,
  type Grants,
  type OrganizationPermission,
  type ProjectGrant,
  parts,
  partsOf,
  projectParts,
  type WorkspaceGrant,
  workspaceLevelParts,
} from '../domain/directory/grants.ts';
import type {
  Caller,
  Organization,
  Project,
  RunPrincipal,
  Workload,
  WorkloadScope,
} from '../domain/directory/records.ts';

const NONE = {
  /** 0: the caller cannot see the workspace. */
  runs: 0,
  variables: 0,
  stateVersions: 0,
  sentinelMocks: 0,
  workspaceLocking: false,
  runTasks: false,
  policyOverrides: false,
  /** Read the settings of the workspace that are not in its record: tags, consumers, policies, access of teams. */
  settings: false,
  /** Settings, force-unlock, tags, policies of the workspace. */
  admin: false,
  /** Assign an SSH key to the workspace. Organization tokens cannot (SSH-2). */
  sshKeys: false,
  /** Grant access to the workspace to teams, and revoke it. */
  teamAccess: false,
  delete: false,
  /** Move workspaces out of the project and into it. */
  move: false,
  /** Create workspaces in the project. */
  create: false,
  /** Organization-wide management of workspaces: replacing a set of consumers (PERM-13). */
  manageWorkspaces: false,
  /** Settings of the project, and access of teams to it: ranks in `projectParts`. */
  projectSettings: 0,
  projectTeams: 0,
  /** Variable sets that the project owns: rank in `projectParts`. */
  variableSets: 0,
  owner: false,
};

/**
 * Rights of a caller on one workspace, or in one project if there is no workspace. They are the union of the grants of
 * all teams of the caller, and the most permissive grant applies (PERM-1). Numbers are ranks in `parts`.
 */
export type Rights = Readonly<typeof NONE>;

/** The lowest of `runs` is reading, which is rank 1 here: rank 0 is no access at all. */
const runsRank = (level: (typeof parts.runs)[number]): number => parts.runs.indexOf(level) + 1;

const rightsFromParts = ({
  runs,
  variables,
  stateVersions,
  sentinelMocks,
  ...flags
}: Required<CustomAccess>): Rights => ({
  ...NONE,
  runs: runsRank(runs),
  variables: parts.variables.indexOf(variables),
  stateVersions: parts.stateVersions.indexOf(stateVersions),
  sentinelMocks: parts.sentinelMocks.indexOf(sentinelMocks),
  workspaceLocking: flags.workspaceLocking,
  runTasks: flags.runTasks,
  policyOverrides: flags.policyOverrides,
  settings: true,
});

const custom = (access: CustomProjectAccess): Rights => ({
  ...rightsFromParts(partsOf(access)),
  create: access.create ?? false,
  delete: access.delete ?? false,
  move: access.move ?? false,
  projectSettings: projectParts.projectSettings.indexOf(access.projectSettings ?? 'read'),
  projectTeams: projectParts.projectTeams.indexOf(access.projectTeams ?? 'none'),
  variableSets: projectParts.variableSets.indexOf(access.variableSets ?? 'none'),
});

const READ = rightsFromParts(workspaceLevelParts.read);
const PLAN = rightsFromParts(workspaceLevelParts.plan);
const WRITE = rightsFromParts(workspaceLevelParts.write);
const ADMIN: Rights = {
  ...rightsFromParts(workspaceLevelParts.admin),
  admin: true,
  sshKeys: true,
  teamAccess: true,
  delete: true,
};
const WRITES_VARIABLE_SETS = projectParts.variableSets.indexOf('write');
/** Workspace admin everywhere in the project, without moving, and without giving teams access. */
const PROJECT_MAINTAIN: Rights = { ...ADMIN, create: true, teamAccess: false, variableSets: WRITES_VARIABLE_SETS };
const PROJECT_ADMIN: Rights = {
  ...ADMIN,
  create: true,
  move: true,
  projectSettings: projectParts.projectSettings.indexOf('delete'),
  projectTeams: projectParts.projectTeams.indexOf('manage'),
  variableSets: WRITES_VARIABLE_SETS,
};
const MANAGE_WORKSPACES: Rights = {
  ...ADMIN,
  create: true,
  manageWorkspaces: true,
  variableSets: WRITES_VARIABLE_SETS,
};
const MANAGE_PROJECTS: Rights = { ...MANAGE_WORKSPACES, ...PROJECT_ADMIN, manageWorkspaces: true };
const OWNER: Rights = { ...MANAGE_PROJECTS, owner: true };
/** Rights of `manage-projects` without starting runs, writing state, assigning SSH keys and locking. */
const ORGANIZATION_TOKEN: Rights = {
  ...MANAGE_PROJECTS,
  runs: runsRank('read'),
  stateVersions: parts.stateVersions.indexOf('read'),
  workspaceLocking: false,
  policyOverrides: false,
  sshKeys: false,
};

/**
 * Rights of a run: reads and writes the state of its own workspace, and reads the state that other workspaces share.
 */
const RUN: Rights = { ...custom({ runs: 'read', stateVersions: 'write' }), settings: false };
const SHARED_WITH_RUN: Rights = { ...custom({ runs: 'read', stateVersions: 'read' }), settings: false };

/** Rights of the levels of access to a workspace, in ascending order. */
export const workspaceLevels = { read: READ, plan: PLAN, write: WRITE, admin: ADMIN };
const projectLevels = { read: READ, write: WRITE, maintain: PROJECT_MAINTAIN, admin: PROJECT_ADMIN };
/** Rights on workspaces by organization permission. A permission that is not listed grants none. */
const organizationLevels: Partial<Record<OrganizationPermission, Rights>> = {
  'manage-workspaces': MANAGE_WORKSPACES,
  'manage-projects': MANAGE_PROJECTS,
  'read-workspaces': READ,
  'read-projects': READ,
  'manage-agent-pools': READ,
  'manage-policies': custom({ runs: 'read' }),
  'manage-policy-overrides': custom({ runs: 'read', policyOverrides: true }),
};

const rightsFromWorkspaceGrant = (grant: WorkspaceGrant): Rights =>
  typeof grant === 'string' ? workspaceLevels[grant] : custom(grant);
const rightsFromProjectGrant = (grant: ProjectGrant): Rights =>
  typeof grant === 'string' ? projectLevels[grant] : custom(grant);

/** Returns the rights that either of two have. It names the rights, because a loop over them takes more processor time. */
const merge = (one: Rights, other: Rights): Rights => ({
  runs: Math.max(one.runs, other.runs),
  variables: Math.max(one.variables, other.variables),
  stateVersions: Math.max(one.stateVersions, other.stateVersions),
  sentinelMocks: Math.max(one.sentinelMocks, other.sentinelMocks),
  workspaceLocking: one.workspaceLocking || other.workspaceLocking,
  runTasks: one.runTasks || other.runTasks,
  policyOverrides: one.policyOverrides || other.policyOverrides,
  settings: one.settings || other.settings,
  admin: one.admin || other.admin,
  sshKeys: one.sshKeys || other.sshKeys,
  teamAccess: one.teamAccess || other.teamAccess,
  delete: one.delete || other.delete,
  move: one.move || other.move,
  create: one.create || other.create,
  manageWorkspaces: one.manageWorkspaces || other.manageWorkspaces,
  projectSettings: Math.max(one.projectSettings, other.projectSettings),
  projectTeams: Math.max(one.projectTeams, other.projectTeams),
  variableSets: Math.max(one.variableSets, other.variableSets),
  owner: one.owner || other.owner,
});

const union = (all: readonly Rights[]): Rights => all.reduce(merge, NONE);

/** Returns the rights of a run on a workspace. It has no rights without a workspace. */
const rightsOfRun = ({ workspace: own }: RunPrincipal, sharing: string | undefined, id: string | undefined): Rights => {
  if (id === undefined) return NONE;
  if (id === own) return RUN;
  return id === sharing ? SHARED_WITH_RUN : NONE;
};

/** The settings of an organization on which the access of its members depends. */
export type AccessSettings = Pick<Organization, 'name' | 'access' | 'userTokensEnabled' | 'signInPolicy'>;

/** Whether a user is a member of the organization, whatever token the request has. */
export const isMember = ({ teams, member }: Pick<Caller, 'teams' | 'member'>): boolean =>
  member === true || teams.length > 0;

/**
 * Whether an organization accepts a token of a user: those of sessions always, others unless it accepts none (ORG-5), or
 * requires a recent sign-in that the user lacks (POLICY-1).
 */
export const acceptsUser = (
  { principal, isFresh }: Caller,
  { userTokensEnabled = true, signInPolicy = 'any' }: Pick<Organization, 'userTokensEnabled' | 'signInPolicy'>,
): boolean =>
  (principal.kind === 'user' && principal.session !== undefined) ||
  (userTokensEnabled && (signInPolicy === 'any' || isFresh === true));

/** Returns whether the caller belongs to the organization. A run does not, nor does a user whose token it does not accept. */
export const belongsTo = (caller: Caller, organization: Omit<AccessSettings, 'access'>): boolean => {
  const { principal } = caller;
  switch (principal.kind) {
    case 'user':
      return isMember(caller) && acceptsUser(caller, organization);
    case 'team':
    case 'organization':
      return principal.organization === organization.name;
    case 'site':
    case 'run':
      return false;
  }
};

/** Returns the limits of a pipeline; undefined for every other caller. */
export const workloadOf = ({ principal }: Caller): Workload | undefined =>
  principal.kind === 'team' ? principal.workload : undefined;

/** Returns the projects and workspaces that a caller is limited to; undefined without such a limit (WI-11). */
export const scopeOf = (caller: Caller): WorkloadScope | undefined => workloadOf(caller)?.scope;

/** Returns the rights through the organization alone, whatever the caller is limited to. */
const rightsInOrganization = (caller: Caller, organization: AccessSettings): Rights => {
  if (!belongsTo(caller, organization)) return NONE;
  if (caller.principal.kind === 'organization') return ORGANIZATION_TOKEN;
  return union(
    caller.teams.flatMap((team) => {
      const access = organization.access[team];
      if (access === 'owners') return [OWNER];
      return (access ?? []).flatMap((permission) => organizationLevels[permission] ?? []);
    }),
  );
};

/**
 * Returns the rights that the caller has through the organization alone. They apply to every project and workspace in
 * it, so a caller who is limited to some of them has none.
 */
export const organizationRights = (caller: Caller, organization: AccessSettings): Rights =>
  scopeOf(caller) === undefined ? rightsInOrganization(caller, organization) : NONE;

const granted = <G>(caller: Caller, grants: Grants<G>, rights: (grant: G) => Rights): Rights[] =>
  caller.teams.flatMap((team) => {
    const grant = grants[team];
    return grant === undefined ? [] : [rights(grant)];
  });

/** Returns the rights of the caller in a project, or on a workspace in it, whatever the caller is limited to. */
const unlimitedRights = (
  caller: Caller,
  organization: AccessSettings,
  project?: Pick<Project, 'access'>,
  workspace?: { readonly access: Grants<WorkspaceGrant> },
): Rights => {
  const everywhere = rightsInOrganization(caller, organization);
  if (!belongsTo(caller, organization) || caller.principal.kind === 'organization') return everywhere;
  return union([
    everywhere,
    ...granted(caller, project?.access ?? {}, rightsFromProjectGrant),
    ...granted(caller, workspace?.access ?? {}, rightsFromWorkspaceGrant),
  ]);
};

/**
 * Reduces rights to a scope (WI-11). Rights on the project of a workspace, and on all workspaces of the organization, need
 * the project itself to be in the scope.
 */
const withinScope = (
  { projects, workspaces }: WorkloadScope,
  project: string | undefined,
  workspace: string | undefined,
  rights: () => Rights,
): Rights => {
  const isProject = project !== undefined && projects.includes(project);
  if (!isProject && (workspace === undefined || !workspaces.includes(workspace))) return NONE;
  const limited = { ...rights(), manageWorkspaces: false };
  return isProject
    ? limited
    : { ...limited, create: false, move: false, projectSettings: 0, projectTeams: 0, variableSets: 0 };
};

/** Returns the rights of the caller in a project, or on a workspace in it. */
export const effectiveRights = (
  caller: Caller,
  organization: AccessSettings,
  project?: Pick<Project, 'id' | 'access'>,
  workspace?: { readonly id: string; readonly access: Grants<WorkspaceGrant> },
): Rights => {
  const { principal, sharing } = caller;
  if (principal.kind === 'run') return rightsOfRun(principal, sharing, workspace?.id);
  const rights = () => unlimitedRights(caller, organization, project, workspace);
  const scope = scopeOf(caller);
  return scope === undefined ? rights() : withinScope(scope, project?.id, workspace?.id, rights);
};

/** Parts of the access to workspaces of an organization, each for all workspaces that share it. */
export interface SharedAccess {
  /** Whether all workspaces of the organization are readable. */
  readonly everything: boolean;
  /** Whether all workspaces of a project are readable. */
  readonly project: (project: Pick<Project, 'access'>) => boolean;
  /** Whether a workspace with these grants is readable. */
  readonly grants: (access: Grants<WorkspaceGrant>) => boolean;
}

/** Returns the parts of the read access of a caller, whatever the caller is limited to. @param allow whether rights suffice. */
export const sharedAccess = (
  caller: Caller,
  organization: AccessSettings,
  allow: (rights: Rights) => boolean,
): SharedAccess => ({
  everything: allow(rightsInOrganization(caller, organization)),
  project: (project) => allow(unlimitedRights(caller, organization, project)),
  grants: (access) => allow(unlimitedRights(caller, organization, undefined, { access })),
});

/** Returns whether the caller can see the workspace or project. */
export const canRead = (rights: Rights): boolean => rights.runs > 0;

/** Returns whether the rights include a level of a part. */
export const atLeast = <P extends keyof typeof parts>(
  rights: Rights,
  part: P,
  level: (typeof parts)[P][number],
): boolean => {
  const rank = (parts[part] as readonly string[]).indexOf(level);
  return rights[part] >= (part === 'runs' ? rank + 1 : rank);
};
