import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type HookProxy, startHookProxy } from '../../support/faults/hook-proxy.ts';

/** Entity tags of workspaces, and changes with `If-Match` (docs/reference/edits.md). */
let engine: TestEngine;
let proxy: HookProxy;
let api: Api;
let token: string;
let id: string;
let name: string;
let made = 0;

const organization = 'acme';
const base = `/organizations/${organization}/workspaces`;
const document = (attributes: object) => ({ data: { type: 'workspaces', attributes } });
const send = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  api.request(method, path, { token, ...(body && { body }), headers });
const onWorkspace = (method: string, action = '', body?: object, headers?: Record<string, string>) =>
  send(method, `/workspaces/${id}${action}`, body, headers);
const update = (attributes: object, tag?: string) =>
  onWorkspace('PATCH', '', document(attributes), tag === undefined ? {} : { 'if-match': tag });
const show = () => onWorkspace('GET');
const tagNow = async (): Promise<string> => String((await show()).headers['etag']);
const expectLost = async (reply: ApiResponse): Promise<void> => {
  expect(reply.status).toBe(412);
  expect(reply.body.errors[0].title).toBe('precondition failed');
  expect(reply.headers['etag']).toBe(await tagNow());
};

beforeAll(async () => {
  engine = await startEngine();
  proxy = await startHookProxy(engine.endpoint);
  api = await startApi({ engine, endpoint: proxy.endpoint });
  ({ token } = await api.admin('create-organization', { name: organization, email: 'ada@example.com' }));
});
afterAll(async () => {
  await api.stop();
  await proxy.stop();
  await engine.stop();
});
beforeEach(async () => {
  name = `workspace-${++made}`;
  const created = await send('POST', base, document({ name }));
  id = created.body.data.id;
  expect(created.headers['etag']).toBe(await tagNow());
});

describe('the entity tag of a workspace', () => {
  it('is the same by id and by name, with includes, in each vocabulary and for compressed responses', async () => {
    const tags = await Promise.all([
      tagNow(),
      ...[{}, { 'holdfast-vocabulary': 'terraform' }, { 'accept-encoding': 'gzip' }].map(
        async (headers) =>
          (await send('GET', `${base}/${name}?include=organization`, undefined, headers)).headers['etag'],
      ),
    ]);
    expect(new Set(tags).size).toBe(1);
  });

  it('is the same for a caller with fewer rights', async () => {
    await api.admin('create-team', { organization, name: `readers-${made}` });
    await api.admin('grant-access', { organization, team: `readers-${made}`, workspace: id, access: 'read' });
    const reader = await api.admin('create-token', { kind: 'team', organization, team: `readers-${made}` });
    const seen = await api.request('GET', `/workspaces/${id}`, { token: reader.token });
    expect(seen.headers['etag']).toBe(await tagNow());
  });

  it.each<readonly [string, () => Promise<ApiResponse>]>([
    ['a setting', () => update({ description: 'new' })],
    ['the name', () => update({ name: `${name}-renamed` })],
    [
      'a flat tag',
      () => onWorkspace('POST', '/relationships/tags', { data: [{ type: 'tags', attributes: { name: 'core' } }] }),
    ],
    [
      'a tag binding',
      () =>
        onWorkspace('PATCH', '/tag-bindings', {
          data: [{ type: 'tag-bindings', attributes: { key: 'team', value: 'core' } }],
        }),
    ],
  ])('changes with %s', async (_, change) => {
    const before = await tagNow();
    const changed = await change();
    expect(changed.status).toBeLessThan(300);
    expect(await tagNow()).not.toBe(before);
    if (changed.body?.data?.type === 'workspaces') expect(changed.headers['etag']).toBe(await tagNow());
  });

  it('stays the same when the workspace is locked, unlocked, gets a variable, or is updated without a difference', async () => {
    const before = await tagNow();
    const locked = await onWorkspace('POST', '/actions/lock');
    const unlocked = await onWorkspace('POST', '/actions/unlock');
    const variable = { data: { type: 'vars', attributes: { key: 'region', category: 'env' } } };
    expect((await onWorkspace('POST', '/vars', variable)).status).toBe(201);
    const same = await update({ description: null });
    expect([locked, unlocked, same].map(({ headers }) => headers['etag'])).toEqual([before, before, before]);
  });

  it('stays the same when an inherited setting changes', async () => {
    const before = await show();
    await api.admin('update-organization', { name: organization, defaultExecutionMode: 'local' });
    const after = await show();
    await api.admin('update-organization', { name: organization, defaultExecutionMode: 'remote' });
    expect(after.body.data.attributes['execution-mode']).not.toBe(before.body.data.attributes['execution-mode']);
    expect(after.headers['etag']).toBe(before.headers['etag']);
  });

  it('is not sent with lists', async () => {
    expect((await send('GET', base)).headers).not.toHaveProperty('etag');
  });
});

