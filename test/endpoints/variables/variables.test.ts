import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../../shared/domain/limits.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';

/** Variables over HTTP, by the deprecated paths and their successors (docs/reference/variables.md). */
let api: Api;
let owner: string;
let workspace: string;

const send = (method: string, path: string, body?: unknown, token = owner): Promise<ApiResponse> =>
  api.request(method, path, { token, ...(body !== undefined && { body }) });

const createWorkspace = async (name: string): Promise<string> => {
  const body = { data: { type: 'workspaces', attributes: { name } } };
  return (await send('POST', '/organizations/acme/workspaces', body)).body.data.id;
};
const document = (attributes: object, more: object = {}) => ({ data: { type: 'vars', attributes, ...more } });
const relationships = (id: string | null) => ({ workspace: { data: { type: 'workspaces', id } } });

/** Both forms of each call. */
const forms = {
  '/vars': {
    create: (attributes: object, of = workspace) =>
      send('POST', '/vars', document(attributes, { relationships: relationships(of) })),
    list: (name: string) =>
      send('GET', `/vars?filter%5Bworkspace%5D%5Bname%5D=${name}&filter[organization][name]=acme`),
    path: (_: string, id: string) => `/vars/${id}`,
  },
  '/workspaces/:workspace_id/vars': {
    create: (attributes: object, of = workspace) => send('POST', `/workspaces/${of}/vars`, document(attributes)),
    list: async (name: string) => {
      const { body } = await send('GET', `/organizations/acme/workspaces/${name}`);
      return send('GET', `/workspaces/${body.data.id}/vars`);
    },
    path: (of: string, id: string) => `/workspaces/${of}/vars/${id}`,
  },
};
const { create, path } = forms['/workspaces/:workspace_id/vars'];
const show = async (id: string) => (await send('GET', path(workspace, id))).body.data;

let createdCount = 0;
const newKey = (): string => `key_${++createdCount}`;
const createVariable = async (attributes: object = {}): Promise<string> =>
  (await create({ key: newKey(), category: 'env', ...attributes })).body.data.id;
const patch = (id: string, attributes?: object, more: object = {}) =>
  send('PATCH', path(workspace, id), { data: { type: 'vars', ...(attributes && { attributes }), ...more } });
const error = (reply: ApiResponse) => ({ status: reply.status, ...reply.body.errors[0] });
const invalid = (attribute: string, detail: string) => ({
  status: '422',
  title: 'invalid attribute',
  detail,
  source: { pointer: `/data/attributes/${attribute}` },
});

beforeAll(async () => {
  api = await startApi();
  const { token } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' });
  owner = token;
  workspace = await createWorkspace('network');
});
afterAll(async () => {
  expect((await api.admin('check-table')).findings).toEqual([]);
  await api.stop();
});

