import { matrixGroup } from '../../support/matrix/matrix.ts';
import { recordColumns } from '../../support/matrix/matrix-records.ts';

const { columns, one } = recordColumns({
  routes: 'agent-pools',
  parameter: 'agent_pool_id',
  attributes: (name) => ({ name }),
});

/** Agent pools: every member of the organization can read them. Managing them requires a permission of its own. */
export const group = matrixGroup({
  name: 'agent pools',
  columns: {
    ...columns,
    agents: {
      routes: ['agents.list'],
      seenBy: 'members',
      attempt: async ({ testbed, send }) => send({ parameters: { agent_pool_id: await one(testbed) } }),
    },
  },
  table: `
                       | list    | show | create | update delete | agents
    owner              | 200:all | 200  | 201    | 200    204    | 200
    organization token | 200:all | 200  | 201    | 200    204    | 200
    manage-agent-pools | 200:all | 200  | 201    | 200    204    | 200
    anyone             | 200:all | 200  | 404    | 404    404    | 200
    outsider           | 404     | 404  | 404    | 404    404    | 404
    no valid token     | 401     | 401  | 401    | 401    401    | 401
  `,
});
