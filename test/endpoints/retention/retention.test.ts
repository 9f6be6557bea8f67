import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { routeIds, routes } from '../../../shared/routes/index.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type HookProxy, startHookProxy } from '../../support/faults/hook-proxy.ts';
import { expectRejection, NOT_FOUND } from '../../support/models/arbitraries/arbitraries-checks.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Data retention policies of workspaces (docs/reference/data-retention.md). */
let engine: TestEngine;
let proxy: HookProxy;
let api: Api;
let owner: string;

beforeAll(async () => {
  engine = await startEngine();
  proxy = await startHookProxy(engine.endpoint);
  api = await startApi({ engine, endpoint: proxy.endpoint });
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
});
afterAll(async () => {
  await api.stop();
  await proxy.stop();
  await engine.stop();
});

const OLDER = 'data-retention-policy-delete-olders';
const NEVER = 'data-retention-policy-dont-deletes';
const LEGACY = 'data-retention-policies';

const deleteOlder = (days: unknown, type: string = OLDER) => ({
  data: { type, attributes: { 'delete-older-than-n-days': days } },
});
const never = { data: { type: NEVER, attributes: {} } };

let createdCount = 0;
const createWorkspace = async (): Promise<string> =>
  (
    await api.request('POST', '/organizations/acme/workspaces', {
      token: owner,
      body: { data: { type: 'workspaces', attributes: { name: `workspace-${++createdCount}` } } },
    })
  ).body.data.id;
const send = (method: string, id: string, body?: unknown) =>
  api.request(method, `/workspaces/${id}/relationships/data-retention-policy`, {
    token: owner,
    ...(body !== undefined && { body }),
  });
const getRelationship = async (id: string) =>
  (await api.request('GET', `/workspaces/${id}`, { token: owner })).body.data.relationships['data-retention-policy'];

const expectedDocument = (workspace: string, type: string, attributes: object) => ({
  data: {
    id: expect.stringMatching(/^drp-[1-9A-HJ-NP-Za-km-z]{16}$/),
    type,
    attributes,
    relationships: { target: { data: { type: 'workspaces', id: workspace } } },
    links: { self: `/api/v2/workspaces/${workspace}/relationships/data-retention-policy` },
  },
});

describe('data retention policy of a workspace', () => {
  it('keeps one id while it is created, shown, changed and changed in type, until it is deleted', async () => {
    const workspace = await createWorkspace();
    expect(await getRelationship(workspace)).toEqual({ data: null });
    expect((await send('GET', workspace)).status).toBe(404);
    const steps = [
      { body: deleteOlder(33), status: 201, type: OLDER, attributes: { 'delete-older-than-n-days': 33 } },
      { body: deleteOlder(1), status: 200, type: OLDER, attributes: { 'delete-older-than-n-days': 1 } },
      { body: never, status: 200, type: NEVER, attributes: {} },
      { body: deleteOlder(36_500), status: 200, type: OLDER, attributes: { 'delete-older-than-n-days': 36_500 } },
    ];
    const ids = new Set<string>();
    for (const { body, status, type, attributes } of steps) {
      const reply = await send('POST', workspace, body);
      expect(reply.status).toBe(status);
      expect(reply.body).toEqual(expectedDocument(workspace, type, attributes));
      const { id } = reply.body.data;
      ids.add(id);
      expect(await send('GET', workspace)).toMatchObject({ status: 200, body: reply.body });
      expect(await getRelationship(workspace)).toEqual({
        data: { type, id },
        links: { related: `/api/v2/workspaces/${workspace}/relationships/data-retention-policy` },
      });
    }
    expect(ids.size).toBe(1);

    expect(await send('DELETE', workspace)).toMatchObject({ status: 204, body: undefined });
    expect(await getRelationship(workspace)).toEqual({ data: null });
    for (const method of ['GET', 'DELETE']) {
      const reply = await send(method, workspace);
      expectRejection(reply);
      expect(reply.status).toBe(404);
    }
    const again = await send('POST', workspace, never);
    expect(again.status).toBe(201);
    expect(ids).not.toContain(again.body.data.id);
  });

  it.each(['POST', 'PATCH'])('accepts both spellings of the number of days with %s', async (method) => {
    const workspace = await createWorkspace();
    const spelled = (attributes: object) => send(method, workspace, { data: { type: OLDER, attributes } });
    for (const attributes of [
      { deleteOlderThanNDays: 5 },
      { 'delete-older-than-n-days': 6 },
      { deleteOlderThanNDays: 7, 'delete-older-than-n-days': 7 },
    ]) {
      const [days] = Object.values(attributes);
      expect((await spelled(attributes)).body.data.attributes).toEqual({ 'delete-older-than-n-days': days });
    }
    const rejected = await spelled({ deleteOlderThanNDays: 8, 'delete-older-than-n-days': 9 });
    expect(rejected.status).toBe(422);
    expect(rejected.body.errors[0].source).toEqual({ pointer: '/data/attributes/delete-older-than-n-days' });
    expect((await send('GET', workspace)).body.data.attributes).toEqual({ 'delete-older-than-n-days': 7 });
  });

  it('is returned in the legacy form when it was set in that form with PATCH', async () => {
    const workspace = await createWorkspace();
    const set = await send('PATCH', workspace, deleteOlder(12, LEGACY));
    expect(set.status).toBe(200);
    expect(set.body).toEqual(expectedDocument(workspace, LEGACY, { 'delete-older-than-n-days': 12 }));
    expect((await send('GET', workspace)).body).toEqual(set.body);
    expect((await getRelationship(workspace)).data).toEqual({ type: LEGACY, id: set.body.data.id });
    const newer = await send('POST', workspace, deleteOlder(12));
    expect(newer.body.data).toMatchObject({ type: OLDER, id: set.body.data.id });
  });

  it('does not change updated-at of the workspace', async () => {
    const workspace = await createWorkspace();
    const updatedAt = async () =>
      (await api.request('GET', `/workspaces/${workspace}`, { token: owner })).body.data.attributes['updated-at'];
    const before = await updatedAt();
    await send('POST', workspace, never);
    await send('DELETE', workspace);
    expect(await updatedAt()).toBe(before);
  });

  it('returns 404 when its workspace is deleted', async () => {
    const workspace = await createWorkspace();
    await send('POST', workspace, never);
    await api.request('DELETE', `/workspaces/${workspace}`, { token: owner });
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      expect(await send(method, workspace, never)).toMatchObject({ status: 404, body: NOT_FOUND });
    }
  });
});

