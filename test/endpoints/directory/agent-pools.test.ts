import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ApiResponse } from '../../support/api/api.ts';
import {
  createOrganizationFixture,
  expectInvalid,
  ORGANIZATION,
  type OrganizationFixture,
  type Workspace,
} from '../../support/api/organization-fixture.ts';
import { nextMillisecond } from '../../support/setup/next-millisecond.ts';

/** The scope of agent pools, its enforcement, and the agents (docs/reference/agent-pools-and-vcs-connections.md). */
let fixture: OrganizationFixture;
let project: string;
let workspace: Workspace;
let inProject: Workspace;

const LIST = `/organizations/${ORGANIZATION}/agent-pools`;
const OUT_OF_SCOPE = /^Agent pool workspace does not have access to use this agent pool$/;

const send = (method: string, path: string, data?: object): Promise<ApiResponse> =>
  fixture.api.request(method, path, { token: fixture.owner, ...(data && { body: { data } }) });

const identifiers = (type: string, ids: readonly string[]) => ({ data: ids.map((id) => ({ type, id })) });
const workspaces = (...ids: readonly string[]) => identifiers('workspaces', ids);
const projects = (...ids: readonly string[]) => identifiers('projects', ids);
const belongsTo = (id: string) => ({ project: { data: { type: 'projects', id } } });

let count = 0;
const createProject = async (): Promise<string> =>
  (await fixture.admin('create-project', { organization: ORGANIZATION, name: `Project ${++count}` })).project.id;

const createPool = async (attributes: object = {}, relationships: object = {}, name = `pool-${++count}`) => {
  const reply = await send('POST', LIST, {
    type: 'agent-pools',
    attributes: { name, ...attributes },
    relationships,
  });
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  return reply.body.data;
};
const restricted = { 'organization-scoped': false };
const update = (id: string, attributes: object, relationships: object = {}) =>
  send('PATCH', `/agent-pools/${id}`, { type: 'agent-pools', attributes, relationships });
const idsIn = (resource: { relationships: Record<string, { data: { id: string }[] }> }, name: string) =>
  resource.relationships[name]?.data.map(({ id }) => id);

beforeAll(async () => {
  fixture = await createOrganizationFixture();
  project = await createProject();
  workspace = await fixture.createWorkspace();
  inProject = await fixture.createWorkspace({}, belongsTo(project));
});
afterAll(() => fixture.api.stop());

