import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type Reply, startApi } from '../support/api.ts';
import { type Count, type CountingProxy, startCountingProxy } from '../support/counting-proxy.ts';
import { startEngine, type TestEngine } from '../support/engine.ts';

/**
 * What each operation may ask of DynamoDB, at most: rounds, read units, write units; nothing about the caller
 * remembered. Counted between the store and the engine, for a user in 3 teams, in an organization of 20 teams and 10
 * projects, with 5 grants on the project and 5 on the workspace, and a workspace of about 1.5 KB.
 */
const TEAMS = 20;
const PROJECTS = 10;
const GRANTS = 5;

let engine: TestEngine;
let proxy: CountingProxy;
let api: Api;
let token: string;
let projects: string[];

const organization = 'budget';
const base = `/organizations/${organization}/workspaces`;
/** Fills a workspace to about 1.5 KB. */
const filling = { description: 'd'.repeat(300), 'working-directory': 'w'.repeat(200), 'source-name': 's'.repeat(200) };

const body = (attributes: object, project?: string) => ({
  data: {
    type: 'workspaces',
    attributes,
    ...(project && { relationships: { project: { data: { type: 'projects', id: project } } } }),
  },
});

const create = async (name: string): Promise<string> => {
  const created = await api.request('POST', base, { token, body: body({ name, ...filling }, projects[0]) });
  const id: string = created.body.data.id;
  for (let team = 0; team < GRANTS; team++) {
    await api.admin('grant-access', { organization, team: `team-${team}`, workspace: id, access: 'write' });
  }
  return id;
};

beforeAll(async () => {
  engine = await startEngine();
  proxy = await startCountingProxy(engine.endpoint);
  api = await startApi({ engine, endpoint: proxy.endpoint });
  await api.admin('create-organization', { name: organization, email: 'owner@example.com' });
  projects = [];
  for (let project = 0; project < PROJECTS; project++) {
    const { project: made } = await api.admin('create-project', { organization, name: `project-${project}` });
    projects.push(made.id);
  }
  for (let team = 0; team < TEAMS; team++) {
    await api.admin('create-team', { organization, name: `team-${team}` });
    if (team < GRANTS) {
      for (const project of projects.slice(0, 2)) {
        await api.admin('grant-access', { organization, team: `team-${team}`, project, access: 'admin' });
      }
    }
  }
  await api.admin('create-user', { username: 'grace', email: 'grace@example.com' });
  for (let team = 0; team < 3; team++) {
    await api.admin('add-member', { organization, team: `team-${team}`, username: 'grace' });
  }
  ({ token } = await api.admin('create-token', { kind: 'user', username: 'grace' }));
}, 60_000);

afterAll(async () => {
  await api.stop();
  await proxy.stop();
  await engine.stop();
});

interface Budget {
  readonly rounds: number;
  readonly read: number;
  readonly write: number;
}

const expectWithin = ({ rounds, readUnits, writeUnits, operations }: Count, budget: Budget): void => {
  const used = { rounds, read: readUnits, write: writeUnits };
  for (const unit of ['rounds', 'read', 'write'] as const) {
    expect(used[unit], `${unit} of ${operations.join(', ')}`).toBeLessThanOrEqual(budget[unit]);
  }
};

interface Operation {
  readonly name: string;
  readonly budget: Budget;
  readonly status: number;
  /** Prepares, and gives the request to count. */
  readonly prepare: (name: string) => Promise<() => Promise<Reply>>;
}

const onWorkspace =
  (
    method: string,
    path: (id: string, name: string) => string,
    requestBody?: (name: string) => object,
    before?: (id: string) => Promise<unknown>,
  ): Operation['prepare'] =>
  async (name) => {
    const id = await create(name);
    await before?.(id);
    return () => api.request(method, path(id, name), { token, ...(requestBody && { body: requestBody(name) }) });
  };

const byId =
  (action = '') =>
  (id: string) =>
    `/workspaces/${id}${action}`;
const byName =
  (action = '') =>
  (_: string, name: string) =>
    `${base}/${name}${action}`;
const lock = (id: string) => api.request('POST', `/workspaces/${id}/actions/lock`, { token });

