import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { displayNames } from '../../../shared/domain/workspace/vcs.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { expectInvalid } from '../../support/api/organization-fixture.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { NOT_FOUND } from '../../support/models/arbitraries/arbitraries-checks.ts';

/** Agent pools, SSH keys and VCS connections over HTTP (docs/reference/agent-pools-and-vcs-connections.md). */
let api: Api;
let owner: string;

beforeAll(async () => {
  api = await startApi();
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
});
afterAll(() => api.stop());

const kinds = {
  'agent-pools': (name: string) => ({ name }),
  'ssh-keys': (name: string) => ({ name, value: 'CANARY' }),
  'oauth-clients': (name: string) => ({
    name,
    'service-provider': 'gitlab_hosted',
    'http-url': 'https://gitlab.com',
    'oauth-token-string': 'CANARY',
  }),
};
type Kind = keyof typeof kinds;
const names = Object.keys(kinds) as Kind[];

const send = (
  method: string,
  path: string,
  type?: string,
  attributes?: object,
  more: object = {},
): Promise<ApiResponse> =>
  api.request(method, path, { token: owner, ...(type && { body: { data: { type, attributes, ...more } } }) });
const listPath = (kind: Kind) => `/organizations/acme/${kind}`;

let createdCount = 0;
const createRecord = async (kind: Kind, attributes: object = kinds[kind](`record-${++createdCount}`)) => {
  const { status, body } = await send('POST', listPath(kind), kind, attributes);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data as { readonly id: string; readonly attributes: Readonly<Record<string, unknown>> };
};

