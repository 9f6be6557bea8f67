import { endpoints } from '../../shared/http/endpoints.ts';
import {
  agentPool,
  membership,
  oauthClient,
  organization,
  project,
  projectWorkspaces,
  sshKey,
  tagBindings,
  team,
  teamMemberships,
  teamProject,
  teamProjectUpdate,
  teamUsers,
  teamWorkspace,
  teamWorkspaceUpdate,
  token,
} from '../../shared/schemas/compiled/bodies.js';
import { agentPools } from './agent-pools.ts';
import { memberships } from './memberships.ts';
import { oauth } from './oauth.ts';
import { organizations } from './organizations.ts';
import { projects } from './projects.ts';
import { openDirectoryServices } from './services.ts';
import { sshKeys } from './ssh-keys.ts';
import { teamProjects } from './team-projects.ts';
import { teamWorkspaces } from './team-workspaces.ts';
import { teams } from './teams.ts';
import { tokens } from './tokens.ts';
import { users } from './users.ts';

const services = openDirectoryServices();

export const handler = endpoints(
  'directory',
  {
    ...agentPools(services),
    ...memberships(services),
    ...oauth(services),
    ...organizations(services),
    ...projects(services),
    ...sshKeys(services),
    ...teams(services),
    ...teamProjects(services),
    ...teamWorkspaces(services),
    ...tokens(services),
    ...users(services),
  },
  {
    ...services,
    validators: {
      agentPool,
      membership,
      oauthClient,
      organization,
      project,
      projectWorkspaces,
      sshKey,
      team,
      tagBindings,
      teamProject,
      teamProjectUpdate,
      teamWorkspace,
      teamMemberships,
      teamUsers,
      teamWorkspaceUpdate,
      token,
    },
  },
);