describe('a change with If-Match', () => {
  it('applies to the revision with the entity tag, and returns the next one', async () => {
    const first = await tagNow();
    const changed = await update({ description: 'one' }, first);
    expect(changed.status).toBe(200);
    expect((await update({ description: 'two' }, `"other", ${changed.headers['etag']}`)).status).toBe(200);
    await expectLost(await update({ description: 'three' }, first));
    expect((await show()).body.data.attributes.description).toBe('two');
  });

  it('never matches a weak entity tag, and * matches any revision', async () => {
    await expectLost(await update({ description: 'new' }, `W/${await tagNow()}`));
    expect((await update({ description: 'new' }, '*')).status).toBe(200);
  });

  it('is rejected with 412 also if it would change nothing', async () => {
    await expectLost(await update({}, '"0000000000000000"'));
  });

  it.each<readonly [string, () => Promise<ApiResponse>]>([
    ['PATCH by name', () => send('PATCH', `${base}/${name}`, document({ description: 'x' }), stale)],
    ['safe-delete', () => onWorkspace('POST', '/actions/safe-delete', undefined, stale)],
    ['safe-delete by name', () => send('POST', `${base}/${name}/actions/safe-delete`, undefined, stale)],
    ['force-delete', () => onWorkspace('DELETE', '', undefined, stale)],
    ['force-delete by name', () => send('DELETE', `${base}/${name}`, undefined, stale)],
  ])('is honored by %s', async (_, change) => {
    await expectLost(await change());
  });

  it('is rejected as without the header for a caller without the right', async () => {
    const reply = await api.request('PATCH', `/workspaces/${id}`, { headers: stale, body: document({}) });
    expect(reply.status).toBe(401);
  });

  it('succeeds once when two requests have the same entity tag', async () => {
    const tag = await tagNow();
    const replies = await Promise.all(['one', 'two', 'three'].map((description) => update({ description }, tag)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    const won = replies.find(({ status }) => status === 200);
    expect((await show()).body.data.attributes.description).toBe(won?.body.data.attributes.description);
  });

  it('is not applied to the newer revision when another request is faster', async () => {
    const tag = await tagNow();
    proxy.beforeNext('UpdateItem', () => update({ 'auto-apply': true }));
    await expectLost(await update({ description: 'late' }, tag));
    expect((await show()).body.data.attributes).toMatchObject({ description: null, 'auto-apply': true });
  });

  it('is not a lost race when the workspace is only locked meanwhile', async () => {
    const tag = await tagNow();
    proxy.beforeNext('UpdateItem', () => onWorkspace('POST', '/actions/lock'));
    expect((await update({ description: 'mine' }, tag)).status).toBe(200);
    expect((await show()).body.data.attributes).toMatchObject({ description: 'mine', locked: true });
  });

  it('recognizes its own write when the response of the database was lost', async () => {
    const tag = await tagNow();
    proxy.loseNext('UpdateItem');
    expect((await update({ description: 'mine' }, tag)).status).toBe(200);
    proxy.loseNext('TransactWriteItems');
    expect((await onWorkspace('DELETE', '', undefined, { 'if-match': await tagNow() })).status).toBe(204);
  });

  it('does not release or take a lock that changes while it is written', async () => {
    const preview = async (action: string) =>
      String((await onWorkspace('POST', `${action}?dry-run=true`)).headers['etag']);
    const lockTag = await preview('/actions/lock');
    proxy.beforeNext('UpdateItem', async () => {
      await onWorkspace('POST', '/actions/lock');
      await onWorkspace('POST', '/actions/unlock');
    });
    expect((await onWorkspace('POST', '/actions/lock', undefined, { 'if-match': lockTag })).status).toBe(412);
    await onWorkspace('POST', '/actions/lock');
    const unlockTag = await preview('/actions/force-unlock');
    proxy.beforeNext('UpdateItem', async () => {
      await onWorkspace('POST', '/actions/unlock');
      await onWorkspace('POST', '/actions/lock');
    });
    const late = await onWorkspace('POST', '/actions/force-unlock', undefined, { 'if-match': unlockTag });
    expect(late.status).toBe(412);
    expect((await show()).body.data.attributes.locked).toBe(true);
  });

  it('does not delete a workspace whose lock changes while the deletion is written', async () => {
    const { headers } = await onWorkspace('DELETE', '?dry-run=true');
    proxy.beforeNext('TransactWriteItems', () => onWorkspace('POST', '/actions/lock'));
    const late = await onWorkspace('DELETE', '', undefined, { 'if-match': String(headers['etag']) });
    await expectLost(late);
  });

  it('is 503 when its response was lost and the workspace was locked meanwhile, because the outcome is unknown', async () => {
    const tag = await tagNow();
    proxy.loseNext('UpdateItem', () => onWorkspace('POST', '/actions/lock'));
    expect((await update({ description: 'mine' }, tag)).status).toBe(503);
  });

  it('is 503 when its response was lost and another change followed, because the outcome is unknown', async () => {
    const tag = await tagNow();
    proxy.loseNext('UpdateItem', () => update({ 'auto-apply': true }));
    expect((await update({ description: 'mine' }, tag)).status).toBe(503);
  });
});

const stale = { 'if-match': '"0000000000000000"' };