describe.each(Object.entries(forms))('variables under %s', (form, { create, list, path }) => {
  it('are created, listed, changed and deleted', async () => {
    const name = form === '/vars' ? 'life-by-old' : 'life-by-new';
    const id = await createWorkspace(name);
    const created = await create({ key: 'region', value: 'eu', description: 'where', category: 'infra' }, id);
    expect(created.status).toBe(201);
    const { data } = created.body;
    expect(data).toEqual({
      id: expect.stringMatching(/^var-[1-9A-HJ-NP-Za-km-z]{16}$/),
      type: 'vars',
      attributes: {
        key: 'region',
        value: 'eu',
        description: 'where',
        'value-reference': null,
        sensitive: false,
        category: 'infra',
        hcl: false,
        'created-at': expect.any(String),
        'version-id': expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      relationships: {
        configurable: {
          data: { type: 'workspaces', id },
          links: { related: `/api/v2/organizations/acme/workspaces/${name}` },
        },
      },
      links: { self: form === '/vars' ? `/api/v2/vars/${data.id}` : `/api/v2/workspaces/${id}/vars/${data.id}` },
    });
    expect((await list(name)).body.data).toEqual([data]);

    const changes = { key: 'zone', value: 'eu-1', category: 'env', hcl: true, description: null };
    const changed = await send('PATCH', path(id, data.id), {
      data: { type: 'vars', id: data.id, attributes: changes },
    });
    expect(changed.status).toBe(200);
    expect(changed.body.data).toEqual({
      ...data,
      attributes: {
        ...data.attributes,
        ...changes,
        'version-id': expect.not.stringContaining(data.attributes['version-id']),
      },
    });
    expect((await list(name)).body.data).toEqual([changed.body.data]);

    const deleted = await send('DELETE', path(id, data.id));
    expect(deleted).toMatchObject({ status: 204, body: undefined });
    expect((await list(name)).body).toMatchObject({ data: [], meta: { pagination: { 'total-count': 0 } } });
    for (const method of ['PATCH', 'DELETE']) {
      const again = await send(method, path(id, data.id), method === 'PATCH' ? document({}) : undefined);
      expect(again).toMatchObject({ status: 404, body: { errors: [{ status: '404', title: 'not found' }] } });
    }
  });

  it('have defaults for omitted attributes', async () => {
    const { attributes } = (await create({ key: newKey(), category: 'env' })).body.data;
    expect(attributes).toMatchObject({ value: '', description: null, hcl: false, sensitive: false, category: 'env' });
  });

  it('have unique, case-sensitive keys within a category and a workspace', async () => {
    const key = newKey();
    const of = await createWorkspace(`keys-${form === '/vars' ? 'old' : 'new'}`);
    expect((await create({ key, category: 'env' }, of)).status).toBe(201);
    const again = await create({ key: `  ${key} `, category: 'env' }, of);
    expect(again.status).toBe(422);
    expect(again.body.errors).toEqual([invalid('key', 'Key has already been taken')]);
    expect((await create({ key, category: 'infra' }, of)).status).toBe(201);
    expect((await create({ key: key.toUpperCase(), category: 'env' }, of)).status).toBe(201);
    expect((await create({ key, category: 'env' }, await createWorkspace(`keys-of-${key}`))).status).toBe(201);
  });

  it.each([
    [{ category: 'env' }, 'key', "Key can't be blank"],
    [{ key: ' \t', category: 'env' }, 'key', "Key can't be blank"],
    [
      { key: 'k'.repeat(limits.variableKey + 1), category: 'env' },
      'key',
      'Key is too long (maximum is 128 characters)',
    ],
    [{ key: 'k' }, 'category', "Category can't be blank"],
    [{ key: 'k', category: 'policy-set' }, 'category', 'Category must be one of: infra, env, terraform'],
    [{ key: 'k', category: 'env', value: 1 }, 'value', 'Value must be a string'],
    [{ key: 'k', category: 'env', hcl: 'yes' }, 'hcl', 'Hcl must be true or false'],
    [
      { key: 'k', category: 'env', description: 'd'.repeat(513) },
      'description',
      'Description is too long (maximum is 512 characters)',
    ],
    [
      { key: 'k', category: 'env', value: 'ä'.repeat(limits.variableValue / 2 + 1) },
      'value',
      'Value is too long (maximum is 262144 bytes)',
    ],
  ])('are rejected with attributes %j because %s is invalid: %s', async (attributes, attribute, detail) => {
    const rejected = await create(attributes);
    expect(rejected.status).toBe(422);
    expect(rejected.body.errors).toEqual([invalid(attribute, detail)]);
  });
});

describe('variable', () => {
  it.each([
    'k'.repeat(limits.variableKey),
    '𝄞'.repeat(limits.variableKey),
    'a#b',
    'V#env#a',
    'a/b c?',
    '__proto__',
    'a\nb',
    'a\u0000b',
    '"%',
  ])('accepts the key %j', async (key) => {
    const { status, body } = await create({ key, category: 'infra' });
    expect(status).toBe(201);
    expect(body.data.attributes.key).toBe(key);
    expect(error(await create({ key, category: 'infra' }))).toMatchObject({ detail: 'Key has already been taken' });
    expect(await show(body.data.id)).toEqual(body.data);
  });

  it('accepts a key, value and description of the maximum length', async () => {
    for (const sensitive of [false, true]) {
      const value = 'v'.repeat(limits.variableValue);
      const key = `${'𝄞'.repeat(limits.variableKey - 1)}${Number(sensitive)}`;
      const id = await createVariable({ key, value, sensitive, description: '𝄞'.repeat(limits.variableDescription) });
      expect((await show(id)).attributes).toMatchObject({ key, value: sensitive ? null : value });
      await send('DELETE', path(workspace, id));
    }
  });

  it.each([
    ['infra', { 'user-agent': 'curl/8.5.0', 'holdfast-vocabulary': 'infra' }],
    ['terraform', { 'user-agent': 'terraform-provider-tfe/0.80.0' }],
    ['terraform', { 'user-agent': 'pytfe/1.0' }],
    ['infra', { 'user-agent': 'go-tfe', 'holdfast-vocabulary': 'infra' }],
  ])('returns the category %s to a client with the headers %j', async (category, headers) => {
    const of = await createWorkspace(`vocabulary-${++createdCount}`);
    const request = async (method: string, at: string, body?: unknown) => {
      const reply = await api.request(method, at, { token: owner, headers, ...(body !== undefined && { body }) });
      expect(reply.headers['vary']).toBe('accept-encoding, user-agent, holdfast-vocabulary');
      return reply.body;
    };
    const { data } = await request('POST', `/workspaces/${of}/vars`, document({ key: 'k', category: 'terraform' }));
    const shown = await request('GET', path(of, data.id));
    const [listed] = (await request('GET', `/workspaces/${of}/vars`)).data;
    const [included] = (await request('GET', `/workspaces/${of}?include=vars`)).included;
    const changed = await request('PATCH', path(of, data.id), document({ category: 'infra' }));
    for (const { attributes } of [data, shown.data, listed, included, changed.data]) {
      expect(attributes.category).toBe(category);
    }
    expect(error(await create({ key: 'k', category: 'infra' }, of))).toEqual(
      invalid('key', 'Key has already been taken'),
    );
    const env = await request('POST', `/workspaces/${of}/vars`, document({ key: 'k', category: 'env' }));
    expect(env.data.attributes.category).toBe('env');
  });

  it('has the category in the response to a change as the change names it, in every kind of variable', async () => {
    const of = await createWorkspace(`vocabulary-${++createdCount}`);
    const set = await send('POST', '/organizations/acme/varsets', {
      data: { type: 'varsets', attributes: { name: `vocabulary-${createdCount}` } },
    });
    const relationships = { workspace: { data: { type: 'workspaces', id: of } } };
    for (const [index, [list, more]] of [
      [`/workspaces/${of}/vars`, {}],
      [`/varsets/${set.body.data.id}/relationships/vars`, {}],
      ['/vars', { relationships }],
    ].entries() as ArrayIterator<[number, [string, object]]>) {
      const named = (category: string) => ({
        data: { type: 'vars', attributes: { key: `k-${index}`, category }, ...more },
      });
      const { data } = (await send('POST', list, named('terraform'))).body;
      const changed = (category: string) => send('PATCH', `${list}/${data.id}`, named(category));
      const categories = [data, (await changed('infra')).body.data, (await changed('terraform')).body.data];
      expect(categories.map(({ attributes }) => attributes.category)).toEqual(['terraform', 'infra', 'terraform']);
    }
  });

  it('does not depend on the client where a response has no variable', async () => {
    expect((await send('GET', `/workspaces/${workspace}`)).headers['vary']).toBe('accept-encoding');
  });

  it('is rejected with a vocabulary that does not exist', async () => {
    const reply = await api.request('GET', `/workspaces/${workspace}/vars`, {
      token: owner,
      headers: { 'holdfast-vocabulary': 'tofu' },
    });
    expect(error(reply)).toEqual({
      status: '400',
      title: 'bad request',
      detail: 'The header Holdfast-Vocabulary must be one of: infra, terraform',
    });
  });

  it('has a new version id after every update, even an empty one', async () => {
    const id = await createVariable({ value: 'v' });
    const versions = [(await show(id)).attributes['version-id']];
    for (const attributes of [undefined, {}, { value: 'v' }]) {
      const { data } = (await patch(id, attributes)).body;
      expect(data.attributes.value).toBe('v');
      versions.push(data.attributes['version-id']);
    }
    expect(new Set(versions).size).toBe(4);
  });

  it('keeps attributes that an update omits, and its value when that is null', async () => {
    const id = await createVariable({ value: 'v', description: 'd', hcl: true });
    const { data } = (await patch(id, { value: null })).body;
    expect(data.attributes).toMatchObject({ value: 'v', description: 'd', hcl: true });
    expect((await patch(id, { description: '', value: '' })).body.data.attributes).toMatchObject({
      value: '',
      description: '',
    });
  });

  it('is renamed only to a key that is not taken', async () => {
    const [taken, id] = [newKey(), await createVariable()];
    await create({ key: taken, category: 'env' });
    expect(error(await patch(id, { key: taken }))).toMatchObject(invalid('key', 'Key has already been taken'));
    expect((await patch(id, { key: taken, category: 'infra' })).status).toBe(200);
    expect(error(await patch(id, { category: 'env' }))).toMatchObject({ detail: 'Key has already been taken' });
    expect((await show(id)).attributes).toMatchObject({ key: taken, category: 'infra' });
    const freed = newKey();
    await patch(id, { key: freed });
    expect((await create({ key: taken, category: 'infra' })).status).toBe(201);
  });

  it('returns 422 for another id in the body, and 404 for an unknown id, another kind of id or another workspace', async () => {
    const id = await createVariable();
    const other = await createWorkspace(`other-${createdCount}`);
    expect(error(await patch(id, {}, { id: 'var-1111111111111111' }))).toEqual({
      status: '422',
      title: 'unprocessable entity',
      detail: "Id does not match the path's variable",
      source: { pointer: '/data/id' },
    });
    for (const [of, what] of [
      [other, id],
      [workspace, 'var-1111111111111111'],
      [workspace, 'ws-1111111111111111'],
      [workspace, 'nonexisting'],
    ] as const) {
      const { status, body } = await send('GET', path(of, what));
      expect({ status, body }).toEqual({ status: 404, body: { errors: [{ status: '404', title: 'not found' }] } });
    }
    expect((await send('PATCH', `/vars/${workspace}`, document({}))).status).toBe(404);
  });

  it('is deleted with its workspace', async () => {
    const of = await createWorkspace('doomed');
    const { id } = (await create({ key: 'k', category: 'env' }, of)).body.data;
    await send('DELETE', `/workspaces/${of}`);
    for (const deleted of [path(of, id), `/workspaces/${of}/vars`])
      expect((await send('GET', deleted)).status).toBe(404);
    expect((await send('PATCH', `/vars/${id}`, document({}))).status).toBe(404);
    expect((await create({ key: 'k', category: 'env' }, of)).status).toBe(404);
  });

  it('links to its workspace by the current name', async () => {
    const of = await createWorkspace('before');
    const { id } = (await create({ key: 'k', category: 'env' }, of)).body.data;
    await send('PATCH', `/workspaces/${of}`, { data: { type: 'workspaces', attributes: { name: 'after' } } });
    const { data } = (await send('GET', path(of, id))).body;
    expect(data.relationships.configurable.links.related).toBe('/api/v2/organizations/acme/workspaces/after');
  });
});

describe('sensitive variable', () => {
  const secret = (attributes: object = {}) => createVariable({ value: 's3cret', sensitive: true, ...attributes });

  it('is returned without its value, even in the response to its creation', async () => {
    const created = await create({ key: newKey(), category: 'env', value: 's3cret', sensitive: true });
    expect(created.body.data.attributes).toMatchObject({ value: null, sensitive: true });
    expect(await show(created.body.data.id)).toEqual(created.body.data);
  });

  it('accepts another value, description, category and hcl flag', async () => {
    const id = await secret();
    const attributes = { value: 'other', description: 'd', hcl: true, category: 'infra', sensitive: true };
    const { status, body } = await patch(id, attributes);
    expect(status).toBe(200);
    expect(body.data.attributes).toMatchObject({ ...attributes, value: null });
    expect(await show(id)).toEqual(body.data);
  });

  it('rejects another key and accepts its own', async () => {
    const id = await secret();
    const { key } = (await show(id)).attributes;
    expect(error(await patch(id, { key: newKey() }))).toMatchObject(
      invalid('key', 'Key cannot be updated for a sensitive variable'),
    );
    expect((await patch(id, { key: ` ${key}` })).status).toBe(200);
  });

  it('cannot become non-sensitive', async () => {
    const id = await secret();
    const rejected = await patch(id, { sensitive: false, value: 'plain' });
    expect(error(rejected)).toMatchObject({
      title: 'invalid attribute',
      source: { pointer: '/data/attributes/sensitive' },
    });
    expect((await show(id)).attributes).toMatchObject({ sensitive: true, value: null });
  });

  it('is returned without its value by the update that makes it sensitive', async () => {
    const id = await createVariable({ value: 'plain' });
    const { status, body } = await patch(id, { sensitive: true });
    expect(status).toBe(200);
    expect(body.data.attributes).toMatchObject({ sensitive: true, value: null });
    expect(await show(id)).toEqual(body.data);
  });
});

describe('workspace of a new variable', () => {
  const attributes = () => ({ key: newKey(), category: 'env' });
  const named = (name: unknown, organization: unknown) => ({
    workspace: { name },
    organization: { name: organization },
  });

  it('can be given by names, alone or together with the relationship', async () => {
    for (const body of [
      { ...document(attributes()), filter: named('network', 'acme') },
      { ...document(attributes(), { relationships: relationships(workspace) }), filter: named('network', 'acme') },
      { ...document(attributes(), { relationships: relationships(workspace) }), filter: named('network', null) },
      { ...document(attributes(), { relationships: relationships(null) }), filter: named('network', 'acme') },
      { ...document(attributes(), { relationships: relationships(workspace) }), filter: null },
    ]) {
      const created = await send('POST', '/vars', body);
      expect(created.status).toBe(201);
      expect(created.body.data.relationships.configurable.data.id).toBe(workspace);
    }
  });

  it.each([
    ['neither relationship nor filter', {}, '/data/relationships/workspace'],
    ['only the workspace name', { filter: named('network', undefined) }, '/filter/organization/name'],
    ['only the organization name', { filter: named('', 'acme') }, '/filter/workspace/name'],
  ])('is required, so a request with %s is rejected', async (_, more, pointer) => {
    const rejected = await send('POST', '/vars', { ...document(attributes()), ...more });
    expect(error(rejected)).toMatchObject({ status: '422', title: 'unprocessable entity', source: { pointer } });
  });

  it('is rejected when relationship and filter name different workspaces', async () => {
    await createWorkspace('another');
    for (const filter of [named('another', 'acme'), named('nowhere', 'acme'), named('network', 'umbrella')]) {
      const body = { ...document(attributes(), { relationships: relationships(workspace) }), filter };
      expect(error(await send('POST', '/vars', body))).toEqual({
        status: '422',
        title: 'unprocessable entity',
        detail: 'Filter names another workspace than the relationship',
        source: { pointer: '/filter' },
      });
    }
  });

  it('returns 404 when it does not exist', async () => {
    for (const body of [
      document(attributes(), { relationships: relationships('ws-1111111111111111') }),
      document(attributes(), { relationships: relationships('nonexisting') }),
      { ...document(attributes()), filter: named('nowhere', 'acme') },
      { ...document(attributes()), filter: named('network', 'nobody') },
    ]) {
      const { status, body: response } = await send('POST', '/vars', body);
      expect({ status, response }).toEqual({
        status: 404,
        response: { errors: [{ status: '404', title: 'not found' }] },
      });
    }
  });

  it('comes from the path, not from the body, under the successor path', async () => {
    const other = await createWorkspace(`elsewhere-${createdCount}`);
    const body = document(attributes(), { relationships: relationships(other) });
    const created = await send('POST', `/workspaces/${workspace}/vars`, body);
    expect(created.body.data.relationships.configurable.data.id).toBe(workspace);
  });
});

describe('deprecated paths of variables', () => {
  const getDeprecation = async (method: string, of: string, body?: unknown, token = owner) => {
    const { headers } = await send(method, of, body, token);
    return { deprecation: headers['deprecation'], link: headers['link'] };
  };
  const since = '@1767225600';

  it('return the Deprecation header and a link to the successor in every response', async () => {
    const id = await createVariable();
    const all = '</api/v2/workspaces/:workspace_id/vars>; rel="successor-version"';
    const one = '</api/v2/workspaces/:workspace_id/vars/:variable_id>; rel="successor-version"';
    expect(await getDeprecation('GET', '/vars')).toEqual({ deprecation: since, link: all });
    expect(await getDeprecation('GET', '/vars?filter[workspace][name]=x')).toEqual({ deprecation: since, link: all });
    expect(await getDeprecation('GET', '/vars', undefined, 'none')).toEqual({ deprecation: since, link: all });
    expect(await getDeprecation('POST', '/vars', document({}))).toEqual({ deprecation: since, link: all });
    expect(await getDeprecation('PATCH', `/vars/${id}`, document({}))).toEqual({ deprecation: since, link: one });
    expect(await getDeprecation('DELETE', `/vars/${id}`)).toEqual({ deprecation: since, link: one });
  });

  it('are the only paths that return the Deprecation header', async () => {
    for (const other of [`/workspaces/${workspace}/vars`, `/workspaces/${workspace}`, '/nothing']) {
      expect(await getDeprecation('GET', other)).toEqual({ deprecation: undefined, link: undefined });
    }
  });
});

it('workspace accepts variables up to the limit, and one more after a deletion', async () => {
  const of = await createWorkspace('crowded');
  const { id } = (await create({ key: 'first', category: 'env' }, of)).body.data;
  // Sets the stored counter, because creating all variables takes too long.
  const item = await api.engine.database.get({ pk: `WS#${of}`, sk: 'W' });
  const count = (vn: number) =>
    api.engine.database.write({ kind: 'put', key: { pk: `WS#${of}`, sk: 'W' }, item: { ...item, vn } });
  await count(limits.variables - 1);
  expect((await create({ key: 'last', category: 'env' }, of)).status).toBe(201);
  expect(error(await create({ key: 'too-many', category: 'env' }, of))).toEqual({
    status: '422',
    title: 'unprocessable entity',
    detail: 'A workspace can have at most 1000 variables.',
  });
  await send('DELETE', path(of, id));
  expect((await create({ key: 'again', category: 'env' }, of)).status).toBe(201);
  await count(2);
});
