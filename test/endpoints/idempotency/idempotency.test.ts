import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkTable } from '../../../shared/store/consistency-check/check-table.ts';
import { render } from '../../../shared/store/dynamodb/expressions.ts';
import { keys } from '../../../shared/store/dynamodb/keys.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { type HookProxy, startHookProxy } from '../../support/faults/hook-proxy.ts';
import { type CrashProxy, startCrashProxy } from '../../support/faults/lock-crash-proxy.ts';

let engine: TestEngine;
let proxy: HookProxy;
let crashProxy: CrashProxy;
let api: Api;
let owner: string;
let count = 0;

beforeAll(async () => {
  engine = await startEngine();
  proxy = await startHookProxy(engine.endpoint);
  crashProxy = await startCrashProxy(proxy.endpoint);
  api = await startApi({ engine, endpoint: crashProxy.endpoint, deletedWorkspaceDays: 14 });
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(async () => {
  expect((await checkTable(engine.database)).findings).toEqual([]);
  await api.stop();
  await crashProxy.stop();
  await proxy.stop();
  await engine.stop();
});

const newKey = () => `"key-${++count}"`;
const send = (method: string, path: string, key: string | undefined, body?: object, token = owner) =>
  api.request(method, path, { token, body, headers: key === undefined ? {} : { 'idempotency-key': key } });
const workspaceBody = (attributes: object) => ({ data: { type: 'workspaces', attributes } });
const WORKSPACES = '/organizations/acme/workspaces';

const createWorkspace = async (): Promise<string> => {
  const { body } = await send('POST', WORKSPACES, undefined, workspaceBody({ name: `workspace-${++count}` }));
  return body.data.id;
};
const act = (id: string, action: string, key?: string, token?: string) =>
  send('POST', `/workspaces/${id}/actions/${action}`, key, undefined, token);
const show = async (id: string) => (await send('GET', `/workspaces/${id}`, undefined)).body.data;
/** Removes the stored response of a request, as if its function had crashed more than 30 seconds ago. */
const forgetResponse = async (key: string): Promise<void> => {
  const id = createHmac('sha256', owner)
    .update(`key\n${key.slice(1, -1)}\n`)
    .digest('base64url');
  const change = { set: { until: 0 }, remove: ['answer'] };
  await engine.database.write({ kind: 'update', key: keys.command('token', id), ...render({ change }) });
};
/** Returns the number of changes of a workspace. */
const countChanges = async (id: string): Promise<number> =>
  Number((await engine.database.get(keys.workspace(id), true))?.['seq']);
const storedText = async (): Promise<string> => {
  const items: unknown[] = [];
  for await (const item of scanItems(engine.database)) items.push(item);
  return JSON.stringify(items);
};
const expectError = ({ status, body }: ApiResponse, expected: number, detail: RegExp) => {
  expect(body.errors?.[0]?.detail).toMatch(detail);
  expect(status).toBe(expected);
};
/** Returns the number of items of a type. */
const countItems = async (type: string): Promise<number> => (await storedText()).split(`"ty":"${type}"`).length - 1;
/** Lets so many seconds pass for the functions. */
const pass = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 * seconds });