const operations: readonly Operation[] = [
  { name: 'show by id', status: 200, budget: { rounds: 2, read: 3, write: 0 }, prepare: onWorkspace('GET', byId()) },
  {
    name: 'show by name',
    status: 200,
    budget: { rounds: 2, read: 4, write: 0 },
    prepare: onWorkspace('GET', byName()),
  },
  {
    name: 'lock',
    status: 200,
    budget: { rounds: 3, read: 3, write: 2 },
    prepare: onWorkspace('POST', byId('/actions/lock')),
  },
  {
    name: 'lock while held',
    status: 409,
    budget: { rounds: 2, read: 3, write: 0 },
    prepare: onWorkspace('POST', byId('/actions/lock'), undefined, lock),
  },
  {
    name: 'unlock',
    status: 200,
    budget: { rounds: 3, read: 3, write: 2 },
    prepare: onWorkspace('POST', byId('/actions/unlock'), undefined, lock),
  },
  {
    name: 'force-unlock',
    status: 200,
    budget: { rounds: 3, read: 3, write: 2 },
    prepare: onWorkspace('POST', byId('/actions/force-unlock'), undefined, lock),
  },
  {
    name: 'create',
    status: 201,
    budget: { rounds: 3, read: 4, write: 7 },
    prepare: async (name) => () => api.request('POST', base, { token, body: body({ name }, projects[0]) }),
  },
  {
    name: 'update of what lists do not show',
    status: 200,
    budget: { rounds: 3, read: 5, write: 2 },
    prepare: onWorkspace('PATCH', byId(), () => body({ 'auto-apply': true })),
  },
  {
    name: 'update by name',
    status: 200,
    budget: { rounds: 3, read: 5, write: 2 },
    prepare: onWorkspace('PATCH', byName(), () => body({ 'auto-apply': true })),
  },
  {
    name: 'rename',
    status: 200,
    budget: { rounds: 3, read: 3, write: 10 },
    prepare: onWorkspace('PATCH', byId(), (name) => body({ name: `${name}-renamed` })),
  },
  {
    name: 'move',
    status: 200,
    budget: { rounds: 3, read: 4, write: 8 },
    prepare: onWorkspace('PATCH', byId(), () => body({}, projects[1])),
  },
  {
    name: 'safe-delete',
    status: 204,
    budget: { rounds: 3, read: 3, write: 8 },
    prepare: onWorkspace('POST', byId('/actions/safe-delete')),
  },
  {
    name: 'safe-delete by name',
    status: 204,
    budget: { rounds: 3, read: 4, write: 8 },
    prepare: onWorkspace('POST', byName('/actions/safe-delete')),
  },
];

/** Records of the organization, read by a path of their own. */
const shows: readonly { readonly path: string; readonly budget: Budget }[] = [
  { path: `/organizations/${organization}`, budget: { rounds: 2, read: 1.5, write: 0 } },
  { path: `/organizations/${organization}/entitlement-set`, budget: { rounds: 2, read: 1.5, write: 0 } },
  { path: '/organizations', budget: { rounds: 3, read: 1.5, write: 0 } },
];

describe('what an operation asks of DynamoDB', () => {
  it.each(shows)('GET $path stays within $budget', async ({ path, budget }) => {
    const { result, count } = await proxy.count(() => api.request('GET', path, { token }));
    expect(result.status).toBe(200);
    expectWithin(count, budget);
  });

  it.each(operations)('$name stays within $budget', async ({ name, status, budget, prepare }) => {
    const send = await prepare(name.replaceAll(' ', '-'));
    const { result, count } = await proxy.count(send);
    expect(result.status).toBe(status);
    expectWithin(count, budget);
  });

  it('force-delete stays within what safe-delete may take', async () => {
    await api.admin('update-organization', { name: organization, allowForceDeleteWorkspaces: true });
    const id = await create('force-delete');
    const { result, count } = await proxy.count(() => api.request('DELETE', `/workspaces/${id}`, { token }));
    expect(result.status).toBe(204);
    expectWithin(count, { rounds: 3, read: 3, write: 8 });
  });

  it('a page of 20 with nothing changed costs 13.5 read units in 3 rounds', async () => {
    for (let index = 0; index < 25; index++) {
      await api.request('POST', base, { token, body: body({ name: `page-${index}` }, projects[0]) });
    }
    const list = () => api.request('GET', `${base}?sort=name`, { token });
    await list();
    const { result, count } = await proxy.count(list);
    expect(result.body.data).toHaveLength(20);
    expectWithin(count, { rounds: 3, read: 13.5, write: 0 });
  });
});
