import type { Static, TSchema } from 'typebox';
import { agentPoolBodies } from './agent-pools/request.ts';
import { tokenBodies } from './authentication-tokens/request.ts';
import { retentionBodies } from './data-retention-policies/request.ts';
import { deletedWorkspaceBodies } from './deleted-workspaces/request.ts';
import { oauthBodies } from './oauth-clients/request.ts';
import { membershipBodies } from './organization-memberships/request.ts';
import { organizationBodies } from './organizations/request.ts';
import { projectBodies } from './projects/request.ts';
import { consumerBodies } from './remote-state-consumers/request.ts';
import { reservedTagKeyBodies } from './reserved-tag-keys/request.ts';
import { sshKeyBodies } from './ssh-keys/request.ts';
import { stateVersionBodies } from './state-versions/request.ts';
import { tagBodies } from './tags/request.ts';
import { teamProjectBodies } from './team-projects/request.ts';
import { teamWorkspaceBodies } from './team-workspaces/request.ts';
import { teamBodies } from './teams/request.ts';
import { userBodies } from './users/request.ts';
import { variableSetBodies } from './variable-sets/request.ts';
import { variableBodies } from './variables/request.ts';
import { workspaceBodies } from './workspaces/request.ts';
import { sshKeyBodies as sshKeyAssignmentBodies } from './workspaces/ssh-key-request.ts';

/**
 * JSON Schemas of all request bodies (HTTP-6) by name. `shared/validators` compiles them. Unknown attributes are ignored
 * (HTTP-7). Defaults are set by the domain.
 */
export const bodies = {
  ...workspaceBodies,
  ...deletedWorkspaceBodies,
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
  ...consumerBodies,
  ...sshKeyAssignmentBodies,
  ...retentionBodies,
  ...tagBodies,
  ...reservedTagKeyBodies,
  ...userBodies,
  ...variableBodies,
  ...variableSetBodies,
  ...stateVersionBodies,
} as const satisfies Record<string, TSchema>;

/** The types of all request bodies by name. */
export type Bodies = { readonly [S in keyof typeof bodies]: Static<(typeof bodies)[S]> };