describe('a request with an Idempotency-Key', () => {
  it('locks once, however often it is sent', async () => {
    const id = await createWorkspace();
    const key = newKey();
    const first = await act(id, 'lock', key);
    expect(first.status).toBe(200);
    const before = await countChanges(id);
    expect(await act(id, 'lock', key)).toEqual(first);
    expect(await act(id, 'lock', key.replaceAll('"', ''))).toEqual(first);
    expect(await countChanges(id)).toBe(before);
    expectError(await act(id, 'lock'), 409, /locked/);
    expectError(await act(id, 'lock', newKey()), 409, /locked/);
  });

  it('gets the status of the first response and the present record', async () => {
    const id = await createWorkspace();
    const key = newKey();
    await act(id, 'lock', key);
    await act(id, 'unlock');
    const { status, body } = await act(id, 'lock', key);
    expect(status).toBe(200);
    expect(body.data).toEqual(await show(id));
    expect(body.data.attributes.locked).toBe(false);
  });

  it('gets the renamed record of an update by name', async () => {
    const id = await createWorkspace();
    const { name } = (await show(id)).attributes;
    const key = newKey();
    const rename = () => send('PATCH', `${WORKSPACES}/${name}`, key, workspaceBody({ name: `${name}-new` }));
    expect((await rename()).status).toBe(200);
    expect((await rename()).body.data.attributes.name).toBe(`${name}-new`);
  });

  it('creates one record, and gets 404 once that is deleted', async () => {
    const key = newKey();
    const create = () => send('POST', WORKSPACES, key, workspaceBody({ name: `created-once-${key.slice(1, -1)}` }));
    const first = await create();
    expect(first.status).toBe(201);
    expect(await create()).toEqual(first);
    expect((await act(first.body.data.id, 'safe-delete')).status).toBe(204);
    expect((await create()).status).toBe(404);
  });

  it.each<[what: string, method: string, path: string, body: object]>([
    ['body', 'PATCH', '', workspaceBody({ description: 'two' })],
    ['query', 'PATCH', '?x=1', workspaceBody({ description: 'one' })],
    ['path', 'PATCH', '/relationships/ssh-key', workspaceBody({ id: null })],
    ['method', 'DELETE', '', workspaceBody({ description: 'one' })],
  ])('is rejected with 422 if an earlier request with the key had another %s', async (_, method, path, body) => {
    const id = await createWorkspace();
    const key = newKey();
    expect((await send('PATCH', `/workspaces/${id}`, key, workspaceBody({ description: 'one' }))).status).toBe(200);
    expectError(await send(method, `/workspaces/${id}${path}`, key, body), 422, /Idempotency-Key was used for another/);
    expect((await show(id)).attributes.description).toBe('one');
  });

  it('is another request with the same key and another token', async () => {
    const id = await createWorkspace();
    const { token } = await api.admin('create-token', { kind: 'user', username: 'ada' });
    const key = newKey();
    expect((await act(id, 'lock', key)).status).toBe(200);
    expectError(await act(id, 'lock', key, token), 409, /locked/);
  });

  it('gets a rejection again after its cause is gone', async () => {
    const id = await createWorkspace();
    const key = newKey();
    await act(id, 'lock');
    const rejected = await act(id, 'lock', key);
    expectError(rejected, 409, /locked/);
    await act(id, 'unlock');
    expect(await act(id, 'lock', key)).toEqual(rejected);
    expect((await act(id, 'lock', newKey())).status).toBe(200);
  });

  it('is executed again after a 404', async () => {
    const name = `later-${++count}`;
    const key = newKey();
    const update = () => send('PATCH', `${WORKSPACES}/${name}`, key, workspaceBody({ description: 'd' }));
    expect((await update()).status).toBe(404);
    await send('POST', WORKSPACES, undefined, workspaceBody({ name }));
    expect((await update()).body.data.attributes.description).toBe('d');
  });

  it('gets 404 again if it deletes what never existed', async () => {
    const path = `/workspaces/${await createWorkspace()}/vars/var-EavQ1LztoRTQHSNT`;
    const key = newKey();
    for (const _ of [1, 2, 3]) expect((await send('DELETE', path, key)).status).toBe(404);
  });

  it('gets 204 again after it deleted the workspace', async () => {
    const id = await createWorkspace();
    const key = newKey();
    expect((await act(id, 'safe-delete', key)).status).toBe(204);
    expect((await act(id, 'safe-delete', key)).status).toBe(204);
    expect((await act(id, 'safe-delete')).status).toBe(404);
  });

  it('leaves no item if the token is invalid', async () => {
    const id = await createWorkspace();
    const { token, id: tokenId } = await api.admin('create-token', { kind: 'user', username: 'ada' });
    await api.admin('revoke-token', { id: tokenId });
    const before = await countItems('command');
    expect((await act(id, 'lock', newKey(), token)).status).toBe(401);
    expect(await countItems('command')).toBe(before);
  });

  it('gets no response to an earlier request once the caller lost the right to send it', async () => {
    const id = await createWorkspace();
    await api.admin('create-user', { username: `user-${++count}`, email: `user-${count}@example.com` });
    const username = `user-${count}`;
    const { token } = await api.admin('create-token', { kind: 'user', username });
    const team = `team-${count}`;
    await api.admin('create-team', { organization: 'acme', name: team });
    await api.admin('add-member', { organization: 'acme', team, username });
    const grant = (access: string) => api.admin('grant-access', { organization: 'acme', team, workspace: id, access });
    await grant('write');
    const key = newKey();
    expect((await act(id, 'lock', key, token)).status).toBe(200);
    await grant('read');
    expect((await act(id, 'lock', key, token)).status).toBe(404);
    await grant('write');
    expect((await act(id, 'lock', key, token)).status).toBe(200);
  });

  it('gets 409 with the id of a token that only the first response showed', async () => {
    const { body: account } = await send('GET', '/account/details', undefined);
    const key = newKey();
    const create = () => send('POST', `/users/${account.data.id}/authentication-tokens`, key);
    const first = await create();
    expect(first.status).toBe(201);
    const second = await create();
    expectError(second, 409, /showed a secret/);
    expect(second.body.errors[0].meta).toEqual({ id: first.body.data.id });
    expect(await storedText()).not.toContain(first.body.data.attributes.token);
    await api.admin('revoke-token', { id: first.body.data.id });
    expect(await create()).toEqual(second);
  });

  it('is rejected with 401 once the token of the caller is revoked', async () => {
    const id = await createWorkspace();
    const { token, id: tokenId } = await api.admin('create-token', { kind: 'user', username: 'ada' });
    const key = newKey();
    expect((await act(id, 'lock', key, token)).status).toBe(200);
    await api.admin('revoke-token', { id: tokenId });
    expect((await act(id, 'lock', key, token)).status).toBe(401);
  });

  it('gets its record in the vocabulary of the repeated request', async () => {
    const path = `/workspaces/${await createWorkspace()}/vars`;
    const body = { data: { type: 'vars', attributes: { key: 'k', value: 'v', category: 'terraform' } } };
    const key = newKey();
    const create = (vocabulary: string) =>
      api.request('POST', path, {
        token: owner,
        body,
        headers: { 'idempotency-key': key, 'holdfast-vocabulary': vocabulary },
      });
    const first = (await create('infra')).body.data;
    const second = (await create('terraform')).body.data;
    expect(first.attributes.category).toBe('infra');
    expect(second).toEqual({ ...first, attributes: { ...first.attributes, category: 'terraform' } });
  });

  it('leaves no value of its body in the table, and no hash that the table allows to guess', async () => {
    const id = await createWorkspace();
    const body = {
      data: { type: 'vars', attributes: { key: 'k', value: 'open-sesame', category: 'env', sensitive: true } },
    };
    const key = newKey();
    const first = await send('POST', `/workspaces/${id}/vars`, key, body);
    expect(first.status).toBe(201);
    expect(await send('POST', `/workspaces/${id}/vars`, key, body)).toEqual(first);
    const stored = await storedText();
    expect(stored).not.toContain('open-sesame');
    expect(stored).not.toContain(key);
  });

  it.each(['', '""', '"a', 'a b', '"a", "b"', `"${'k'.repeat(256)}"`])(
    'is rejected with 400 if the key is %j, and changes nothing',
    async (key) => {
      const id = await createWorkspace();
      expectError(await act(id, 'lock', key), 400, /Idempotency-Key/);
      expect((await show(id)).attributes.locked).toBe(false);
    },
  );

  it('ignores the key of a GET', async () => {
    const id = await createWorkspace();
    expect((await send('GET', `/workspaces/${id}`, '"')).status).toBe(200);
  });

  it('is executed once when it is sent ten times at once', async () => {
    const id = await createWorkspace();
    const before = await countChanges(id);
    const key = newKey();
    const responses = await Promise.all(Array.from({ length: 10 }, () => act(id, 'lock', key)));
    expect(await countChanges(id)).toBe(before + 1);
    const others = responses.filter(({ status }) => status !== 200);
    expect(others.length).toBeLessThan(10);
    for (const response of others) {
      expectError(response, 409, /still running/);
      expect(response.headers['retry-after']).toBe('1');
    }
    expect((await act(id, 'lock', key)).status).toBe(200);
  });

  it('is executed again with its key after a day', async () => {
    const id = await createWorkspace();
    const key = newKey();
    expect((await act(id, 'lock', key)).status).toBe(200);
    pass(24 * 60 * 60 + 2);
    expectError(await act(id, 'lock', key), 409, /locked/);
  });

  it('is executed once although the responses of the table are lost', async () => {
    const id = await createWorkspace();
    const before = await countChanges(id);
    const key = newKey();
    proxy.loseNext('UpdateItem', async () => proxy.loseNext('UpdateItem', async () => proxy.loseNext('UpdateItem')));
    expect((await act(id, 'lock', key)).status).toBe(200);
    expect((await act(id, 'lock', key)).status).toBe(200);
    expect(await countChanges(id)).toBe(before + 1);
  });
});

