import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, startApi } from '../../support/api/api.ts';

/** Main path of a workspace over HTTP. Other files test each rule in detail. */
let api: Api;
let owner: string;

beforeAll(async () => {
  api = await startApi();
  const { token } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' });
  owner = token;
});
afterAll(() => api.stop());

const create = (attributes: object, relationships?: object) =>
  api.request('POST', '/organizations/acme/workspaces', {
    token: owner,
    body: { data: { type: 'workspaces', attributes, relationships } },
  });

describe('POST /organizations/:name/workspaces', () => {
  it('returns the complete workspace, which a later read returns unchanged', async () => {
    const created = await create({ name: 'network', description: 'The network', 'auto-apply': true });
    expect(created.status).toBe(201);
    const { data } = created.body;
    expect(data.id).toMatch(/^ws-[1-9A-HJ-NP-Za-km-z]{16}$/);
    expect(data.attributes).toMatchObject({
      name: 'network',
      description: 'The network',
      'auto-apply': true,
      'execution-mode': 'remote',
      locked: false,
      'setting-overwrites': { 'execution-mode': false, 'agent-pool': false },
      'trigger-prefixes': [],
      'vcs-repo': null,
    });
    for (const path of [`/workspaces/${data.id}`, '/organizations/acme/workspaces/network']) {
      const read = await api.request('GET', path, { token: owner });
      expect(read.status).toBe(200);
      expect(read.body).toEqual(created.body);
    }
  });

  it('returns 422 with a pointer to the name when the name is already taken', async () => {
    await create({ name: 'taken' });
    const again = await create({ name: 'taken' });
    expect(again.status).toBe(422);
    expect(again.body).toEqual({
      errors: [
        {
          status: '422',
          title: 'invalid attribute',
          detail: 'Name has already been taken',
          source: { pointer: '/data/attributes/name' },
        },
      ],
    });
  });

  it('stores a long description, which a later lock keeps', async () => {
    const description = 'x'.repeat(1_000);
    const { body } = await create({ name: 'wordy', description });
    const locked = await api.request('POST', `/workspaces/${body.data.id}/actions/lock`, { token: owner });
    expect(locked.body.data.attributes.description).toBe(description);
    const shortened = await api.request('PATCH', `/workspaces/${body.data.id}`, {
      token: owner,
      body: { data: { type: 'workspaces', attributes: { description: 'short' } } },
    });
    expect(shortened.body.data.attributes.description).toBe('short');
    const read = await api.request('GET', `/workspaces/${body.data.id}`, { token: owner });
    expect(read.body).toEqual(shortened.body);
  });
});

describe('workspace lock actions', () => {
  it('lock and unlock a workspace, and return 409 for a second lock and a second unlock', async () => {
    const { body } = await create({ name: 'locked' });
    const actions = `/workspaces/${body.data.id}/actions`;
    const locked = await api.request('POST', `${actions}/lock`, { token: owner, body: { reason: 'maintenance' } });
    expect(locked.status).toBe(200);
    expect(locked.body.data.attributes).toMatchObject({ locked: true, 'locked-reason': 'maintenance' });
    expect(locked.body.data.relationships['locked-by'].data.type).toBe('users');
    expect((await api.request('POST', `${actions}/lock`, { token: owner })).status).toBe(409);

    const unlocked = await api.request('POST', `${actions}/unlock`, { token: owner });
    expect(unlocked.status).toBe(200);
    expect(unlocked.body.data.attributes).toMatchObject({ locked: false, 'locked-reason': '' });
    const again = await api.request('POST', `${actions}/unlock`, { token: owner });
    expect(again.status).toBe(409);
    expect(again.body.errors[0].detail).not.toMatch(/is locked by (User|Team|Run)/);
  });

  it('force-unlock a workspace that another user has locked, and return 409 when it is unlocked', async () => {
    const { body } = await create({ name: 'abandoned' });
    const actions = `/workspaces/${body.data.id}/actions`;
    await api.admin('create-user', { username: 'grace', email: 'grace@example.com' });
    await api.admin('add-member', { organization: 'acme', team: 'owners', username: 'grace' });
    const { token } = await api.admin('create-token', { kind: 'user', username: 'grace' });
    await api.request('POST', `${actions}/lock`, { token });
    const rejected = await api.request('POST', `${actions}/unlock`, { token: owner });
    expect(rejected).toMatchObject({
      status: 409,
      body: { errors: [{ detail: expect.stringMatching(/is locked by User/) }] },
    });
    const unlocked = await api.request('POST', `${actions}/force-unlock`, { token: owner });
    expect(unlocked.body.data.attributes.locked).toBe(false);
    expect((await api.request('POST', `${actions}/force-unlock`, { token: owner })).status).toBe(409);
  });
});

