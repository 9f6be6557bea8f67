import { createPolicy, type Policy, type PolicyRule, rule } from './policy.ts';
import type { Rights } from './rights.ts';

/**
 * Tells whether a caller sees a deleted workspace, and may restore it: they may delete the workspace and create workspaces in
 * the project to which it would be restored (DEL-17).
 */
export const canRestore = (rights: Rights): boolean => rights.delete && rights.create;

/** The one table of actions on deleted workspaces. The rights are those in the project of a restoration. */
const rules = {
  'deleted-workspace.restore': rule(
    canRestore,
    'permission to delete workspaces and to create them in the project',
    'can-restore',
  ),
  'deleted-workspace.purge': {
    ...rule(({ owner }) => owner, 'membership in the owners team', 'can-destroy'),
    forbids: true,
  },
} satisfies Record<string, PolicyRule<Rights>>;

/** An action on a deleted workspace. */
export type DeletedWorkspaceAction = keyof typeof rules;

export const {
  require: requireDeletedWorkspacePermission,
  permissionNames: deletedWorkspacePermissionNames,
  permissions: deletedWorkspacePermissions,
}: Policy<Rights, DeletedWorkspaceAction> = createPolicy(rules, canRestore);