describe('the scope of an agent pool', () => {
  it('an agent pool serves the whole organization by default', async () => {
    const pool = await createPool();
    expect(pool.attributes).toMatchObject({ 'organization-scoped': true, 'agent-count': 0 });
    expect(pool.relationships).toMatchObject({
      'allowed-workspaces': { data: [] },
      'allowed-projects': { data: [] },
      'excluded-workspaces': { data: [] },
      workspaces: { links: { related: `/api/v2/agent-pools/${pool.id}?include=workspaces` } },
    });
  });

  it('the scope of a pool is stored at creation and returned by later reads, in lists as well', async () => {
    const pool = await createPool(restricted, {
      'allowed-workspaces': workspaces(workspace.id, workspace.id),
      'allowed-projects': projects(project),
      'excluded-workspaces': workspaces(inProject.id),
    });
    expect(pool.attributes['organization-scoped']).toBe(false);
    expect(idsIn(pool, 'allowed-workspaces')).toEqual([workspace.id]);
    expect(idsIn(pool, 'allowed-projects')).toEqual([project]);
    expect(idsIn(pool, 'excluded-workspaces')).toEqual([inProject.id]);
    expect((await send('GET', `/agent-pools/${pool.id}`)).body.data).toEqual(pool);
    expect((await send('GET', LIST)).body.data).toContainEqual(pool);
  });

  it('keeps lists that an update omits or sends as null, and clears them by an empty list', async () => {
    const { id } = await createPool(restricted, {
      'allowed-workspaces': workspaces(workspace.id),
      'allowed-projects': projects(project),
    });
    const renamed = await update(id, { name: `renamed-${count}` }, { 'allowed-workspaces': { data: null } });
    expect(idsIn(renamed.body.data, 'allowed-workspaces')).toEqual([workspace.id]);
    const cleared = (await update(id, {}, { 'allowed-workspaces': workspaces() })).body.data;
    expect(cleared.attributes).toEqual(renamed.body.data.attributes);
    expect(idsIn(cleared, 'allowed-workspaces')).toEqual([]);
    expect(idsIn(cleared, 'allowed-projects')).toEqual([project]);
    expect((await update(id, { 'organization-scoped': true })).body.data.attributes['organization-scoped']).toBe(true);
  });

  it.each([
    ['allowed-workspaces', 'ws-1111111111111111'],
    ['excluded-workspaces', 'x'],
    ['allowed-projects', 'prj-1111111111111111'],
  ])('rejects an unknown id in %s with a pointer at it', async (name, id) => {
    const pool = await createPool();
    const known = name === 'allowed-projects' ? [project] : [workspace.id];
    const relationships = { [name]: identifiers(name.replace(/^\w+-/, ''), [...known, id]) };
    const create = { type: 'agent-pools', attributes: { name: 'never' }, relationships };
    for (const reply of [await update(pool.id, {}, relationships), await send('POST', LIST, create)]) {
      expect(reply).toMatchObject({
        status: 422,
        body: { errors: [{ source: { pointer: `/data/relationships/${name}/data/1/id` } }] },
      });
    }
  });

  it('rejects a workspace and a project of another organization', async () => {
    const other = `other-${++count}`;
    const { token } = await fixture.admin('create-organization', { name: other, email: 'eve@example.com' });
    const post = (path: string, data: object) => fixture.api.request('POST', path, { token, body: { data } });
    const foreign = await post(`/organizations/${other}/workspaces`, {
      type: 'workspaces',
      attributes: { name: 'foreign' },
    });
    const { project: theirs } = await fixture.admin('create-project', { organization: other, name: 'Theirs' });
    const { id } = await createPool();
    expect((await update(id, {}, { 'allowed-workspaces': workspaces(foreign.body.data.id) })).status).toBe(422);
    expect((await update(id, {}, { 'allowed-projects': projects(theirs.id) })).status).toBe(422);
  });

  it('accepts an id that it has when the workspace is deleted meanwhile', async () => {
    const short = await fixture.createWorkspace();
    const { id } = await createPool(restricted, { 'allowed-workspaces': workspaces(short.id) });
    await send('DELETE', `/workspaces/${short.id}`);
    const sentBack = await update(id, {}, { 'allowed-workspaces': workspaces(short.id, workspace.id) });
    expect(idsIn(sentBack.body.data, 'allowed-workspaces')).toEqual([short.id, workspace.id]);
  });
});

