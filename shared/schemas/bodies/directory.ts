import { agentPoolBodies } from './agent-pools.ts';
import { membershipBodies } from './memberships.ts';
import { oauthBodies } from './oauth.ts';
import { organizationBodies } from './organizations.ts';
import { projectBodies } from './projects.ts';
import { sshKeyBodies } from './ssh-keys.ts';
import { teamProjectBodies } from './team-projects.ts';
import { teamWorkspaceBodies } from './team-workspaces.ts';
import { teamBodies } from './teams.ts';
import { tokenBodies } from './tokens.ts';

/** The records around workspaces, one file for each kind (contract 8). */
export const directoryBodies = {
  ...agentPoolBodies,
  ...membershipBodies,
  ...oauthBodies,
  ...organizationBodies,
  ...sshKeyBodies,
  ...teamBodies,
  ...projectBodies,
  ...teamProjectBodies,
  ...teamWorkspaceBodies,
  ...tokenBodies,
};
