import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type HookProxy, startHookProxy } from '../../support/faults/hook-proxy.ts';
import { expectRejection } from '../../support/models/arbitraries/arbitraries-checks.ts';

/** Remote state consumers over HTTP (docs/reference/remote-state-consumers.md). */
let engine: TestEngine;
let proxy: HookProxy;
let api: Api;
let owner: string;
/** Token of a team that is admin of the workspaces in one project only. */
let admin: string;
let stranger: string;
let home: string;
let hidden: string;

const organization = 'acme';

beforeAll(async () => {
  engine = await startEngine();
  proxy = await startHookProxy(engine.endpoint);
  api = await startApi({ engine, endpoint: proxy.endpoint });
  ({ token: owner } = await api.admin('create-organization', { name: organization, email: 'ada@example.com' }));
  ({ token: stranger } = await api.admin('create-organization', { name: 'umbrella', email: 'eve@example.com' }));
  home = (await api.admin('create-project', { organization, name: 'Home' })).project.id;
  hidden = (await api.admin('create-project', { organization, name: 'Hidden' })).project.id;
  await api.admin('create-team', { organization, name: 'admins' });
  await api.admin('grant-access', { organization, team: 'admins', project: 'Home', access: 'admin' });
  ({ token: admin } = await api.admin('create-token', { kind: 'team', organization, team: 'admins' }));
});
afterAll(async () => {
  await api.stop();
  await proxy.stop();
  await engine.stop();
});

let createdCount = 0;
interface CreateResult {
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: a resource object.
  readonly resource: any;
}
const create = async (options: { token?: string; in?: string; project?: string; attributes?: object } = {}) => {
  const { token = owner, in: inOrganization = organization, project = home, attributes = {} } = options;
  const relationships = inOrganization === organization && { project: { data: { type: 'projects', id: project } } };
  const name = `workspace-${String(++createdCount).padStart(4, '0')}`;
  const reply = await api.request('POST', `/organizations/${inOrganization}/workspaces`, {
    token,
    body: {
      data: { type: 'workspaces', attributes: { name, ...attributes }, ...(relationships && { relationships }) },
    },
  });
  return { id: reply.body.data.id, resource: reply.body.data } as CreateResult;
};
const several = async (count: number, options?: Parameters<typeof create>[0]): Promise<CreateResult[]> => {
  const all: CreateResult[] = [];
  for (let index = 0; index < count; index++) all.push(await create(options));
  return all;
};

const toPath = (id: string) => `/workspaces/${id}/relationships/remote-state-consumers`;
const toBody = (ids: readonly string[]) => ({ data: ids.map((id) => ({ type: 'workspaces', id })) });
const send = (method: string, id: string, ids: readonly string[], token = owner) =>
  api.request(method, toPath(id), { token, body: toBody(ids) });
const list = (id: string, query = '', token = owner) => api.request('GET', toPath(id) + query, { token });
const getIds = ({ body }: ApiResponse): string[] => body.data.map((one: { id: string }) => one.id);
const listIds = async (id: string, token = owner) => getIds(await list(id, '?page[size]=100', token));
const setGlobal = (id: string, value: boolean) =>
  api.request('PATCH', `/workspaces/${id}`, {
    token: owner,
    body: { data: { type: 'workspaces', attributes: { 'global-remote-state': value } } },
  });

