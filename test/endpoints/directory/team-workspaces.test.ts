import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serviceRequest } from '../../../shared/store/automation/service-request.ts';
import { openRemoval } from '../../../shared/store/directory/removal/open-removal.ts';
import { keys } from '../../../shared/store/dynamodb/keys.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { type Api, type Reply, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type HookProxy, startHookProxy } from '../../support/faults/hook-proxy.ts';
import { expectInvalid } from '../../support/matrix/matrix-bench.ts';
import { expectRefusal, NOT_FOUND } from '../../support/models/arbitraries-checks.ts';

/** What teams may do with one workspace, over HTTP (docs/reference/teams.md). */
let engine: TestEngine;
let proxy: HookProxy;
let api: Api;
let owner: string;
let workspace: { id: string; name: string };
let team: string;
/** Name of the team. */
let name: string;

const organization = 'acme';
let made = 0;

beforeAll(async () => {
  engine = await startEngine();
  proxy = await startHookProxy(engine.endpoint);
  api = await startApi({ engine, endpoint: proxy.endpoint });
  ({ token: owner } = await api.admin('create-organization', { name: organization, email: 'ada@example.com' }));
});
afterAll(async () => {
  expect((await api.admin('check-table')).findings).toEqual([]);
  await api.stop();
  await proxy.stop();
  await engine.stop();
});
beforeEach(async () => {
  workspace = await aWorkspace();
  name = `team-${++made}`;
  ({ id: team } = (await api.admin('create-team', { organization, name })).team);
});

const aWorkspace = async () => {
  const body = { data: { type: 'workspaces', attributes: { name: `w-${++made}` } } };
  const { data } = (await api.request('POST', `/organizations/${organization}/workspaces`, { token: owner, body }))
    .body;
  return { id: data.id, name: data.attributes.name };
};
/** A user in a new team, which has some access to the workspace. */
const aMember = async (access?: string) => {
  const [username, own] = [`user-${++made}`, `own-${made}`];
  const { team: ofTheirs } = await api.admin('create-team', { organization, name: own });
  await api.admin('create-user', { username, email: `${username}@example.com` });
  await api.admin('add-member', { organization, team: own, username });
  if (access) await api.admin('grant-access', { organization, team: own, workspace: workspace.id, access });
  const { token } = await api.admin('create-token', { kind: 'user', username });
  return { token, team: ofTheirs.id as string };
};

const document = (attributes: object, to = team, on = workspace.id) => ({
  data: {
    type: 'team-workspaces',
    attributes,
    relationships: { team: { data: { type: 'teams', id: to } }, workspace: { data: { type: 'workspaces', id: on } } },
  },
});
const give = (attributes: object, token = owner, body = document(attributes)) =>
  api.request('POST', '/team-workspaces', { token, body });
const given = async (attributes: object = { access: 'read' }): Promise<string> => {
  const { status, body } = await give(attributes);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data.id;
};
const show = (id: string, token = owner) => api.request('GET', `/team-workspaces/${id}`, { token });
const change = (id: string, attributes: object, token = owner, more: object = {}) =>
  api.request('PATCH', `/team-workspaces/${id}`, { token, body: { data: { attributes, ...more } } });
const takeAway = (id: string, token = owner) => api.request('DELETE', `/team-workspaces/${id}`, { token });
const list = (token = owner, query = '', id = workspace.id) =>
  api.request('GET', `/team-workspaces?filter%5Bworkspace%5D%5Bid%5D=${id}${query}`, { token });
const teamsIn = ({ body }: Reply): string[] =>
  // biome-ignore lint/suspicious/noExplicitAny: rows are of JSON.
  body.data.map(({ relationships }: any) => relationships.team.data.id);

const parts = {
  read: ['read', 'read', 'read', 'none', false, false, false],
  plan: ['plan', 'read', 'read', 'none', false, false, false],
  write: ['apply', 'write', 'write', 'read', true, false, false],
  admin: ['apply', 'write', 'write', 'read', true, true, true],
} as const;
const names = [
  'runs',
  'variables',
  'state-versions',
  'sentinel-mocks',
  'workspace-locking',
  'run-tasks',
  'policy-overrides',
];
const withParts = (access: string, values: readonly unknown[]) => ({
  access,
  ...Object.fromEntries(names.map((part, index) => [part, values[index]])),
});

