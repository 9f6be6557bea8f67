import { createHandler } from '../../shared/http/stack.ts';
import { agentPool, oauthClient, sshKey } from '../../shared/validators/compiled/bodies.js';
import { agentPoolOperations } from './agent-pools.ts';
import { agentOperations } from './agents.ts';
import { openIntegrationServices } from './dependencies.ts';
import { oauthClientOperations } from './oauth-clients.ts';
import { oauthTokenOperations } from './oauth-tokens.ts';
import { sshKeyOperations } from './ssh-keys.ts';

/** Lambda handler of agent pools, agents, SSH keys and VCS connections. */
export const handler = createHandler(
  'integrations',
  {
    ...agentPoolOperations,
    ...agentOperations,
    ...sshKeyOperations,
    ...oauthClientOperations,
    ...oauthTokenOperations,
  },
  { ...openIntegrationServices(), validators: { agentPool, oauthClient, sshKey } },
);
