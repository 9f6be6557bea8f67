import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../../shared/domain/limits.ts';
import { versionId } from '../../../shared/lib/random.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type HookProxy, startHookProxy } from '../../support/faults/hook-proxy.ts';

/**
 * Variables when another request comes between the reads and the write of a request, when a response of the database is
 * lost, and when a delayed write arrives after its sender has retried.
 */
let engine: TestEngine;
let proxy: HookProxy;
let api: Api;
let owner: string;
let workspace: string;

const WRITE = 'TransactWriteItems';
const send = (method: string, path: string, body?: unknown): Promise<ApiResponse> =>
  api.request(method, path, { token: owner, ...(body !== undefined && { body }) });
const createWorkspace = async (name: string): Promise<string> => {
  const body = { data: { type: 'workspaces', attributes: { name } } };
  return (await send('POST', '/organizations/acme/workspaces', body)).body.data.id;
};
const document = (attributes: object) => ({ data: { type: 'vars', attributes } });
const create = (key: string, attributes: object = {}, of = workspace) =>
  send('POST', `/workspaces/${of}/vars`, document({ key, category: 'env', ...attributes }));
const createVariable = async (key: string, attributes: object = {}, of = workspace): Promise<string> =>
  (await create(key, attributes, of)).body.data.id;
const patch = (id: string, attributes: object) => send('PATCH', `/vars/${id}`, document(attributes));
const remove = (id: string) => send('DELETE', `/vars/${id}`);
const show = (id: string, of = workspace) => send('GET', `/workspaces/${of}/vars/${id}`);
const keys = async (of = workspace): Promise<string[]> => {
  const { body } = await send('GET', `/workspaces/${of}/vars`);
  return body.data.map(({ attributes }: { attributes: { key: string } }) => attributes.key);
};
/** Decrypts a stored value. No function of the product can do this. */
const decryptValue = async (id: string, of = workspace): Promise<string> => {
  const { category, key } = (await engine.database.get({ pk: `REF#${id}`, sk: 'R' })) as Record<string, string>;
  const item = await engine.database.get({ pk: `WS#${of}`, sk: `V#${category}#${key}` });
  expect(item).not.toHaveProperty('value');
  return api.keyService.open(item?.['sealed'] as Uint8Array, { workspace: of, variable: id });
};

beforeAll(async () => {
  engine = await startEngine();
  proxy = await startHookProxy(engine.endpoint);
  api = await startApi({ engine, endpoint: proxy.endpoint });
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  workspace = await createWorkspace('network');
});
afterAll(async () => {
  expect((await api.admin('check-table')).findings).toEqual([]);
  await api.stop();
  await proxy.stop();
  await engine.stop();
});

