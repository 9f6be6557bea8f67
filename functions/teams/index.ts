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
import { projectAccessOperations } from './project-access.ts';
import { teamOperations } from './teams.ts';
import { workspaceAccessOperations } from './workspace-access.ts';

/** Teams, and their access to workspaces and projects. */
export const handler = createHandler(
  'teams',
  {
    ...teamOperations,
    'teams.list-memberships': listTeamMemberships,
    ...projectAccessOperations,
    ...workspaceAccessOperations,
  },
  {
    ...openTeamServices(),
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