describe('access that is given', () => {
  it.each(Object.entries(parts))('as %s is answered, and shown, with all its parts', async (access, values) => {
    const { status, body } = await give({ access });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^tws-[1-9A-HJ-NP-Za-km-z]{16}$/),
      type: 'team-workspaces',
      attributes: withParts(access, values),
      relationships: {
        team: { data: { type: 'teams', id: team }, links: { related: `/api/v2/teams/${team}` } },
        workspace: {
          data: { type: 'workspaces', id: workspace.id },
          links: { related: `/api/v2/organizations/${organization}/workspaces/${workspace.name}` },
        },
      },
      links: { self: `/api/v2/team-workspaces/${body.data.id}` },
    });
    expect((await show(body.data.id)).body).toEqual(body);
    expect((await list()).body.data).toEqual([body.data]);
  });

  it('part by part has the lowest where it says nothing', async () => {
    expect((await give({ access: 'custom' })).body.data.attributes).toEqual(
      withParts('custom', ['read', 'none', 'none', 'none', false, false, false]),
    );
  });

  it('part by part is in force', async () => {
    const { token, team: own } = await aMember();
    const lock = async () => (await api.request('POST', `/workspaces/${workspace.id}/actions/lock`, { token })).status;
    expect(await lock()).toBe(404);
    await give({}, owner, document({ access: 'custom', 'workspace-locking': true }, own));
    expect(await lock()).toBe(200);
  });

  it('is announced on the workspace', async () => {
    await given();
    const { workspaces } = openAdmin(engine.database);
    expect((await workspaces.find(workspace.id))?.change).toMatchObject({
      type: 'workspace.access-changed',
      actor: { kind: 'user' },
    });
  });

  it('by the admin function is the same access', async () => {
    const grant = { organization, team: name, workspace: workspace.name };
    await api.admin('grant-access', { ...grant, access: 'plan' });
    const [{ id, attributes }] = (await list()).body.data;
    expect((await show(id)).body.data.attributes).toEqual(attributes);
    expect(attributes.access).toBe('plan');
    await api.admin('revoke-access', grant);
    expect(await show(id)).toMatchObject({ status: 404, body: NOT_FOUND });
  });

  it.each([
    [
      { access: 'read', runs: 'apply' },
      'runs',
      "Runs is read-only when access level is 'read'; use the 'custom' access level to set this attribute.",
    ],
    [
      { access: 'admin', 'state-versions': 'read' },
      'state-versions',
      "State versions is read-only when access level is 'admin'; use the 'custom' access level to set this attribute.",
    ],
    [{ access: 'maintain' }, 'access', 'Access must be one of: read, plan, write, admin, custom'],
    [{ access: 'custom', runs: 'none' }, 'runs', 'Runs must be one of: read, plan, apply'],
    [{ access: 'custom', 'run-tasks': 'yes' }, 'run-tasks', 'Run tasks must be true or false'],
    [{}, 'access', "Access can't be blank"],
  ])('is refused as %j', async (attributes, attribute, detail) => {
    const reply = await give(attributes);
    expectInvalid(reply, attribute);
    expect(reply.body.errors[0].detail).toBe(detail);
    expect((await list()).body.data).toEqual([]);
  });

  it('is refused to a team that has some, which keeps it', async () => {
    const id = await given({ access: 'plan' });
    const reply = await give({ access: 'admin' });
    expectRefusal(reply);
    expect(reply).toMatchObject({
      status: 422,
      body: { errors: [{ title: 'invalid attribute', detail: 'Team has already been taken' }] },
    });
    expect((await show(id)).body.data.attributes.access).toBe('plan');
  });

  it.each([
    ['team', 'team-1111111111111111', /team/],
    ['team', 'x', /team/],
    ['workspace', 'ws-1111111111111111', undefined],
    ['workspace', 'x', undefined],
  ])('is refused for a %s %s', async (which, id, detail) => {
    const body = which === 'team' ? document({ access: 'read' }, id) : document({ access: 'read' }, team, id);
    const reply = await give({}, owner, body);
    expectRefusal(reply);
    expect(reply.status).toBe(404);
    expect(reply.body.errors[0].detail).toEqual(detail && expect.stringMatching(detail));
  });

  it('is refused without a workspace, or a team', async () => {
    for (const which of ['team', 'workspace'] as const) {
      const body = document({ access: 'read' });
      const { [which]: _, ...relationships } = body.data.relationships;
      const reply = await give({}, owner, { data: { ...body.data, relationships } } as typeof body);
      expect(reply).toMatchObject({
        status: 422,
        body: { errors: [{ source: { pointer: `/data/relationships/${which}` } }] },
      });
    }
  });
});

