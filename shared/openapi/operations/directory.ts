import { memberships } from './memberships.ts';
import { organizations } from './organizations.ts';
import { teamWorkspaces } from './team-workspaces.ts';
import { users } from './users.ts';

/** The records around workspaces, a chapter for each kind (contract 8). */
export const directory = {
  groups: [organizations, memberships, users, teamWorkspaces],
  operations: {
    ...organizations.operations,
    ...memberships.operations,
    ...users.operations,
    ...teamWorkspaces.operations,
  },
};
