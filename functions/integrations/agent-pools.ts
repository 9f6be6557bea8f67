import type { AgentPool } from '../../shared/domain/directory/records.ts';
import { invalid } from '../../shared/domain/errors.ts';
import type { Operations } from '../../shared/http/operation.ts';
import { readSort } from '../../shared/jsonapi/sort.ts';
import { agentPoolRequest } from '../../shared/resources/agent-pools/attributes.ts';
import { agentPoolResource } from '../../shared/resources/agent-pools/response.ts';
import { readScope } from '../../shared/resources/agent-pools/scope.ts';
import { checkScope, createScopeFilter } from './agent-pool-scope.ts';
import type { IntegrationDependencies } from './dependencies.ts';
import { recordOperations } from './record-operations.ts';

const SORTS = ['name', 'created-at'] as const;

type Compare = (a: AgentPool, b: AgentPool) => number;

const byName: Compare = (a, b) => Number(a.name > b.name) - Number(a.name < b.name);
const byAge: Compare = (a, b) => a.createdAt - b.createdAt || Number(a.id > b.id) - Number(a.id < b.id);

const readOrder = (query: URLSearchParams): Compare => {
  const { name, sign } = readSort(query, SORTS) ?? { name: 'name', sign: 1 };
  const compare = name === 'name' ? byName : byAge;
  return (a, b) => sign * compare(a, b);
};

const pools = recordOperations({
  kind: 'agentPool',
  read: 'shared-record.read',
  manage: 'agent-pool.manage',
  resource: agentPoolResource,
});

/** Operations on agent pools (POOL-1). Every member can see them, to select one for a workspace. */
export const agentPoolOperations = {
  'agent-pools.list': async (request, dependencies) => {
    const compare = readOrder(request.query);
    const { access, rows, pagination } = await pools.listRows(request, dependencies, async (context, found) => {
      const fits = await createScopeFilter(dependencies, context, request.query);
      return found.filter(fits).sort(compare);
    });
    if (request.include.size === 0) return { data: rows.map(agentPoolResource), ...pagination };
    const { presentPools } = await import('./agent-pool-includes.ts');
    return { ...(await presentPools(dependencies, access, rows, request)), ...pagination };
  },
  'agent-pools.show': async (request, dependencies) => {
    const access = await pools.find(dependencies, request.digest, request.parameters.agent_pool_id);
    if (request.include.size === 0) return { data: agentPoolResource(access.record) };
    const { presentPools } = await import('./agent-pool-includes.ts');
    const { data, included } = await presentPools(dependencies, access, [access.record], request);
    return { data: data[0] ?? agentPoolResource(access.record), included };
  },
  'agent-pools.create': (request, dependencies) => {
    const { organization_name: organization } = request.parameters;
    return pools.create(request, dependencies, organization, async () => {
      const { data } = request.body;
      const { name, ...fields } = agentPoolRequest(data.attributes ?? {});
      if (name === undefined) throw invalid('name', "Name can't be blank");
      const scope = await checkScope(dependencies, organization, readScope(data.relationships));
      return { name, ...fields, ...scope };
    });
  },
  'agent-pools.update': async (request, dependencies) => {
    const { data } = request.body;
    const { name: newName, ...fields } = agentPoolRequest(data.attributes ?? {});
    const lists = readScope(data.relationships);
    const pool = await pools.update(request, dependencies, request.parameters.agent_pool_id, data, async (before) => ({
      newName,
      fields: { ...fields, ...(await checkScope(dependencies, before.organization, lists, before)) },
    }));
    return { data: agentPoolResource(pool) };
  },
  'agent-pools.delete': (request, dependencies) =>
    pools.remove(request, dependencies, request.parameters.agent_pool_id),
} satisfies Partial<Operations<'integrations', IntegrationDependencies>>;
