import { BASE_PATH } from './api.ts';
import {
  agentPoolIncludes as includes,
  ORGANIZATION,
  oauthClientIncludes,
  type Routes,
  required,
  routesOf,
} from './route.ts';

const { get, post, patch, remove } = routesOf('integrations');

const pools = `${ORGANIZATION}/agent-pools` as const;
const pool = `${BASE_PATH}/agent-pools/{agent_pool_id}` as const;

/** Agent pools (docs/reference/agent-pools-and-vcs-connections.md). */
export const agentPools = {
  'agent-pools.list': get(pools, 200, { includes }),
  'agent-pools.create': post(pools, 201, { body: required('agentPool') }),
  'agent-pools.show': get(pool, 200, { includes }),
  'agent-pools.update': patch(pool, 200, { conditional: true, body: required('agentPool') }),
  'agent-pools.delete': remove(pool, 204, { conditional: true }),
  'agents.list': get(`${pool}/agents`, 200),
} satisfies Routes;

const keys = `${ORGANIZATION}/ssh-keys` as const;
const key = `${BASE_PATH}/ssh-keys/{ssh_key_id}` as const;

/** SSH keys (docs/reference/ssh-keys.md). */
export const sshKeys = {
  'ssh-keys.list': get(keys, 200),
  'ssh-keys.create': post(keys, 201, { body: required('sshKey') }),
  'ssh-keys.show': get(key, 200),
  'ssh-keys.update': patch(key, 200, { conditional: true, body: required('sshKey') }),
  'ssh-keys.delete': remove(key, 204, { conditional: true }),
} satisfies Routes;

const clients = `${ORGANIZATION}/oauth-clients` as const;
const client = `${BASE_PATH}/oauth-clients/{oauth_client_id}` as const;

const projectsOfClient = `${client}/relationships/projects` as const;
const someProjects = { body: required('oauthClientProjects') } as const;

/** VCS connections: each an OAuth client with its token (docs/reference/agent-pools-and-vcs-connections.md). */
export const oauth = {
  'oauth-clients.list': get(clients, 200, { includes: oauthClientIncludes }),
  'oauth-clients.create': post(clients, 201, { body: required('oauthClient') }),
  'oauth-clients.show': get(client, 200, { includes: oauthClientIncludes }),
  'oauth-clients.update': patch(client, 200, { conditional: true, body: required('oauthClient') }),
  'oauth-clients.delete': remove(client, 204, { conditional: true }),
  'oauth-clients.add-projects': post(projectsOfClient, 204, someProjects),
  'oauth-clients.remove-projects': remove(projectsOfClient, 204, someProjects),

  'oauth-tokens.list': get(`${ORGANIZATION}/oauth-tokens`, 200),
  'oauth-tokens.list-of-client': get(`${client}/oauth-tokens`, 200),
  'oauth-tokens.show': get(`${BASE_PATH}/oauth-tokens/{oauth_token_id}`, 200),
} satisfies Routes;
