import { describe } from 'vitest';
import {
  advanceClock,
  type BudgetedOperation,
  type BudgetFixture,
  describeBudgets,
  ORGANIZATION,
  onWorkspace,
  useBudgetFixtures,
} from '../../support/budgets/budgets.ts';

/** Variables of at most 1 KB, encrypted ones as well. Requests to the key service are not counted. */
const document = (attributes: object, workspace?: string) => ({
  data: {
    type: 'vars',
    attributes,
    ...(workspace && { relationships: { workspace: { data: { type: 'workspaces', id: workspace } } } }),
  },
});
const filling = { category: 'env', value: 'v'.repeat(300), description: 'd'.repeat(200) };

/** Creates two variables. The first one of a workspace also changes its row in the list index. */
const fill = async (path: string, { request }: Pick<BudgetFixture, 'request'>): Promise<string> => {
  await request('POST', `${path}/vars`, document({ key: 'first', ...filling }));
  return (await request('POST', `${path}/vars`, document({ key: 'second', ...filling }))).body.data.id;
};

const onVariable =
  (method: string, path: (workspace: string, id: string) => string, body?: object): BudgetedOperation['prepare'] =>
  async (name, fixture) => {
    const workspace = await fixture.create(name);
    const id = await fill(`/workspaces/${workspace}`, fixture);
    return () => fixture.request(method, path(workspace, id), body);
  };
const byId = (_: string, id: string) => `/vars/${id}`;
const inWorkspace = (workspace: string, id: string) => `/workspaces/${workspace}/vars/${id}`;

const creation = { rounds: 3, read: 3, write: 9 };
const operations: readonly BudgetedOperation[] = [
  {
    name: 'create a variable',
    status: 201,
    budget: creation,
    prepare: onWorkspace('POST', '/vars', () => document({ key: 'third', ...filling }), fill),
  },
  {
    name: 'create a sensitive variable',
    status: 201,
    budget: creation,
    prepare: onWorkspace(
      'POST',
      '/vars',
      () => document({ key: 'third', category: 'env', value: 'secret', sensitive: true }),
      fill,
    ),
  },
  {
    name: 'create a variable by the deprecated path',
    status: 201,
    budget: creation,
    prepare: async (name, fixture) => {
      const workspace = await fixture.create(name);
      await fill(`/workspaces/${workspace}`, fixture);
      return () => fixture.request('POST', '/vars', document({ key: 'third', ...filling }, workspace));
    },
  },
  {
    name: 'create the first variable of a workspace',
    status: 201,
    budget: { ...creation, write: 11 },
    prepare: onWorkspace('POST', '/vars', () => document({ key: 'first', ...filling })),
  },
  {
    name: 'show a variable',
    status: 200,
    budget: { rounds: 2, read: 5, write: 0, calls: 6 },
    prepare: onVariable('GET', inWorkspace),
  },
  {
    name: 'update a variable',
    status: 200,
    budget: { rounds: 3, read: 5, write: 6, calls: 7 },
    prepare: onVariable('PATCH', inWorkspace, document({ value: 'another' })),
  },
  {
    name: 'update a variable by its id only',
    status: 200,
    budget: { rounds: 3, read: 5, write: 6 },
    prepare: onVariable('PATCH', byId, document({ value: 'another' })),
  },
  {
    name: 'rename a variable',
    status: 200,
    budget: { rounds: 3, read: 5, write: 12 },
    prepare: onVariable('PATCH', inWorkspace, document({ key: 'third' })),
  },
  {
    name: 'verify the value of a variable',
    status: 200,
    budget: { rounds: 4, read: 5, write: 3, calls: 8 },
    prepare: async (name, fixture) => {
      const workspace = await fixture.create(name);
      await fill(`/workspaces/${workspace}`, fixture);
      const secret = document({ key: 'third', category: 'env', value: 'secret', sensitive: true });
      const { id } = (await fixture.request('POST', `/workspaces/${workspace}/vars`, secret)).body.data;
      return () => fixture.request('POST', `${inWorkspace(workspace, id)}/actions/verify`, { value: 'secret' });
    },
  },
  {
    name: 'delete a variable',
    status: 204,
    budget: { rounds: 3, read: 5, write: 9 },
    prepare: onVariable('DELETE', inWorkspace),
  },
  {
    name: 'delete a variable by its id only',
    status: 204,
    budget: { rounds: 3, read: 5, write: 9 },
    prepare: onVariable('DELETE', byId),
  },
  {
    name: "list a workspace's variables",
    status: 200,
    budget: { rounds: 2, read: 4, write: 0, calls: 5 },
    prepare: onWorkspace('GET', '/vars', undefined, fill),
  },
  {
    name: 'list variables by workspace name',
    status: 200,
    budget: { rounds: 2, read: 5, write: 0 },
    prepare: async (name, fixture) => {
      await fill(`/workspaces/${await fixture.create(name)}`, fixture);
      const filters = `filter[workspace][name]=${name}&filter[organization][name]=${ORGANIZATION}`;
      return () => fixture.request('GET', `/vars?${filters}`);
    },
  },
  {
    name: 'find variables by their keys',
    status: 200,
    budget: { rounds: 4, read: 6, write: 0, calls: 11 },
    prepare: async (name, fixture) => {
      const workspace = await fixture.create(name);
      await fixture.request('POST', `/workspaces/${workspace}/vars`, document({ key: 'sought', ...filling }));
      advanceClock();
      const find = () => fixture.request('GET', `/organizations/${ORGANIZATION}/variable-keys?search[key]=sought`);
      await find();
      return find;
    },
  },
];

describe('DynamoDB usage of variable operations', () => {
  describeBudgets(useBudgetFixtures(), operations);
});
