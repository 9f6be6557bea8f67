import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openRemoval } from '../../../shared/store/directory/removal/open-removal.ts';
import { keys } from '../../../shared/store/dynamodb/keys.ts';
import { serviceRequest } from '../../../shared/store/workspaces/service-request.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { expectInvalid } from '../../support/api/organization-fixture.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type HookProxy, startHookProxy } from '../../support/faults/hook-proxy.ts';
import { expectRejection, NOT_FOUND } from '../../support/models/arbitraries/arbitraries-checks.ts';

/** Access of teams to single workspaces over HTTP (docs/reference/teams.md). */
let engine: TestEngine;
let proxy: HookProxy;
let api: Api;
let owner: string;
let workspace: { id: string; name: string };
let team: string;
/** Name of the team. */
let name: string;

const organization = 'acme';
let createdCount = 0;

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
  workspace = await createWorkspace();
  name = `team-${++createdCount}`;
  ({ id: team } = (await api.admin('create-team', { organization, name })).team);
});

const createWorkspace = async () => {
  const body = { data: { type: 'workspaces', attributes: { name: `w-${++createdCount}` } } };
  const { data } = (await api.request('POST', `/organizations/${organization}/workspaces`, { token: owner, body }))
    .body;
  return { id: data.id, name: data.attributes.name };
};
/** Creates a user in a new team, which has the given access to the workspace. */
const createMember = async (access?: string) => {
  const [username, own] = [`user-${++createdCount}`, `own-${createdCount}`];
  const { team: memberTeam } = await api.admin('create-team', { organization, name: own });
  await api.admin('create-user', { username, email: `${username}@example.com` });
  await api.admin('add-member', { organization, team: own, username });
  if (access) await api.admin('grant-access', { organization, team: own, workspace: workspace.id, access });
  const { token } = await api.admin('create-token', { kind: 'user', username });
  return { token, team: memberTeam.id as string };
};

const document = (attributes: object, to = team, on = workspace.id) => ({
  data: {
    type: 'team-workspaces',
    attributes,
    relationships: { team: { data: { type: 'teams', id: to } }, workspace: { data: { type: 'workspaces', id: on } } },
  },
});
const postAccess = (attributes: object, token = owner, body = document(attributes)) =>
  api.request('POST', '/team-workspaces', { token, body });
const grantAccess = async (attributes: object = { access: 'read' }): Promise<string> => {
  const { status, body } = await postAccess(attributes);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data.id;
};
const show = (id: string, token = owner) => api.request('GET', `/team-workspaces/${id}`, { token });
const change = (id: string, attributes: object, token = owner, more: object = {}) =>
  api.request('PATCH', `/team-workspaces/${id}`, { token, body: { data: { attributes, ...more } } });
const revokeAccess = (id: string, token = owner) => api.request('DELETE', `/team-workspaces/${id}`, { token });
const list = (token = owner, query = '', id = workspace.id) =>
  api.request('GET', `/team-workspaces?filter%5Bworkspace%5D%5Bid%5D=${id}${query}`, { token });
const getTeamIds = ({ body }: ApiResponse): string[] =>
  // biome-ignore lint/suspicious/noExplicitAny: rows are of JSON.
  body.data.map(({ relationships }: any) => relationships.team.data.id);

const levelPermissions = {
  read: ['read', 'read', 'read', 'none', false, false, false],
  plan: ['plan', 'read', 'read', 'none', false, false, false],
  write: ['apply', 'write', 'write', 'read', true, false, false],
  admin: ['apply', 'write', 'write', 'read', true, true, true],
} as const;
const permissionNames = [
  'runs',
  'variables',
  'state-versions',
  'sentinel-mocks',
  'workspace-locking',
  'run-tasks',
  'policy-overrides',
];
const withPermissions = (access: string, values: readonly unknown[]) => ({
  access,
  ...Object.fromEntries(permissionNames.map((part, index) => [part, values[index]])),
});

