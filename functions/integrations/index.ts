import { createHandler } from '../../shared/http/stack.ts';
import { agentPool, oauthClient, sshKey } from '../../shared/schemas/compiled/bodies.js';
import { agentPools } from './agent-pools.ts';
import { oauthClients } from './oauth-clients.ts';
import { oauthTokens } from './oauth-tokens.ts';
import { openIntegrationServices } from './services.ts';
import { sshKeys } from './ssh-keys.ts';

const services = openIntegrationServices();

/** What connects an organization to other systems: agent pools, SSH keys and VCS connections. */
export const handler = createHandler(
  'integrations',
  {
    ...agentPools(services),
    ...sshKeys(services),
    ...oauthClients(services),
    ...oauthTokens(services),
  },
  { ...services, validators: { agentPool, oauthClient, sshKey } },
);
