import { createHandler } from '../../shared/http/stack.ts';
import {
  team,
  teamMemberships,
  teamProject,
  teamProjectUpdate,
  teamUsers,
  teamWorkspace,
  teamWorkspaceUpdate,
} from '../../shared/schemas/compiled/bodies.js';
import { changeMembers } from './change-members.ts';
import { createTeam } from './create.ts';
import { deleteTeam } from './delete.ts';
import { listTeams } from './list.ts';
import { createProjectAccess } from './project-access/create.ts';
import { deleteProjectAccess } from './project-access/delete.ts';
import { listProjectAccess } from './project-access/list.ts';
import { showProjectAccess } from './project-access/show.ts';
import { updateProjectAccess } from './project-access/update.ts';
import { openTeamServices } from './services.ts';
import { showTeam } from './show.ts';
import { updateTeam } from './update.ts';
import { createWorkspaceAccess } from './workspace-access/create.ts';
import { deleteWorkspaceAccess } from './workspace-access/delete.ts';
import { listWorkspaceAccess } from './workspace-access/list.ts';
import { showWorkspaceAccess } from './workspace-access/show.ts';
import { updateWorkspaceAccess } from './workspace-access/update.ts';

const services = openTeamServices();

/** Teams, and their access to workspaces and projects. */
export const handler = createHandler(
  'teams',
  {
    'teams.list': listTeams(services),
    'teams.create': createTeam(services),
    'teams.show': showTeam(services),
    'teams.update': updateTeam(services),
    'teams.delete': deleteTeam(services),
    'teams.add-users': changeMembers(services, 'users', 'addMember'),
    'teams.remove-users': changeMembers(services, 'users', 'removeMember'),
    'teams.add-memberships': changeMembers(services, 'memberships', 'addMember'),
    'teams.remove-memberships': changeMembers(services, 'memberships', 'removeMember'),
    'team-projects.list': listProjectAccess(services),
    'team-projects.create': createProjectAccess(services),
    'team-projects.show': showProjectAccess(services),
    'team-projects.update': updateProjectAccess(services),
    'team-projects.delete': deleteProjectAccess(services),
    'team-workspaces.list': listWorkspaceAccess(services),
    'team-workspaces.create': createWorkspaceAccess(services),
    'team-workspaces.show': showWorkspaceAccess(services),
    'team-workspaces.update': updateWorkspaceAccess(services),
    'team-workspaces.delete': deleteWorkspaceAccess(services),
  },
  {
    ...services,
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