describe('PATCH /workspaces/:id', () => {
  it('renames a workspace, keeps its id and releases the old name at once', async () => {
    const { body } = await create({ name: 'before' });
    const renamed = await api.request('PATCH', '/organizations/acme/workspaces/before', {
      token: owner,
      body: { data: { type: 'workspaces', attributes: { name: 'after' } } },
    });
    expect(renamed.status).toBe(200);
    expect(renamed.body.data.id).toBe(body.data.id);
    expect((await api.request('GET', '/organizations/acme/workspaces/before', { token: owner })).status).toBe(404);
    expect((await api.request('GET', '/organizations/acme/workspaces/after', { token: owner })).status).toBe(200);
    expect((await create({ name: 'before' })).status).toBe(201);
  });

  it('keeps the changes of concurrent updates', async () => {
    const { body } = await create({ name: 'both' });
    const update = (attributes: object) =>
      api.request('PATCH', `/workspaces/${body.data.id}`, {
        token: owner,
        body: { data: { type: 'workspaces', attributes } },
      });
    const responses = await Promise.all([
      update({ 'auto-apply': true }),
      update({ 'queue-all-runs': true }),
      update({ 'working-directory': 'infra' }),
      update({ description: 'Both' }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { attributes } = (await api.request('GET', `/workspaces/${body.data.id}`, { token: owner })).body.data;
    expect(attributes).toMatchObject({
      'auto-apply': true,
      'queue-all-runs': true,
      'working-directory': 'infra',
      description: 'Both',
    });
  });

  it('moves a workspace to another project', async () => {
    const { body } = await create({ name: 'moving' });
    const { project } = await api.admin('create-project', { organization: 'acme', name: 'Platform' });
    const moved = await api.request('PATCH', `/workspaces/${body.data.id}`, {
      token: owner,
      body: {
        data: { type: 'workspaces', relationships: { project: { data: { type: 'projects', id: project.id } } } },
      },
    });
    expect(moved.status).toBe(200);
    expect(moved.body.data.relationships.project.data.id).toBe(project.id);
    const byName = await api.request('GET', '/organizations/acme/workspaces/moving', { token: owner });
    expect(byName.body).toEqual(moved.body);
  });
});

describe('deletion of a workspace', () => {
  it('safe-deletes an unlocked workspace and returns 409 for a locked one', async () => {
    const { body } = await create({ name: 'doomed' });
    const { id } = body.data;
    await api.request('POST', `/workspaces/${id}/actions/lock`, { token: owner });
    const rejected = await api.request('POST', `/workspaces/${id}/actions/safe-delete`, { token: owner });
    expect(rejected.status).toBe(409);
    expect(rejected.body.errors[0].detail).toContain('locked');
    await api.request('POST', `/workspaces/${id}/actions/unlock`, { token: owner });
    const deleted = await api.request('POST', '/organizations/acme/workspaces/doomed/actions/safe-delete', {
      token: owner,
    });
    expect(deleted).toMatchObject({ status: 204, body: undefined });
    expect((await api.request('GET', `/workspaces/${id}`, { token: owner })).status).toBe(404);
    expect((await create({ name: 'doomed' })).status).toBe(201);
  });

  it('accepts an id for safe-delete and a name for force-delete', async () => {
    const { id } = (await create({ name: 'short-lived' })).body.data;
    expect((await api.request('POST', `/workspaces/${id}/actions/safe-delete`, { token: owner })).status).toBe(204);
    await create({ name: 'short-lived' });
    const deleted = await api.request('DELETE', '/organizations/acme/workspaces/short-lived', { token: owner });
    expect(deleted).toMatchObject({ status: 204, body: undefined });
  });

  it('force-deletes a locked workspace for an owner', async () => {
    const { body } = await create({ name: 'forced' });
    await api.request('POST', `/workspaces/${body.data.id}/actions/lock`, { token: owner });
    expect((await api.request('DELETE', `/workspaces/${body.data.id}`, { token: owner })).status).toBe(204);
    expect((await api.request('DELETE', '/organizations/acme/workspaces/forced', { token: owner })).status).toBe(404);
  });
});

describe('GET /organizations/:name/workspaces', () => {
  it('pages through the workspaces by name in both orders and shows every later change', async () => {
    await api.admin('create-organization', { name: 'lists', email: 'ada@example.com' });
    const { token } = await api.admin('create-token', { kind: 'organization', organization: 'lists' });
    const list = async (query = '') =>
      (await api.request('GET', `/organizations/lists/workspaces${query}`, { token })).body;
    const add = (name: string) =>
      api.request('POST', '/organizations/lists/workspaces', {
        token,
        body: { data: { type: 'workspaces', attributes: { name } } },
      });
    expect((await list()).meta.pagination).toEqual({
      'current-page': 1,
      'page-size': 20,
      'prev-page': null,
      'next-page': null,
      'total-pages': 1,
      'total-count': 0,
    });
    for (const name of ['delta', 'alpha', 'charlie', 'bravo', 'echo']) await add(name);
    const names = (document: { data: { attributes: { name: string } }[] }) =>
      document.data.map(({ attributes }) => attributes.name);
    expect(names(await list('?sort=name&page[size]=2'))).toEqual(['alpha', 'bravo']);
    const last = await list('?sort=name&page%5Bsize%5D=2&page%5Bnumber%5D=3&kept=yes');
    expect(names(last)).toEqual(['echo']);
    expect(last.links).toEqual({
      self: 'http://holdfast.test/api/v2/organizations/lists/workspaces?sort=name&page%5Bsize%5D=2&page%5Bnumber%5D=3&kept=yes',
      first: expect.stringContaining('page%5Bnumber%5D=1'),
      prev: expect.stringContaining('page%5Bnumber%5D=2'),
      next: null,
      last: expect.stringContaining('page%5Bnumber%5D=3'),
    });
    expect(names(await list('?sort=-name'))).toEqual(['echo', 'delta', 'charlie', 'bravo', 'alpha']);

    const rename = { data: { type: 'workspaces', attributes: { name: 'zulu' } } };
    await api.request('PATCH', '/organizations/lists/workspaces/alpha', { token, body: rename });
    await api.request('POST', '/organizations/lists/workspaces/bravo/actions/safe-delete', { token });
    const after = await list('?sort=name');
    expect(names(after)).toEqual(['charlie', 'delta', 'echo', 'zulu']);
    expect(after.meta.pagination['total-count']).toBe(4);
  });
});
