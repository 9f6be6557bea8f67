import { describe, expect, it } from 'vitest';
import {
  type Budget,
  workspaceBody as body,
  describeBudgets,
  expectWithin,
  type Operation,
  ORGANIZATION,
  onWorkspace,
  useBudgetBench,
} from '../support/budgets.ts';

const bench = useBudgetBench();
const base = `/organizations/${ORGANIZATION}/workspaces`;

/** The same by the workspace's name. */
const byName =
  (method: string, action = '', body?: object): Operation['prepare'] =>
  async (name) => {
    await bench().create(name);
    return () => bench().request(method, `${base}/${name}${action}`, body);
  };
const lock = (path: string) => bench().request('POST', `${path}/actions/lock`);

const operations: readonly Operation[] = [
  { name: 'show by id', status: 200, budget: { rounds: 2, read: 3, write: 0 }, prepare: onWorkspace('GET') },
  { name: 'show by name', status: 200, budget: { rounds: 2, read: 4, write: 0 }, prepare: byName('GET') },
  {
    name: 'lock',
    status: 200,
    budget: { rounds: 3, read: 3, write: 2 },
    prepare: onWorkspace('POST', '/actions/lock'),
  },
  {
    name: 'lock while held',
    status: 409,
    budget: { rounds: 2, read: 3, write: 0 },
    prepare: onWorkspace('POST', '/actions/lock', undefined, lock),
  },
  {
    name: 'unlock',
    status: 200,
    budget: { rounds: 3, read: 3, write: 2 },
    prepare: onWorkspace('POST', '/actions/unlock', undefined, lock),
  },
  {
    name: 'force-unlock',
    status: 200,
    budget: { rounds: 3, read: 3, write: 2 },
    prepare: onWorkspace('POST', '/actions/force-unlock', undefined, lock),
  },
  {
    name: 'create',
    status: 201,
    budget: { rounds: 3, read: 4, write: 7 },
    prepare: async (name) => () => bench().request('POST', base, body({ name }, bench().projects[0])),
  },
  {
    name: 'update of what lists do not show',
    status: 200,
    budget: { rounds: 3, read: 5, write: 2 },
    prepare: onWorkspace('PATCH', '', () => body({ 'auto-apply': true })),
  },
  {
    name: 'update by name',
    status: 200,
    budget: { rounds: 3, read: 5, write: 2 },
    prepare: byName('PATCH', '', body({ 'auto-apply': true })),
  },
  {
    name: 'rename',
    status: 200,
    budget: { rounds: 3, read: 3, write: 10 },
    prepare: onWorkspace('PATCH', '', (name) => body({ name: `${name}-renamed` })),
  },
  {
    name: 'move',
    status: 200,
    budget: { rounds: 3, read: 4, write: 8 },
    prepare: onWorkspace('PATCH', '', () => body({}, bench().projects[1])),
  },
  {
    name: 'safe-delete',
    status: 204,
    budget: { rounds: 3, read: 3, write: 8 },
    prepare: onWorkspace('POST', '/actions/safe-delete'),
  },
  {
    name: 'safe-delete by name',
    status: 204,
    budget: { rounds: 3, read: 4, write: 8 },
    prepare: byName('POST', '/actions/safe-delete'),
  },
];

/** Records of the organization, read by a path of their own. */
const shows: readonly { readonly path: string; readonly budget: Budget }[] = [
  { path: `/organizations/${ORGANIZATION}`, budget: { rounds: 2, read: 1.5, write: 0 } },
  { path: `/organizations/${ORGANIZATION}/entitlement-set`, budget: { rounds: 2, read: 1.5, write: 0 } },
  { path: '/organizations', budget: { rounds: 3, read: 1.5, write: 0 } },
];

describe('what an operation asks of DynamoDB', () => {
  it.each(shows)('GET $path stays within $budget', async ({ path, budget }) => {
    const { proxy, request } = bench();
    const { result, count } = await proxy.count(() => request('GET', path));
    expect(result.status).toBe(200);
    expectWithin(count, budget);
  });

  describeBudgets(bench, operations);

  it('force-delete stays within what safe-delete may take', async () => {
    const { api, proxy, request, create } = bench();
    await api.admin('update-organization', { name: ORGANIZATION, allowForceDeleteWorkspaces: true });
    const id = await create('force-delete');
    const { result, count } = await proxy.count(() => request('DELETE', `/workspaces/${id}`));
    expect(result.status).toBe(204);
    expectWithin(count, { rounds: 3, read: 3, write: 8 });
  });

  it('a page of 20 with nothing changed costs 13.5 read units in 3 rounds', async () => {
    const { projects, proxy, request } = bench();
    for (let index = 0; index < 25; index++) {
      await request('POST', base, body({ name: `page-${index}` }, projects[0]));
    }
    const list = () => request('GET', `${base}?sort=name`);
    await list();
    const { result, count } = await proxy.count(list);
    expect(result.body.data).toHaveLength(20);
    expectWithin(count, { rounds: 3, read: 13.5, write: 0 });
  });
});
