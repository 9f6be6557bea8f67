import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../../shared/domain/limits.ts';
import { versionId } from '../../../shared/lib/random.ts';
import { type Api, type Reply, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type HookProxy, startHookProxy } from '../../support/faults/hook-proxy.ts';

/**
 * What becomes of variables when others get ahead between a request's reads and its write, when an answer is lost, and
 * when a write arrives after its sender gave it up and tried again.
 */
let engine: TestEngine;
let proxy: HookProxy;
let api: Api;
let owner: string;
let workspace: string;

const WRITE = 'TransactWriteItems';
const send = (method: string, path: string, body?: unknown): Promise<Reply> =>
  api.request(method, path, { token: owner, ...(body !== undefined && { body }) });
const makeWorkspace = async (name: string): Promise<string> => {
  const body = { data: { type: 'workspaces', attributes: { name } } };
  return (await send('POST', '/organizations/acme/workspaces', body)).body.data.id;
};
const document = (attributes: object) => ({ data: { type: 'vars', attributes } });
const create = (key: string, attributes: object = {}, of = workspace) =>
  send('POST', `/workspaces/${of}/vars`, document({ key, category: 'env', ...attributes }));
const make = async (key: string, attributes: object = {}, of = workspace): Promise<string> =>
  (await create(key, attributes, of)).body.data.id;
const patch = (id: string, attributes: object) => send('PATCH', `/vars/${id}`, document(attributes));
const remove = (id: string) => send('DELETE', `/vars/${id}`);
const show = (id: string, of = workspace) => send('GET', `/workspaces/${of}/vars/${id}`);
const keys = async (of = workspace): Promise<string[]> => {
  const { body } = await send('GET', `/workspaces/${of}/vars`);
  return body.data.map(({ attributes }: { attributes: { key: string } }) => attributes.key);
};
/** What a sealed value was, which nothing of the product can tell. */
const secretOf = async (id: string, of = workspace): Promise<string> => {
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
  workspace = await makeWorkspace('network');
});
afterAll(async () => {
  expect((await api.admin('check-table')).findings).toEqual([]);
  await api.stop();
  await proxy.stop();
  await engine.stop();
});

