import type { Grants, WorkspaceGrant } from '../domain/directory/grants.ts';
import type { Caller, Organization, Project } from '../domain/directory/records.ts';
import { DomainError, notFound } from '../domain/errors.ts';
import { atLeast, belongsTo, canRead, effectiveRights, type Rights } from './rights.ts';

/** What a decision is made from: who asks, and what about. */
export interface AuthorizationContext {
  readonly caller: Caller;
  readonly organization: Organization;
  readonly project?: Project | undefined;
  readonly workspace?: { readonly id?: string; readonly access: Grants<WorkspaceGrant> } | undefined;
}

interface Rule {
  readonly allows: (rights: Rights, organization: Organization) => boolean;
  /** What the caller lacks, in the words of a refusal. */
  readonly missing: string;
  /** Whether a refusal is 403; every other one is 404 (PERM-3). */
  readonly forbids?: true;
  /** The name under which the caller sees it among a workspace's `permissions` (WS-9). */
  readonly permission?: string;
}

const isAdmin = (rights: Rights): boolean => rights.admin;

/** The one table of actions: endpoints are decided by it, and the `permissions` of an answer are read off it. */
const actions = {
  'workspace.read': { allows: canRead, missing: 'read access' },
  'workspace.read-settings': {
    allows: (rights) => rights.settings,
    missing: 'permission to read settings',
    permission: 'can-read-settings',
  },
  'workspace.lock': {
    allows: (rights) => rights.workspaceLocking,
    missing: 'permission to lock and unlock',
    permission: 'can-lock',
  },
  'workspace.unlock': {
    allows: (rights) => rights.workspaceLocking,
    missing: 'permission to lock and unlock',
    permission: 'can-unlock',
  },
  'workspace.force-unlock': { allows: isAdmin, missing: 'admin access', permission: 'can-force-unlock' },
  'workspace.update': { allows: isAdmin, missing: 'admin access', permission: 'can-update' },
  'workspace.move': {
    allows: (rights) => rights.move,
    missing: 'admin access to both projects',
    forbids: true,
  },
  'workspace.create': { allows: (rights) => rights.create, missing: 'permission to create workspaces' },
  'workspace.safe-delete': {
    allows: (rights) => rights.delete,
    missing: 'permission to delete',
    permission: 'can-destroy',
  },
  'workspace.force-delete': {
    allows: (rights, organization) => rights.owner || (rights.admin && organization.allowForceDeleteWorkspaces),
    missing: 'permission to force delete',
    forbids: true,
    permission: 'can-force-delete',
  },
  'run.read': { allows: canRead, missing: 'permission to read runs', permission: 'can-read-run' },
  'assessment-result.read': {
    allows: canRead,
    missing: 'permission to read runs',
    permission: 'can-read-assessment-results',
  },
  'run.queue': {
    allows: (rights) => atLeast(rights, 'runs', 'plan'),
    missing: 'permission to plan',
    permission: 'can-queue-run',
  },
  'run.apply': {
    allows: (rights) => atLeast(rights, 'runs', 'apply'),
    missing: 'permission to apply',
    permission: 'can-queue-apply',
  },
  'run.destroy': {
    allows: (rights) => atLeast(rights, 'runs', 'apply'),
    missing: 'permission to apply',
    permission: 'can-queue-destroy',
  },
  'variable.read': {
    allows: (rights) => atLeast(rights, 'variables', 'read'),
    missing: 'permission to read variables',
    permission: 'can-read-variable',
  },
  'variable.update': {
    allows: (rights) => atLeast(rights, 'variables', 'write'),
    missing: 'permission to write variables',
    permission: 'can-update-variable',
  },
  'state-output.read': {
    allows: (rights) => atLeast(rights, 'stateVersions', 'read-outputs'),
    missing: 'permission to read state outputs',
    permission: 'can-read-state-outputs',
  },
  'state-version.read': {
    allows: (rights) => atLeast(rights, 'stateVersions', 'read'),
    missing: 'permission to read state versions',
    permission: 'can-read-state-versions',
  },
  'state-version.create': {
    allows: (rights) => atLeast(rights, 'stateVersions', 'write'),
    missing: 'permission to write state versions',
    permission: 'can-create-state-versions',
  },
  'consumers.manage': { allows: isAdmin, missing: 'admin access' },
  'consumers.replace': {
    allows: (rights) => rights.manageWorkspaces,
    missing: 'permission to manage all workspaces of the organization',
  },
  'ssh-key.assign': { allows: (rights) => rights.sshKeys, missing: 'admin access, and not as the organization' },
  'team-access.manage': { allows: (rights) => rights.teamAccess, missing: 'permission to manage team access' },
  'retention-policy.manage': { allows: isAdmin, missing: 'admin access' },
  'tag.manage': { allows: isAdmin, missing: 'permission to manage tags', permission: 'can-manage-tags' },
  'run-task.manage': {
    allows: (rights) => rights.runTasks,
    missing: 'permission to manage run tasks',
    permission: 'can-manage-run-tasks',
  },
  'assessment.manage': { allows: isAdmin, missing: 'admin access', permission: 'can-manage-assessments' },
  'ephemeral-workspace.manage': {
    allows: isAdmin,
    missing: 'admin access',
    permission: 'can-manage-ephemeral-workspaces',
  },
} as const satisfies Record<string, Rule>;

export type Action = keyof typeof actions;

const rules: Readonly<Record<Action, Rule>> = actions;
const permissions = Object.values(rules).flatMap((rule) =>
  rule.permission === undefined ? [] : [{ name: rule.permission, allows: rule.allows }],
);

/**
 * `conceal`: as if it were not there, naming what is missing only to who may see it.
 * `forbid`: 403, to who may see it.
 */
export type Decision =
  | { readonly kind: 'allow'; readonly rights: Rights }
  | { readonly kind: 'forbid'; readonly detail: string }
  | { readonly kind: 'conceal'; readonly detail?: string };

export const decide = (context: AuthorizationContext, action: Action): Decision => {
  const rule = rules[action];
  const { caller, organization, project, workspace } = context;
  const rights = effectiveRights(caller, organization, project, workspace);
  if (rule.allows(rights, organization)) return { kind: 'allow', rights };
  // Without a workspace the subject is the organization, which its members know of.
  const visible = workspace === undefined ? belongsTo(caller, organization) : canRead(rights);
  if (!visible) return { kind: 'conceal' };
  const detail = `This needs ${rule.missing}.`;
  return rule.forbids ? { kind: 'forbid', detail } : { kind: 'conceal', detail };
};

/** The refusal that a decision is, if it is one. */
export const refusal = (decision: Decision): DomainError | undefined => {
  if (decision.kind === 'allow') return undefined;
  return decision.kind === 'forbid' ? new DomainError('forbidden', decision.detail) : notFound(decision.detail);
};

/** The names in the `permissions` of a workspace. */
export const permissionNames: readonly string[] = permissions.map(({ name }) => name);

/** The `permissions` of a workspace in an answer: what this caller may do with it. */
export const permissionsOf = (rights: Rights, organization: Organization): Record<string, boolean> =>
  Object.fromEntries(permissions.map(({ name, allows }) => [name, allows(rights, organization)]));
