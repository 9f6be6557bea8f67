import { oneOf, text } from '../../../schemas/schema.ts';
import { agentPoolInclusions as include } from '../../inclusions.ts';
import { type Group, list, one, page } from '../../operation.ts';
import { agent, agentPool } from '../../resources.ts';

const WHO = 'The caller needs permission to manage agent pools.';

export const agentPools = {
  name: 'Agent pools',
  description: 'Pools of agents that execute the runs of workspaces in agent mode.',
  operations: {
    'agent-pools.list': {
      summary: 'List agent pools',
      rule: 'POOL-1',
      query: {
        q: { description: 'Part of the name, ignoring case.', schema: text() },
        sort: {
          description: 'Sort order; a hyphen means descending. Default: `name`.',
          schema: oneOf(['name', '-name', 'created-at', '-created-at']),
        },
        'filter[allowed_workspaces][name]': {
          description: 'Name of a workspace that may use the agent pool.',
          schema: text(),
        },
        'filter[allowed_projects][name]': {
          description: 'Name of a project whose default the agent pool may be.',
          schema: text(),
        },
      },
      include,
      response: list(agentPool),
    },
    'agent-pools.create': {
      summary: 'Create an agent pool',
      description: WHO,
      rule: 'POOL-2',
      response: one(agentPool),
    },
    'agent-pools.show': { summary: 'Show an agent pool', rule: 'POOL-1', include, response: one(agentPool) },
    'agent-pools.update': {
      summary: 'Update an agent pool',
      description: `Omitted attributes and lists stay unchanged; an empty list clears. ${WHO}`,
      rule: 'POOL-1',
      response: one(agentPool),
    },
    'agent-pools.delete': {
      summary: 'Delete an agent pool',
      description: WHO,
      rule: 'POOL-3',
      errors: { 409: 'A workspace, a project or the organization uses the agent pool.' },
    },
    'agents.list': {
      summary: 'List the agents of a pool',
      description: 'The list is always empty, because no agent connects to this service.',
      rule: 'POOL-8',
      query: {
        'filter[last-ping-since]': {
          description: 'Only agents that have reported since this time.',
          schema: text(undefined, { format: 'date-time', examples: ['2026-11-21T08:00:00Z'] }),
        },
        sort: { description: 'Sort order.', schema: oneOf(['created-at', '-created-at']) },
      },
      response: page(agent),
    },
  },
} satisfies Group;
