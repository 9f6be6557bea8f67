import type { AgentPool } from '../../shared/domain/directory/records.ts';
import { invalid } from '../../shared/domain/errors.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { readSort } from '../../shared/jsonapi/sort.ts';
import { agentPoolRequest, readScope } from '../../shared/resources/agent-pools/request-mapping.ts';
import { agentPoolResource } from '../../shared/resources/agent-pools/response.ts';
import { checkScope, createScopeFilter } from './agent-pool-scope.ts';
import type { IntegrationDependencies } from './dependencies.ts';
import { type OperationsOf, recordOperations } from './record-operations.ts';

const SORTS = ['name', 'created-at'] as const;

type Compare = (a: AgentPool, b: AgentPool) => number;

const byName: Compare = (a, b) => Number(a.name > b.name) - Number(a.name < b.name);
const byAge: Compare = (a, b) => a.createdAt - b.createdAt || Number(a.id > b.id) - Number(a.id < b.id);

const readOrder = (query: URLSearchParams): Compare => {
  const { name, sign } = readSort(query, SORTS) ?? { name: 'name', sign: 1 };
  const compare = name === 'name' ? byName : byAge;
  return (a, b) => sign * compare(a, b);
};

/** Operations on agent pools (POOL-1). Every member can see them, to select one for a workspace. */
export const agentPools = (dependencies: IntegrationDependencies): OperationsOf<'agent-pools'> => {
  const pools = recordOperations(dependencies, {
    kind: 'agentPool',
    read: 'organization.read',
    manage: 'agent-pool.manage',
    resource: agentPoolResource,
  });
  return {
    'agent-pools.list': async (request): Promise<Document> => {
      const compare = readOrder(request.query);
      const { access, rows, pagination } = await pools.listRows(request, async (context, found) => {
        const fits = await createScopeFilter(dependencies, context, request.query);
        return found.filter(fits).sort(compare);
      });
      if (request.include.size === 0) return { data: rows.map(agentPoolResource), ...pagination };
      const { presentPools } = await import('./agent-pool-includes.ts');
      return { ...(await presentPools(dependencies, access, rows, request)), ...pagination };
    },
    'agent-pools.show': async ({ digest, parameters, include, url }): Promise<Document> => {
      const access = await pools.find(digest, parameters.agent_pool_id, 'organization.read');
      if (include.size === 0) return { data: agentPoolResource(access.record) };
      const { presentPools } = await import('./agent-pool-includes.ts');
      const { data, included } = await presentPools(dependencies, access, [access.record], { include, url });
      return { data: data[0] ?? agentPoolResource(access.record), included };
    },
    'agent-pools.create': ({ contextFor, digest, parameters: { organization_name: organization }, body: { data } }) =>
      pools.create({ contextFor, digest }, organization, async () => {
        const { name, ...fields } = agentPoolRequest(data.attributes ?? {});
        if (name === undefined) throw invalid('name', "Name can't be blank");
        const scope = await checkScope(dependencies, organization, readScope(data.relationships));
        return { name, ...fields, ...scope };
      }),
    'agent-pools.update': async ({ contextFor, digest, parameters, body: { data } }) => {
      const { name: newName, ...fields } = agentPoolRequest(data.attributes ?? {});
      const lists = readScope(data.relationships);
      const pool = await pools.update({ contextFor, digest }, parameters.agent_pool_id, data, async (before) => ({
        newName,
        fields: { ...fields, ...(await checkScope(dependencies, before.organization, lists, before)) },
      }));
      return { data: agentPoolResource(pool) };
    },
    'agent-pools.delete': ({ contextFor, digest, parameters }) =>
      pools.remove({ contextFor, digest }, parameters.agent_pool_id),
  };
};
