import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Api, CACHED, startApi } from '../../support/api/api.ts';
import { watchChanges } from '../../support/models/changes.ts';

/** Dry runs of changes of workspaces (EDIT-6, EDIT-7, EDIT-10). */
let api: Api;
let changes: Awaited<ReturnType<typeof watchChanges>>;
let token: string;
let id: string;
let name: string;
let made = 0;

const organization = 'acme';
const base = `/organizations/${organization}/workspaces`;
const document = (attributes: object, relationships?: object) => ({
  data: { type: 'workspaces', attributes, ...(relationships && { relationships }) },
});
const send = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  api.request(method, path, { token, ...(body && { body }), headers });
const dryRun = async (method: string, path: string, body?: object, headers?: Record<string, string>) => {
  await changes.sinceLast();
  const reply = await send(method, `${path}?dry-run=true`, body, headers);
  expect(await changes.sinceLast(), 'changes by the dry run').toEqual([]);
  return reply;
};
const previewUpdate = (attributes: object, relationships?: object) =>
  dryRun('PATCH', `/workspaces/${id}`, document(attributes, relationships));

beforeAll(async () => {
  api = await startApi(CACHED);
  changes = await watchChanges(api.engine);
  ({ token } = await api.admin('create-organization', { name: organization, email: 'ada@example.com' }));
});
afterAll(() => api.stop());
beforeEach(async () => {
  name = `workspace-${++made}`;
  id = (await send('POST', base, document({ name }))).body.data.id;
});

describe('the dry run of an update', () => {
  it('reports the old and the new value of each attribute', async () => {
    const { status, body } = await previewUpdate({ name: `${name}-new`, description: 'x', 'execution-mode': 'local' });
    expect(status).toBe(200);
    expect(body.data.attributes).toEqual({
      outcome: 'changed',
      refusal: null,
      changes: {
        name: { old: name, new: `${name}-new` },
        description: { old: null, new: 'x' },
        'execution-mode': { old: 'remote', new: 'local' },
        operations: { old: true, new: false },
        'setting-overwrites': {
          old: expect.objectContaining({ 'execution-mode': false }),
          new: expect.objectContaining({ 'execution-mode': true }),
        },
      },
    });
  });

  it('reports another project and tag bindings', async () => {
    const { project } = await api.admin('create-project', { organization, name: `Project ${made}` });
    const { body } = await previewUpdate(
      {},
      {
        project: { data: { type: 'projects', id: project.id } },
        'tag-bindings': { data: [{ type: 'tag-bindings', attributes: { key: 'team', value: 'core' } }] },
      },
    );
    expect(body.data.attributes.changes).toMatchObject({
      project: { new: { type: 'projects', id: project.id } },
      'tag-bindings': { old: [], new: [{ key: 'team', value: 'core' }] },
    });
  });

  it('is unchanged if the workspace is as requested', async () => {
    const { body } = await previewUpdate({ name, description: null });
    expect(body.data.attributes).toEqual({ outcome: 'unchanged', changes: {}, refusal: null });
  });

  it('reports the error of an invalid attribute, of a body that its schema rejects, and of a name that is taken', async () => {
    await send('POST', base, document({ name: `taken-${made}` }));
    for (const [attributes, detail] of [
      [{ name: 'not valid!' }, expect.stringContaining('Name')],
      [{ description: 'x'.repeat(2_000) }, expect.stringContaining('too long')],
      [{ name: `taken-${made}` }, 'Name has already been taken'],
    ] as const) {
      const { status, body } = await previewUpdate(attributes);
      expect(status).toBe(200);
      expect(body.data.attributes).toMatchObject({
        outcome: 'refused',
        changes: {},
        refusal: { status: '422', title: 'invalid attribute', detail },
      });
    }
  });

  it('reports an entity tag that does not match', async () => {
    const { body } = await dryRun('PATCH', `/workspaces/${id}`, document({}), { 'if-match': '"0000000000000000"' });
    expect(body.data.attributes.refusal).toMatchObject({ status: '412' });
  });

  it('announces what the update then does, also by name', async () => {
    const body = document({ description: 'announced' });
    const announced = await dryRun('PATCH', `${base}/${name}`, body);
    const { data } = (await send('PATCH', `${base}/${name}`, body)).body;
    for (const [attribute, change] of Object.entries(announced.body.data.attributes.changes)) {
      expect(data.attributes[attribute]).toEqual((change as { new: unknown }).new);
    }
  });
});