describe('the use of an agent pool', () => {
  const agent = (pool: string) => ({ 'execution-mode': 'agent', 'agent-pool-id': pool });
  const isAllowed = async (of: Workspace, pool: string): Promise<boolean> => {
    const reply = await fixture.update(of, agent(pool));
    if (reply.status !== 200) expectInvalid(reply, 'agent-pool-id', OUT_OF_SCOPE);
    return reply.status === 200;
  };

  it('a pool serves only allowed workspaces and those of allowed projects, without excluded ones', async () => {
    const { id: pool } = await createPool(restricted);
    const excluded = await fixture.createWorkspace({}, belongsTo(project));
    const allowed = () => Promise.all([workspace, inProject, excluded].map((one) => isAllowed(one, pool)));
    expect(await allowed()).toEqual([false, false, false]);
    await update(pool, {}, { 'allowed-workspaces': workspaces(workspace.id) });
    expect(await allowed()).toEqual([true, false, false]);
    await update(pool, {}, { 'allowed-projects': projects(project) });
    expect(await allowed()).toEqual([true, true, true]);
    await update(pool, {}, { 'excluded-workspaces': workspaces(excluded.id) });
    expect(await allowed()).toEqual([true, true, false]);
    await update(pool, { 'organization-scoped': true }, { 'allowed-projects': projects() });
    expect(await allowed()).toEqual([true, true, false]);
  });

  it('is rejected for a new workspace outside the scope', async () => {
    const { id: pool } = await createPool(restricted, { 'allowed-projects': projects(project) });
    expectInvalid(await fixture.create(agent(pool)), 'agent-pool-id', OUT_OF_SCOPE);
    expect((await fixture.create(agent(pool), belongsTo(project))).status).toBe(201);
  });

  it('is not ended by a narrower scope', async () => {
    const { id: pool } = await createPool();
    const user = await fixture.createWorkspace(agent(pool));
    await update(pool, restricted);
    expect((await fixture.update(user, { description: 'kept' })).status).toBe(200);
    expect(await fixture.show(user)).toMatchObject({ 'agent-pool-id': pool });
  });

  it('as a default needs the scope of the organization or of the project', async () => {
    const { id: pool } = await createPool(restricted);
    const attributes = { 'default-execution-mode': 'agent', 'default-agent-pool-id': pool };
    const other = await createProject();
    const setProject = () => send('PATCH', `/projects/${other}`, { type: 'projects', attributes });
    const organization = { type: 'organizations', attributes };
    expectInvalid(await send('PATCH', `/organizations/${ORGANIZATION}`, organization), 'default-agent-pool-id');
    expectInvalid(await setProject(), 'default-agent-pool-id', /available to the whole organization or to the project/);
    const create = { type: 'projects', attributes: { ...attributes, name: 'Never' } };
    expectInvalid(await send('POST', `/organizations/${ORGANIZATION}/projects`, create), 'default-agent-pool-id');
    await update(pool, {}, { 'allowed-projects': projects(other) });
    expect((await setProject()).status).toBe(200);
  });

  describe('that a project passes on', () => {
    let pool: string;
    let agents: string;
    beforeEach(async () => {
      agents = await createProject();
      pool = (await createPool(restricted, { 'allowed-projects': projects(agents) })).id;
      const attributes = { 'default-execution-mode': 'agent', 'default-agent-pool-id': pool };
      expect((await send('PATCH', `/projects/${agents}`, { type: 'projects', attributes })).status).toBe(200);
    });

    it('is rejected for an excluded workspace that begins to inherit or moves there', async () => {
      const [inside, outside] = [
        await fixture.createWorkspace({ 'execution-mode': 'local' }, belongsTo(agents)),
        await fixture.createWorkspace(),
      ];
      await update(pool, {}, { 'excluded-workspaces': workspaces(inside.id, outside.id) });
      const inherit = { 'setting-overwrites': { 'execution-mode': false, 'agent-pool': false } };
      expectInvalid(await fixture.update(inside, inherit), 'agent-pool-id', OUT_OF_SCOPE);
      const pointsAt = (pointer: string) => ({ status: 422, body: { errors: [{ source: { pointer } }] } });
      expect(await fixture.update(outside, undefined, belongsTo(agents))).toMatchObject(
        pointsAt('/data/relationships/project'),
      );
      const moved = await fixture.api.request('POST', `/projects/${agents}/relationships/workspaces`, {
        token: fixture.owner,
        body: workspaces(inside.id, outside.id),
      });
      expect(moved).toMatchObject(pointsAt('/data/1/id'));
      await update(pool, {}, { 'excluded-workspaces': workspaces() });
      expect((await fixture.update(outside, undefined, belongsTo(agents))).status).toBe(200);
      expect(await fixture.show(outside)).toMatchObject({ 'execution-mode': 'agent', 'agent-pool-id': pool });
    });

    it('is rejected for a new workspace once the pool no longer allows the project', async () => {
      await update(pool, {}, { 'allowed-projects': projects() });
      expectInvalid(await fixture.create({}, belongsTo(agents)), 'agent-pool-id', OUT_OF_SCOPE);
      expect((await fixture.create({ 'execution-mode': 'remote' }, belongsTo(agents))).status).toBe(201);
    });

    it('stays with a workspace that moves away only while that is in the scope', async () => {
      const own = await fixture.createWorkspace({ 'execution-mode': 'agent' }, belongsTo(agents));
      expect((await fixture.update(own, undefined, belongsTo(project))).status).toBe(422);
      await update(pool, {}, { 'allowed-workspaces': workspaces(own.id) });
      expect((await fixture.update(own, undefined, belongsTo(project))).status).toBe(200);
      expect(await fixture.show(own)).toMatchObject({ 'execution-mode': 'agent', 'agent-pool-id': pool });
    });
  });
});

