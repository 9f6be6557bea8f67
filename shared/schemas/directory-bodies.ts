import { agentPoolBodies } from '../resources/agent-pools/request.ts';
import { tokenBodies } from '../resources/authentication-tokens/request.ts';
import { oauthBodies } from '../resources/oauth-clients/request.ts';
import { membershipBodies } from '../resources/organization-memberships/request.ts';
import { organizationBodies } from '../resources/organizations/request.ts';
import { projectBodies } from '../resources/projects/request.ts';
import { sshKeyBodies } from '../resources/ssh-keys/request.ts';
import { teamProjectBodies } from '../resources/team-projects/request.ts';
import { teamWorkspaceBodies } from '../resources/team-workspaces/request.ts';
import { teamBodies } from '../resources/teams/request.ts';

/** The records around workspaces, one file for each kind. */
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
