import type { Routes } from '../route.ts';
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

/** The records around workspaces, one file for each kind. */
export const directory = {
  ...organizations,
  ...memberships,
  ...users,
  ...teams,
  ...projects,
  ...teamProjects,
  ...teamWorkspaces,
  ...agentPools,
  ...sshKeys,
  ...oauth,
  ...tokens,
  ...reservedTagKeys,
} as const satisfies Routes;
