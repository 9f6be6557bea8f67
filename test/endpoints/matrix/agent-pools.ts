import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';
import { recordColumns } from '../../support/matrix/matrix-records.ts';

const { columns, one } = recordColumns({
  routes: 'agent-pools',
  parameter: 'agent_pool_id',
  attributes: (name) => ({ name }),
});

const onPool =
  (request: object = {}) =>
  async ({ testbed, send }: Trial): Promise<void> => {
    await send({ parameters: { agent_pool_id: await one(testbed) }, ...request });
  };

const onToken = async ({ testbed, send }: Trial): Promise<void> => {
  const { body } = await testbed.createOnce('a pool token', async () =>
    testbed.sendAsOwner('agent-pool-tokens.create', {
      parameters: { agent_pool_id: await one(testbed) },
      body: { data: { attributes: { description: 'kept' } } },
    }),
  );
  await send({ parameters: { token_id: body.data.id } });
};

/** Agent pools: every member of the organization can read them. Managing them requires a permission of its own. */
export const group = matrixGroup({
  name: 'agent pools',
  columns: {
    ...columns,
    'list tokens': { routes: ['agent-pool-tokens.list'], seenBy: 'members', attempt: onPool() },
    'create a token': {
      routes: ['agent-pool-tokens.create'],
      seenBy: 'members',
      attempt: onPool({ body: { data: { attributes: { description: 'build' } } } }),
    },
    'show a token': { routes: ['tokens.show'], seenBy: () => false, attempt: onToken },
    'delete a token': { routes: ['tokens.delete'], seenBy: () => false, attempt: onToken },
    agents: {
      routes: ['agents.list'],
      seenBy: 'members',
      attempt: onPool(),
    },
  },
  table: `
                       | list    | show | create | update delete | tokens          | agents
    owner              | 200:all | 200  | 201    | 200    204    | 200 201 200 204 | 200
    organization token | 200:all | 200  | 201    | 200    204    | 200 201 200 204 | 200
    manage-agent-pools | 200:all | 200  | 201    | 200    204    | 200 201 200 204 | 200
    anyone             | 200:all | 200  | 404    | 404    404    | 404 404 404 404 | 200
    outsider           | 404     | 404  | 404    | 404    404    | 404 404 404 404 | 404
    no valid token     | 401     | 401  | 401    | 401    401    | 401 401 401 401 | 401
  `,
});