describe('body of a data retention policy', () => {
  it.each<[unknown, string]>([
    [{}, '/data'],
    [{ data: null }, '/data'],
    [{ data: {} }, '/data/type'],
    [{ data: { type: 'workspaces' } }, '/data/type'],
    [{ data: { type: OLDER } }, '/data/attributes/delete-older-than-n-days'],
    [{ data: { type: LEGACY, attributes: null } }, '/data/attributes/delete-older-than-n-days'],
    [{ data: { type: OLDER, attributes: {} } }, '/data/attributes/delete-older-than-n-days'],
    [{ data: { type: OLDER, attributes: [] } }, '/data/attributes'],
    ...[0, -1, 36_501, 1.5, 1e300, '7', null, true, [], {}].map((days): [unknown, string] => [
      deleteOlder(days),
      '/data/attributes/delete-older-than-n-days',
    ]),
    [{ data: { type: OLDER, attributes: { deleteOlderThanNDays: 0 } } }, '/data/attributes/deleteOlderThanNDays'],
  ])('returns 422 for %j with pointer %s', async (body, pointer) => {
    const workspace = await createWorkspace();
    for (const method of ['POST', 'PATCH']) {
      const reply = await send(method, workspace, body);
      expectRejection(reply);
      expect(reply.status).toBe(422);
      expect(reply.body.errors[0].source).toEqual({ pointer });
    }
    expect(await getRelationship(workspace)).toEqual({ data: null });
  });

  it('accepts any whole number of days from 1 to 36,500', async () => {
    const workspace = await createWorkspace();
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: -2, max: 40_000 }), async (days) => {
        const reply = await send('POST', workspace, deleteOlder(days));
        const isTaken = days >= 1 && days <= 36_500;
        expect(reply.status >= 200 && reply.status < 300).toBe(isTaken);
        if (isTaken) expect(reply.body.data.attributes['delete-older-than-n-days']).toBe(days);
      }),
      bounded(12),
    );
  });
});

describe('concurrent changes of a data retention policy', () => {
  it('create it once, and the second request updates it', async () => {
    const workspace = await createWorkspace();
    let other: Awaited<ReturnType<typeof send>> | undefined;
    proxy.beforeNext('UpdateItem', async () => {
      other = await send('POST', workspace, never);
    });
    const reply = await send('POST', workspace, deleteOlder(3));
    expect([other?.status, reply.status]).toEqual([201, 200]);
    expect(reply.body.data.id).toBe(other?.body.data.id);
    expect((await send('GET', workspace)).body).toEqual(reply.body);
  });

  it('delete it once, and both requests return 204', async () => {
    const workspace = await createWorkspace();
    await send('POST', workspace, never);
    proxy.beforeNext('UpdateItem', () => send('DELETE', workspace));
    expect((await send('DELETE', workspace)).status).toBe(204);
    expect(await getRelationship(workspace)).toEqual({ data: null });
  });

  it('create it with a new id when it is deleted during an update', async () => {
    const workspace = await createWorkspace();
    const first = await send('POST', workspace, never);
    proxy.beforeNext('UpdateItem', () => send('DELETE', workspace));
    const second = await send('POST', workspace, deleteOlder(3));
    expect(second.status).toBe(201);
    expect(second.body.data.id).not.toBe(first.body.data.id);
  });
});

const sendToOrganization = (method: string, body?: unknown, token = owner) =>
  api.request(method, '/organizations/acme/relationships/data-retention-policy', {
    token,
    ...(body !== undefined && { body }),
  });
