import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceRequest } from '../../../shared/store/automation/service-request.ts';
import { openAdministration } from '../../../shared/store/directory/organizations.ts';
import { openRemoval } from '../../../shared/store/directory/removal.ts';
import { keys } from '../../../shared/store/dynamodb/keys.ts';
import { openWorkspaces } from '../../../shared/store/workspaces/workspace-store.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { makeSshKey } from '../../support/api/ssh-key.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type HookProxy, startHookProxy } from '../../support/faults/hook-proxy.ts';
import { expectRefusal } from '../../support/models/arbitraries-checks.ts';

/** Giving a workspace an SSH key, and taking it away (SSH-1). */
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

let made = 0;
const aKey = async (of = organization): Promise<string> =>
  (await makeSshKey(api, of === organization ? owner : stranger, of, `key-${++made}`)).id;
const aWorkspace = async () =>
  (
    await api.request('POST', `/organizations/${organization}/workspaces`, {
      token: owner,
      body: { data: { type: 'workspaces', attributes: { name: `workspace-${++made}` } } },
    })
  ).body.data;
const show = async (id: string) => (await api.request('GET', `/workspaces/${id}`, { token: owner })).body;
const send = (id: string, body: unknown) =>
  api.request('PATCH', `/workspaces/${id}/relationships/ssh-key`, { token: owner, body });
const keyOf = async (id: string) => (await show(id)).data.relationships['ssh-key'].data?.id ?? null;

const forms = {
  'the workspace with the key as its attribute': (id: string | null) => ({
    data: { type: 'workspaces', attributes: { id } },
  }),
  'the key itself': (id: string | null) => ({ data: { type: 'ssh-keys', id } }),
} as const;
const form = forms['the key itself'];

describe.each(Object.entries(forms))('an assignment that sends %s', (_, bodyOf) => {
  it('gives the key, another one, and none, and answers the workspace as it then is', async () => {
    const { id } = await aWorkspace();
    for (const key of [await aKey(), await aKey(), null]) {
      const reply = await send(id, bodyOf(key));
      expect(reply.status).toBe(200);
      expect(reply.body.data.relationships['ssh-key']).toEqual(
        key === null
          ? { data: null }
          : { data: { type: 'ssh-keys', id: key }, links: { related: `/api/v2/ssh-keys/${key}` } },
      );
      expect(await show(id)).toEqual(reply.body);
    }
  });

  it('changes nothing else but when the settings last changed', async () => {
    const before = await aWorkspace();
    const key = await aKey();
    const { data: after } = (await send(before.id, bodyOf(key))).body;
    expect(after.attributes['updated-at'] >= before.attributes['updated-at']).toBe(true);
    expect({ ...after.attributes, 'updated-at': 0 }).toEqual({ ...before.attributes, 'updated-at': 0 });
    expect({ ...after.relationships, 'ssh-key': 0 }).toEqual({ ...before.relationships, 'ssh-key': 0 });
  });

  it('answers 404 for a key that is not there for this organization, in the same words whatever the reason', async () => {
    const [{ id }, gone] = [await aWorkspace(), await aKey()];
    await send(id, bodyOf(await aKey()));
    const before = await show(id);
    await removal().begin(await removal().recordItem('sshKey', organization, gone));
    const foreign = await aKey('umbrella');
    const others = ['sshkey-1111111111111111', 'nonexisting', '', 'sshkey-', `${foreign} `, id, '__proto__'];
    const replies = await Promise.all([foreign, gone, ...others].map((key) => send(id, bodyOf(key))));
    for (const reply of replies) {
      expectRefusal(reply);
      expect(reply.status).toBe(404);
      expect(reply).toEqual(replies[0]);
    }
    expect(await show(id)).toEqual(before);
  });
});

const removal = (clock = Date.now) =>
  openRemoval(openAdministration(engine.database, clock), openWorkspaces(engine.database, clock), () =>
    serviceRequest('cleanup'),
  );

describe('a body', () => {
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
  ])('%j is refused, pointing at %s', async (body, pointer) => {
    const { id } = await aWorkspace();
    const reply = await send(id, body);
    expectRefusal(reply);
    expect(reply.status).toBe(422);
    expect(reply.body.errors[0].source).toEqual({ pointer });
  });

  it('may name the workspace of the path, and whatever else clients send', async () => {
    const [{ id }, key] = [await aWorkspace(), await aKey()];
    const data = { type: 'workspaces', id, attributes: { id: key, name: 'ignored' }, relationships: {} };
    expect((await send(id, { data, meta: {} })).status).toBe(200);
    expect(await keyOf(id)).toBe(key);
  });
});

describe('an assignment while something else happens', () => {
  it('survives beside an update of the settings', async () => {
    const [{ id }, key] = [await aWorkspace(), await aKey()];
    proxy.beforeNext('UpdateItem', () =>
      api.request('PATCH', `/workspaces/${id}`, {
        token: owner,
        body: { data: { type: 'workspaces', attributes: { description: 'beside' } } },
      }),
    );
    const reply = await send(id, form(key));
    expect(reply.body.data.attributes.description).toBe('beside');
    expect(reply.body.data.relationships['ssh-key'].data.id).toBe(key);
    expect(await show(id)).toEqual(reply.body);
  });

  it('does not happen to a workspace that is deleted meanwhile', async () => {
    const [{ id }, key] = [await aWorkspace(), await aKey()];
    proxy.beforeNext('UpdateItem', () => api.request('DELETE', `/workspaces/${id}`, { token: owner }));
    expect((await send(id, form(key))).status).toBe(404);
  });

  it('does not outlive the deletion of its key, that it saw nothing of', async () => {
    const [{ id }, key] = [await aWorkspace(), await aKey()];
    const item = await removal().recordItem('sshKey', organization, key);
    proxy.beforeNext('UpdateItem', () => removal().begin(item));
    expect((await send(id, form(key))).status).toBe(200);
    expect(await keyOf(id)).toBe(key);
    // Once no request can be under way that still saw the key, what the last ones did is undone.
    await removal(() => Date.now() + 60_000).finish(keys.record('sshKey', key));
    expect(await keyOf(id)).toBeNull();
    expect((await api.admin('check-table')).findings).toEqual([]);
  });
});
