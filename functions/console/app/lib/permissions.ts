const needed: Readonly<Record<string, string>> = {
  'can-create-project': 'permission to manage projects',
  'can-create-state-versions': 'permission to write state versions',
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
  'can-move-workspace': 'permission to move workspaces',
  'can-read-run': 'permission to read runs',
  'can-read-settings': 'permission to read settings',
  'can-read-state-outputs': 'permission to read state outputs',
  'can-read-state-versions': 'permission to read state versions',
  'can-read-variable': 'permission to read variables',
  'can-read-varsets': 'permission to read variable sets',
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
};

/**
 * Returns why a control is disabled, from the `permissions` of a resource; undefined if the caller may use it.
 * @example
 * missingPermission(workspace.attributes.permissions, 'can-lock')
 */
export const missingPermission = <P extends string>(
  permissions: { readonly [name in P]?: boolean },
  name: P,
): string | undefined =>
  permissions[name] === true ? undefined : `You need ${needed[name] ?? `the permission ${name}`}.`;