describe('a change', () => {
  it('goes from level to level, and keeps what it does not name where a level becomes custom', async () => {
    const id = await given({ access: 'admin' });
    expect((await change(id, { access: 'write' })).body.data.attributes).toEqual(withParts('write', parts.write));
    const custom = await change(id, { access: 'custom', 'state-versions': 'none' });
    expect(custom.body.data.attributes).toEqual({
      ...withParts('custom', parts.write),
      'state-versions': 'none',
    });
    const further = await change(id, { runs: 'plan' });
    expect(further.body.data.attributes).toEqual({ ...custom.body.data.attributes, runs: 'plan' });
    expect((await show(id)).body).toEqual(further.body);
    expect((await change(id, {})).body).toEqual(further.body);
    expect((await change(id, { access: 'read' })).body.data.attributes).toEqual(withParts('read', parts.read));
  });

  it('is refused for a part beside a level, and for another id', async () => {
    const id = await given();
    expectInvalid(await change(id, { runs: 'plan' }), 'runs', /^Runs is read-only when access level is 'read'/);
    expectInvalid(await change(id, { access: 'write', runs: 'plan' }), 'runs', /level is 'write'/);
    const reply = await change(id, { access: 'admin' }, owner, { id: 'tws-1111111111111111' });
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ source: { pointer: '/data/id' } }] } });
    expect((await show(id)).body.data.attributes.access).toBe('read');
  });

  it('is made beside another one at the same time: of different parts both stay', async () => {
    const id = await given({ access: 'custom' });
    proxy.beforeNext('UpdateItem', () => change(id, { variables: 'write' }));
    expect((await change(id, { runs: 'apply' })).status).toBe(200);
    expect((await show(id)).body.data.attributes).toMatchObject({ runs: 'apply', variables: 'write' });
  });
});