describe.each(names)('%s of an organization', (kind) => {
  it('are created, shown, listed by name, renamed and deleted', async () => {
    const { id, attributes } = await createRecord(kind);
    expect((await send('GET', `/${kind}/${id}`)).body.data).toMatchObject({ id, type: kind, attributes });
    const first = await createRecord(kind, kinds[kind](`a-${++createdCount}`));
    const listed = (await send('GET', listPath(kind))).body;
    expect(listed.data[0]).toEqual((await send('GET', `/${kind}/${first.id}`)).body.data);
    expect(listed.data.map((it: { id: string }) => it.id)).toContain(id);
    expect(listed.meta.pagination['total-count']).toBe(listed.data.length);

    const name = `renamed-${++createdCount}`;
    const renamed = await send('PATCH', `/${kind}/${id}`, kind, { name });
    expect(renamed.body.data).toEqual({ ...(await send('GET', `/${kind}/${id}`)).body.data });
    expect(renamed.body.data.attributes.name).toBe(name);
    expect((await send('PATCH', `/${kind}/${id}`, kind, {}, { id })).body.data).toEqual(renamed.body.data);

    expect((await send('DELETE', `/${kind}/${id}`)).status).toBe(204);
    for (const method of ['GET', 'DELETE']) {
      expect(await send(method, `/${kind}/${id}`)).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect((await send('GET', `${listPath(kind)}?q=${name.toUpperCase()}`)).body.data).toEqual([]);
  });

  it('leave their name to the next record at once', async () => {
    const name = `reused-${kind}`;
    const { id } = await createRecord(kind, kinds[kind](name));
    expect((await send('DELETE', `/${kind}/${id}`)).status).toBe(204);
    const next = await createRecord(kind, kinds[kind](name));
    expect(next.id).not.toBe(id);
    const { body } = await send('GET', `${listPath(kind)}?q=${name}`);
    expect(body.data.map((it: { id: string }) => it.id)).toEqual([next.id]);
    expect((await api.admin('check-table')).findings).toEqual([]);
  });

  it('are filtered by a part of the name and paginated on request', async () => {
    for (const letter of ['a', 'b', 'c']) await createRecord(kind, kinds[kind](`paged-${letter}-${kind}`));
    const { body } = await send('GET', `${listPath(kind)}?q=PAGED&page[size]=2&page[number]=2`);
    expect(body.data.map(({ attributes }: { attributes: { name: string } }) => attributes.name)).toEqual([
      `paged-c-${kind}`,
    ]);
    expect(body.meta.pagination).toMatchObject({ 'current-page': 2, 'total-pages': 2, 'total-count': 3 });
    expect((await send('GET', `${listPath(kind)}?page[size]=0`)).status).toBe(400);
  });

  it('have unique and required names', async () => {
    const taken = kinds[kind](`taken-${kind}`);
    await createRecord(kind, taken);
    const other = await createRecord(kind);
    expectInvalid(await send('POST', listPath(kind), kind, taken), 'name', /^Name has already been taken$/);
    expectInvalid(
      await send('PATCH', `/${kind}/${other.id}`, kind, { name: taken.name }),
      'name',
      /already been taken/,
    );
    expectInvalid(await send('POST', listPath(kind), kind, { ...taken, name: 'a/b' }), 'name');
    if (kind !== 'oauth-clients') {
      expectInvalid(await send('POST', listPath(kind), kind, { ...taken, name: undefined }), 'name', /can't be blank/);
    }
  });

  it('reject an update whose body has the id of another record', async () => {
    const [one, other] = [await createRecord(kind), await createRecord(kind)];
    const rejected = await send('PATCH', `/${kind}/${one.id}`, kind, { name: 'never' }, { id: other.id });
    expect(rejected).toMatchObject({ status: 422, body: { errors: [{ source: { pointer: '/data/id' } }] } });
    expect((await send('GET', `/${kind}/${one.id}`)).body.data.attributes).toEqual(one.attributes);
  });
});

describe('value of an SSH key or OAuth token', () => {
  it('never appears in responses, and only encrypted in the table', async () => {
    const key = await createRecord('ssh-keys');
    const client = await createRecord('oauth-clients');
    await send('PATCH', `/ssh-keys/${key.id}`, 'ssh-keys', { value: 'CANARY two' });
    await send('PATCH', `/oauth-clients/${client.id}`, 'oauth-clients', { 'oauth-token-string': 'CANARY three' });
    const responses = await Promise.all(
      [`/ssh-keys/${key.id}`, `/oauth-clients/${client.id}`, listPath('ssh-keys'), listPath('oauth-clients')].map(
        (path) => send('GET', path),
      ),
    );
    expect(JSON.stringify(responses)).not.toContain('CANARY');
    let encryptedCount = 0;
    for await (const item of scanItems(api.engine.database)) {
      expect(JSON.stringify(item)).not.toContain('CANARY');
      if (!(item['sealed'] instanceof Uint8Array)) continue;
      expect(Buffer.from(item['sealed']).includes('CANARY')).toBe(false);
      encryptedCount += 1;
    }
    expect(encryptedCount).toBeGreaterThan(1);
  });

  it('is required for an SSH key and limited in length', async () => {
    expectInvalid(await send('POST', listPath('ssh-keys'), 'ssh-keys', { name: 'none' }), 'value', /can't be blank/);
    expectInvalid(await send('POST', listPath('ssh-keys'), 'ssh-keys', { name: 'none', value: '' }), 'value');
    await createRecord('ssh-keys', { name: 'longest', value: 'x'.repeat(16_384) });
    expectInvalid(
      await send('POST', listPath('ssh-keys'), 'ssh-keys', { name: 'n', value: 'x'.repeat(16_385) }),
      'value',
    );
  });
});

describe('VCS connection', () => {
  it('is an OAuth client and an OAuth token that link to each other', async () => {
    const { id } = await createRecord('oauth-clients');
    const client = (await send('GET', `/oauth-clients/${id}`)).body.data;
    const [{ id: token }] = client.relationships['oauth-tokens'].data;
    const tokens = [
      await send('GET', `/oauth-tokens/${token}`),
      ...(await Promise.all([
        send('GET', `/oauth-clients/${id}/oauth-tokens`),
        send('GET', `/organizations/acme/oauth-tokens?q=${client.attributes.name}`),
      ])),
    ].map(({ body }) => [body.data].flat());
    for (const found of tokens) {
      expect(found).toMatchObject([{ id: token, type: 'oauth-tokens' }]);
      expect(found[0].relationships['oauth-client'].data).toEqual({ type: 'oauth-clients', id });
    }
  });

  it('is found by its provider in the list of tokens', async () => {
    const { id } = await createRecord('oauth-clients', {
      'service-provider': 'bitbucket_hosted',
      'http-url': 'https://bitbucket.org',
    });
    const list = (provider: string) => send('GET', `/organizations/acme/oauth-tokens?filter[provider]=${provider}`);
    const { data } = (await list('bitbucket_hosted')).body;
    expect(data).toMatchObject([{ relationships: { 'oauth-client': { data: { id } } } }]);
    expect((await list('ado_services')).body.data).toEqual([]);
    expect((await list('cvs')).status).toBe(400);
  });

  it('has the name of its provider by default', async () => {
    const attributes = { 'service-provider': 'ado_server', 'http-url': 'https://dev.example.com' };
    expect((await createRecord('oauth-clients', attributes)).attributes['name']).toBe(displayNames.ado_server);
  });

  it('keeps its provider, and workspaces show its current URL', async () => {
    const { id } = await createRecord('oauth-clients');
    const [{ id: token }] = (await send('GET', `/oauth-clients/${id}/oauth-tokens`)).body.data;
    const workspace = await send('POST', '/organizations/acme/workspaces', 'workspaces', {
      name: 'connected',
      'vcs-repo': { identifier: 'org/repo', 'oauth-token-id': token },
    });
    const other = { 'service-provider': 'github' };
    expectInvalid(await send('PATCH', `/oauth-clients/${id}`, 'oauth-clients', other), 'service-provider');
    const moved = { 'http-url': 'https://git.example.com', 'api-url': 'https://git.example.com/api', name: 'moved' };
    expect((await send('PATCH', `/oauth-clients/${id}`, 'oauth-clients', moved)).body.data.attributes).toMatchObject(
      moved,
    );
    const shown = (await send('GET', `/workspaces/${workspace.body.data.id}`)).body.data.attributes;
    expect(shown['vcs-repo']['repository-http-url']).toBe('https://git.example.com/org/repo');

    const used = await send('DELETE', `/oauth-clients/${id}`);
    expect(used).toMatchObject({ status: 409, body: { errors: [{ detail: expect.stringContaining('1 workspace') }] } });
    await send('DELETE', `/workspaces/${workspace.body.data.id}`);
    expect((await send('DELETE', `/oauth-clients/${id}`)).status).toBe(204);
  });
});

describe('agent pool', () => {
  it('returns 409 with the number of workspaces when it is deleted while in use', async () => {
    const { id } = await createRecord('agent-pools');
    const attributes = { name: 'pooled', 'execution-mode': 'agent', 'agent-pool-id': id };
    expect((await send('POST', '/organizations/acme/workspaces', 'workspaces', attributes)).status).toBe(201);
    const used = await send('DELETE', `/agent-pools/${id}`);
    expect(used).toMatchObject({ status: 409, body: { errors: [{ detail: expect.stringContaining('1 workspace') }] } });
    expect((await send('GET', `/agent-pools/${id}`)).status).toBe(200);
  });
});
