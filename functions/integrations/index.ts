import { openEncryption } from '../../shared/encryption/encrypt.ts';
import { createHandler } from '../../shared/http/stack.ts';
import { openListDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { withDirectory } from '../../shared/runtime/with-directory.ts';
import { agentPool, oauthClient, oauthClientProjects, sshKey } from '../../shared/validators/compiled/bodies.js';
import { agentPoolOperations } from './agent-pools.ts';
import { agentOperations } from './agents.ts';
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
  {
    ...withDirectory(openListDependencies('integrations')),
    encrypt: openEncryption(readEnvironment('integrations').SECRETS_KEY_ARN),
    validators: { agentPool, oauthClient, oauthClientProjects, sshKey },
  },
);
