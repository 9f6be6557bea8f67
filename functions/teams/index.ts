import { createHandler } from '../../shared/http/stack.ts';
import {
  team,
  teamMemberships,
  teamProject,
  teamProjectUpdate,
  teamUsers,
  teamWorkspace,
  teamWorkspaceUpdate,
} from '../../shared/validators/compiled/bodies.js';
import { openTeamServices } from './dependencies.ts';
import { listTeamMemberships } from './memberships.ts';
import {
  createProjectAccess,
  deleteProjectAccess,
  listProjectAccess,
  showProjectAccess,
  updateProjectAccess,
} from './project-access.ts';
import { changeMembers, createTeam, deleteTeam, listTeams, showTeam, updateTeam } from './teams.ts';
import {
  createWorkspaceAccess,
  deleteWorkspaceAccess,
  listWorkspaceAccess,
  showWorkspaceAccess,
  updateWorkspaceAccess,
} from './workspace-access.ts';

const dependencies = openTeamServices();

/** Teams, and their access to workspaces and projects. */
export const handler = createHandler(
  'teams',
  {
    'teams.list': listTeams(dependencies),
    'teams.create': createTeam(dependencies),
    'teams.show': showTeam(dependencies),
    'teams.update': updateTeam(dependencies),
    'teams.delete': deleteTeam(dependencies),
    'teams.add-users': changeMembers(dependencies, 'users', 'add'),
    'teams.remove-users': changeMembers(dependencies, 'users', 'remove'),
    'teams.list-memberships': listTeamMemberships(dependencies),
    'teams.add-memberships': changeMembers(dependencies, 'memberships', 'add'),
    'teams.remove-memberships': changeMembers(dependencies, 'memberships', 'remove'),
    'team-projects.list': listProjectAccess(dependencies),
    'team-projects.create': createProjectAccess(dependencies),
    'team-projects.show': showProjectAccess(dependencies),
    'team-projects.update': updateProjectAccess(dependencies),
    'team-projects.delete': deleteProjectAccess(dependencies),
    'team-workspaces.list': listWorkspaceAccess(dependencies),
    'team-workspaces.create': createWorkspaceAccess(dependencies),
    'team-workspaces.show': showWorkspaceAccess(dependencies),
    'team-workspaces.update': updateWorkspaceAccess(dependencies),
    'team-workspaces.delete': deleteWorkspaceAccess(dependencies),
  },
  {
    ...dependencies,
    validators: {
      team,
      teamMemberships,
      teamProject,
      teamProjectUpdate,
      teamUsers,
      teamWorkspace,
      teamWorkspaceUpdate,
    },
  },
);
