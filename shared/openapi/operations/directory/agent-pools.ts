import { agentPool } from '../../../resources/agent-pools/openapi.ts';
import type { agentPools as routes } from '../../../routes/directory/agent-pools.ts';
import { text } from '../../../schemas/schema.ts';
import { type Group, list, one } from '../../operation.ts';

const WHO = 'The caller needs permission to manage agent pools.';

export const agentPools: Group<keyof typeof routes> = {
  name: 'Agent pools',
  description: 'Pools of agents that execute the runs of workspaces in agent mode.',
  operations: {
    'agent-pools.list': {
      summary: 'List agent pools',
      rule: 'POOL-1',
      query: { q: { description: 'Part of the name, ignoring case.', schema: text() } },
      answers: list(agentPool),
    },
    'agent-pools.create': {
      summary: 'Create an agent pool',
      description: WHO,
      rule: 'POOL-2',
      answers: one(agentPool),
    },
    'agent-pools.show': { summary: 'Show an agent pool', rule: 'POOL-1', answers: one(agentPool) },
    'agent-pools.update': {
      summary: 'Update an agent pool',
      description: `Omitted attributes stay unchanged. ${WHO}`,
      rule: 'POOL-1',
      answers: one(agentPool),
    },
    'agent-pools.delete': {
      summary: 'Delete an agent pool',
      description: WHO,
      rule: 'POOL-3',
      refuses: { 409: 'A workspace, a project or the organization uses the agent pool.' },
    },
  },
};
