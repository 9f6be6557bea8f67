import type { Grants, parts, WorkspaceGrant } from '../domain/directory/grants.ts';
import type { Caller, Organization, Project } from '../domain/directory/records.ts';
import { createPolicy, type Decision, type PolicyRule } from './policy.ts';
import { atLeast, belongsTo, canRead, effectiveRights, type Rights, workspaceLevels } from './rights.ts';

/** Records that decide on a request: the caller, the organization and, if known by then, the project and workspace. */
export interface AuthorizationContext {
  readonly caller: Caller;
  readonly organization: Organization;
  readonly project?: Project | undefined;
  readonly workspace?: { readonly id?: string; readonly access: Grants<WorkspaceGrant> } | undefined;
}

/** Input of the rules on workspaces. */
interface WorkspaceRights {
  readonly rights: Rights;
  readonly organization: Organization;
  readonly isVisible: boolean;
}

const isReader = ({ rights }: WorkspaceRights): boolean => canRead(rights);
const isAdmin = ({ rights }: WorkspaceRights): boolean => rights.admin;
const atLevel =
  <P extends keyof typeof parts>(part: P, level: (typeof parts)[P][number]) =>
  ({ rights }: WorkspaceRights): boolean =>
    atLeast(rights, part, level);

/** The one table of actions on workspaces (PERM-6): it decides requests, and fills the `permissions` of a workspace. */
const rules = {
  'workspace.read': { allows: isReader, missing: 'read access' },
  'workspace.read-settings': {
    allows: ({ rights }) => rights.settings,
    missing: 'permission to read settings',
    permissions: ['can-read-settings'],
  },
  'workspace.lock': {
    allows: ({ rights }) => rights.workspaceLocking,
    missing: 'permission to lock and unlock',
    permissions: ['can-lock'],
  },
  'workspace.unlock': {
    allows: ({ rights }) => rights.workspaceLocking,
    missing: 'permission to lock and unlock',
    permissions: ['can-unlock'],
  },
  'workspace.force-unlock': { allows: isAdmin, missing: 'admin access', permissions: ['can-force-unlock'] },
  'workspace.update': { allows: isAdmin, missing: 'admin access', permissions: ['can-update'] },
  'workspace.move': {
    allows: ({ rights }) => rights.move,
    missing: 'admin access to both projects',
    forbids: true,
  },
  'workspace.create': { allows: ({ rights }) => rights.create, missing: 'permission to create workspaces' },
  'workspace.safe-delete': {
    allows: ({ rights }) => rights.delete,
    missing: 'permission to delete',
    permissions: ['can-destroy'],
  },
  'workspace.force-delete': {
    allows: ({ rights, organization }) =>
      rights.owner || (rights.admin && organization.allowForceDeleteWorkspaces === true),
    missing: 'permission to force delete',
    forbids: true,
    permissions: ['can-force-delete'],
  },
  'run.read': { allows: isReader, missing: 'permission to read runs', permissions: ['can-read-run'] },
  'assessment-result.read': {
    allows: isReader,
    missing: 'permission to read runs',
    permissions: ['can-read-assessment-results'],
  },
  'run.queue': {
    allows: atLevel('runs', 'plan'),
    missing: 'permission to plan',
    permissions: ['can-queue-run'],
  },
  'run.apply': {
    allows: atLevel('runs', 'apply'),
    missing: 'permission to apply',
    permissions: ['can-queue-apply'],
  },
  'run.destroy': {
    allows: atLevel('runs', 'apply'),
    missing: 'permission to apply',
    permissions: ['can-queue-destroy'],
  },
  'variable.read': {
    allows: atLevel('variables', 'read'),
    missing: 'permission to read variables',
    permissions: ['can-read-variable'],
  },
  'variable.update': {
    allows: atLevel('variables', 'write'),
    missing: 'permission to write variables',
    permissions: ['can-update-variable'],
  },
  'state-output.read': {
    allows: atLevel('stateVersions', 'read-outputs'),
    missing: 'permission to read state outputs',
    permissions: ['can-read-state-outputs'],
  },
  'state-version.read': {
    allows: atLevel('stateVersions', 'read'),
    missing: 'permission to read state versions',
    permissions: ['can-read-state-versions'],
  },
  'state-version.create': {
    allows: atLevel('stateVersions', 'write'),
    missing: 'permission to write state versions',
    permissions: ['can-create-state-versions'],
  },
  'state-version.manage-backing-data': {
    allows: ({ rights }) => rights.owner,
    missing: 'membership in the owners team',
  },
  'consumers.manage': { allows: isAdmin, missing: 'admin access' },
  'consumers.replace': {
    allows: ({ rights }) => rights.manageWorkspaces,
    missing: 'permission to manage all workspaces of the organization',
  },
  'ssh-key.assign': { allows: ({ rights }) => rights.sshKeys, missing: 'admin access, and not as the organization' },
  'team-access.manage': {
    allows: ({ rights }) => rights.teamAccess,
    missing: 'permission to manage team access',
    permissions: ['can-manage-teams'],
  },
  'retention-policy.manage': { allows: isAdmin, missing: 'admin access' },
  'tag.manage': { allows: isAdmin, missing: 'permission to manage tags', permissions: ['can-manage-tags'] },
  'run-task.manage': {
    allows: ({ rights }) => rights.runTasks,
    missing: 'permission to manage run tasks',
    permissions: ['can-manage-run-tasks'],
  },
  'assessment.manage': { allows: isAdmin, missing: 'admin access', permissions: ['can-manage-assessments'] },
  'ephemeral-workspace.manage': {
    allows: isAdmin,
    missing: 'admin access',
    permissions: ['can-manage-ephemeral-workspaces'],
  },
} as const satisfies Record<string, PolicyRule<WorkspaceRights>>;

