import { organizations } from './organizations.ts';
import { teamWorkspaces } from './team-workspaces.ts';

/** The records around workspaces, a chapter for each kind (contract 8). */
export const directory = {
  groups: [organizations, teamWorkspaces],
  operations: { ...organizations.operations, ...teamWorkspaces.operations },
};