/** A request whose function crashes, and the number of its effects. */
interface CrashingRequest {
  readonly send: (key: string) => Promise<ApiResponse>;
  readonly countEffects: () => Promise<number>;
  /** Status of the repeated request if the first attempt was executed, but its response was not stored. */
  readonly resumed?: number;
}

const creating = (type: string, path: string, body: object, resumed?: number): CrashingRequest => ({
  send: (key) => send('POST', path, key, body),
  countEffects: () => countItems(type),
  ...(resumed !== undefined && { resumed }),
});
const changing = (id: string, sendWithKey: CrashingRequest['send']): CrashingRequest => ({
  send: sendWithKey,
  countEffects: () => countChanges(id),
});
const resource = (type: string, attributes: object, relationships?: object) => ({
  data: { type, attributes, ...(relationships && { relationships }) },
});

describe('a deletion or restoration with an Idempotency-Key whose function crashed after its write', () => {
  const restore = (id: string, key?: string) => send('POST', `/deleted-workspaces/${id}/actions/restore`, key);

  it.each<[what: string, remove: (id: string, key: string) => Promise<ApiResponse>]>([
    ['safe delete', (id, key) => act(id, 'safe-delete', key)],
    ['force delete', (id, key) => send('DELETE', `/workspaces/${id}`, key)],
  ])('does not delete a workspace again that was restored since: %s', async (_, remove) => {
    const id = await createWorkspace();
    const key = newKey();
    expect((await remove(id, key)).status).toBe(204);
    await forgetResponse(key);
    expect((await restore(id)).status).toBe(200);
    const changes = await countChanges(id);
    for (const _again of [1, 2]) expect((await remove(id, key)).status).toBe(204);
    expect(await countChanges(id)).toBe(changes);
    expect((await remove(id, newKey())).status).toBe(204);
  });

  it('does not restore a workspace again that was deleted since, and is 404', async () => {
    const id = await createWorkspace();
    await act(id, 'safe-delete');
    const key = newKey();
    expect((await restore(id, key)).status).toBe(200);
    await forgetResponse(key);
    expect((await act(id, 'safe-delete')).status).toBe(204);
    expect((await restore(id, key)).status).toBe(404);
    expect((await restore(id, newKey())).status).toBe(200);
  });

  it('a repeated restoration succeeds although the workspace was changed since', async () => {
    const id = await createWorkspace();
    await act(id, 'safe-delete');
    const key = newKey();
    expect((await restore(id, key)).status).toBe(200);
    await forgetResponse(key);
    expect((await act(id, 'lock')).status).toBe(200);
    const changes = await countChanges(id);
    expect((await restore(id, key)).body.data).toMatchObject({ id, attributes: { locked: true } });
    expect(await countChanges(id)).toBe(changes);
  });
});