describe('remote state consumers of a workspace', () => {
  it('are added, removed, replaced, and listed as complete workspaces', async () => {
    const subject = await create();
    const [a, b, c] = (await several(3)) as [CreateResult, CreateResult, CreateResult];
    expect(await list(subject.id)).toMatchObject({ status: 200, body: { data: [] } });
    expect(await send('POST', subject.id, [a.id, b.id])).toMatchObject({ status: 204, body: undefined });
    expect((await list(subject.id)).body.data).toEqual([a.resource, b.resource]);
    expect((await send('POST', subject.id, [b.id, c.id, c.id])).status).toBe(204);
    expect(await listIds(subject.id)).toEqual([a.id, b.id, c.id]);
    expect((await send('DELETE', subject.id, [a.id, a.id])).status).toBe(204);
    expect((await send('DELETE', subject.id, [a.id])).status).toBe(204);
    expect(await listIds(subject.id)).toEqual([b.id, c.id]);
    expect((await send('PATCH', subject.id, [c.id, a.id])).status).toBe(204);
    expect((await list(subject.id)).body.data).toEqual([a.resource, c.resource]);
    expect((await api.request('GET', `/workspaces/${subject.id}`, { token: owner })).body.data).toEqual(
      subject.resource,
    );
  });

  it('are paginated by name with exact totals and links', async () => {
    const subject = await create();
    const others = await several(23);
    await send('PATCH', subject.id, others.map(({ id }) => id).reverse());
    const first = await list(subject.id);
    expect(getIds(first)).toEqual(others.slice(0, 20).map(({ id }) => id));
    expect(first.body.meta.pagination).toEqual({
      'current-page': 1,
      'page-size': 20,
      'prev-page': null,
      'next-page': 2,
      'total-pages': 2,
      'total-count': 23,
    });
    expect(first.body.links.next).toContain('page%5Bnumber%5D=2');
    const last = await list(subject.id, '?page[number]=5&page[size]=5');
    expect(getIds(last)).toEqual(others.slice(20).map(({ id }) => id));
    const beyond = await list(subject.id, '?page%5Bnumber%5D=9');
    expect(beyond).toMatchObject({ status: 200, body: { data: [], meta: { pagination: { 'current-page': 9 } } } });
    expect((await list(subject.id, '?page[size]=0')).status).toBe(400);
  });

  it('are listed with included resources', async () => {
    const [subject, other] = [await create(), await create()];
    await send('POST', subject.id, [other.id]);
    const { body } = await list(subject.id, '?include=project,organization');
    expect(body.included.map(({ type }: { type: string }) => type).sort()).toEqual(['organizations', 'projects']);
    expect((await list(subject.id, '?include=nonsense')).status).toBe(400);
  });

  it('may be sent as complete workspaces', async () => {
    const [subject, other] = [await create(), await create()];
    const reply = await api.request('POST', toPath(subject.id), { token: owner, body: { data: [other.resource] } });
    expect(reply.status).toBe(204);
    expect(await listIds(subject.id)).toEqual([other.id]);
  });

  it('are all removed by PATCH with an empty list, which changes nothing with POST or DELETE', async () => {
    const [subject, other] = [await create(), await create()];
    await send('POST', subject.id, [other.id]);
    for (const method of ['POST', 'DELETE']) expect((await send(method, subject.id, [])).status).toBe(204);
    expect(await listIds(subject.id)).toEqual([other.id]);
    expect((await send('PATCH', subject.id, [])).status).toBe(204);
    expect(await listIds(subject.id)).toEqual([]);
  });

  it('are listed at once, even if they are new or renamed', async () => {
    const subject = await create();
    await list(subject.id);
    const other = await create();
    await send('POST', subject.id, [other.id]);
    expect((await list(subject.id)).body.data).toEqual([other.resource]);
    const renamed = await api.request('PATCH', `/workspaces/${other.id}`, {
      token: owner,
      body: { data: { type: 'workspaces', attributes: { name: `${other.resource.attributes.name}-2` } } },
    });
    expect((await list(subject.id)).body.data).toEqual([renamed.body.data]);
  });

  it('leave the set when they are deleted, and the set is deleted with its workspace', async () => {
    const subject = await create();
    const [a, b] = (await several(2)) as [CreateResult, CreateResult];
    await send('POST', subject.id, [a.id, b.id]);
    await api.request('DELETE', `/workspaces/${a.id}`, { token: owner });
    const reply = await list(subject.id);
    expect(getIds(reply)).toEqual([b.id]);
    expect(reply.body.meta.pagination['total-count']).toBe(1);
    // A deleted workspace can still be removed from the set.
    expect((await send('DELETE', subject.id, [a.id])).status).toBe(204);
    expect((await send('DELETE', subject.id, [a.id])).status).toBe(422);
    await api.request('DELETE', `/workspaces/${subject.id}`, { token: owner });
    expect((await list(subject.id)).status).toBe(404);
    expect((await send('POST', subject.id, [b.id])).status).toBe(404);
  });
});

