import { membershipBodies } from './memberships.ts';
import { organizationBodies } from './organizations.ts';
import { teamWorkspaceBodies } from './team-workspaces.ts';

/** The records around workspaces, one file for each kind (contract 8). */
export const directoryBodies = {
  ...organizationBodies,
  ...membershipBodies,
  ...teamWorkspaceBodies,
};
