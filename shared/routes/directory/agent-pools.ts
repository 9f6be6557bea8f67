import { BASE_PATH } from '../api.ts';
import { agentPoolIncludes, ORGANIZATION, type Routes } from '../route.ts';

const ofOrganization = `${ORGANIZATION}/agent-pools` as const;
const byId = `${BASE_PATH}/agent-pools/{agent_pool_id}` as const;

/** Agent pools (docs/reference/agent-pools-and-vcs-connections.md). */
export const agentPools = {
  'agent-pools.list': {
    method: 'GET',
    path: ofOrganization,
    function: 'integrations',
    status: 200,
    includes: agentPoolIncludes,
  },
  'agent-pools.create': {
    method: 'POST',
    path: ofOrganization,
    function: 'integrations',
    status: 201,
    body: { schema: 'agentPool', required: true },
  },
  'agent-pools.show': {
    method: 'GET',
    path: byId,
    function: 'integrations',
    status: 200,
    includes: agentPoolIncludes,
  },
  'agent-pools.update': {
    method: 'PATCH',
    path: byId,
    function: 'integrations',
    status: 200,
    conditional: true,
    body: { schema: 'agentPool', required: true },
  },
  'agent-pools.delete': { method: 'DELETE', path: byId, function: 'integrations', status: 204, conditional: true },
  'agents.list': { method: 'GET', path: `${byId}/agents`, function: 'integrations', status: 200 },
} as const satisfies Routes;