describe('access that is taken away', () => {
  it('is gone at once, and comes back under the same id', async () => {
    const { token, team: own } = await aMember('read');
    const [{ id }] = (await list()).body.data;
    expect(await takeAway(id)).toMatchObject({ status: 204, body: undefined });
    for (const reply of [await show(id), await change(id, { access: 'read' }), await takeAway(id)]) {
      expect(reply).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect((await api.request('GET', `/workspaces/${workspace.id}`, { token })).status).toBe(404);
    expect((await give({}, owner, document({ access: 'read' }, own))).body.data.id).toBe(id);
  });

  it('may be the own', async () => {
    const { token } = await aMember('admin');
    const [{ id }] = (await list(token)).body.data;
    expect((await takeAway(id, token)).status).toBe(204);
    expect(await show(id, token)).toMatchObject({ status: 404, body: NOT_FOUND });
  });

  it('is gone with the workspace, and its id with the cleanup', async () => {
    const id = await given();
    await api.request('DELETE', `/workspaces/${workspace.id}`, { token: owner });
    expect(await show(id)).toMatchObject({ status: 404, body: NOT_FOUND });
    expect(await list()).toMatchObject({ status: 404, body: NOT_FOUND });
    expect(await engine.database.get(keys.pointer(id), true)).toBeDefined();
    expect((await api.admin('check-table')).findings).toEqual([]);
    expect((await api.cleanup()).failed).toBe(0);
    expect(await engine.database.get(keys.pointer(id), true)).toBeUndefined();
    expect((await api.admin('check-table')).findings).toEqual([]);
  });

  it('moves with the workspace into another project', async () => {
    const id = await given();
    const { project } = await api.admin('create-project', { organization, name: `Project ${++made}` });
    const body = {
      data: { type: 'workspaces', relationships: { project: { data: { type: 'projects', id: project.id } } } },
    };
    expect((await api.request('PATCH', `/workspaces/${workspace.id}`, { token: owner, body })).status).toBe(200);
    expect((await show(id)).status).toBe(200);
  });
});

describe('a list', () => {
  it('is whole, or has pages', async () => {
    const teams: string[] = [];
    for (let index = 0; index < 23; index++) {
      const { team: one } = await api.admin('create-team', { organization, name: `many-${++made}` });
      await api.admin('grant-access', { organization, team: one.name, workspace: workspace.id, access: 'read' });
      teams.push(one.id);
    }
    const whole = await list();
    expect(teamsIn(whole).sort()).toEqual(teams.sort());
    expect(whole.body.meta.pagination).toMatchObject({ 'total-pages': 1, 'total-count': 23 });
    const pages = await Promise.all([1, 2, 3].map((page) => list(owner, `&page[size]=10&page[number]=${page}`)));
    expect(pages.flatMap(({ body }) => body.data)).toEqual(whole.body.data);
    expect(pages[0]?.body.links.next).toContain(`filter%5Bworkspace%5D%5Bid%5D=${workspace.id}`);
    expect((await list(owner, '&page[number]=x')).status).toBe(400);
  });

  it('must say of what', async () => {
    for (const query of ['', '?filter[workspace][id]=', '?filter[workspace]=x']) {
      const reply = await api.request('GET', `/team-workspaces${query}`, { token: owner });
      expectRefusal(reply);
      expect(reply).toMatchObject({
        status: 400,
        body: { errors: [{ source: { parameter: 'filter[workspace][id]' } }] },
      });
    }
  });
});

describe('a secret team', () => {
  it('is shown to its members and to who may change access, and to nobody else', async () => {
    const id = await given();
    const [reader, admin] = [await aMember('read'), await aMember('admin')];
    const open = await api.admin('create-team', { organization, name: `open-${++made}`, visibility: 'organization' });
    await api.admin('grant-access', { organization, team: open.team.name, workspace: workspace.id, access: 'read' });
    expect(teamsIn(await list(reader.token)).sort()).toEqual([open.team.id, reader.team].sort());
    expect(teamsIn(await list(admin.token)).sort()).toEqual([admin.team, open.team.id, reader.team, team].sort());
    expect((await show(id, admin.token)).status).toBe(200);
    for (const reply of [await show(id, reader.token), await change(id, {}, reader.token)]) {
      expect(reply).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect((await list(reader.token, '&page[size]=1')).body.meta.pagination['total-count']).toBe(2);
  });

  it('cannot be given access by who may not know of it', async () => {
    const { token } = await aMember('admin');
    const secret = await give({ access: 'read' }, token);
    const absent = await give({}, token, document({ access: 'read' }, 'team-1111111111111111'));
    expect(secret).toEqual(absent);
    expect(secret.status).toBe(404);
    await api.admin('update-team', { organization, name, visibility: 'organization' });
    expect((await give({ access: 'read' }, token)).status).toBe(201);
  });
});

describe('at the same time', () => {
  it('two that give a team access: one does, the other learns that it is there', async () => {
    let other: Reply | undefined;
    proxy.beforeNext('TransactWriteItems', async () => {
      other = await give({ access: 'write' });
    });
    const one = await give({ access: 'write' });
    expect([one.status, other?.status]).toEqual([422, 201]);
    expect(teamsIn(await list())).toEqual([team]);
  });

  it('many that give and take access away leave what the last one did, and an id where there is access', async () => {
    const id = await given();
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? takeAway(id) : give({ access: 'plan' }))),
    );
    for (const { status } of all) expect([201, 204, 404, 422, 503]).toContain(status);
    expect((await show(id)).status).toBe((await list()).body.data.length === 1 ? 200 : 404);
    expect((await api.admin('check-table')).findings).toEqual([]);
  });

  it('a team that is deleted keeps no access that it was still given', async () => {
    const { directory, workspaces } = openAdmin(engine.database);
    const removal = openRemoval(directory, workspaces, () => serviceRequest('test'), 0);
    const item = await removal.recordItem('team', organization, name);
    proxy.beforeNext('TransactWriteItems', () => removal.begin(item));
    const { status, body } = await give({ access: 'read' });
    expect(status).toBe(201);
    await removal.finish(keys.team(team));
    expect((await list()).body.data).toEqual([]);
    expect(await engine.database.get(keys.pointer(body.data.id), true)).toBeUndefined();
    expect((await give({ access: 'read' })).status).toBe(404);
  });

  it('a workspace that is deleted is given no access any more', async () => {
    proxy.beforeNext('TransactWriteItems', () =>
      api.request('DELETE', `/workspaces/${workspace.id}`, { token: owner }),
    );
    expect(await give({ access: 'read' })).toMatchObject({ status: 404, body: NOT_FOUND });
  });
});
