import { projectParts } from '../domain/directory/grants.ts';
import { createPolicy, type Policy, type PolicyRule, rule } from './policy.ts';
import { canRead, type Rights } from './rights.ts';

const settingsAtLeast = (level: (typeof projectParts.projectSettings)[number]) => (rights: Rights) =>
  canRead(rights) && rights.projectSettings >= projectParts.projectSettings.indexOf(level);
const teamsAtLeast = (level: (typeof projectParts.projectTeams)[number]) => (rights: Rights) =>
  canRead(rights) && rights.projectTeams >= projectParts.projectTeams.indexOf(level);

/** The one table of actions on projects themselves (PERM-9); `workspace-policy.ts` has those on their workspaces. */
const rules = {
  'project.read': rule(canRead, 'read access', 'can-read'),
  'project.update': rule(settingsAtLeast('update'), 'permission to update the project', 'can-update'),
  'project.delete': rule(settingsAtLeast('delete'), 'permission to delete the project', 'can-destroy'),
  'project.create-workspace': rule(
    (rights) => rights.create,
    'permission to create workspaces',
    'can-create-workspace',
  ),
  'project.move-workspace': rule((rights) => rights.move, 'permission to move workspaces', 'can-move-workspace'),
  'project.read-teams': rule(teamsAtLeast('read'), "permission to read the project's teams", 'can-read-teams'),
  'project.manage-teams': rule(teamsAtLeast('manage'), "permission to manage the project's teams", 'can-manage-teams'),
} satisfies Record<string, PolicyRule<Rights>>;

/** An action on a project. */
export type ProjectAction = keyof typeof rules;

export const {
  allows: mayOnProject,
  require: requireProjectPermission,
  permissionNames: projectPermissionNames,
  permissions: projectPermissions,
}: Policy<Rights, ProjectAction> = createPolicy(rules, canRead);
