import { matrixGroup } from '../../support/matrix/matrix.ts';
import { recordColumns } from '../../support/matrix/matrix-records.ts';

const { columns } = recordColumns({
  routes: 'agent-pools',
  parameter: 'agent_pool_id',
  attributes: (name) => ({ name }),
});

/** Agent pools: every member of the organization can read them. Managing them requires a permission of its own. */
export const group = matrixGroup({
  name: 'agent pools',
  columns,
  table: `
                       | list    | show | create | update delete
    owner              | 200:all | 200  | 201    | 200    204
    organization token | 200:all | 200  | 201    | 200    204
    manage-agent-pools | 200:all | 200  | 201    | 200    204
    anyone             | 200:all | 200  | 404    | 404    404
    outsider           | 404     | 404  | 404    | 404    404
    no valid token     | 401     | 401  | 401    | 401    401
  `,
});
