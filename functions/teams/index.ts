import { createHandler } from '../../shared/http/stack.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { openListDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { withDirectory } from '../../shared/runtime/with-directory.ts';
import {
  team,
  teamMemberships,
  teamProject,
  teamProjectUpdate,
  teamUsers,
  teamWorkspace,
  teamWorkspaceUpdate,
} from '../../shared/validators/compiled/bodies.js';
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
    ...withDirectory(openListDependencies('teams', openSnapshots(readEnvironment('teams')))),
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