describe('change of a variable during another change', () => {
  it('keeps a concurrent change of another attribute', async () => {
    const id = await createVariable('concurrent');
    proxy.beforeNext(WRITE, () => patch(id, { description: 'theirs' }));
    const changed = await patch(id, { value: 'mine' });
    expect(changed.body.data.attributes).toMatchObject({ value: 'mine', description: 'theirs' });
    expect((await show(id)).body.data.attributes).toEqual(changed.body.data.attributes);
  });

  it('follows the variable to the key that a concurrent change gave it', async () => {
    const id = await createVariable('before');
    proxy.beforeNext(WRITE, () => patch(id, { key: 'after', category: 'infra' }));
    expect((await patch(id, { value: 'mine' })).body.data.attributes).toMatchObject({ key: 'after', value: 'mine' });
    proxy.beforeNext(WRITE, () => patch(id, { key: 'later' }));
    expect((await remove(id)).status).toBe(204);
    expect((await show(id)).status).toBe(404);
  });

  it('returns 404 when the variable or its workspace is deleted in the meantime', async () => {
    for (const change of [
      (id: string) => patch(id, { value: 'mine' }),
      (id: string) => patch(id, { key: 'x' }),
      remove,
    ]) {
      const id = await createVariable('gone');
      proxy.beforeNext(WRITE, () => remove(id));
      expect((await change(id)).status).toBe(404);
      const moved = await createVariable('gone');
      const of = await createWorkspace(`doomed-${moved.slice(4)}`);
      const doomed = await createVariable('key', {}, of);
      proxy.beforeNext(WRITE, () => send('DELETE', `/workspaces/${of}`));
      expect((await change(doomed)).status).toBe(404);
      await remove(moved);
    }
  });

  it('encrypts the new value when the variable becomes sensitive in the meantime', async () => {
    const id = await createVariable('sealed-meanwhile', { value: 'old' });
    proxy.beforeNext(WRITE, () => patch(id, { sensitive: true }));
    const changed = await patch(id, { value: 'the new secret' });
    expect(changed.body.data.attributes).toMatchObject({ sensitive: true, value: null });
    expect(await decryptValue(id)).toBe('the new secret');
  });

  it('encrypts the latest value when it makes the variable sensitive', async () => {
    const id = await createVariable('secret-meanwhile', { value: 'old' });
    proxy.beforeNext(WRITE, () => patch(id, { value: 'the newer value' }));
    expect((await patch(id, { sensitive: true })).status).toBe(200);
    expect(await decryptValue(id)).toBe('the newer value');
  });

  it('returns 422 for a new key when the variable becomes sensitive in the meantime', async () => {
    const id = await createVariable('key-meanwhile');
    proxy.beforeNext(WRITE, () => patch(id, { sensitive: true }));
    const rejected = await patch(id, { key: 'another-key' });
    expect(rejected.body.errors[0].detail).toBe('Key cannot be updated for a sensitive variable');
  });

  it('checks whether the new key is taken at the time of the write', async () => {
    const [taken, id] = [await createVariable('is-taken'), await createVariable('wants-it')];
    proxy.beforeNext(WRITE, () => create('taken-meanwhile'));
    expect((await patch(id, { key: 'taken-meanwhile' })).status).toBe(422);
    proxy.beforeNext(WRITE, () => remove(taken));
    expect((await patch(id, { key: 'is-taken' })).body.data.attributes.key).toBe('is-taken');
  });

  it('keeps a sensitive value that the request does not name', async () => {
    const id = await createVariable('kept', { value: 'kept secret', sensitive: true });
    proxy.beforeNext(WRITE, () => patch(id, { category: 'infra' }));
    expect((await patch(id, { description: 'd', hcl: true })).body.data.attributes.category).toBe('infra');
    expect(await decryptValue(id)).toBe('kept secret');
  });

  it('returns 503 with Retry-After when concurrent changes never end', async () => {
    const id = await createVariable('restless');
    const interfere = async (): Promise<void> => {
      await engine.database.write({
        kind: 'put',
        key: { pk: `WS#${workspace}`, sk: 'V#env#restless' },
        item: {
          ...(await engine.database.get({ pk: `WS#${workspace}`, sk: 'V#env#restless' })),
          version: versionId(),
        },
      });
      proxy.beforeNext(WRITE, interfere);
    };
    proxy.beforeNext(WRITE, interfere);
    const { status, headers } = await patch(id, { value: 'mine' });
    proxy.beforeNext(WRITE, async () => undefined);
    expect({ status, retryAfter: headers['retry-after'] }).toEqual({ status: 503, retryAfter: '1' });
  });
});

describe('concurrent creation of variables', () => {
  it('succeeds once for one key', async () => {
    for (let round = 0; round < 5; round++) {
      const replies = await Promise.all(Array.from({ length: 8 }, () => create(`once-${round}`)));
      expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(422)]);
      for (const { status, body } of replies) {
        if (status === 422) expect(body.errors[0].detail).toBe('Key has already been taken');
      }
    }
  });

  it('succeeds for each of several keys and counts them', async () => {
    const of = await createWorkspace('parallel');
    const wanted = Array.from({ length: 12 }, (_, index) => `key-${String(index).padStart(2, '0')}`);
    const replies = await Promise.all(wanted.map((key) => create(key, {}, of)));
    expect(replies.map(({ status }) => status)).toEqual(Array(12).fill(201));
    expect(await keys(of)).toEqual(wanted);
  });

  it('stops at the limit of variables', async () => {
    const of = await createWorkspace('limited');
    await create('first', {}, of);
    const key = { pk: `WS#${of}`, sk: 'W' };
    const count = async (vn: number) =>
      engine.database.write({ kind: 'put', key, item: { ...(await engine.database.get(key)), vn } });
    await count(limits.variables - 2);
    const replies = await Promise.all(Array.from({ length: 6 }, (_, index) => create(`more-${index}`, {}, of)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422, 422, 422]);
    await count(3);
  });
});

