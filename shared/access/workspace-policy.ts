import type { Grants, parts, WorkspaceGrant } from '../domain/directory/grants.ts';
import type { Caller, Organization, Project } from '../domain/directory/records.ts';
import { createPolicy, type Decision, type PolicyRule, rule } from './policy.ts';
import { atLeast, belongsTo, canRead, effectiveRights, type Rights, workspaceLevels } from './rights.ts';

/** Records that decide on a request: the caller, the organization and, if known by then, the project and workspace. */
export interface AuthorizationContext {
  readonly caller: Caller;
  readonly organization: Organization;
  readonly project?: Project | undefined;
  readonly workspace?: { readonly id: string; readonly access: Grants<WorkspaceGrant> } | undefined;
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
  'workspace.read': rule(isReader, 'read access'),
  'workspace.read-settings': rule(({ rights }) => rights.settings, 'permission to read settings', 'can-read-settings'),
  'workspace.lock': rule(({ rights }) => rights.workspaceLocking, 'permission to lock and unlock', 'can-lock'),
  'workspace.unlock': rule(({ rights }) => rights.workspaceLocking, 'permission to lock and unlock', 'can-unlock'),
  'workspace.force-unlock': rule(isAdmin, 'admin access', 'can-force-unlock'),
  'workspace.update': rule(isAdmin, 'admin access', 'can-update'),
  'workspace.move': { ...rule(({ rights }) => rights.move, 'admin access to both projects'), forbids: true },
  'workspace.create': rule(({ rights }) => rights.create, 'permission to create workspaces'),
  'workspace.safe-delete': rule(({ rights }) => rights.delete, 'permission to delete', 'can-destroy'),
  'workspace.force-delete': {
    ...rule(
      ({ rights, organization }) => rights.owner || (rights.admin && organization.allowForceDeleteWorkspaces === true),
      'permission to force delete',
      'can-force-delete',
    ),
    forbids: true,
  },
  'run.read': rule(isReader, 'permission to read runs', 'can-read-run'),
  'assessment-result.read': rule(isReader, 'permission to read runs', 'can-read-assessment-results'),
  'run.queue': rule(atLevel('runs', 'plan'), 'permission to plan', 'can-queue-run'),
  'run.apply': rule(atLevel('runs', 'apply'), 'permission to apply', 'can-queue-apply'),
  'run.destroy': rule(atLevel('runs', 'apply'), 'permission to apply', 'can-queue-destroy'),
  'variable.read': rule(atLevel('variables', 'read'), 'permission to read variables', 'can-read-variable'),
  'variable.update': rule(atLevel('variables', 'write'), 'permission to write variables', 'can-update-variable'),
  'state-output.read': rule(
    atLevel('stateVersions', 'read-outputs'),
    'permission to read state outputs',
    'can-read-state-outputs',
  ),
  'state-version.read': rule(
    atLevel('stateVersions', 'read'),
    'permission to read state versions',
    'can-read-state-versions',
  ),
  'state-version.create': rule(
    atLevel('stateVersions', 'write'),
    'permission to write state versions',
    'can-create-state-versions',
  ),
  'state-version.manage-backing-data': rule(({ rights }) => rights.owner, 'membership in the owners team'),
  'consumers.manage': rule(isAdmin, 'admin access'),
  'consumers.replace': rule(
    ({ rights }) => rights.manageWorkspaces,
    'permission to manage all workspaces of the organization',
  ),
  'ssh-key.assign': rule(({ rights }) => rights.sshKeys, 'admin access, and not as the organization'),
  'team-access.manage': rule(({ rights }) => rights.teamAccess, 'permission to manage team access', 'can-manage-teams'),
  'retention-policy.manage': rule(isAdmin, 'admin access'),
  'tag.manage': rule(isAdmin, 'permission to manage tags', 'can-manage-tags'),
  'run-task.manage': rule(({ rights }) => rights.runTasks, 'permission to manage run tasks', 'can-manage-run-tasks'),
  'assessment.manage': rule(isAdmin, 'admin access', 'can-manage-assessments'),
  'ephemeral-workspace.manage': rule(isAdmin, 'admin access', 'can-manage-ephemeral-workspaces'),
} satisfies Record<string, PolicyRule<WorkspaceRights>>;

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
