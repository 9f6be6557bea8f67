import { BASE_PATH } from '../api.ts';
import { ORGANIZATION, type Routes } from '../route.ts';

const ofOrganization = `${ORGANIZATION}/oauth-clients` as const;
const byId = `${BASE_PATH}/oauth-clients/{oauth_client_id}` as const;

/** VCS connections: each an OAuth client with its token (docs/reference/agent-pools-and-vcs-connections.md). */
export const oauth = {
  'oauth-clients.list': { method: 'GET', path: ofOrganization, function: 'integrations', status: 200 },
  'oauth-clients.create': {
    method: 'POST',
    path: ofOrganization,
    function: 'integrations',
    status: 201,
    body: { schema: 'oauthClient', required: true },
  },
  'oauth-clients.show': { method: 'GET', path: byId, function: 'integrations', status: 200 },
  'oauth-clients.update': {
    method: 'PATCH',
    path: byId,
    function: 'integrations',
    status: 200,
    conditional: true,
    body: { schema: 'oauthClient', required: true },
  },
  'oauth-clients.delete': { method: 'DELETE', path: byId, function: 'integrations', status: 204, conditional: true },

  'oauth-tokens.list': {
    method: 'GET',
    path: `${ORGANIZATION}/oauth-tokens`,
    function: 'integrations',
    status: 200,
  },
  'oauth-tokens.list-of-client': {
    method: 'GET',
    path: `${byId}/oauth-tokens`,
    function: 'integrations',
    status: 200,
  },
  'oauth-tokens.show': {
    method: 'GET',
    path: `${BASE_PATH}/oauth-tokens/{oauth_token_id}`,
    function: 'integrations',
    status: 200,
  },
} as const satisfies Routes;
