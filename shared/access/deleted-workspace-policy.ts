import { createPolicy, type PolicyRule } from './policy.ts';
import type { Rights } from './rights.ts';

/** May delete the workspace and create workspaces in the project to which it would be restored (DEL-17). */
const mayRestore = (rights: Rights): boolean => rights.delete && rights.create;

/** The one table of actions on deleted workspaces. The rights are those in the project of a restoration. */
const rules = {
  'deleted-workspace.restore': {
    allows: mayRestore,
    missing: 'permission to delete workspaces and to create them in the project',
    permissions: ['can-restore'],
  },
  'deleted-workspace.purge': {
    allows: ({ owner }) => owner,
    missing: 'membership in the owners team',
    forbids: true,
    permissions: ['can-destroy'],
  },
} as const satisfies Record<string, PolicyRule<Rights>>;

/** An action on a deleted workspace. */
export type DeletedWorkspaceAction = keyof typeof rules;

const policy = createPolicy<Rights, DeletedWorkspaceAction>(rules, mayRestore);

/** Tells whether a caller sees a deleted workspace, and may restore it. */
export const canRestore = mayRestore;

/** @throws DomainError 404 unless the caller sees the deleted workspace; 403 without the right to delete it permanently. */
export const requireDeletedWorkspacePermission = (rights: Rights, action: DeletedWorkspaceAction): void =>
  policy.require(rights, action);

/** Names in the `permissions` of a deleted workspace. */
export const deletedWorkspacePermissionNames: readonly string[] = policy.permissionNames;

/** Builds the `permissions` of a deleted workspace in a response. */
export const deletedWorkspacePermissions = (rights: Rights): Record<string, boolean> => policy.permissions(rights);