describe('POST /team-workspaces', () => {
  it.each(Object.entries(levelPermissions))(
    'grants the level %s and returns all its permissions',
    async (access, values) => {
      const { status, body } = await postAccess({ access });
      expect(status).toBe(201);
      expect(body.data).toEqual({
        id: expect.stringMatching(/^tws-[1-9A-HJ-NP-Za-km-z]{16}$/),
        type: 'team-workspaces',
        attributes: withPermissions(access, values),
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
    },
  );

  it('uses the lowest value for omitted permissions of the custom level', async () => {
    expect((await postAccess({ access: 'custom' })).body.data.attributes).toEqual(
      withPermissions('custom', ['read', 'none', 'none', 'none', false, false, false]),
    );
  });

  it('makes single permissions take effect', async () => {
    const { token, team: own } = await createMember();
    const lock = async () => (await api.request('POST', `/workspaces/${workspace.id}/actions/lock`, { token })).status;
    expect(await lock()).toBe(404);
    await postAccess({}, owner, document({ access: 'custom', 'workspace-locking': true }, own));
    expect(await lock()).toBe(200);
  });

  it('writes a change record on the workspace', async () => {
    await grantAccess();
    const { workspaces } = openAdmin(engine.database);
    expect((await workspaces.find(workspace.id))?.change).toMatchObject({
      type: 'workspace.access-changed',
      actor: { kind: 'user' },
    });
  });

  it('grants the same access as the admin function', async () => {
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
  ])('returns 422 for %j with pointer %s and the detail "%s"', async (attributes, attribute, detail) => {
    const reply = await postAccess(attributes);
    expectInvalid(reply, attribute);
    expect(reply.body.errors[0].detail).toBe(detail);
    expect((await list()).body.data).toEqual([]);
  });

  it('returns 422 for a team that has access already, which keeps it', async () => {
    const id = await grantAccess({ access: 'plan' });
    const reply = await postAccess({ access: 'admin' });
    expectRejection(reply);
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
  ])('returns 404 for the unknown %s %s', async (which, id, detail) => {
    const body = which === 'team' ? document({ access: 'read' }, id) : document({ access: 'read' }, team, id);
    const reply = await postAccess({}, owner, body);
    expectRejection(reply);
    expect(reply.status).toBe(404);
    expect(reply.body.errors[0].detail).toEqual(detail && expect.stringMatching(detail));
  });

  it('returns 422 without a workspace or a team', async () => {
    for (const which of ['team', 'workspace'] as const) {
      const body = document({ access: 'read' });
      const { [which]: _, ...relationships } = body.data.relationships;
      const reply = await postAccess({}, owner, { data: { ...body.data, relationships } } as typeof body);
      expect(reply).toMatchObject({
        status: 422,
        body: { errors: [{ source: { pointer: `/data/relationships/${which}` } }] },
      });
    }
  });
});

describe('PATCH /team-workspaces/:id', () => {
  it('changes the level, and keeps omitted permissions when the level becomes custom', async () => {
    const id = await grantAccess({ access: 'admin' });
    expect((await change(id, { access: 'write' })).body.data.attributes).toEqual(
      withPermissions('write', levelPermissions.write),
    );
    const custom = await change(id, { access: 'custom', 'state-versions': 'none' });
    expect(custom.body.data.attributes).toEqual({
      ...withPermissions('custom', levelPermissions.write),
      'state-versions': 'none',
    });
    const further = await change(id, { runs: 'plan' });
    expect(further.body.data.attributes).toEqual({ ...custom.body.data.attributes, runs: 'plan' });
    expect((await show(id)).body).toEqual(further.body);
    expect((await change(id, {})).body).toEqual(further.body);
    expect((await change(id, { access: 'read' })).body.data.attributes).toEqual(
      withPermissions('read', levelPermissions.read),
    );
  });

  it('returns 422 for a permission together with a fixed level and for another id', async () => {
    const id = await grantAccess();
    expectInvalid(await change(id, { runs: 'plan' }), 'runs', /^Runs is read-only when access level is 'read'/);
    expectInvalid(await change(id, { access: 'write', runs: 'plan' }), 'runs', /level is 'write'/);
    const reply = await change(id, { access: 'admin' }, owner, { id: 'tws-1111111111111111' });
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ source: { pointer: '/data/id' } }] } });
    expect((await show(id)).body.data.attributes.access).toBe('read');
  });

  it('keeps concurrent changes of different permissions', async () => {
    const id = await grantAccess({ access: 'custom' });
    proxy.beforeNext('UpdateItem', () => change(id, { variables: 'write' }));
    expect((await change(id, { runs: 'apply' })).status).toBe(200);
    expect((await show(id)).body.data.attributes).toMatchObject({ runs: 'apply', variables: 'write' });
  });
});