describe('the dry run of a deletion', () => {
  it.each<readonly [string, string, () => string]>([
    ['safe delete', 'POST', () => `/workspaces/${id}/actions/safe-delete`],
    ['safe delete by name', 'POST', () => `${base}/${name}/actions/safe-delete`],
    ['force delete', 'DELETE', () => `/workspaces/${id}`],
    ['force delete by name', 'DELETE', () => `${base}/${name}`],
  ])('reports that a %s would delete the workspace', async (_, method, path) => {
    const { status, body } = await dryRun(method, path());
    expect(status).toBe(200);
    expect(body.data.attributes).toEqual({ outcome: 'deleted', changes: {}, refusal: null });
    expect((await send('GET', `/workspaces/${id}`)).status).toBe(200);
  });

  it('reports why a safe delete would be rejected', async () => {
    await send('POST', `/workspaces/${id}/actions/lock`);
    const path = `/workspaces/${id}/actions/safe-delete`;
    const { body } = await dryRun('POST', path);
    const rejected = await send('POST', path);
    expect(body.data.attributes).toEqual({ outcome: 'refused', changes: {}, refusal: rejected.body.errors[0] });
    expect((await dryRun('DELETE', `/workspaces/${id}`)).body.data.attributes.outcome).toBe('deleted');
  });
});

const onBindings = { data: [{ type: 'tag-bindings', attributes: { key: 'env', value: 'live' } }] };
const onTags = { data: [{ type: 'tags', attributes: { name: 'core' } }] };
const act = (action: string, body?: object, headers?: Record<string, string>) =>
  send('POST', `/workspaces/${id}${action}`, body, headers);

describe('the dry run of a lock', () => {
  it.each([
    ['lock', false, { locked: { old: false, new: true } }],
    ['unlock', true, { locked: { old: true, new: false } }],
    ['force-unlock', true, { locked: { old: true, new: false } }],
  ])('announces what %s then does', async (action, isLocked, expected) => {
    if (isLocked) await act('/actions/lock');
    const announced = await dryRun('POST', `/workspaces/${id}/actions/${action}`);
    expect(announced.body.data.attributes).toMatchObject({ outcome: 'changed', changes: expected, refusal: null });
    const done = await act(`/actions/${action}`, undefined, { 'if-match': String(announced.headers['etag']) });
    expect(done.status).toBe(200);
    expect(done.body.data.attributes.locked).toBe(!isLocked);
  });

  it.each([
    ['lock', true],
    ['unlock', false],
    ['force-unlock', false],
  ])('reports why %s would be rejected, without an entity tag', async (action, isLocked) => {
    if (isLocked) await act('/actions/lock');
    const { body, headers } = await dryRun('POST', `/workspaces/${id}/actions/${action}`);
    const rejected = await act(`/actions/${action}`);
    expect(rejected.status).toBe(409);
    expect(body.data.attributes).toEqual({ outcome: 'refused', changes: {}, refusal: rejected.body.errors[0] });
    expect(headers).not.toHaveProperty('etag');
  });
});

describe('the dry run of a change of tags', () => {
  const tags = () => `/workspaces/${id}/relationships/tags`;

  it('reports the names before and after, and is unchanged if the workspace is as requested', async () => {
    const added = await dryRun('POST', tags(), onTags);
    expect(added.body.data.attributes).toEqual({
      outcome: 'changed',
      changes: { 'tag-names': { old: [], new: ['core'] } },
      refusal: null,
    });
    expect((await dryRun('DELETE', tags(), onTags)).body.data.attributes.outcome).toBe('unchanged');
    await send('POST', tags(), onTags);
    expect((await dryRun('POST', tags(), onTags)).body.data.attributes.outcome).toBe('unchanged');
    const removed = await dryRun('DELETE', tags(), onTags);
    expect(removed.body.data.attributes.changes).toEqual({ 'tag-names': { old: ['core'], new: [] } });
  });

  it.each(['POST', 'PATCH'])('%s reports the bindings before and after', async (method) => {
    const { body } = await dryRun(method, `/workspaces/${id}/relationships/tag-bindings`, onBindings);
    expect(body.data.attributes).toEqual({
      outcome: 'changed',
      changes: { 'tag-bindings': { old: [], new: [{ key: 'env', value: 'live' }] } },
      refusal: null,
    });
  });

  it('reports the rejection of too many tags', async () => {
    const data = Array.from({ length: 1_001 }, (_, index) => ({ type: 'tags', attributes: { name: `tag-${index}` } }));
    const { body } = await dryRun('POST', tags(), { data });
    expect(body.data.attributes).toMatchObject({ outcome: 'refused', refusal: { status: '422' } });
  });
});

