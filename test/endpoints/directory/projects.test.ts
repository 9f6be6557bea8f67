import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiResponse } from '../../support/api/api.ts';
import {
  createOrganizationFixture,
  expectInvalid,
  ORGANIZATION,
  type OrganizationFixture,
  readAttributes,
} from '../../support/api/organization-fixture.ts';
import { expectRejection, NOT_FOUND } from '../../support/models/arbitraries/arbitraries-checks.ts';

/** Projects over HTTP (docs/reference/projects.md). */
let fixture: OrganizationFixture;
let pool: string;
const organization = ORGANIZATION;
const base = `/organizations/${organization}/projects`;

beforeAll(async () => {
  fixture = await createOrganizationFixture();
  pool = (await fixture.admin('create-agent-pool', { organization, name: 'pool' })).agentPool.id;
});
afterAll(() => fixture.api.stop());

const send = (method: string, path: string, body?: object, token = fixture.owner): Promise<ApiResponse> =>
  fixture.api.request(method, path, { token, ...(body && { body }) });
const document = (attributes: object, relationships?: object) => ({
  data: { type: 'projects', attributes, ...(relationships && { relationships }) },
});
const create = (attributes: object, relationships?: object) => send('POST', base, document(attributes, relationships));
let createdCount = 0;
const createProject = async (attributes: object = {}, relationships?: object): Promise<string> => {
  const { status, body } = await create({ name: `Project ${++createdCount}`, ...attributes }, relationships);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data.id;
};
const show = (id: string, token?: string) => send('GET', `/projects/${id}`, undefined, token);
/** Asserts that the response equals the stored project, and that a rejected update changes nothing. */
const update = async (id: string, attributes: object, relationships?: object): Promise<ApiResponse> => {
  const before = (await show(id)).body;
  const reply = await send('PATCH', `/projects/${id}`, document(attributes, relationships));
  expect((await show(id)).body).toEqual(reply.status === 200 ? reply.body : before);
  return reply;
};
const bindings = (...pairs: readonly (readonly [string, string])[]) => ({
  'tag-bindings': { data: pairs.map(([key, value]) => ({ type: 'tag-bindings', attributes: { key, value } })) },
});
const inProject = (id: string) => ({ project: { data: { type: 'projects', id } } });
/** Creates a user whose team has access to the given projects, and returns a token. */
const member = async (grants: Readonly<Record<string, object>>): Promise<string> => {
  const name = `member-${++createdCount}`;
  await fixture.admin('create-team', { organization, name });
  await fixture.admin('create-user', { username: name, email: `${name}@example.com` });
  await fixture.admin('add-member', { organization, team: name, username: name });
  for (const [project, grant] of Object.entries(grants)) {
    await fixture.admin('grant-access', { organization, team: name, project, ...grant });
  }
  return (await fixture.admin('create-token', { kind: 'user', username: name })).token;
};