describe('variable request whose database response is lost', () => {
  it('creates the variable once and returns 201', async () => {
    proxy.loseNext(WRITE);
    const created = await create('lost-creation', { value: 'v' });
    expect(created.status).toBe(201);
    expect((await show(created.body.data.id)).body).toEqual(created.body);
    const of = await createWorkspace('lost-first');
    proxy.loseNext(WRITE);
    expect((await create('first', {}, of)).status).toBe(201);
    expect(await keys(of)).toEqual(['first']);
  });

  it('does not create a variable again that was deleted in the meantime', async () => {
    const findId = async () =>
      (await send('GET', `/workspaces/${workspace}/vars`)).body.data.find(
        ({ attributes }: { attributes: { key: string } }) => attributes.key === 'undone',
      ).id;
    proxy.loseNext(WRITE, async () => remove(await findId()));
    expect((await create('undone')).status).toBe(201);
    expect(await keys()).not.toContain('undone');
    proxy.loseNext(WRITE, async () => {
      await remove(await findId());
      await create('undone', { value: 'theirs' });
    });
    expect((await create('undone', { value: 'mine' })).status).toBe(201);
    expect((await show(await findId())).body.data.attributes.value).toBe('theirs');
    await remove(await findId());
  });

  it('changes the variable once', async () => {
    const id = await createVariable('lost-change');
    for (const attributes of [{ value: 'v' }, { key: 'lost-rename', category: 'infra' }, { sensitive: true }]) {
      proxy.loseNext(WRITE);
      const changed = await patch(id, attributes);
      expect(changed.status).toBe(200);
      expect((await show(id)).body.data.attributes).toEqual(changed.body.data.attributes);
    }
  });

  it('returns 503 when another change overwrote the result, because the outcome is unknown', async () => {
    const id = await createVariable('overwritten');
    proxy.loseNext(WRITE, () => patch(id, { value: 'theirs' }));
    expect((await patch(id, { value: 'mine' })).status).toBe(503);
    expect((await show(id)).body.data.attributes.value).toBe('theirs');
  });

  it('returns 503 when the workspace was deleted, because the outcome is unknown', async () => {
    const of = await createWorkspace('going');
    const id = (await create('going', {}, of)).body.data.id;
    const deleteWorkspace = () => send('DELETE', `/workspaces/${of}`);
    proxy.loseNext(WRITE, deleteWorkspace);
    expect((await patch(id, { value: 'mine' })).status).toBe(503);
    expect((await patch(id, { value: 'mine' })).status).toBe(404);
  });

  it('deletes the variable once, even if the key is used again in the meantime', async () => {
    proxy.loseNext(WRITE);
    expect((await remove(await createVariable('lost-deletion'))).status).toBe(204);
    const id = await createVariable('lost-deletion');
    proxy.loseNext(WRITE, () => create('lost-deletion', { value: 'theirs' }));
    expect((await remove(id)).status).toBe(204);
    expect(await keys()).toContain('lost-deletion');
  });
});

describe('delayed write of a variable that arrives after its retry', () => {
  it('does not create a variable again that was deleted after the retry', async () => {
    const late = proxy.holdNext(WRITE);
    const created = await create('late');
    expect(created.status).toBe(201);
    await remove(created.body.data.id);
    await late.arrive();
    expect(await keys()).not.toContain('late');
    expect((await show(created.body.data.id)).status).toBe(404);
  });

  it('does not create a second variable when the first has another key by now', async () => {
    const late = proxy.holdNext(WRITE);
    const created = await create('late-before');
    await patch(created.body.data.id, { key: 'late-after' });
    await late.arrive();
    expect(await keys()).not.toContain('late-before');
  });

  it('does not overwrite a later change', async () => {
    const id = await createVariable('late-change');
    const late = proxy.holdNext(WRITE);
    expect((await patch(id, { value: 'first' })).status).toBe(200);
    await patch(id, { value: 'second' });
    await late.arrive();
    expect((await show(id)).body.data.attributes.value).toBe('second');
  });

  it('does not delete another variable that has the same key now', async () => {
    const id = await createVariable('late-deletion');
    const late = proxy.holdNext(WRITE);
    expect((await remove(id)).status).toBe(204);
    await create('late-deletion', { value: 'another' });
    await late.arrive();
    expect(await keys()).toContain('late-deletion');
  });
});

it('variable requests fail with 503 only for sensitive values when the key service is unavailable', async () => {
  const id = await createVariable('unsealed', { value: 'v' });
  await api.keyService.stop();
  for (const rejected of [await create('no-key', { sensitive: true }), await patch(id, { sensitive: true })]) {
    expect(rejected).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  }
  expect(await keys()).not.toContain('no-key');
  expect((await show(id)).body.data.attributes).toMatchObject({ value: 'v', sensitive: false });
  expect((await patch(id, { value: 'w' })).status).toBe(200);
});