/** An action on a workspace, or on the workspaces of a project. */
export type WorkspaceAction = keyof typeof rules;

const levels = Object.fromEntries(
  Object.entries(workspaceLevels).map(([level, rights]) => [
    level,
    { rights, organization: { access: {} } as Organization, isVisible: true },
  ]),
);

const policy = createPolicy<WorkspaceRights, WorkspaceAction>(rules, ({ isVisible }) => isVisible, levels);

const rightsIn = ({ caller, organization, project, workspace }: AuthorizationContext): WorkspaceRights => {
  const rights = effectiveRights(caller, organization, project, workspace);
  // Without a workspace the subject is the organization, which its members can see.
  const isVisible = workspace === undefined ? belongsTo(caller, organization) : canRead(rights);
  return { rights, organization, isVisible };
};

/**
 * Decides whether a caller may do something with a workspace, or with the workspaces of a project.
 * @example
 * decide({ caller, organization, project, workspace }, 'workspace.lock').kind === 'allow'
 */
export const decide = (context: AuthorizationContext, action: WorkspaceAction): Decision =>
  policy.decide(rightsIn(context), action);

/** Returns whether rights that were computed already allow an action. */
export const rightsAllow = (rights: Rights, organization: Organization, action: WorkspaceAction): boolean =>
  policy.allows({ rights, organization, isVisible: true }, action);

/**
 * Requires that rights on a workspace, which were computed already, allow an action.
 * @throws DomainError 404, or 403 for the few actions that do not conceal.
 */
export const requireRight = (rights: Rights, organization: Organization, action: WorkspaceAction): void =>
  policy.require({ rights, organization, isVisible: canRead(rights) }, action);

/**
 * Requires that a caller may do something with a workspace, or with the workspaces of a project.
 * @throws DomainError 404, or 403 for the few actions that do not conceal.
 */
export const requirePermission = (context: AuthorizationContext, action: WorkspaceAction): void =>
  policy.require(rightsIn(context), action);

/** Names in the `permissions` of a workspace. */
export const workspacePermissionNames: readonly string[] = policy.permissionNames;

/** Builds the `permissions` of a workspace in a response (WS-9): what this caller may do with it. */
export const workspacePermissions = (rights: Rights, organization: Organization): Record<string, boolean> =>
  policy.permissions({ rights, organization, isVisible: true });