const getOrganizationRelationship = async () =>
  (await api.request('GET', '/organizations/acme', { token: owner })).body.data.relationships['data-retention-policy'];

describe('default data retention policy of an organization', () => {
  afterEach(() => sendToOrganization('DELETE'));

  it('is shown for workspaces without a policy, with the organization as its target', async () => {
    const [without, having] = [await createWorkspace(), await createWorkspace()];
    const own = await send('POST', having, deleteOlder(5));
    const set = await sendToOrganization('POST', deleteOlder(90));
    expect(set.status).toBe(201);
    expect(set.body.data).toMatchObject({
      type: OLDER,
      attributes: { 'delete-older-than-n-days': 90 },
      relationships: { target: { data: { type: 'organizations', id: 'acme' } } },
      links: { self: '/api/v2/organizations/acme/relationships/data-retention-policy' },
    });
    expect(await send('GET', without)).toMatchObject({ status: 200, body: set.body });
    expect((await send('GET', having)).body).toEqual(own.body);
    // Clients use the relationship to find out whether the workspace has a policy of its own.
    expect(await getRelationship(without)).toEqual({ data: null });
    await send('DELETE', having);
    expect((await send('GET', having)).body).toEqual(set.body);
    await sendToOrganization('DELETE');
    expect((await send('GET', having)).status).toBe(404);
  });

  it('keeps one id through all changes, which the organization shows', async () => {
    expect(await getOrganizationRelationship()).toEqual({ data: null });
    const set = await sendToOrganization('POST', never);
    for (const [method, body] of [
      ['POST', deleteOlder(7)],
      ['PATCH', deleteOlder(7, LEGACY)],
      ['POST', never],
    ] as const) {
      const changed = await sendToOrganization(method, body);
      expect(changed.status).toBe(200);
      expect(changed.body.data).toMatchObject({ id: set.body.data.id, type: body.data.type });
      expect((await sendToOrganization('GET')).body).toEqual(changed.body);
      expect((await getOrganizationRelationship()).data).toEqual({ type: body.data.type, id: set.body.data.id });
    }
    expect((await sendToOrganization('DELETE')).status).toBe(204);
    expect((await sendToOrganization('GET')).status).toBe(404);
    expect((await sendToOrganization('DELETE')).status).toBe(404);
  });

  it('is kept when the organization is updated', async () => {
    const set = await sendToOrganization('POST', never);
    await api.admin('update-organization', { name: 'acme', email: 'bob@example.com' });
    expect((await sendToOrganization('GET')).body).toEqual(set.body);
    expect((await api.admin('check-table')).findings).toEqual([]);
  });

  it('is created once by concurrent requests, and the second one updates it', async () => {
    let other: Awaited<ReturnType<typeof send>> | undefined;
    proxy.beforeNext('UpdateItem', async () => {
      other = await sendToOrganization('POST', never);
    });
    const reply = await sendToOrganization('POST', deleteOlder(3));
    expect([other?.status, reply.status]).toEqual([201, 200]);
    expect(reply.body.data.id).toBe(other?.body.data.id);
    expect((await sendToOrganization('GET')).body).toEqual(reply.body);
  });

  it('is deleted once by concurrent requests, and both return 204', async () => {
    await sendToOrganization('POST', never);
    proxy.beforeNext('UpdateItem', () => sendToOrganization('DELETE'));
    expect((await sendToOrganization('DELETE')).status).toBe(204);
    expect((await sendToOrganization('GET')).status).toBe(404);
  });

  it('returns 404 when the organization is deleted in the meantime', async () => {
    const { token } = await api.admin('create-organization', { name: 'doomed', email: 'eve@example.com' });
    const path = '/organizations/doomed';
    proxy.beforeNext('UpdateItem', () => api.request('DELETE', path, { token }));
    const reply = await api.request('POST', `${path}/relationships/data-retention-policy`, { token, body: never });
    expect(reply.status).toBe(404);
  });
});

describe('hosted edition', () => {
  it('returns the same 404 for all data retention paths as for unknown paths', async () => {
    const table = { ...engine, tableName: await engine.createTable() };
    const hosted = await startApi({ engine: table, edition: 'hosted' });
    const { token } = await hosted.admin('create-organization', { name: 'acme', email: 'ada@example.com' });
    const created = await hosted.request('POST', '/organizations/acme/workspaces', {
      token,
      body: { data: { type: 'workspaces', attributes: { name: 'hosted' } } },
    });
    const parameters: Record<string, string> = { workspace_id: created.body.data.id, organization_name: 'acme' };
    const unknown = await hosted.request('GET', '/nothing', { token });
    const own = routeIds.filter((route) => routes[route].function === 'data-retention-policy');
    expect(own.length).toBeGreaterThan(3);
    for (const route of own) {
      const path = routes[route].path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');
      for (const request of [{ token }, { token, body: never }, { token, body: 'no json' }, { body: never }, {}]) {
        expect(await hosted.request(routes[route].method, path, request), route).toEqual(unknown);
      }
    }
    expect(unknown).toMatchObject({ status: 404, body: NOT_FOUND });
    await hosted.stop();
  });
});