describe('lists of agent pools', () => {
  const namesIn = (reply: ApiResponse): string[] =>
    reply.body.data.map((pool: { attributes: { name: string } }) => pool.attributes.name);
  const list = (query: string) => send('GET', `${LIST}?${query}`);

  it('are sorted by name or by time of creation', async () => {
    for (const letter of ['b', 'c', 'a']) {
      await createPool({}, {}, `sorted-${letter}`);
      await nextMillisecond();
    }
    const orders = { '': 'abc', name: 'abc', '-name': 'cba', 'created-at': 'bca', '-created-at': 'acb' };
    for (const [sort, expected] of Object.entries(orders)) {
      expect(namesIn(await list(`q=sorted-&sort=${sort}`))).toEqual([...expected].map((one) => `sorted-${one}`));
    }
    expect(await list('sort=agent-count')).toMatchObject({
      status: 400,
      body: { errors: [{ source: { parameter: 'sort' } }] },
    });
  });

  it('are filtered by the workspace or project that may use the pool', async () => {
    const other = await createProject();
    await createPool({}, {}, 'scope-all');
    await createPool({}, { 'excluded-workspaces': workspaces(workspace.id) }, 'scope-others');
    await createPool(restricted, { 'allowed-workspaces': workspaces(workspace.id) }, 'scope-workspace');
    await createPool(restricted, { 'allowed-projects': projects(project) }, 'scope-project');
    const byWorkspace = (name: string) => list(`q=scope-&filter[allowed_workspaces][name]=${name}`);
    const byProject = (name: string) => list(`q=scope-&filter[allowed_projects][name]=${encodeURIComponent(name)}`);
    expect(namesIn(await byWorkspace(workspace.name))).toEqual(['scope-all', 'scope-workspace']);
    expect(namesIn(await byWorkspace(inProject.name))).toEqual(['scope-all', 'scope-others', 'scope-project']);
    const nameOf = async (id: string) => (await send('GET', `/projects/${id}`)).body.data.attributes.name;
    expect(namesIn(await byProject(await nameOf(project)))).toEqual(['scope-all', 'scope-others', 'scope-project']);
    expect(namesIn(await byProject(await nameOf(other)))).toEqual(['scope-all', 'scope-others']);
    for (const unknown of ['unknown', 'x y', 'x'.repeat(3_000), '%00']) {
      expect(namesIn(await byWorkspace(encodeURIComponent(unknown)))).toEqual([]);
      expect(namesIn(await byProject(unknown))).toEqual([]);
    }
    expect(namesIn(await byWorkspace(''))).toHaveLength(4);
    const hyphenated = `q=scope-&filter[allowed-workspaces][name]=${workspace.name}`;
    expect(namesIn(await list(hyphenated))).toEqual(['scope-all', 'scope-workspace']);
  });

  it('include the workspaces that use a pool, and those and the projects of its scope', async () => {
    const using = await fixture.createWorkspace();
    const { id } = await createPool(
      restricted,
      {
        'allowed-workspaces': workspaces(using.id),
        'allowed-projects': projects(project),
        'excluded-workspaces': workspaces(inProject.id),
      },
      'included',
    );
    const attributes = { 'execution-mode': 'agent', 'agent-pool-id': id };
    expect((await fixture.update(using, attributes)).status).toBe(200);
    const includedBy = (reply: ApiResponse): string[] =>
      reply.body.included.map((one: { id: string }) => one.id).sort();
    const shown = await send('GET', `/agent-pools/${id}?include=workspaces`);
    expect(includedBy(shown)).toEqual([using.id]);
    expect(shown.body.data.relationships.workspaces.data).toEqual([{ type: 'workspaces', id: using.id }]);
    const all = 'allowed_workspaces,allowed_projects,excluded_workspaces,workspaces';
    expect(includedBy(await list(`q=included&include=${all}`))).toEqual([using.id, project, inProject.id].sort());
    expect(includedBy(await list('q=included&include=allowed-projects'))).toEqual([project]);
    expect((await list('include=agents')).status).toBe(400);
  });
});