describe('the entity tag of a dry run', () => {
  const lock = () => act('/actions/lock');
  const unlock = () => act('/actions/unlock');
  const edit = () => send('PATCH', `/workspaces/${id}`, document({ description: `edit ${made}` }));
  const tag = () => act('/relationships/tags', { data: [{ type: 'tags', attributes: { name: 'other' } }] });
  const lockTwice = async () => {
    await lock();
    await unlock();
    return lock();
  };
  const lockAndUnlock = async () => {
    await lock();
    return unlock();
  };
  const lockAgain = async () => {
    await unlock();
    return lock();
  };

  it.each<readonly [string, string, string, object | undefined, (() => Promise<unknown>)[], () => Promise<unknown>]>([
    ['an update', 'PATCH', '', document({ description: 'mine' }), [], edit],
    ['an addition of tags', 'POST', '/relationships/tags', onTags, [], tag],
    ['an addition of bindings', 'POST', '/relationships/tag-bindings', onBindings, [], tag],
    ['a removal of tags', 'DELETE', '/relationships/tags', onTags, [tag], edit],
    ['a lock', 'POST', '/actions/lock', undefined, [], lockAndUnlock],
    ['an unlock', 'POST', '/actions/unlock', undefined, [lock], lockAgain],
    ['a force-unlock', 'POST', '/actions/force-unlock', undefined, [lock], lockAgain],
    ['a safe delete', 'POST', '/actions/safe-delete', undefined, [], lockAndUnlock],
    ['a force delete', 'DELETE', '', undefined, [], lockTwice],
  ])('makes %s conditional on what its result depends on', async (_, method, action, body, before, meanwhile) => {
    for (const step of before) await step();
    const path = `/workspaces/${id}${action}`;
    const shown = await dryRun(method, path, body);
    const ifMatch = { 'if-match': String(shown.headers['etag']) };
    await meanwhile();
    await changes.sinceLast();
    expect((await send(method, path, body, ifMatch)).status).toBe(412);
    expect(await changes.sinceLast()).toEqual([]);
    const again = await dryRun(method, path, body);
    const reply = await send(method, path, body, { 'if-match': String(again.headers['etag']) });
    expect(reply.status).toBeLessThan(300);
  });

  it('lets a lock ignore edits, and a deletion with the entity tag of the workspace ignore locks', async () => {
    const shown = await dryRun('POST', `/workspaces/${id}/actions/lock`);
    const { headers } = await edit();
    expect((await act('/actions/lock', undefined, { 'if-match': String(shown.headers['etag']) })).status).toBe(200);
    const reply = await send('DELETE', `/workspaces/${id}`, undefined, { 'if-match': String(headers['etag']) });
    expect(reply.status).toBe(204);
  });
});

describe('a dry run', () => {
  it('is 404 and 401 as the request itself', async () => {
    expect((await dryRun('DELETE', '/workspaces/ws-1111111111111111')).status).toBe(404);
    const reply = await api.request('DELETE', `/workspaces/${id}?dry-run=true`);
    expect(reply.status).toBe(401);
  });

  it.each(['dry-run=false', 'dry-run', 'dry_run=true', 'DryRun=true', 'dry-run=true&dry-run=true'])(
    'is 400 with %s, and nothing happens',
    async (query) => {
      await changes.sinceLast();
      const reply = await send('DELETE', `/workspaces/${id}?${query}`);
      expect(reply.status).toBe(400);
      expect(reply.body.errors[0].source).toEqual({ parameter: query.split('=')[0] });
      expect(await changes.sinceLast()).toEqual([]);
    },
  );
});

