import { createHandler } from '../../shared/http/stack.ts';
import { agentPool, oauthClient, sshKey } from '../../shared/validators/compiled/bodies.js';
import { agentPools } from './agent-pools.ts';
import { agents } from './agents.ts';
import { openIntegrationServices } from './dependencies.ts';
import { oauthClients } from './oauth-clients.ts';
import { oauthTokens } from './oauth-tokens.ts';
import { sshKeys } from './ssh-keys.ts';

const dependencies = openIntegrationServices();

/** Lambda handler of agent pools, agents, SSH keys and VCS connections. */
export const handler = createHandler(
  'integrations',
  {
    ...agentPools(dependencies),
    ...agents(dependencies),
    ...sshKeys(dependencies),
    ...oauthClients(dependencies),
    ...oauthTokens(dependencies),
  },
  { ...dependencies, validators: { agentPool, oauthClient, sshKey } },
);