describe('an update with an Idempotency-Key and If-Match whose function crashed after its write', () => {
  const create = async (path: string, body: object): Promise<string> =>
    (await send('POST', path, newKey(), body)).body.data.id;
  const variable = (value: string) => resource('vars', { key: 'k', category: 'env', value });

  it.each<[what: string, prepare: (name: string) => Promise<readonly [path: string, update: object]>]>([
    ['workspace', async () => [`/workspaces/${await createWorkspace()}`, workspaceBody({ description: 'd' })]],
    [
      'project',
      async (name) => [
        `/projects/${await create('/organizations/acme/projects', resource('projects', { name }))}`,
        resource('projects', { description: 'd' }),
      ],
    ],
    [
      'variable',
      async () => {
        const path = `/workspaces/${await createWorkspace()}/vars`;
        return [`${path}/${await create(path, variable('1'))}`, variable('2')];
      },
    ],
    [
      'variable set',
      async (name) => {
        const data = [{ type: 'workspaces', id: await createWorkspace() }];
        const id = await create('/organizations/acme/varsets', resource('varsets', { name }));
        return [`/varsets/${id}`, resource('varsets', { description: 'd' }, { workspaces: { data } })];
      },
    ],
    [
      'variable of a variable set',
      async (name) => {
        const id = await create('/organizations/acme/varsets', resource('varsets', { name }));
        const path = `/varsets/${id}/relationships/vars`;
        return [`${path}/${await create(path, variable('1'))}`, variable('2')];
      },
    ],
  ])('gets its own change, and not 412: %s', async (_, prepare) => {
    const [path, body] = await prepare(`conditional-${++count}`);
    const { etag = '' } = (await send('GET', path, undefined)).headers;
    const key = newKey();
    const update = () =>
      api.request('PATCH', path, { token: owner, body, headers: { 'idempotency-key': key, 'if-match': etag } });
    const first = await update();
    expect(first.status).toBe(200);
    await forgetResponse(key);
    const resumed = await update();
    expect(resumed.body).toEqual(first.body);
    expect(resumed.headers['etag']).toBe(first.headers['etag']);
    expect(resumed.headers['etag']).toBe((await send('GET', path, undefined)).headers['etag']);
  });
});