describe('the dry run of a change of a variable', () => {
  const vars = (attributes: object) => ({ data: { type: 'vars', attributes } });

  it('reports the creation with the same refusals, and has no entity tag', async () => {
    const variable = vars({ key: 'REGION', category: 'env', value: 'eu' });
    const created = await dryRun('POST', `/workspaces/${id}/vars`, variable);
    expect(created.status).toBe(200);
    expect(created.headers['etag']).toBeUndefined();
    expect(created.body.data.attributes).toMatchObject({
      outcome: 'changed',
      changes: { key: { old: null, new: 'REGION' }, value: { old: null, new: 'eu' } },
    });
    await send('POST', `/workspaces/${id}/vars`, variable);
    const taken = await dryRun('POST', `/workspaces/${id}/vars`, variable);
    expect(taken.body.data.attributes).toMatchObject({ outcome: 'refused', refusal: { status: '422' } });
  });

  it('shows no secret, neither the old nor the new one, and encrypts nothing', async () => {
    const secret = { key: 'TOKEN', category: 'env', value: 'first-secret', sensitive: true };
    const { body } = await send('POST', `/workspaces/${id}/vars`, vars(secret));
    api.keyService.requested();
    const update = await dryRun('PATCH', `/workspaces/${id}/vars/${body.data.id}`, vars({ value: 'second-secret' }));
    expect(update.body.data.attributes).toMatchObject({
      outcome: 'changed',
      changes: { value: { old: null, new: null } },
    });
    const creation = await dryRun('POST', `/workspaces/${id}/vars`, vars({ ...secret, key: 'OTHER' }));
    expect(creation.body.data.attributes.changes).toMatchObject({ sensitive: { old: null, new: true } });
    expect(JSON.stringify([update, creation])).not.toMatch(/first-secret|second-secret/);
    expect(api.keyService.requested()).toEqual([]);
  });

  it('has the entity tag with which the update and the deletion apply to that version only', async () => {
    const { body } = await send('POST', `/workspaces/${id}/vars`, vars({ key: 'A', category: 'env', value: '1' }));
    const path = `/workspaces/${id}/vars/${body.data.id}`;
    const same = await dryRun('PATCH', path, vars({ value: '1' }));
    expect(same.body.data.attributes).toMatchObject({ outcome: 'unchanged', changes: {} });
    const update = await dryRun('PATCH', path, vars({ value: '2' }));
    const removal = await dryRun('DELETE', path);
    expect(removal.body.data.attributes.outcome).toBe('deleted');
    const match = (reply: typeof update) => ({ 'if-match': String(reply.headers['etag']) });
    expect((await send('PATCH', path, vars({ value: '2' }), match(update))).status).toBe(200);
    expect((await send('PATCH', path, vars({ value: '3' }), match(update))).status).toBe(412);
    expect((await send('DELETE', path, undefined, match(removal))).status).toBe(412);
  });
});

describe('the dry run of an assignment of a variable set', () => {
  it('lists what it would assign, and has the entity tag of the set; the response to the assignment has the next one', async () => {
    const { body } = await send('POST', `/organizations/${organization}/varsets`, {
      data: { type: 'varsets', attributes: { name: `set of ${name}` } },
    });
    const path = `/varsets/${body.data.id}/relationships/workspaces`;
    const list = { data: [{ type: 'workspaces', id }] };
    const preview = await dryRun('POST', path, list);
    expect(preview.body.data.attributes).toMatchObject({
      outcome: 'changed',
      changes: { workspaces: { old: [], new: [id] } },
    });
    const tag = String(preview.headers['etag']);
    const assigned = await send('POST', path, list, { 'if-match': tag });
    expect(assigned.status).toBe(204);
    expect((await dryRun('POST', path, list)).body.data.attributes.outcome).toBe('unchanged');
    expect((await send('DELETE', path, list, { 'if-match': tag })).status).toBe(412);
    expect((await send('DELETE', path, list, { 'if-match': String(assigned.headers['etag']) })).status).toBe(204);
    const unknown = await dryRun('POST', path, { data: [{ type: 'workspaces', id: 'ws-1234567890123456' }] });
    expect(unknown.body.data.attributes.outcome).toBe('refused');
  });
});