describe('workspace that the caller cannot read', () => {
  it('is omitted from the list of consumers and its total', async () => {
    const subject = await create();
    const [visible, invisible] = [await create(), await create({ project: hidden })];
    await send('POST', subject.id, [visible.id, invisible.id]);
    const reply = await list(subject.id, '', admin);
    expect(getIds(reply)).toEqual([visible.id]);
    expect(reply.body.meta.pagination['total-count']).toBe(1);
    expect(await listIds(subject.id)).toEqual([visible.id, invisible.id]);
  });

  it('is rejected with the same 422 as a workspace that is unknown, foreign, deleted or the producer itself', async () => {
    const subject = await create();
    const [invisible, foreign, deleted] = [
      await create({ project: hidden }),
      await create({ token: stranger, in: 'umbrella' }),
      await create(),
    ];
    await api.request('DELETE', `/workspaces/${deleted.id}`, { token: owner });
    const visible = await create();
    const unusable = [
      subject.id,
      invisible.id,
      foreign.id,
      deleted.id,
      'ws-1111111111111111',
      'nonexisting',
      '',
      '__proto__',
      visible.resource.attributes.name,
    ];
    const replies: ApiResponse[] = [];
    for (const id of unusable) {
      for (const method of ['POST', 'DELETE']) replies.push(await send(method, subject.id, [visible.id, id], admin));
    }
    for (const reply of replies) {
      expectRejection(reply);
      expect(reply.status).toBe(422);
      expect(reply).toEqual(replies[0]);
    }
    expect(replies[0]?.body.errors[0].source).toEqual({ pointer: '/data/1/id' });
    expect(await listIds(subject.id)).toEqual([]);
    for (const id of unusable.filter((one) => one !== invisible.id)) {
      expect((await send('PATCH', subject.id, [visible.id, id])).body).toEqual(replies[0]?.body);
    }
  });

  it('can be removed from the consumers without being shown', async () => {
    const subject = await create();
    const invisible = await create({ project: hidden });
    await send('POST', subject.id, [invisible.id]);
    expect(await listIds(subject.id, admin)).toEqual([]);
    expect((await send('DELETE', subject.id, [invisible.id], admin)).status).toBe(204);
    expect(await listIds(subject.id)).toEqual([]);
  });

  it('becomes usable as a consumer with a grant, and unusable without it, at once', async () => {
    const subject = await create();
    const other = await create({ project: hidden });
    expect((await send('POST', subject.id, [other.id], admin)).status).toBe(422);
    await api.admin('grant-access', { organization, team: 'admins', workspace: other.id, access: 'read' });
    expect((await send('POST', subject.id, [other.id], admin)).status).toBe(204);
    expect(await listIds(subject.id, admin)).toEqual([other.id]);
    await api.admin('revoke-access', { organization, team: 'admins', workspace: other.id });
    expect(await listIds(subject.id, admin)).toEqual([]);
    await send('DELETE', subject.id, [other.id]);
    expect((await send('POST', subject.id, [other.id], admin)).status).toBe(422);
  });
});

describe('workspace that shares its state with the whole organization', () => {
  it('lists every other readable workspace as a consumer, and its set cannot be changed', async () => {
    const [subject, other] = [await create(), await create({ project: hidden })];
    await send('POST', subject.id, [other.id]);
    await setGlobal(subject.id, true);
    const allWorkspaces = (await api.request('GET', `/organizations/${organization}/workspaces`, { token: owner }))
      .body;
    const reply = await list(subject.id, '?page[size]=100');
    expect(reply.body.meta.pagination['total-count']).toBe(allWorkspaces.meta.pagination['total-count'] - 1);
    expect(getIds(reply)).toContain(other.id);
    expect(getIds(reply)).not.toContain(subject.id);
    expect(await listIds(subject.id, admin)).not.toContain(other.id);
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      for (const ids of [[], [other.id], [subject.id], ['nonsense']]) {
        const rejected = await send(method, subject.id, ids);
        expectRejection(rejected);
        expect(rejected.status).toBe(422);
        expect(rejected.body.errors[0].detail).toMatch(/global-remote-state/);
      }
    }
    // The set is kept and applies again afterwards.
    expect(getIds(await list(subject.id, '?show_only_configured=true'))).toEqual([other.id]);
    await setGlobal(subject.id, false);
    expect(await listIds(subject.id)).toEqual([other.id]);
    expect(getIds(await list(subject.id, '?show_only_configured=false'))).toEqual([other.id]);
    expect((await list(subject.id, '?show_only_configured=maybe')).status).toBe(400);
  });

  it('lists the other workspaces of its project instead if it shares its state with the project only', async () => {
    const project = (await api.admin('create-project', { organization, name: 'Shared' })).project.id;
    const [subject, inside, outside] = [await create({ project }), await create({ project }), await create()];
    await send('POST', subject.id, [outside.id]);
    const setShared = (attributes: object) =>
      api.request('PATCH', `/workspaces/${subject.id}`, {
        token: owner,
        body: { data: { type: 'workspaces', attributes } },
      });
    expect((await setShared({ 'project-remote-state': true })).body.data.attributes).toMatchObject({
      'global-remote-state': false,
      'project-remote-state': true,
    });
    expect(await listIds(subject.id)).toEqual([inside.id]);
    expect(getIds(await list(subject.id, '?show_only_configured=true'))).toEqual([outside.id]);
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      const rejected = await send(method, subject.id, [inside.id]);
      expect(rejected.status).toBe(422);
      expect(rejected.body.errors[0].detail).toMatch(/project-remote-state/);
    }
    const both = await setShared({ 'global-remote-state': true });
    expect(both.body.errors[0]).toMatchObject({
      detail: 'Project remote state cannot be enabled when global remote state sharing is enabled',
      source: { pointer: '/data/attributes/project-remote-state' },
    });
    await setShared({ 'project-remote-state': false });
    expect(await listIds(subject.id)).toEqual([outside.id]);
  });

  it('keeps its set when sharing is enabled during a change of the set', async () => {
    const [subject, a, b] = (await several(3)) as [CreateResult, CreateResult, CreateResult];
    await send('POST', subject.id, [a.id]);
    for (const [method, operation] of [
      ['POST', 'TransactWriteItems'],
      ['DELETE', 'TransactWriteItems'],
      ['PATCH', 'UpdateItem'],
    ] as const) {
      proxy.beforeNext(operation, () => setGlobal(subject.id, true));
      expect((await send(method, subject.id, [method === 'DELETE' ? a.id : b.id])).status).toBe(422);
      await setGlobal(subject.id, false);
      expect(await listIds(subject.id)).toEqual([a.id]);
    }
  });
});