describe('a request with an Idempotency-Key whose function crashes', () => {
  it.each<[what: string, status: number, prepare: (name: string) => Promise<CrashingRequest>]>([
    ['creation of a workspace', 201, async (name) => creating('workspace', WORKSPACES, workspaceBody({ name }))],
    [
      'creation of a variable',
      201,
      async (key) => {
        const attributes = { key, value: 'v', category: 'env' };
        return creating('variable', `/workspaces/${await createWorkspace()}/vars`, resource('vars', attributes));
      },
    ],
    [
      'creation of a token',
      201,
      async () => {
        const { body } = await send('GET', '/account/details', undefined);
        return creating('token', `/users/${body.data.id}/authentication-tokens`, {}, 409);
      },
    ],
    [
      'invitation of a user',
      201,
      async (name) => {
        const body = resource('organization-memberships', { email: `${name}@example.com` });
        return creating('organization-member', '/organizations/acme/organization-memberships', body);
      },
    ],
    [
      'creation of a variable set with an assignment',
      201,
      async (name) => {
        const data = [{ type: 'workspaces', id: await createWorkspace() }];
        const body = resource('varsets', { name }, { workspaces: { data } });
        return creating('assigned-variable-set', '/organizations/acme/varsets', body);
      },
    ],
    [
      'lock',
      200,
      async () => {
        const id = await createWorkspace();
        return changing(id, (key) => act(id, 'lock', key));
      },
    ],
    [
      'update',
      200,
      async () => {
        const id = await createWorkspace();
        return changing(id, (key) => send('PATCH', `/workspaces/${id}`, key, workspaceBody({ description: 'd' })));
      },
    ],
    [
      'deletion',
      204,
      async () => {
        const id = await createWorkspace();
        return changing(id, (key) => act(id, 'safe-delete', key));
      },
    ],
    [
      'deletion of a variable',
      204,
      async () => {
        const id = await createWorkspace();
        const vars = `/workspaces/${id}/vars`;
        const body = resource('vars', { key: 'k', value: 'v', category: 'env' });
        const variable = (await send('POST', vars, newKey(), body)).body.data.id;
        return changing(id, (key) => send('DELETE', `${vars}/${variable}`, key));
      },
    ],
  ])('is executed once if it is repeated after 30 seconds: %s', async (_, status, prepare) => {
    for (let calls = 0, isDead = true; isDead; calls++) {
      const { send: sendWithKey, countEffects, resumed = status } = await prepare(`crashed-${++count}`);
      const before = await countEffects();
      const key = newKey();
      isDead = await crashProxy.crashAfter(calls, () => sendWithKey(key));
      pass(31);
      const isExecuted = (await countEffects()) > before;
      const repeated = await sendWithKey(key);
      expect(repeated.status, `after ${calls} calls: ${JSON.stringify(repeated.body)}`).toBe(
        isExecuted ? resumed : status,
      );
      expect(await countEffects()).toBe(before + 1);
      vi.useRealTimers();
    }
  });
});