describe('DELETE /team-workspaces/:id', () => {
  it('takes effect at once, and a later grant has the same id', async () => {
    const { token, team: own } = await createMember('read');
    const [{ id }] = (await list()).body.data;
    expect(await revokeAccess(id)).toMatchObject({ status: 204, body: undefined });
    for (const reply of [await show(id), await change(id, { access: 'read' }), await revokeAccess(id)]) {
      expect(reply).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect((await api.request('GET', `/workspaces/${workspace.id}`, { token })).status).toBe(404);
    expect((await postAccess({}, owner, document({ access: 'read' }, own))).body.data.id).toBe(id);
  });

  it('allows an admin of the workspace to revoke the access of their own team', async () => {
    const { token } = await createMember('admin');
    const [{ id }] = (await list(token)).body.data;
    expect((await revokeAccess(id, token)).status).toBe(204);
    expect(await show(id, token)).toMatchObject({ status: 404, body: NOT_FOUND });
  });

  it('is not needed when the workspace is deleted, and the cleanup deletes the id', async () => {
    const id = await grantAccess();
    await api.request('DELETE', `/workspaces/${workspace.id}`, { token: owner });
    expect(await show(id)).toMatchObject({ status: 404, body: NOT_FOUND });
    expect(await list()).toMatchObject({ status: 404, body: NOT_FOUND });
    expect(await engine.database.get(keys.pointer(id), true)).toBeDefined();
    expect((await api.admin('check-table')).findings).toEqual([]);
    expect((await api.cleanup()).failed).toBe(0);
    expect(await engine.database.get(keys.pointer(id), true)).toBeUndefined();
    expect((await api.admin('check-table')).findings).toEqual([]);
  });

  it('is not caused by a move of the workspace to another project', async () => {
    const id = await grantAccess();
    const { project } = await api.admin('create-project', { organization, name: `Project ${++createdCount}` });
    const body = {
      data: { type: 'workspaces', relationships: { project: { data: { type: 'projects', id: project.id } } } },
    };
    expect((await api.request('PATCH', `/workspaces/${workspace.id}`, { token: owner, body })).status).toBe(200);
    expect((await show(id)).status).toBe(200);
  });
});

describe('GET /team-workspaces', () => {
  it('returns the whole list or pages', async () => {
    const teams: string[] = [];
    for (let index = 0; index < 23; index++) {
      const { team: one } = await api.admin('create-team', { organization, name: `many-${++createdCount}` });
      await api.admin('grant-access', { organization, team: one.name, workspace: workspace.id, access: 'read' });
      teams.push(one.id);
    }
    const whole = await list();
    expect(getTeamIds(whole).sort()).toEqual(teams.sort());
    expect(whole.body.meta.pagination).toMatchObject({ 'total-pages': 1, 'total-count': 23 });
    const pages = await Promise.all([1, 2, 3].map((page) => list(owner, `&page[size]=10&page[number]=${page}`)));
    expect(pages.flatMap(({ body }) => body.data)).toEqual(whole.body.data);
    expect(pages[0]?.body.links.next).toContain(`filter%5Bworkspace%5D%5Bid%5D=${workspace.id}`);
    expect((await list(owner, '&page[number]=x')).status).toBe(400);
  });

  it('includes the team and the workspace, but no team that the caller does not see', async () => {
    const id = await grantAccess();
    const { token } = await createMember('admin');
    const show = async (as: string) =>
      (await api.request('GET', `/team-workspaces/${id}?include=team,workspace`, { token: as })).body;
    const { data, included } = await show(owner);
    const { team: ofAccess, workspace: at } = data.relationships;
    expect(included).toMatchObject([at.data, ofAccess.data]);
    expect(included[0].attributes.name).toBe(workspace.name);
    expect((await show(token)).included).toMatchObject([at.data]);
    const whole = (await list(owner, '&include=team')).body;
    expect(whole.included).toHaveLength(2);
    expect(whole.included).toContainEqual(included[1]);
  });

  it('requires a filter', async () => {
    for (const query of ['', '?filter[workspace][id]=', '?filter[team][id]=']) {
      const reply = await api.request('GET', `/team-workspaces${query}`, { token: owner });
      expectRejection(reply);
      expect(reply).toMatchObject({
        status: 400,
        body: { errors: [{ source: { parameter: 'filter[workspace][id]' } }] },
      });
    }
  });
});

describe('GET /team-workspaces of one team', () => {
  const ofTeam = (query: string, token = owner) =>
    api.request('GET', `/team-workspaces?filter[team][id]=${query}`, { token });
  const grantOn = async (on: { readonly id: string }, to = team) =>
    (await postAccess({}, owner, document({ access: 'write' }, to, on.id))).body.data;

  it('returns its access to all workspaces by pages, sorted by the name of the workspace', async () => {
    const { team: another } = await createMember('read');
    const others = await Promise.all(Array.from({ length: 4 }, createWorkspace));
    const sorted = others.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    for (const one of others) await grantOn(one);
    await grantOn(sorted[0] as { id: string }, another);
    const whole = (await ofTeam(team)).body;
    const shown = await Promise.all(whole.data.map(({ id }: { id: string }) => show(id)));
    expect(whole.data).toEqual(shown.map(({ body }) => body.data));
    const workspaceIds = whole.data.map((row: { relationships: { workspace: { data: { id: string } } } }) => {
      return row.relationships.workspace.data.id;
    });
    expect(workspaceIds).toEqual(sorted.map(({ id }) => id));
    const pages = await Promise.all([1, 2].map((number) => ofTeam(`${team}&page[size]=3&page[number]=${number}`)));
    expect(pages.flatMap(({ body }) => body.data)).toEqual(whole.data);
    expect(pages[1]?.body.meta.pagination).toMatchObject({ 'current-page': 2, 'page-size': 3, 'total-count': 4 });
  });

  it('follows grants and revocations', async () => {
    expect((await ofTeam(team)).body.data).toEqual([]);
    const id = await grantAccess();
    expect((await ofTeam(team)).body.data).toMatchObject([{ id, attributes: { access: 'read' } }]);
    await change(id, { access: 'plan' });
    expect((await ofTeam(team)).body.data).toMatchObject([{ id, attributes: { access: 'plan' } }]);
    await revokeAccess(id);
    expect((await ofTeam(team)).body.data).toEqual([]);
  });

  it('returns its access to one workspace, with both filters', async () => {
    const id = await grantAccess();
    await createMember('read');
    const both = (at: string, of: string) =>
      api.request('GET', `/team-workspaces?filter[workspace][id]=${at}&filter[team][id]=${of}`, { token: owner });
    expect((await both(workspace.id, team)).body).toMatchObject({
      data: [{ id }],
      meta: { pagination: { 'total-count': 1 } },
    });
    expect((await both((await createWorkspace()).id, team)).body.data).toEqual([]);
    expect((await both(workspace.id, 'team-1111111111111111')).body.data).toEqual([]);
    expect((await both('ws-1111111111111111', team)).status).toBe(404);
  });

  it('includes the team and the workspaces', async () => {
    await grantAccess();
    const { data, included } = (await ofTeam(`${team}&include=team,workspace`)).body;
    const { team: ofAccess, workspace: at } = data[0].relationships;
    expect(included).toMatchObject([at.data, ofAccess.data]);
    const read = (await api.request('GET', `/workspaces/${workspace.id}`, { token: owner })).body.data;
    expect(included[0]).toEqual(read);
    const { team: empty } = await api.admin('create-team', { organization, name: `team-${++createdCount}` });
    expect((await ofTeam(`${empty.id}&include=team`)).body.included).toEqual([]);
  });

  it('leaves out workspaces that the caller cannot read', async () => {
    const { token, team: own } = await createMember('read');
    await grantOn(await createWorkspace());
    await api.request('PATCH', `/teams/${team}`, {
      token: owner,
      body: { data: { type: 'teams', attributes: { visibility: 'organization' } } },
    });
    const id = await grantAccess();
    expect((await ofTeam(team)).body.data).toHaveLength(2);
    const { body } = await ofTeam(team, token);
    expect(body.data).toMatchObject([{ id }]);
    expect(body.meta.pagination['total-count']).toBe(1);
    expect((await ofTeam(own, token)).body.data).toHaveLength(1);
  });

  it('is the same 404 for unknown, foreign and secret teams, also for an admin of a workspace', async () => {
    await grantAccess();
    const { token } = await createMember('admin');
    const other = `other-${++createdCount}`;
    await api.admin('create-organization', { name: other, email: 'eve@example.com' });
    const { team: foreign } = await api.admin('create-team', { organization: other, name: 'theirs' });
    for (const id of [team, foreign.id, 'team-1111111111111111', 'x', workspace.id]) {
      expect(await ofTeam(id, token), id).toMatchObject({ status: 404, body: NOT_FOUND });
    }
  });
});

describe('access of a secret team', () => {
  it('is shown only to its members and to admins of the workspace', async () => {
    const id = await grantAccess();
    const [reader, admin] = [await createMember('read'), await createMember('admin')];
    const open = await api.admin('create-team', {
      organization,
      name: `open-${++createdCount}`,
      visibility: 'organization',
    });
    await api.admin('grant-access', { organization, team: open.team.name, workspace: workspace.id, access: 'read' });
    expect(getTeamIds(await list(reader.token)).sort()).toEqual([open.team.id, reader.team].sort());
    expect(getTeamIds(await list(admin.token)).sort()).toEqual([admin.team, open.team.id, reader.team, team].sort());
    expect((await show(id, admin.token)).status).toBe(200);
    for (const reply of [await show(id, reader.token), await change(id, {}, reader.token)]) {
      expect(reply).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect((await list(reader.token, '&page[size]=1')).body.meta.pagination['total-count']).toBe(2);
  });

  it('returns 404 to a caller who cannot see the team', async () => {
    const { token } = await createMember('admin');
    const secret = await postAccess({ access: 'read' }, token);
    const absent = await postAccess({}, token, document({ access: 'read' }, 'team-1111111111111111'));
    expect(secret).toEqual(absent);
    expect(secret.status).toBe(404);
    await api.admin('update-team', { organization, name, visibility: 'organization' });
    expect((await postAccess({ access: 'read' }, token)).status).toBe(201);
  });
});

describe('concurrent changes of team access', () => {
  it('grant access once, and the second request returns 422', async () => {
    let other: ApiResponse | undefined;
    proxy.beforeNext('TransactWriteItems', async () => {
      other = await postAccess({ access: 'write' });
    });
    const one = await postAccess({ access: 'write' });
    expect([one.status, other?.status]).toEqual([422, 201]);
    expect(getTeamIds(await list())).toEqual([team]);
  });

  it('leave either access and its id, or neither', async () => {
    const id = await grantAccess();
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? revokeAccess(id) : postAccess({ access: 'plan' }))),
    );
    for (const { status } of all) expect([201, 204, 404, 422, 503]).toContain(status);
    expect((await show(id)).status).toBe((await list()).body.data.length === 1 ? 200 : 404);
    expect((await api.admin('check-table')).findings).toEqual([]);
  });

  it('leave no access of a team that is deleted during the grant', async () => {
    const { directory, workspaces } = openAdmin(engine.database);
    const removal = openRemoval(directory, workspaces, 0);
    const stored = await removal.findRecord('team', organization, name);
    proxy.beforeNext('TransactWriteItems', () => removal.begin(serviceRequest('cleanup'), stored));
    const { status, body } = await postAccess({ access: 'read' });
    expect(status).toBe(201);
    await removal.finish(serviceRequest('cleanup'), keys.team(team));
    expect((await list()).body.data).toEqual([]);
    expect(await engine.database.get(keys.pointer(body.data.id), true)).toBeUndefined();
    expect((await postAccess({ access: 'read' })).status).toBe(404);
  });

  it('return 404 for a workspace that is deleted during the grant', async () => {
    proxy.beforeNext('TransactWriteItems', () =>
      api.request('DELETE', `/workspaces/${workspace.id}`, { token: owner }),
    );
    expect(await postAccess({ access: 'read' })).toMatchObject({ status: 404, body: NOT_FOUND });
  });
});
