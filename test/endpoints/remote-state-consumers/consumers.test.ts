import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type Reply, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type HookProxy, startHookProxy } from '../../support/faults/hook-proxy.ts';
import { expectRefusal } from '../../support/models/arbitraries-checks.ts';

/** Remote state consumers through the front door (docs/reference/remote-state-consumers.md). */
let engine: TestEngine;
let proxy: HookProxy;
let api: Api;
let owner: string;
/** Admin of the workspaces in one project, and of nothing else. */
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

let made = 0;
interface CreateResult {
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: a resource object.
  readonly resource: any;
}
const create = async (options: { token?: string; in?: string; project?: string; attributes?: object } = {}) => {
  const { token = owner, in: inOrganization = organization, project = home, attributes = {} } = options;
  const relationships = inOrganization === organization && { project: { data: { type: 'projects', id: project } } };
  const name = `workspace-${String(++made).padStart(4, '0')}`;
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

const pathOf = (id: string) => `/workspaces/${id}/relationships/remote-state-consumers`;
const bodyOf = (ids: readonly string[]) => ({ data: ids.map((id) => ({ type: 'workspaces', id })) });
const send = (method: string, id: string, ids: readonly string[], token = owner) =>
  api.request(method, pathOf(id), { token, body: bodyOf(ids) });
const list = (id: string, query = '', token = owner) => api.request('GET', pathOf(id) + query, { token });
const idsOf = ({ body }: Reply): string[] => body.data.map((one: { id: string }) => one.id);
const idsIn = async (id: string, token = owner) => idsOf(await list(id, '?page[size]=100', token));
const setGlobal = (id: string, value: boolean) =>
  api.request('PATCH', `/workspaces/${id}`, {
    token: owner,
    body: { data: { type: 'workspaces', attributes: { 'global-remote-state': value } } },
  });

describe('the consumers of a workspace', () => {
  it('are added, removed and replaced, and listed as complete records that nothing changed', async () => {
    const subject = await create();
    const [a, b, c] = (await several(3)) as [CreateResult, CreateResult, CreateResult];
    expect(await list(subject.id)).toMatchObject({ status: 200, body: { data: [] } });
    expect(await send('POST', subject.id, [a.id, b.id])).toMatchObject({ status: 204, body: undefined });
    expect((await list(subject.id)).body.data).toEqual([a.resource, b.resource]);
    expect((await send('POST', subject.id, [b.id, c.id, c.id])).status).toBe(204);
    expect(await idsIn(subject.id)).toEqual([a.id, b.id, c.id]);
    expect((await send('DELETE', subject.id, [a.id, a.id])).status).toBe(204);
    expect((await send('DELETE', subject.id, [a.id])).status).toBe(204);
    expect(await idsIn(subject.id)).toEqual([b.id, c.id]);
    expect((await send('PATCH', subject.id, [c.id, a.id])).status).toBe(204);
    expect((await list(subject.id)).body.data).toEqual([a.resource, c.resource]);
    expect((await api.request('GET', `/workspaces/${subject.id}`, { token: owner })).body.data).toEqual(
      subject.resource,
    );
  });

  it('come in pages by name, with exact totals and links', async () => {
    const subject = await create();
    const others = await several(23);
    await send('PATCH', subject.id, others.map(({ id }) => id).reverse());
    const first = await list(subject.id);
    expect(idsOf(first)).toEqual(others.slice(0, 20).map(({ id }) => id));
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
    expect(idsOf(last)).toEqual(others.slice(20).map(({ id }) => id));
    const beyond = await list(subject.id, '?page%5Bnumber%5D=9');
    expect(beyond).toMatchObject({ status: 200, body: { data: [], meta: { pagination: { 'current-page': 9 } } } });
    expect((await list(subject.id, '?page[size]=0')).status).toBe(400);
  });

  it('bring what they are related to, as workspaces do everywhere', async () => {
    const [subject, other] = [await create(), await create()];
    await send('POST', subject.id, [other.id]);
    const { body } = await list(subject.id, '?include=project,organization');
    expect(body.included.map(({ type }: { type: string }) => type).sort()).toEqual(['organizations', 'projects']);
    expect((await list(subject.id, '?include=nonsense')).status).toBe(400);
  });

  it('are taken as whole workspaces, as clients send them', async () => {
    const [subject, other] = [await create(), await create()];
    const reply = await api.request('POST', pathOf(subject.id), { token: owner, body: { data: [other.resource] } });
    expect(reply.status).toBe(204);
    expect(await idsIn(subject.id)).toEqual([other.id]);
  });

  it('are all removed by an empty list, which adds and removes nothing otherwise', async () => {
    const [subject, other] = [await create(), await create()];
    await send('POST', subject.id, [other.id]);
    for (const method of ['POST', 'DELETE']) expect((await send(method, subject.id, [])).status).toBe(204);
    expect(await idsIn(subject.id)).toEqual([other.id]);
    expect((await send('PATCH', subject.id, [])).status).toBe(204);
    expect(await idsIn(subject.id)).toEqual([]);
  });

  it('are listed as soon as they are there, however new they are', async () => {
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

  it('vanish from the set when they are deleted, and it goes with its own workspace', async () => {
    const subject = await create();
    const [a, b] = (await several(2)) as [CreateResult, CreateResult];
    await send('POST', subject.id, [a.id, b.id]);
    await api.request('DELETE', `/workspaces/${a.id}`, { token: owner });
    const reply = await list(subject.id);
    expect(idsOf(reply)).toEqual([b.id]);
    expect(reply.body.meta.pagination['total-count']).toBe(1);
    // What is gone can still be taken out.
    expect((await send('DELETE', subject.id, [a.id])).status).toBe(204);
    expect((await send('DELETE', subject.id, [a.id])).status).toBe(422);
    await api.request('DELETE', `/workspaces/${subject.id}`, { token: owner });
    expect((await list(subject.id)).status).toBe(404);
    expect((await send('POST', subject.id, [b.id])).status).toBe(404);
  });
});

describe('what the caller cannot read', () => {
  it('is omitted from the list, and from its total', async () => {
    const subject = await create();
    const [visible, invisible] = [await create(), await create({ project: hidden })];
    await send('POST', subject.id, [visible.id, invisible.id]);
    const reply = await list(subject.id, '', admin);
    expect(idsOf(reply)).toEqual([visible.id]);
    expect(reply.body.meta.pagination['total-count']).toBe(1);
    expect(await idsIn(subject.id)).toEqual([visible.id, invisible.id]);
  });

  it('cannot be added, in the same words as what is not there, is foreign, or is the workspace itself', async () => {
    const subject = await create();
    const [invisible, foreign, gone] = [
      await create({ project: hidden }),
      await create({ token: stranger, in: 'umbrella' }),
      await create(),
    ];
    await api.request('DELETE', `/workspaces/${gone.id}`, { token: owner });
    const visible = await create();
    const unusable = [
      subject.id,
      invisible.id,
      foreign.id,
      gone.id,
      'ws-1111111111111111',
      'nonexisting',
      '',
      '__proto__',
      visible.resource.attributes.name,
    ];
    const replies: Reply[] = [];
    for (const id of unusable) {
      for (const method of ['POST', 'DELETE']) replies.push(await send(method, subject.id, [visible.id, id], admin));
    }
    for (const reply of replies) {
      expectRefusal(reply);
      expect(reply.status).toBe(422);
      expect(reply).toEqual(replies[0]);
    }
    expect(replies[0]?.body.errors[0].source).toEqual({ pointer: '/data/1/id' });
    expect(await idsIn(subject.id)).toEqual([]);
    for (const id of unusable.filter((one) => one !== invisible.id)) {
      expect((await send('PATCH', subject.id, [visible.id, id])).body).toEqual(replies[0]?.body);
    }
  });

  it('can be taken out of the set, without being seen in it', async () => {
    const subject = await create();
    const invisible = await create({ project: hidden });
    await send('POST', subject.id, [invisible.id]);
    expect(await idsIn(subject.id, admin)).toEqual([]);
    expect((await send('DELETE', subject.id, [invisible.id], admin)).status).toBe(204);
    expect(await idsIn(subject.id)).toEqual([]);
  });

  it('becomes usable with a grant, and useless without it, at once', async () => {
    const subject = await create();
    const other = await create({ project: hidden });
    expect((await send('POST', subject.id, [other.id], admin)).status).toBe(422);
    await api.admin('grant-access', { organization, team: 'admins', workspace: other.id, access: 'read' });
    expect((await send('POST', subject.id, [other.id], admin)).status).toBe(204);
    expect(await idsIn(subject.id, admin)).toEqual([other.id]);
    await api.admin('revoke-access', { organization, team: 'admins', workspace: other.id });
    expect(await idsIn(subject.id, admin)).toEqual([]);
    await send('DELETE', subject.id, [other.id]);
    expect((await send('POST', subject.id, [other.id], admin)).status).toBe(422);
  });
});

describe('a workspace that shares its state with the whole organization', () => {
  it('is consumed by every readable workspace but itself, and its set cannot be changed', async () => {
    const [subject, other] = [await create(), await create({ project: hidden })];
    await send('POST', subject.id, [other.id]);
    await setGlobal(subject.id, true);
    const everything = (await api.request('GET', `/organizations/${organization}/workspaces`, { token: owner })).body;
    const reply = await list(subject.id, '?page[size]=100');
    expect(reply.body.meta.pagination['total-count']).toBe(everything.meta.pagination['total-count'] - 1);
    expect(idsOf(reply)).toContain(other.id);
    expect(idsOf(reply)).not.toContain(subject.id);
    expect(await idsIn(subject.id, admin)).not.toContain(other.id);
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      for (const ids of [[], [other.id], [subject.id], ['nonsense']]) {
        const refused = await send(method, subject.id, ids);
        expectRefusal(refused);
        expect(refused.status).toBe(422);
        expect(refused.body.errors[0].detail).toMatch(/global-remote-state/);
      }
    }
    // The set is kept, and in force again afterwards.
    expect(idsOf(await list(subject.id, '?show_only_configured=true'))).toEqual([other.id]);
    await setGlobal(subject.id, false);
    expect(await idsIn(subject.id)).toEqual([other.id]);
    expect(idsOf(await list(subject.id, '?show_only_configured=false'))).toEqual([other.id]);
    expect((await list(subject.id, '?show_only_configured=maybe')).status).toBe(400);
  });

  it('keeps its set when it is shared while the set is changed', async () => {
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
      expect(await idsIn(subject.id)).toEqual([a.id]);
    }
  });
});

describe('changes at once', () => {
  it.each([
    ['POST', 'POST'],
    ['POST', 'PATCH'],
    ['PATCH', 'POST'],
    ['DELETE', 'POST'],
    ['PATCH', 'PATCH'],
    ['PATCH', 'DELETE'],
  ])('happen one after the other: %s while %s', async (method, other) => {
    const [subject, a, b, c] = (await several(4)) as [CreateResult, CreateResult, CreateResult, CreateResult];
    await send('PATCH', subject.id, [a.id]);
    const operation = method === 'PATCH' ? 'UpdateItem' : 'TransactWriteItems';
    const [its, others] = [method === 'DELETE' ? [a.id] : [b.id], other === 'DELETE' ? [a.id] : [c.id]];
    proxy.beforeNext(operation, () => send(other, subject.id, others));
    expect((await send(method, subject.id, its)).status).toBe(204);
    const apply = (set: readonly string[], how: string, ids: readonly string[]) =>
      how === 'PATCH' ? ids : how === 'POST' ? [...new Set([...set, ...ids])] : set.filter((id) => !ids.includes(id));
    const expected = apply(apply([a.id], other, others), method, its);
    expect((await idsIn(subject.id)).toSorted()).toEqual(expected.toSorted());
    expect((await api.admin('check-table')).findings).toEqual([]);
  });

  it('find a workspace that is deleted meanwhile no longer there', async () => {
    const [subject, other] = (await several(2)) as [CreateResult, CreateResult];
    proxy.beforeNext('TransactWriteItems', () => api.request('DELETE', `/workspaces/${subject.id}`, { token: owner }));
    expect((await send('POST', subject.id, [other.id])).status).toBe(404);
  });
});

describe('a body', () => {
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
  ])('%j is refused, pointing at %s', async (body, pointer) => {
    const subject = await create();
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      const reply = await api.request(method, pathOf(subject.id), { token: owner, body });
      expectRefusal(reply);
      expect(reply.status).toBe(422);
      expect(reply.body.errors[0].source).toEqual({ pointer });
    }
  });

  it('is needed', async () => {
    const subject = await create();
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      expect((await api.request(method, pathOf(subject.id), { token: owner })).status).toBe(400);
    }
  });
});
