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
import { changeMembers } from './change-members.ts';
import { createTeam } from './create.ts';
import { deleteTeam } from './delete.ts';
import { openTeamServices } from './dependencies.ts';
import { listTeams } from './list.ts';
import { createProjectAccess } from './project-access/create.ts';
import { deleteProjectAccess } from './project-access/delete.ts';
import { listProjectAccess } from './project-access/list.ts';
import { showProjectAccess } from './project-access/show.ts';
import { updateProjectAccess } from './project-access/update.ts';
import { showTeam } from './show.ts';
import { updateTeam } from './update.ts';
import { createWorkspaceAccess } from './workspace-access/create.ts';
import { deleteWorkspaceAccess } from './workspace-access/delete.ts';
import { listWorkspaceAccess } from './workspace-access/list.ts';
import { showWorkspaceAccess } from './workspace-access/show.ts';
import { updateWorkspaceAccess } from './workspace-access/update.ts';

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