describe('agents', () => {
  it('are an empty page in every pool, because none connects', async () => {
    const { id } = await createPool();
    const list = (query = '') => send('GET', `/agent-pools/${id}/agents${query}`);
    for (const query of ['', '?filter[last-ping-since]=2026-01-31T08:00:00Z', '?sort=-created-at']) {
      const { status, body } = await list(query);
      expect({ status, data: body.data }).toEqual({ status: 200, data: [] });
      expect(body.meta.pagination).toMatchObject({ 'total-count': 0, 'total-pages': 1 });
    }
    for (const query of ['?filter[last-ping-since]=yesterday', '?sort=name', '?page[size]=0']) {
      expect((await list(query)).status, query).toBe(400);
    }
    expect((await send('GET', '/agent-pools/apool-1111111111111111/agents')).status).toBe(404);
    for (const method of ['GET', 'DELETE']) {
      expect((await send(method, '/agents/agent-1111111111111111')).status).toBe(404);
    }
  });
});

describe('the tokens of an agent pool', () => {
  const createToken = (pool: string, attributes: object = { description: 'build' }) =>
    send('POST', `/agent-pools/${pool}/authentication-tokens`, { type: 'agent-tokens', attributes });

  it('are created with a text that no other response contains, listed by age, shown and revoked', async () => {
    const { id: pool } = await createPool();
    const first = await createToken(pool);
    await nextMillisecond();
    const second = await createToken(pool);
    expect(first.status).toBe(201);
    const { token, ...attributes } = first.body.data.attributes;
    expect(token).toMatch(/^hfp_/);
    const list = (query = '') => send('GET', `/agent-pools/${pool}/authentication-tokens${query}`);
    const listed = await list();
    expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([first.body.data.id, second.body.data.id]);
    expect((await list('?sort=-created-at&page[size]=1')).body.data).toMatchObject([{ id: second.body.data.id }]);
    expect((await list('?sort=name')).status).toBe(400);
    const path = `/authentication-tokens/${first.body.data.id}`;
    const shown = await send('GET', path);
    expect(shown.body.data).toMatchObject({ attributes, relationships: { 'created-by': { data: { type: 'users' } } } });
    expect(JSON.stringify([listed.body, shown.body])).not.toContain(token);
    expect((await send('DELETE', path)).status).toBe(204);
    expect((await send('GET', path)).status).toBe(404);
    expect((await list()).body.data).toHaveLength(1);
  });

  it('authenticate no request', async () => {
    const { token } = (await createToken((await createPool()).id)).body.data.attributes;
    expect((await fixture.api.request('GET', LIST, { token })).status).toBe(401);
  });

  it('need a description', async () => {
    const { id: pool } = await createPool();
    for (const attributes of [{}, { description: '' }, { description: null }]) {
      expectInvalid(await createToken(pool, attributes), 'description', /^Description can't be blank$/);
    }
    expect((await createToken('apool-1111111111111111')).status).toBe(404);
  });

  it('cannot be created for a deleted pool, and are deleted with it', async () => {
    const { id: pool } = await createPool();
    await createToken(pool);
    expect((await send('DELETE', `/agent-pools/${pool}`)).status).toBe(204);
    expect((await createToken(pool)).status).toBe(404);
    const remaining = (await createPool({}, {}, 'removed-at-once')).id;
    const { id: other } = (await createToken(remaining)).body.data;
    await fixture.admin('delete-agent-pool', { organization: ORGANIZATION, name: 'removed-at-once' });
    expect((await send('GET', `/authentication-tokens/${other}`)).status).toBe(404);
    expect((await fixture.admin('check-table', {})).findings).toEqual([]);
  });
});
