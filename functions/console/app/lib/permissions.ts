import type { PermissionName } from '../../../../shared/client/types.ts';

/** Permissions on which no control of the console depends. A new one is a type error until it is here or has words below. */
type Unused =
  | 'can-apply'
  | 'can-cancel'
  | 'can-change-email'
  | 'can-change-username'
  | 'can-comment'
  | 'can-discard'
  | 'can-force-cancel'
  | 'can-force-execute'
  | 'can-manage-assessments'
  | 'can-manage-ephemeral-workspaces'
  | 'can-manage-run-tasks'
  | 'can-manage-user-tokens'
  | 'can-manage-users'
  | 'can-move-workspace'
  | 'can-override-policy-check'
  | 'can-queue-apply'
  | 'can-queue-destroy'
  | 'can-queue-run'
  | 'can-read'
  | 'can-read-assessment-results'
  | 'can-read-teams'
  | 'can-read-varsets'
  | 'can-traverse'
  | 'can-update-visibility';

/** Names of permissions in words, for callers without them. */
const needed = {
  'can-create-organizations': 'permission to create organizations',
  'can-create-project': 'permission to manage projects',
  'can-create-state-versions': 'permission to write the state',
  'can-create-team': 'permission to manage teams',
  'can-create-workspace': 'permission to create workspaces',
  'can-destroy': 'permission to delete',
  'can-force-delete': 'permission to force delete',
  'can-force-unlock': 'admin access',
  'can-lock': 'permission to lock and unlock',
  'can-manage-membership': 'permission to manage membership',
  'can-manage-owners': 'ownership of the organization',
  'can-manage-tags': 'permission to manage tags',
  'can-manage-teams': 'permission to manage team access',
  'can-manage-varsets': 'permission to manage variable sets',
  'can-read-run': 'permission to read runs',
  'can-read-settings': 'permission to read settings',
  'can-read-state-outputs': 'permission to read outputs',
  'can-read-state-versions': 'permission to read state versions',
  'can-read-variable': 'permission to read variables',
  'can-restore': 'permission to delete and create workspaces',
  'can-unlock': 'permission to lock and unlock',
  'can-update': 'admin access',
  'can-update-agent-pools': 'permission to manage agent pools',
  'can-update-api-token': 'ownership of the organization',
  'can-update-membership': 'permission to manage the members of the team',
  'can-update-oauth': 'permission to manage VCS settings',
  'can-update-organization-access': 'permission to manage teams',
  'can-update-ssh-keys': 'permission to manage VCS settings',
  'can-update-variable': 'permission to write variables',
} satisfies Record<Exclude<PermissionName, Unused>, string>;

/** Permission on which a control depends. */
export type UsedPermission = keyof typeof needed;

/**
 * Returns why a control is disabled, from the `permissions` of a resource; undefined if the caller may use it.
 * @example
 * missingPermission(workspace.attributes.permissions, 'can-lock')
 */
export const missingPermission = <P extends UsedPermission>(
  permissions: { readonly [name in P]?: boolean },
  name: P,
): string | undefined => (permissions[name] === true ? undefined : `You need ${needed[name]}.`);
