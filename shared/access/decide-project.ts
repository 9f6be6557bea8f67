import { projectParts } from '../domain/directory/grants.ts';
import { type DomainError, notFound } from '../domain/errors.ts';
import { canRead, type Rights } from './rights.ts';

interface Rule {
  readonly allows: (rights: Rights) => boolean;
  /** What the caller lacks, in the words of a refusal. */
  readonly missing: string;
  /** The name under which the caller sees it among a project's `permissions` (PERM-4, PERM-10). */
  readonly permission: string;
}

const settings = (level: (typeof projectParts.projectSettings)[number]) => (rights: Rights) =>
  canRead(rights) && rights.projectSettings >= projectParts.projectSettings.indexOf(level);
const teams = (level: (typeof projectParts.projectTeams)[number]) => (rights: Rights) =>
  canRead(rights) && rights.projectTeams >= projectParts.projectTeams.indexOf(level);

/** The one table of what is done with a project itself; what is done with its workspaces is decided by `decide.ts`. */
const actions = {
  'project.read': { allows: canRead, missing: 'read access', permission: 'can-read' },
  'project.update': {
    allows: settings('update'),
    missing: 'permission to update the project',
    permission: 'can-update',
  },
  'project.delete': {
    allows: settings('delete'),
    missing: 'permission to delete the project',
    permission: 'can-destroy',
  },
  'project.create-workspace': {
    allows: (rights) => rights.create,
    missing: 'permission to create workspaces',
    permission: 'can-create-workspace',
  },
  'project.move-workspace': {
    allows: (rights) => rights.move,
    missing: 'permission to move workspaces',
    permission: 'can-move-workspace',
  },
  'project.read-teams': {
    allows: teams('read'),
    missing: "permission to read the project's teams",
    permission: 'can-read-teams',
  },
  'project.manage-teams': {
    allows: teams('manage'),
    missing: "permission to manage the project's teams",
    permission: 'can-manage-teams',
  },
} as const satisfies Record<string, Rule>;

export type ProjectAction = keyof typeof actions;
const rules: Readonly<Record<ProjectAction, Rule>> = actions;

/** Whether the caller may do something with a project. */
export const mayOnProject = (rights: Rights, action: ProjectAction): boolean => rules[action].allows(rights);

/** @throws DomainError 404 unless the caller may; it names what is missing to who may see the project. */
export const requireProjectPermission = (rights: Rights, action: ProjectAction): void => {
  if (!rules[action].allows(rights)) throw refusal(rights, action);
};
const refusal = (rights: Rights, action: ProjectAction): DomainError =>
  notFound(canRead(rights) ? `This needs ${rules[action].missing}.` : undefined);

export const projectPermissionNames: readonly string[] = Object.values(rules).map(({ permission }) => permission);

/** The `permissions` of a project in an answer: what this caller may do with it. */
export const permissionsOnProject = (rights: Rights): Record<string, boolean> =>
  Object.fromEntries(Object.values(rules).map(({ permission, allows }) => [permission, allows(rights)]));