describe('a change while others get ahead', () => {
  it('survives beside a change of something else', async () => {
    const id = await make('beside');
    proxy.beforeNext(WRITE, () => patch(id, { description: 'theirs' }));
    const changed = await patch(id, { value: 'mine' });
    expect(changed.body.data.attributes).toMatchObject({ value: 'mine', description: 'theirs' });
    expect((await show(id)).body.data.attributes).toEqual(changed.body.data.attributes);
  });

  it('finds the variable under the key that it was given meanwhile', async () => {
    const id = await make('before');
    proxy.beforeNext(WRITE, () => patch(id, { key: 'after', category: 'infra' }));
    expect((await patch(id, { value: 'mine' })).body.data.attributes).toMatchObject({ key: 'after', value: 'mine' });
    proxy.beforeNext(WRITE, () => patch(id, { key: 'later' }));
    expect((await remove(id)).status).toBe(204);
    expect((await show(id)).status).toBe(404);
  });

  it('finds that it is gone', async () => {
    for (const change of [
      (id: string) => patch(id, { value: 'mine' }),
      (id: string) => patch(id, { key: 'x' }),
      remove,
    ]) {
      const id = await make('gone');
      proxy.beforeNext(WRITE, () => remove(id));
      expect((await change(id)).status).toBe(404);
      const moved = await make('gone');
      const of = await makeWorkspace(`doomed-${moved.slice(4)}`);
      const doomed = await make('key', {}, of);
      proxy.beforeNext(WRITE, () => send('DELETE', `/workspaces/${of}`));
      expect((await change(doomed)).status).toBe(404);
      await remove(moved);
    }
  });

  it('of the value is sealed when the variable became sensitive meanwhile', async () => {
    const id = await make('sealed-meanwhile', { value: 'old' });
    proxy.beforeNext(WRITE, () => patch(id, { sensitive: true }));
    const changed = await patch(id, { value: 'the new secret' });
    expect(changed.body.data.attributes).toMatchObject({ sensitive: true, value: null });
    expect(await secretOf(id)).toBe('the new secret');
  });

  it('into a secret seals the value that it has then', async () => {
    const id = await make('secret-meanwhile', { value: 'old' });
    proxy.beforeNext(WRITE, () => patch(id, { value: 'the newer value' }));
    expect((await patch(id, { sensitive: true })).status).toBe(200);
    expect(await secretOf(id)).toBe('the newer value');
  });

  it('that a secret does not allow is refused when it became one meanwhile', async () => {
    const id = await make('key-meanwhile');
    proxy.beforeNext(WRITE, () => patch(id, { sensitive: true }));
    const refused = await patch(id, { key: 'another-key' });
    expect(refused.body.errors[0].detail).toBe('Key cannot be updated for a sensitive variable');
  });

  it('of the key finds it taken, or free, as it is then', async () => {
    const [taken, id] = [await make('is-taken'), await make('wants-it')];
    proxy.beforeNext(WRITE, () => create('taken-meanwhile'));
    expect((await patch(id, { key: 'taken-meanwhile' })).status).toBe(422);
    proxy.beforeNext(WRITE, () => remove(taken));
    expect((await patch(id, { key: 'is-taken' })).body.data.attributes.key).toBe('is-taken');
  });

  it('keeps a secret that it does not speak of', async () => {
    const id = await make('kept', { value: 'kept secret', sensitive: true });
    proxy.beforeNext(WRITE, () => patch(id, { category: 'infra' }));
    expect((await patch(id, { description: 'd', hcl: true })).body.data.attributes.category).toBe('infra');
    expect(await secretOf(id)).toBe('kept secret');
  });

  it('is answered 503 when they never stop', async () => {
    const id = await make('restless');
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

describe('creating', () => {
  it('one key at once succeeds once', async () => {
    for (let round = 0; round < 5; round++) {
      const replies = await Promise.all(Array.from({ length: 8 }, () => create(`once-${round}`)));
      expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(422)]);
      for (const { status, body } of replies) {
        if (status === 422) expect(body.errors[0].detail).toBe('Key has already been taken');
      }
    }
  });

  it('many keys at once succeeds for each, and counts them', async () => {
    const of = await makeWorkspace('parallel');
    const wanted = Array.from({ length: 12 }, (_, index) => `key-${String(index).padStart(2, '0')}`);
    const replies = await Promise.all(wanted.map((key) => create(key, {}, of)));
    expect(replies.map(({ status }) => status)).toEqual(Array(12).fill(201));
    expect(await keys(of)).toEqual(wanted);
  });

  it('at once up to the limit goes no further', async () => {
    const of = await makeWorkspace('limited');
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

describe('when an answer is lost', () => {
  it('a creation is one, and answered as such', async () => {
    proxy.loseNext(WRITE);
    const made = await create('lost-creation', { value: 'v' });
    expect(made.status).toBe(201);
    expect((await show(made.body.data.id)).body).toEqual(made.body);
    const of = await makeWorkspace('lost-first');
    proxy.loseNext(WRITE);
    expect((await create('first', {}, of)).status).toBe(201);
    expect(await keys(of)).toEqual(['first']);
  });

  it('a creation that was undone meanwhile is not made again', async () => {
    const idOf = async () =>
      (await send('GET', `/workspaces/${workspace}/vars`)).body.data.find(
        ({ attributes }: { attributes: { key: string } }) => attributes.key === 'undone',
      ).id;
    proxy.loseNext(WRITE, async () => remove(await idOf()));
    expect((await create('undone')).status).toBe(201);
    expect(await keys()).not.toContain('undone');
    proxy.loseNext(WRITE, async () => {
      await remove(await idOf());
      await create('undone', { value: 'theirs' });
    });
    expect((await create('undone', { value: 'mine' })).status).toBe(201);
    expect((await show(await idOf())).body.data.attributes.value).toBe('theirs');
    await remove(await idOf());
  });

  it('a change is made once', async () => {
    const id = await make('lost-change');
    for (const attributes of [{ value: 'v' }, { key: 'lost-rename', category: 'infra' }, { sensitive: true }]) {
      proxy.loseNext(WRITE);
      const changed = await patch(id, attributes);
      expect(changed.status).toBe(200);
      expect((await show(id)).body.data.attributes).toEqual(changed.body.data.attributes);
    }
  });

  it('a change that was overwritten meanwhile is answered 503: nobody can tell any more', async () => {
    const id = await make('overwritten');
    proxy.loseNext(WRITE, () => patch(id, { value: 'theirs' }));
    expect((await patch(id, { value: 'mine' })).status).toBe(503);
    expect((await show(id)).body.data.attributes.value).toBe('theirs');
  });

  it('a change of a workspace that was deleted meanwhile is answered 503: nobody can tell any more', async () => {
    const of = await makeWorkspace('going');
    const id = (await create('going', {}, of)).body.data.id;
    const goes = () => send('DELETE', `/workspaces/${of}`);
    proxy.loseNext(WRITE, goes);
    expect((await patch(id, { value: 'mine' })).status).toBe(503);
    expect((await patch(id, { value: 'mine' })).status).toBe(404);
  });

  it('a deletion is one, also when the key is given to another meanwhile', async () => {
    proxy.loseNext(WRITE);
    expect((await remove(await make('lost-deletion'))).status).toBe(204);
    const id = await make('lost-deletion');
    proxy.loseNext(WRITE, () => create('lost-deletion', { value: 'theirs' }));
    expect((await remove(id)).status).toBe(204);
    expect(await keys()).toContain('lost-deletion');
  });
});

describe('a write that arrives after its sender gave it up', () => {
  it('creates nothing once what its retry created is gone', async () => {
    const late = proxy.holdNext(WRITE);
    const made = await create('late');
    expect(made.status).toBe(201);
    await remove(made.body.data.id);
    await late.arrive();
    expect(await keys()).not.toContain('late');
    expect((await show(made.body.data.id)).status).toBe(404);
  });

  it('creates nothing beside what its retry created, under another key by now', async () => {
    const late = proxy.holdNext(WRITE);
    const made = await create('late-before');
    await patch(made.body.data.id, { key: 'late-after' });
    await late.arrive();
    expect(await keys()).not.toContain('late-before');
  });

  it('changes nothing back', async () => {
    const id = await make('late-change');
    const late = proxy.holdNext(WRITE);
    expect((await patch(id, { value: 'first' })).status).toBe(200);
    await patch(id, { value: 'second' });
    await late.arrive();
    expect((await show(id)).body.data.attributes.value).toBe('second');
  });

  it('deletes nothing else', async () => {
    const id = await make('late-deletion');
    const late = proxy.holdNext(WRITE);
    expect((await remove(id)).status).toBe(204);
    await create('late-deletion', { value: 'another' });
    await late.arrive();
    expect(await keys()).toContain('late-deletion');
  });
});

it('without its key service, the service refuses secrets and nothing else, and writes none of it', async () => {
  const id = await make('unsealed', { value: 'v' });
  await api.keyService.stop();
  for (const refused of [await create('no-key', { sensitive: true }), await patch(id, { sensitive: true })]) {
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  }
  expect(await keys()).not.toContain('no-key');
  expect((await show(id)).body.data.attributes).toMatchObject({ value: 'v', sensitive: false });
  expect((await patch(id, { value: 'w' })).status).toBe(200);
});
