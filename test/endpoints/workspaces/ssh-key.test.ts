import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDirectoryWriter } from '../../../shared/store/directory/directory-writer.ts';
import { openRemoval } from '../../../shared/store/directory/removal/open-removal.ts';
import { keys } from '../../../shared/store/dynamodb/keys.ts';
import { serviceRequest } from '../../../shared/store/workspaces/service-request.ts';
import { openWorkspaces } from '../../../shared/store/workspaces/workspace-store.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { createSshKey } from '../../support/api/create-ssh-key.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type HookProxy, startHookProxy } from '../../support/faults/hook-proxy.ts';
import { expectRejection } from '../../support/models/arbitraries/arbitraries-checks.ts';

/** Assignment and removal of the SSH key of a workspace (SSH-1). */
let engine: TestEngine;
let proxy: HookProxy;
let api: Api;
let owner: string;

const organization = 'acme';

let stranger: string;

beforeAll(async () => {
  engine = await startEngine();
  proxy = await startHookProxy(engine.endpoint);
  api = await startApi({ engine, endpoint: proxy.endpoint });
  ({ token: owner } = await api.admin('create-organization', { name: organization, email: 'ada@example.com' }));
  ({ token: stranger } = await api.admin('create-organization', { name: 'umbrella', email: 'eve@example.com' }));
});
afterAll(async () => {
  await api.stop();
  await proxy.stop();
  await engine.stop();
});

let createdCount = 0;
const createKey = async (of = organization): Promise<string> =>
  (await createSshKey(api, of === organization ? owner : stranger, of, `key-${++createdCount}`)).id;
const createWorkspace = async () =>
  (
    await api.request('POST', `/organizations/${organization}/workspaces`, {
      token: owner,
      body: { data: { type: 'workspaces', attributes: { name: `workspace-${++createdCount}` } } },
    })
  ).body.data;
const show = async (id: string) => (await api.request('GET', `/workspaces/${id}`, { token: owner })).body;
const send = (id: string, body: unknown) =>
  api.request('PATCH', `/workspaces/${id}/relationships/ssh-key`, { token: owner, body });
const getKey = async (id: string) => (await show(id)).data.relationships['ssh-key'].data?.id ?? null;

const forms = {
  'the workspace with the key as its attribute': (id: string | null) => ({
    data: { type: 'workspaces', attributes: { id } },
  }),
  'the key itself': (id: string | null) => ({ data: { type: 'ssh-keys', id } }),
} as const;
const form = forms['the key itself'];

describe.each(Object.entries(forms))('assignment of an SSH key with a body that contains %s', (_, toBody) => {
  it('sets, replaces and clears the key, and returns the changed workspace', async () => {
    const { id } = await createWorkspace();
    for (const key of [await createKey(), await createKey(), null]) {
      const reply = await send(id, toBody(key));
      expect(reply.status).toBe(200);
      expect(reply.body.data.relationships['ssh-key']).toEqual(
        key === null
          ? { data: null }
          : { data: { type: 'ssh-keys', id: key }, links: { related: `/api/v2/ssh-keys/${key}` } },
      );
      expect(await show(id)).toEqual(reply.body);
    }
  });

  it('changes only the key and updated-at', async () => {
    const before = await createWorkspace();
    const key = await createKey();
    const { data: after } = (await send(before.id, toBody(key))).body;
    expect(after.attributes['updated-at'] >= before.attributes['updated-at']).toBe(true);
    expect({ ...after.attributes, 'updated-at': 0 }).toEqual({ ...before.attributes, 'updated-at': 0 });
    expect({ ...after.relationships, 'ssh-key': 0 }).toEqual({ ...before.relationships, 'ssh-key': 0 });
  });

  it('returns the same 404 for keys that are deleted, unknown or of another organization', async () => {
    const [{ id }, deleted] = [await createWorkspace(), await createKey()];
    await send(id, toBody(await createKey()));
    const before = await show(id);
    await removal().beginRecord(serviceRequest('cleanup'), 'sshKey', organization, deleted);
    const foreign = await createKey('umbrella');
    const unknown = ['sshkey-1111111111111111', 'nonexisting', '', 'sshkey-', `${foreign} `, id, '__proto__'];
    const replies = await Promise.all([foreign, deleted, ...unknown].map((key) => send(id, toBody(key))));
    for (const reply of replies) {
      expectRejection(reply);
      expect(reply.status).toBe(404);
      expect(reply).toEqual(replies[0]);
    }
    expect(await show(id)).toEqual(before);
  });
});