describe('POST /organizations/:name/projects', () => {
  it('returns the project as later reads show it, with settings of the organization', async () => {
    const created = await create({ name: 'Platform team', description: 'For all' });
    expect(created.status).toBe(201);
    expect(created.body.data).toMatchObject({
      id: expect.stringMatching(/^prj-/),
      attributes: {
        name: 'Platform team',
        description: 'For all',
        'default-execution-mode': 'remote',
        'setting-overwrites': { 'default-execution-mode': false, 'default-agent-pool': false },
        'auto-destroy-activity-duration': null,
        'workspace-count': 0,
        'team-count': 0,
      },
      relationships: { organization: { data: { id: organization } }, 'default-agent-pool': { data: null } },
    });
    expect((await show(created.body.data.id)).body).toEqual(created.body);
  });

  it('accepts all attributes and relationships at once', async () => {
    const id = await createProject(
      { 'default-execution-mode': 'agent', 'default-agent-pool-id': pool, 'auto-destroy-activity-duration': '14d' },
      bindings(['env', 'prod']),
    );
    expect((await show(id)).body.data).toMatchObject({
      attributes: {
        'default-execution-mode': 'agent',
        'setting-overwrites': { 'default-execution-mode': true, 'default-agent-pool': true },
        'auto-destroy-activity-duration': '14d',
      },
      relationships: { 'default-agent-pool': { data: { type: 'agent-pools', id: pool } } },
    });
    const workspace = await fixture.createWorkspace({}, inProject(id));
    expect(await fixture.show(workspace)).toMatchObject({ 'execution-mode': 'agent', 'agent-pool-id': pool });
  });

  it.each([
    [{}, 'name', /can't be blank/],
    [{ name: 'ab' }, 'name', /./],
    [{ name: 'x'.repeat(41) }, 'name', /maximum is 40/],
    [{ name: 'a/b/c' }, 'name', /may only contain/],
    [{ name: 'Default Project' }, 'name', /already been taken/],
    [{ name: 'good', description: 'x'.repeat(257) }, 'description', /maximum is 256/],
    [{ name: 'good', 'default-execution-mode': 'cloud' }, 'default-execution-mode', /must be one of/],
    [
      { name: 'good', 'default-execution-mode': 'agent' },
      'default-agent-pool-id',
      /must be specified when using 'agent'/,
    ],
    [{ name: 'good', 'default-agent-pool-id': 'apool-1111111111111111' }, 'default-agent-pool-id', /does not exist/],
    [{ name: 'good', 'auto-destroy-activity-duration': '0d' }, 'auto-destroy-activity-duration', /incorrect format/],
    [
      { name: 'good', 'setting-overwrites': { 'default-execution-mode': true, 'default-agent-pool': false } },
      'setting-overwrites',
      /^If agent-pool and execution-mode are both included in setting-overwrites, their values must be the same\.$/,
    ],
    [
      { name: 'good', 'setting-overwrites': { 'default-execution-mode': true } },
      'default-execution-mode',
      /must be specified/,
    ],
  ])('returns 422 for %j with pointer %s and a detail matching %s', async (attributes, attribute, detail) => {
    expectInvalid(await create(attributes), attribute, detail);
  });

  it('returns 422 for an agent pool in another mode, and for a tag binding without a value', async () => {
    const withPool = { 'default-execution-mode': 'remote', 'default-agent-pool-id': pool };
    expectInvalid(await create({ name: 'good', ...withPool }), 'default-agent-pool-id', /must not be specified/);
    for (const tags of [bindings(['env', '']), bindings(['a', 'b'], ['hc:x', 'c'])]) {
      const reply = await create({ name: 'good' }, tags);
      expect(reply.status).toBe(422);
      expect(reply.body.errors[0].source.pointer).toMatch(
        /^\/data\/relationships\/tag-bindings\/data\/[01]\/attributes/,
      );
    }
  });
});

describe('PATCH /projects/:id', () => {
  it('changes only the given attributes and clears those that are null', async () => {
    const id = await createProject({ description: 'before' });
    expect(readAttributes(await update(id, { name: 'After that' }))).toMatchObject({
      name: 'After that',
      description: 'before',
    });
    expect(readAttributes(await update(id, { description: null }))['description']).toBe(null);
    expect(readAttributes(await update(id, { 'auto-destroy-activity-duration': '5h' }))).toMatchObject({
      'auto-destroy-activity-duration': '5h',
    });
    expectInvalid(await update(id, { name: 'Default Project' }), 'name', /already been taken/);
    expect((await create({ name: 'After that' })).status).toBe(422);
    const other = await send('PATCH', `/projects/${id}`, { data: { type: 'projects', id: 'prj-1111111111111111' } });
    expect(other).toMatchObject({ status: 422, body: { errors: [{ source: { pointer: '/data/id' } }] } });
  });

  it('sets and clears the execution defaults, which workspaces inherit at once', async () => {
    const id = await createProject();
    const workspace = await fixture.createWorkspace({}, inProject(id));
    const modes = async (attributes: object) => {
      const { status, body } = await update(id, attributes);
      expect(status, JSON.stringify(body)).toBe(200);
      const { 'setting-overwrites': own, 'default-execution-mode': mode } = body.data.attributes;
      expect(own['default-agent-pool']).toBe(own['default-execution-mode']);
      return [mode, own['default-execution-mode'], (await fixture.show(workspace))['execution-mode']];
    };
    expect(await modes({ 'default-execution-mode': 'local' })).toEqual(['local', true, 'local']);
    expect(await modes({ 'setting-overwrites': { 'default-execution-mode': true } })).toEqual(['local', true, 'local']);
    expect(await modes({ 'setting-overwrites': { 'default-execution-mode': false } })).toEqual([
      'remote',
      false,
      'remote',
    ]);
    expect(await modes({ 'default-execution-mode': 'agent', 'default-agent-pool-id': pool })).toEqual([
      'agent',
      true,
      'agent',
    ]);
    expect(await modes({ 'default-execution-mode': null })).toEqual(['remote', false, 'remote']);
    const given = { 'default-execution-mode': 'local', 'setting-overwrites': { 'default-execution-mode': false } };
    expect(await modes(given)).toEqual(['remote', false, 'remote']);
    const ignored = { 'default-execution-mode': 'agent', 'default-agent-pool-id': 'apool-1111111111111111' };
    const inherit = { 'setting-overwrites': { 'default-execution-mode': false, 'default-agent-pool': false } };
    expect(await modes({ ...ignored, ...inherit })).toEqual(['remote', false, 'remote']);
    expectInvalid(
      await update(id, { 'default-execution-mode': null, 'setting-overwrites': { 'default-agent-pool': true } }),
      'default-execution-mode',
    );
  });

  it('drops the default agent pool when the mode leaves agent, and rejects one in any other mode', async () => {
    const id = await createProject({ 'default-execution-mode': 'agent', 'default-agent-pool-id': pool });
    const defaultPool = async (attributes: object) =>
      (await update(id, attributes)).body.data.relationships['default-agent-pool'].data;
    expect(await defaultPool({})).toMatchObject({ id: pool });
    expect(await defaultPool({ 'default-execution-mode': 'remote' })).toBeNull();
    expectInvalid(
      await update(id, { 'default-execution-mode': 'agent' }),
      'default-agent-pool-id',
      /must be specified/,
    );
    expectInvalid(
      await update(id, { 'default-agent-pool-id': pool }),
      'default-agent-pool-id',
      /must not be specified/,
    );
    expect(await defaultPool({ 'default-agent-pool-id': '' })).toBeNull();
  });

  it("keeps a copy of the organization's default agent pool when the project names none", async () => {
    const setDefault = (attributes: object) =>
      send('PATCH', `/organizations/${ORGANIZATION}`, { data: { type: 'organizations', attributes } });
    await setDefault({ 'default-execution-mode': 'agent', 'default-agent-pool-id': pool });
    const id = await createProject({ 'default-execution-mode': 'agent' });
    const workspace = await fixture.createWorkspace({}, inProject(id));
    await setDefault({ 'default-execution-mode': 'remote' });
    expect(await fixture.show(workspace)).toMatchObject({ 'execution-mode': 'agent', 'agent-pool-id': pool });
  });

  it('replaces tag bindings, and keeps them when they are omitted', async () => {
    const id = await createProject({}, bindings(['env', 'prod'], ['owner', 'ada']));
    const list = async (path = 'tag-bindings') =>
      (await send('GET', `/projects/${id}/${path}`)).body.data.map(
        ({ attributes: { key, value } }: { attributes: { key: string; value: string } }) => `${key}=${value}`,
      );
    await update(id, { description: 'x' });
    expect(await list()).toEqual(['env=prod', 'owner=ada']);
    await update(id, {}, bindings(['owner', 'grace']));
    expect(await list()).toEqual(['owner=grace']);
    const added = await send(
      'PATCH',
      `/projects/${id}/tag-bindings`,
      bindings(['env', 'test'], ['owner', 'eve'])['tag-bindings'],
    );
    expect(added.status).toBe(200);
    expect(await list()).toEqual(['owner=eve', 'env=test']);
    expect(await list('effective-tag-bindings')).toEqual(['owner=eve', 'env=test']);
    const workspace = await fixture.createWorkspace({}, inProject(id));
    const inherited = await send('GET', `/workspaces/${workspace.id}/effective-tag-bindings`);
    expect(inherited.body.data).toHaveLength(2);
    const many = Array.from({ length: 11 }, (_, index) => [`k${index}`, 'v'] as const);
    expect((await update(id, {}, bindings(...many))).status).toBe(422);
    await update(id, {}, bindings());
    expect(await list()).toEqual([]);
  });
});

describe('/projects/:id/relationships/tag-bindings', () => {
  it('lists the bindings, and adds to them with an empty response', async () => {
    const id = await createProject({}, bindings(['room', 'gold'], ['side', 'eu']));
    const path = `/projects/${id}/relationships/tag-bindings`;
    const body = { data: [{ type: 'tag-bindings', attributes: { key: 'room', value: 'silver' } }] };
    expect(await send('POST', path, body)).toMatchObject({ status: 204, body: undefined });
    const { data } = (await send('GET', path)).body;
    expect(data).toEqual((await send('GET', `/projects/${id}/tag-bindings`)).body.data);
    expect(data.map(({ attributes }: { attributes: object }) => attributes)).toMatchObject([
      { key: 'room', value: 'silver' },
      { key: 'side', value: 'eu' },
    ]);
    const flat = { data: [{ type: 'tag-bindings', attributes: { key: 'flat' } }] };
    expect((await send('POST', path, flat)).status).toBe(422);
  });
});

describe('PATCH /projects/:id/relationships/tag-bindings', () => {
  it('replaces all bindings, and removes them for an empty list', async () => {
    const id = await createProject({}, bindings(['env', 'prod'], ['owner', 'ada']));
    const replace = async (...pairs: readonly (readonly [string, string])[]) => {
      const { status, body } = await send(
        'PATCH',
        `/projects/${id}/relationships/tag-bindings`,
        bindings(...pairs)['tag-bindings'],
      );
      expect(status).toBe(200);
      expect((await send('GET', `/projects/${id}/tag-bindings`)).body.data).toEqual(body.data);
      return body.data.map(({ attributes }: { attributes: { key: string; value: string } }) => attributes);
    };
    expect(await replace(['owner', 'eve'], ['new', '1'])).toMatchObject([
      { key: 'owner', value: 'eve' },
      { key: 'new', value: '1' },
    ]);
    expect(await replace()).toEqual([]);
  });
});

describe('GET /organizations/:name/projects', () => {
  it('is paginated, sorted in both orders and filtered by names and by a part of the name', async () => {
    for (const name of ['list one', 'list two', 'LIST three']) await createProject({ name });
    const names = async (query: string) =>
      (await send('GET', `${base}?${query}`)).body.data.map(
        ({ attributes }: { attributes: { name: string } }) => attributes.name,
      );
    expect(await names('q=list')).toEqual(['LIST three', 'list one', 'list two']);
    expect(await names('q=list&sort=-name')).toEqual(['list two', 'list one', 'LIST three']);
    expect(await names('filter%5Bnames%5D=list%20one,list%20two,absent')).toEqual(['list one', 'list two']);
    expect(await names('filter[names]=LIST')).toEqual([]);
    const { body } = await send('GET', `${base}?q=list&page[size]=1&page[number]=2`);
    expect(body.meta.pagination).toMatchObject({ 'total-count': 3, 'total-pages': 3 });
    expect(body.data).toMatchObject([{ attributes: { name: 'list one' } }]);
    expect((await send('GET', `${base}?sort=created-at`)).body.errors[0].source).toEqual({ parameter: 'sort' });
  });

  it('is filtered by names in any case and by tag bindings', async () => {
    const ids = async (query: string) =>
      (await send('GET', `${base}?${query}`)).body.data.map(({ id }: { id: string }) => id);
    const one = await createProject({ name: 'Tagged One' }, bindings(['tier', 'gold'], ['area', 'eu']));
    const other = await createProject({ name: 'Tagged Two' }, bindings(['tier', 'silver']));
    expect(await ids('filter[names]=TAGGED%20one,tagged%20two')).toEqual([one, other]);
    expect(await ids('filter[tagged][0][key]=tier&filter[tagged][0][value]=')).toEqual([one, other]);
    expect(await ids('filter[tagged][0][key]=tier&filter[tagged][0][value]=gold')).toEqual([one]);
    expect(await ids('filter[tagged][0][key]=tier&filter[tagged][1][key]=area')).toEqual([one]);
    expect(await ids('filter[tagged][0][key]=tier&filter[tagged][0][value]=bronze')).toEqual([]);
    expect((await send('GET', `${base}?filter[tagged][0][value]=gold`)).status).toBe(400);
  });

  it('is filtered by what the caller may do in a project', async () => {
    const projects = new Map<string, string>();
    for (const access of ['read', 'write', 'maintain', 'admin']) {
      projects.set(await createProject({ name: `may ${access}` }), access);
    }
    const token = await member(Object.fromEntries([...projects].map(([id, access]) => [id, { access }])));
    const listed = async (query: string) =>
      (await send('GET', `${base}?q=may&${query}`, undefined, token)).body.data.map(({ id }: { id: string }) =>
        projects.get(id),
      );
    expect(await listed('filter[permissions][create-workspace]=true')).toEqual(['admin', 'maintain']);
    expect(await listed('filter[permissions][update]=true')).toEqual(['admin']);
    expect(await listed('filter[permissions][update]=false')).toHaveLength(4);
    expect((await send('GET', `${base}?filter[permissions][update]=x`)).status).toBe(400);
  });

  it('includes effective tag bindings and the organization, as a single project does', async () => {
    const id = await createProject({ name: 'Included' }, bindings(['tier', 'gold']));
    const query = 'include=effective_tag_bindings,organization';
    const { data, included } = (await send('GET', `${base}?filter[names]=included&${query}`)).body;
    const binding = { type: 'effective-tag-bindings', id: included[0].id };
    expect(included).toMatchObject([
      { ...binding, attributes: { key: 'tier', value: 'gold' } },
      { type: 'organizations', id: organization },
    ]);
    expect(included[0]).not.toHaveProperty('links');
    expect(data[0].relationships['effective-tag-bindings'].data).toEqual([binding]);
    expect((await send('GET', `/projects/${id}?${query}`)).body).toEqual({ data: data[0], included });
  });

  it('returns the same workspace and team counts as GET /projects/:id', async () => {
    const id = await createProject({ name: 'counted' });
    await member({ [id]: { access: 'read' } });
    const workspaces = [
      await fixture.createWorkspace({}, inProject(id)),
      await fixture.createWorkspace({}, inProject(id)),
    ];
    const counts = async () => {
      const shown = (await show(id)).body.data;
      expect((await send('GET', `${base}?q=counted`)).body.data).toEqual([shown]);
      return [shown.attributes['workspace-count'], shown.attributes['team-count']];
    };
    expect(await counts()).toEqual([2, 1]);
    await send('DELETE', `/workspaces/${workspaces[0]?.id}`);
    expect(await counts()).toEqual([1, 1]);
  });

  it('shows only projects that the caller has access to', async () => {
    const [one, other] = [await createProject({ name: 'granted one' }), await createProject({ name: 'granted other' })];
    const token = await member({ [one]: { access: 'read' } });
    const seen = async () => (await send('GET', base, undefined, token)).body;
    expect((await seen()).data.map(({ id }: { id: string }) => id)).toEqual([one]);
    expect((await seen()).meta.pagination['total-count']).toBe(1);
    expect(await show(other, token)).toMatchObject({ status: 404, body: NOT_FOUND });
    await fixture.admin('revoke-access', { organization, team: `member-${createdCount}`, project: one });
    expect((await seen()).data).toEqual([]);
  });
});

describe('DELETE /projects/:id', () => {
  it('returns 409 while there are workspaces and 422 for the default project', async () => {
    const id = await createProject();
    const workspace = await fixture.createWorkspace({}, inProject(id));
    const rejected = await send('DELETE', `/projects/${id}`);
    expectRejection(rejected);
    expect(rejected).toMatchObject({
      status: 409,
      body: { errors: [{ detail: expect.stringMatching(/1 workspace/) }] },
    });
    expect((await show(id)).status).toBe(200);
    await send('DELETE', `/workspaces/${workspace.id}`);
    expect((await send('DELETE', `/projects/${id}`)).status).toBe(204);
    const [standard] = (await send('GET', `${base}?filter[names]=Default%20Project`)).body.data;
    expect((await send('DELETE', `/projects/${standard.id}`)).status).toBe(422);
    expect((await show(standard.id)).status).toBe(200);
  });

  it('takes effect at once, also in lists, and frees the name', async () => {
    const id = await createProject({ name: 'short lived' });
    const listed = async () => (await send('GET', `${base}?q=short`)).body.meta.pagination['total-count'];
    expect(await listed()).toBe(1);
    expect((await send('DELETE', `/projects/${id}`)).status).toBe(204);
    expect(await listed()).toBe(0);
    for (const method of ['GET', 'DELETE']) {
      expect(await send(method, `/projects/${id}`)).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expectInvalidProject(await fixture.create({}, inProject(id)));
    const next = await createProject({ name: 'short lived' });
    expect(next).not.toBe(id);
    expect(await listed()).toBe(1);
    expect((await fixture.api.admin('check-table')).findings).toEqual([]);
  });

  const expectInvalidProject = (reply: ApiResponse) =>
    expect(reply.body.errors[0].source).toEqual({ pointer: '/data/relationships/project' });
});

describe('POST /projects/:id/relationships/workspaces', () => {
  const move = (target: string, ids: readonly string[], token?: string) =>
    send(
      'POST',
      `/projects/${target}/relationships/workspaces`,
      { data: ids.map((id) => ({ type: 'workspaces', id })) },
      token,
    );
  const getProjectId = async (id: string) =>
    (await send('GET', `/workspaces/${id}`)).body.data.relationships.project.data.id;

  it('moves all workspaces and does not change those that are in the project already', async () => {
    const [from, to] = [await createProject(), await createProject()];
    const long = await fixture.createWorkspace({ description: 'x'.repeat(900) }, inProject(from));
    const plain = await fixture.createWorkspace({}, inProject(from));
    const alreadyThere = await fixture.createWorkspace({}, inProject(to));
    const before = await fixture.show(alreadyThere);
    expect((await move(to, [long.id, plain.id, alreadyThere.id, plain.id])).status).toBe(204);
    for (const { id } of [long, plain, alreadyThere]) expect(await getProjectId(id)).toBe(to);
    expect((await fixture.show(long))['description']).toHaveLength(900);
    expect(await fixture.show(alreadyThere)).toEqual(before);
    expect((await send('GET', `/organizations/${organization}/workspaces/${plain.name}`)).body.data.id).toBe(plain.id);
    expect((await show(to)).body.data.attributes['workspace-count']).toBe(3);
    expect((await fixture.api.admin('check-table')).findings).toEqual([]);
  });

  it('moves no workspace unless all can be moved', async () => {
    const [from, to, hidden] = [await createProject(), await createProject(), await createProject()];
    const workspace = await fixture.createWorkspace({}, inProject(from));
    const unseen = await fixture.createWorkspace({}, inProject(hidden));
    const admin = await member({ [from]: { access: 'admin' }, [to]: { access: 'admin' } });
    for (const id of [unseen.id, 'ws-1111111111111111', 'nonsense']) {
      expect(await move(to, [workspace.id, id], admin)).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect(await move(hidden, [workspace.id], admin)).toMatchObject({ status: 404, body: NOT_FOUND });
    const reader = await member({ [from]: { access: 'admin' }, [to]: { access: 'read' } });
    expect((await move(to, [workspace.id], reader)).status).toBe(403);
    const maintainer = await member({ [from]: { access: 'maintain' }, [to]: { access: 'admin' } });
    expect((await move(to, [workspace.id], maintainer)).status).toBe(403);
    expect(await getProjectId(workspace.id)).toBe(from);
    expect((await move(to, [workspace.id], admin)).status).toBe(204);
    expect(await getProjectId(workspace.id)).toBe(to);
    expect((await move(to, [])).status).toBe(204);
  });
});

describe('custom project access', () => {
  it('allows updating or deleting a project according to its settings permission', async () => {
    const id = await createProject();
    const attempt = async (settings?: string) => {
      const token = await member({ [id]: { access: 'custom', ...(settings && { projectSettings: settings }) } });
      const { permissions } = (await show(id, token)).body.data.attributes;
      const { status } = await send('PATCH', `/projects/${id}`, document({ description: 'by a part' }), token);
      expect(permissions['can-update']).toBe(status === 200);
      return [status, permissions['can-destroy']];
    };
    expect(await attempt()).toEqual([404, false]);
    expect(await attempt('read')).toEqual([404, false]);
    expect(await attempt('update')).toEqual([200, false]);
    expect(await attempt('delete')).toEqual([200, true]);
  });
});
