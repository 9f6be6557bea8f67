import { projectParts } from '../domain/directory/grants.ts';
import { createPolicy, type Policy, type PolicyRule } from './policy.ts';
import { canRead, type Rights } from './rights.ts';

const settingsAtLeast = (level: (typeof projectParts.projectSettings)[number]) => (rights: Rights) =>
  canRead(rights) && rights.projectSettings >= projectParts.projectSettings.indexOf(level);
const teamsAtLeast = (level: (typeof projectParts.projectTeams)[number]) => (rights: Rights) =>
  canRead(rights) && rights.projectTeams >= projectParts.projectTeams.indexOf(level);

/** The one table of actions on projects themselves (PERM-9); `workspace-policy.ts` has those on their workspaces. */
const rules = {
  'project.read': { allows: canRead, missing: 'read access', permissions: ['can-read'] },
  'project.update': {
    allows: settingsAtLeast('update'),
    missing: 'permission to update the project',
    permissions: ['can-update'],
  },
  'project.delete': {
    allows: settingsAtLeast('delete'),
    missing: 'permission to delete the project',
    permissions: ['can-destroy'],
  },
  'project.create-workspace': {
    allows: (rights) => rights.create,
    missing: 'permission to create workspaces',
    permissions: ['can-create-workspace'],
  },
  'project.move-workspace': {
    allows: (rights) => rights.move,
    missing: 'permission to move workspaces',
    permissions: ['can-move-workspace'],
  },
  'project.read-teams': {
    allows: teamsAtLeast('read'),
    missing: "permission to read the project's teams",
    permissions: ['can-read-teams'],
  },
  'project.manage-teams': {
    allows: teamsAtLeast('manage'),
    missing: "permission to manage the project's teams",
    permissions: ['can-manage-teams'],
  },
} as const satisfies Record<string, PolicyRule<Rights>>;

/** An action on a project. */
export type ProjectAction = keyof typeof rules;

export const {
  allows: mayOnProject,
  require: requireProjectPermission,
  permissionNames: projectPermissionNames,
  permissions: projectPermissions,
}: Policy<Rights, ProjectAction> = createPolicy(rules, canRead);