describe('concurrent changes of remote state consumers', () => {
  it.each([
    ['POST', 'POST'],
    ['POST', 'PATCH'],
    ['PATCH', 'POST'],
    ['DELETE', 'POST'],
    ['PATCH', 'PATCH'],
    ['PATCH', 'DELETE'],
  ])('apply one after the other: %s during %s', async (method, other) => {
    const [subject, a, b, c] = (await several(4)) as [CreateResult, CreateResult, CreateResult, CreateResult];
    await send('PATCH', subject.id, [a.id]);
    const operation = method === 'PATCH' ? 'UpdateItem' : 'TransactWriteItems';
    const [its, others] = [method === 'DELETE' ? [a.id] : [b.id], other === 'DELETE' ? [a.id] : [c.id]];
    proxy.beforeNext(operation, () => send(other, subject.id, others));
    expect((await send(method, subject.id, its)).status).toBe(204);
    const apply = (set: readonly string[], how: string, ids: readonly string[]) =>
      how === 'PATCH' ? ids : how === 'POST' ? [...new Set([...set, ...ids])] : set.filter((id) => !ids.includes(id));
    const expected = apply(apply([a.id], other, others), method, its);
    expect((await listIds(subject.id)).toSorted()).toEqual(expected.toSorted());
    expect((await api.admin('check-table')).findings).toEqual([]);
  });

  it('return 404 when the workspace is deleted in the meantime', async () => {
    const [subject, other] = (await several(2)) as [CreateResult, CreateResult];
    proxy.beforeNext('TransactWriteItems', () => api.request('DELETE', `/workspaces/${subject.id}`, { token: owner }));
    expect((await send('POST', subject.id, [other.id])).status).toBe(404);
  });
});

describe('body of a remote state consumers request', () => {
  it.each<[unknown, string]>([
    [{}, '/data'],
    [{ data: null }, '/data'],
    [{ data: {} }, '/data'],
    [{ data: [null] }, '/data/0'],
    [{ data: ['ws-1111111111111111'] }, '/data/0'],
    [{ data: [{}] }, '/data/0/type'],
    [{ data: [{ type: 'workspaces' }] }, '/data/0/id'],
    [{ data: [{ type: 'runs', id: 'ws-1111111111111111' }] }, '/data/0/type'],
    [{ data: [{ type: 'workspaces', id: null }] }, '/data/0/id'],
    [{ data: [{ type: 'workspaces', id: 7 }] }, '/data/0/id'],
    [{ data: [{ type: 'workspaces', id: 'x'.repeat(256) }] }, '/data/0/id'],
  ])('returns 422 for %j with pointer %s', async (body, pointer) => {
    const subject = await create();
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      const reply = await api.request(method, toPath(subject.id), { token: owner, body });
      expectRejection(reply);
      expect(reply.status).toBe(422);
      expect(reply.body.errors[0].source).toEqual({ pointer });
    }
  });

  it('is required', async () => {
    const subject = await create();
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      expect((await api.request(method, toPath(subject.id), { token: owner })).status).toBe(400);
    }
  });
});
