import { invalid } from '../../shared/domain/errors.ts';
import { agentPoolRequest } from '../../shared/resources/agent-pools/request-mapping.ts';
import { agentPoolResource } from '../../shared/resources/agent-pools/response.ts';
import type { IntegrationDependencies } from './dependencies.ts';
import { type OperationsOf, recordOperations } from './record-operations.ts';

/** Operations on agent pools (POOL-1). Every member can see them, to select one for a workspace. */
export const agentPools = (dependencies: IntegrationDependencies): OperationsOf<'agent-pools'> => {
  const pools = recordOperations(dependencies, {
    kind: 'agentPool',
    read: 'organization.read',
    manage: 'agent-pool.manage',
    resource: agentPoolResource,
  });
  return {
    'agent-pools.list': pools.list,
    'agent-pools.show': ({ digest, parameters }) => pools.show(digest, parameters.agent_pool_id),
    'agent-pools.create': ({ digest, parameters, body: { data } }) =>
      pools.create(digest, parameters.organization_name, async () => {
        const { name, ...fields } = agentPoolRequest(data.attributes ?? {});
        if (name === undefined) throw invalid('name', "Name can't be blank");
        return { name, ...fields };
      }),
    'agent-pools.update': async ({ id, digest, parameters, body: { data } }) => {
      const { name: newName, ...fields } = agentPoolRequest(data.attributes ?? {});
      const pool = await pools.update({ id, digest }, parameters.agent_pool_id, data, () => ({ newName, fields }));
      return { data: agentPoolResource(pool) };
    },
    'agent-pools.delete': ({ id, digest, parameters }) => pools.remove({ id, digest }, parameters.agent_pool_id),
  };
};
