import { agentPools } from './agent-pools.ts';
import { memberships } from './memberships.ts';
import { oauth } from './oauth.ts';
import { organizations } from './organizations.ts';
import { projects } from './projects.ts';
import { reservedTagKeys } from './reserved-tag-keys.ts';
import { sshKeys } from './ssh-keys.ts';
import { teamProjects } from './team-projects.ts';
import { teamWorkspaces } from './team-workspaces.ts';
import { teams } from './teams.ts';
import { tokens } from './tokens.ts';
import { users } from './users.ts';

/** Operations on organizations, users, projects, teams and credentials: one group for each resource type. */
export const directory = {
  groups: [
    organizations,
    memberships,
    users,
    projects,
    teams,
    teamProjects,
    teamWorkspaces,
    agentPools,
    sshKeys,
    oauth,
    tokens,
    reservedTagKeys,
  ],
  operations: {
    ...organizations.operations,
    ...memberships.operations,
    ...users.operations,
    ...teams.operations,
    ...projects.operations,
    ...teamProjects.operations,
    ...teamWorkspaces.operations,
    ...agentPools.operations,
    ...sshKeys.operations,
    ...oauth.operations,
    ...tokens.operations,
    ...reservedTagKeys.operations,
  },
};