const removal = (clock = Date.now) =>
  openRemoval(openDirectoryWriter(engine.database, clock), openWorkspaces(engine.database, clock));

describe('body of an SSH key assignment', () => {
  it.each<[unknown, string]>([
    [{}, '/data'],
    [{ data: null }, '/data'],
    [{ data: [] }, '/data'],
    [{ data: {} }, '/data/type'],
    [{ data: { type: 'runs', id: null } }, '/data/type'],
    [{ data: { type: 'ssh-keys' } }, '/data/id'],
    [{ data: { type: 'ssh-keys', id: 7 } }, '/data/id'],
    [{ data: { type: 'ssh-keys', id: 'x'.repeat(256) } }, '/data/id'],
    [{ data: { type: 'workspaces' } }, '/data/attributes/id'],
    [{ data: { type: 'workspaces', attributes: null } }, '/data/attributes/id'],
    [{ data: { type: 'workspaces', attributes: [] } }, '/data/attributes'],
    [{ data: { type: 'workspaces', attributes: {} } }, '/data/attributes/id'],
    [{ data: { type: 'workspaces', attributes: { id: {} } } }, '/data/attributes/id'],
    [{ data: { type: 'workspaces', id: 'ws-1111111111111111', attributes: { id: null } } }, '/data/id'],
  ])('returns 422 for the body %j with pointer %s', async (body, pointer) => {
    const { id } = await createWorkspace();
    const reply = await send(id, body);
    expectRejection(reply);
    expect(reply.status).toBe(422);
    expect(reply.body.errors[0].source).toEqual({ pointer });
  });

  it("is accepted with the id of the path's workspace and with unknown members", async () => {
    const [{ id }, key] = [await createWorkspace(), await createKey()];
    const data = { type: 'workspaces', id, attributes: { id: key, name: 'ignored' }, relationships: {} };
    expect((await send(id, { data, meta: {} })).status).toBe(200);
    expect(await getKey(id)).toBe(key);
  });
});

describe('assignment of an SSH key during a concurrent change', () => {
  it('keeps a concurrent update of the settings', async () => {
    const [{ id }, key] = [await createWorkspace(), await createKey()];
    proxy.beforeNext('UpdateItem', () =>
      api.request('PATCH', `/workspaces/${id}`, {
        token: owner,
        body: { data: { type: 'workspaces', attributes: { description: 'extra' } } },
      }),
    );
    const reply = await send(id, form(key));
    expect(reply.body.data.attributes.description).toBe('extra');
    expect(reply.body.data.relationships['ssh-key'].data.id).toBe(key);
    expect(await show(id)).toEqual(reply.body);
  });

  it('returns 404 when the workspace is deleted in the meantime', async () => {
    const [{ id }, key] = [await createWorkspace(), await createKey()];
    proxy.beforeNext('UpdateItem', () => api.request('DELETE', `/workspaces/${id}`, { token: owner }));
    expect((await send(id, form(key))).status).toBe(404);
  });

  it('is undone by the cleanup when the key is deleted in the meantime', async () => {
    const [{ id }, key] = [await createWorkspace(), await createKey()];
    const stored = await removal().findRecord('sshKey', organization, key);
    proxy.beforeNext('UpdateItem', () => removal().begin(serviceRequest('cleanup'), stored));
    expect((await send(id, form(key))).status).toBe(200);
    expect(await getKey(id)).toBe(key);
    // The deletion finishes when no request can be running that still read the key; then it clears late assignments.
    await removal(() => Date.now() + 60_000).finish(serviceRequest('cleanup'), keys.record('sshKey', key));
    expect(await getKey(id)).toBeNull();
    expect((await api.admin('check-table')).findings).toEqual([]);
  });
});
