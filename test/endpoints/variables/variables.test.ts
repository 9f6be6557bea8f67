import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../../shared/domain/limits.ts';
import { type Api, type Reply, startApi } from '../../support/api/api.ts';

/** Variables through the front door, by the deprecated paths and by their successors (docs/reference/variables.md). */
let api: Api;
let owner: string;
let workspace: string;

const send = (method: string, path: string, body?: unknown, token = owner): Promise<Reply> =>
  api.request(method, path, { token, ...(body !== undefined && { body }) });

const makeWorkspace = async (name: string): Promise<string> => {
  const body = { data: { type: 'workspaces', attributes: { name } } };
  return (await send('POST', '/organizations/acme/workspaces', body)).body.data.id;
};
const document = (attributes: object, more: object = {}) => ({ data: { type: 'vars', attributes, ...more } });
const relationships = (id: string | null) => ({ workspace: { data: { type: 'workspaces', id } } });

/** Both ways to each call. */
const ways = {
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
const { create, path } = ways['/workspaces/:workspace_id/vars'];
const show = async (id: string) => (await send('GET', path(workspace, id))).body.data;

let made = 0;
const freshKey = (): string => `key_${++made}`;
const variable = async (attributes: object = {}): Promise<string> =>
  (await create({ key: freshKey(), category: 'env', ...attributes })).body.data.id;
const patch = (id: string, attributes?: object, more: object = {}) =>
  send('PATCH', path(workspace, id), { data: { type: 'vars', ...(attributes && { attributes }), ...more } });
const error = (reply: Reply) => ({ status: reply.status, ...reply.body.errors[0] });
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
  workspace = await makeWorkspace('network');
});
afterAll(async () => {
  expect((await api.admin('check-table')).findings).toEqual([]);
  await api.stop();
});

describe.each(Object.entries(ways))('by %s', (way, { create, list, path }) => {
  it('a variable is created, shown in a list, changed and deleted', async () => {
    const name = way === '/vars' ? 'life-by-old' : 'life-by-new';
    const id = await makeWorkspace(name);
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
      links: { self: way === '/vars' ? `/api/v2/vars/${data.id}` : `/api/v2/workspaces/${id}/vars/${data.id}` },
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

  it('what is left out has its default', async () => {
    const { attributes } = (await create({ key: freshKey(), category: 'env' })).body.data;
    expect(attributes).toMatchObject({ value: '', description: null, hcl: false, sensitive: false, category: 'env' });
  });

  it('a key is taken within its category and workspace only, and told from others by its case', async () => {
    const key = freshKey();
    const of = await makeWorkspace(`keys-${way === '/vars' ? 'old' : 'new'}`);
    expect((await create({ key, category: 'env' }, of)).status).toBe(201);
    const again = await create({ key: `  ${key} `, category: 'env' }, of);
    expect(again.status).toBe(422);
    expect(again.body.errors).toEqual([invalid('key', 'Key has already been taken')]);
    expect((await create({ key, category: 'infra' }, of)).status).toBe(201);
    expect((await create({ key: key.toUpperCase(), category: 'env' }, of)).status).toBe(201);
    expect((await create({ key, category: 'env' }, await makeWorkspace(`keys-of-${key}`))).status).toBe(201);
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
  ])('%j is refused at %s', async (attributes, attribute, detail) => {
    const refused = await create(attributes);
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual([invalid(attribute, detail)]);
  });
});

describe('a variable', () => {
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
  ])('may have the key %j', async (key) => {
    const { status, body } = await create({ key, category: 'infra' });
    expect(status).toBe(201);
    expect(body.data.attributes.key).toBe(key);
    expect(error(await create({ key, category: 'infra' }))).toMatchObject({ detail: 'Key has already been taken' });
    expect(await show(body.data.id)).toEqual(body.data);
  });

  it('may be as long as a variable may be', async () => {
    for (const sensitive of [false, true]) {
      const value = 'v'.repeat(limits.variableValue);
      const key = `${'𝄞'.repeat(limits.variableKey - 1)}${Number(sensitive)}`;
      const id = await variable({ key, value, sensitive, description: '𝄞'.repeat(limits.variableDescription) });
      expect((await show(id)).attributes).toMatchObject({ key, value: sensitive ? null : value });
      await send('DELETE', path(workspace, id));
    }
  });

  it('is also called by the name that its category once had, and answered by the other', async () => {
    const { attributes } = (await create({ key: freshKey(), category: 'terraform' })).body.data;
    expect(attributes.category).toBe('infra');
  });

  it('has a new version with every update, also with one that says nothing', async () => {
    const id = await variable({ value: 'v' });
    const versions = [(await show(id)).attributes['version-id']];
    for (const attributes of [undefined, {}, { value: 'v' }]) {
      const { data } = (await patch(id, attributes)).body;
      expect(data.attributes.value).toBe('v');
      versions.push(data.attributes['version-id']);
    }
    expect(new Set(versions).size).toBe(4);
  });

  it('keeps what an update leaves out, its value also where it is sent as null', async () => {
    const id = await variable({ value: 'v', description: 'd', hcl: true });
    const { data } = (await patch(id, { value: null })).body;
    expect(data.attributes).toMatchObject({ value: 'v', description: 'd', hcl: true });
    expect((await patch(id, { description: '', value: '' })).body.data.attributes).toMatchObject({
      value: '',
      description: '',
    });
  });

  it('is renamed into what is free only', async () => {
    const [taken, id] = [freshKey(), await variable()];
    await create({ key: taken, category: 'env' });
    expect(error(await patch(id, { key: taken }))).toMatchObject(invalid('key', 'Key has already been taken'));
    expect((await patch(id, { key: taken, category: 'infra' })).status).toBe(200);
    expect(error(await patch(id, { category: 'env' }))).toMatchObject({ detail: 'Key has already been taken' });
    expect((await show(id)).attributes).toMatchObject({ key: taken, category: 'infra' });
    const freed = freshKey();
    await patch(id, { key: freed });
    expect((await create({ key: taken, category: 'infra' })).status).toBe(201);
  });

  it('is not found where another id stands in the body, by another kind of id, or in another workspace', async () => {
    const id = await variable();
    const other = await makeWorkspace(`other-${made}`);
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

  it('goes with its workspace, and its id with it', async () => {
    const of = await makeWorkspace('doomed');
    const { id } = (await create({ key: 'k', category: 'env' }, of)).body.data;
    await send('DELETE', `/workspaces/${of}`);
    for (const gone of [path(of, id), `/workspaces/${of}/vars`]) expect((await send('GET', gone)).status).toBe(404);
    expect((await send('PATCH', `/vars/${id}`, document({}))).status).toBe(404);
    expect((await create({ key: 'k', category: 'env' }, of)).status).toBe(404);
  });

  it('shows its workspace under the name that it has now', async () => {
    const of = await makeWorkspace('before');
    const { id } = (await create({ key: 'k', category: 'env' }, of)).body.data;
    await send('PATCH', `/workspaces/${of}`, { data: { type: 'workspaces', attributes: { name: 'after' } } });
    const { data } = (await send('GET', path(of, id))).body;
    expect(data.relationships.configurable.links.related).toBe('/api/v2/organizations/acme/workspaces/after');
  });
});

describe('a sensitive variable', () => {
  const secret = (attributes: object = {}) => variable({ value: 's3cret', sensitive: true, ...attributes });

  it('is answered without its value, from the first answer on', async () => {
    const created = await create({ key: freshKey(), category: 'env', value: 's3cret', sensitive: true });
    expect(created.body.data.attributes).toMatchObject({ value: null, sensitive: true });
    expect(await show(created.body.data.id)).toEqual(created.body.data);
  });

  it('can be given another value, description, category and meaning', async () => {
    const id = await secret();
    const attributes = { value: 'other', description: 'd', hcl: true, category: 'infra', sensitive: true };
    const { status, body } = await patch(id, attributes);
    expect(status).toBe(200);
    expect(body.data.attributes).toMatchObject({ ...attributes, value: null });
    expect(await show(id)).toEqual(body.data);
  });

  it('keeps its key; its own may be said', async () => {
    const id = await secret();
    const { key } = (await show(id)).attributes;
    expect(error(await patch(id, { key: freshKey() }))).toMatchObject(
      invalid('key', 'Key cannot be updated for a sensitive variable'),
    );
    expect((await patch(id, { key: ` ${key}` })).status).toBe(200);
  });

  it('stays sensitive', async () => {
    const id = await secret();
    const refused = await patch(id, { sensitive: false, value: 'plain' });
    expect(error(refused)).toMatchObject({
      title: 'invalid attribute',
      source: { pointer: '/data/attributes/sensitive' },
    });
    expect((await show(id)).attributes).toMatchObject({ sensitive: true, value: null });
  });

  it('is what another becomes by being called so, its value blank in that very answer', async () => {
    const id = await variable({ value: 'plain' });
    const { status, body } = await patch(id, { sensitive: true });
    expect(status).toBe(200);
    expect(body.data.attributes).toMatchObject({ sensitive: true, value: null });
    expect(await show(id)).toEqual(body.data);
  });
});

describe('the workspace of a new variable', () => {
  const attributes = () => ({ key: freshKey(), category: 'env' });
  const named = (name: unknown, organization: unknown) => ({
    workspace: { name },
    organization: { name: organization },
  });

  it('may be told by its names, in place of the relationship or beside it', async () => {
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
    ['not at all', {}, '/data/relationships/workspace'],
    ['by its own name only', { filter: named('network', undefined) }, '/filter/organization/name'],
    ['by its organization only', { filter: named('', 'acme') }, '/filter/workspace/name'],
  ])('told %s is refused', async (_, more, pointer) => {
    const refused = await send('POST', '/vars', { ...document(attributes()), ...more });
    expect(error(refused)).toMatchObject({ status: '422', title: 'unprocessable entity', source: { pointer } });
  });

  it('told in two ways that differ is refused', async () => {
    await makeWorkspace('another');
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

  it('is not there where there is none', async () => {
    for (const body of [
      document(attributes(), { relationships: relationships('ws-1111111111111111') }),
      document(attributes(), { relationships: relationships('nonexisting') }),
      { ...document(attributes()), filter: named('nowhere', 'acme') },
      { ...document(attributes()), filter: named('network', 'nobody') },
    ]) {
      const { status, body: answer } = await send('POST', '/vars', body);
      expect({ status, answer }).toEqual({ status: 404, answer: { errors: [{ status: '404', title: 'not found' }] } });
    }
  });

  it('is the one of the path, whatever the body says, by the successor', async () => {
    const other = await makeWorkspace(`elsewhere-${made}`);
    const body = document(attributes(), { relationships: relationships(other) });
    const created = await send('POST', `/workspaces/${workspace}/vars`, body);
    expect(created.body.data.relationships.configurable.data.id).toBe(workspace);
  });
});

describe('the deprecated paths', () => {
  const successorOf = async (method: string, of: string, body?: unknown, token = owner) => {
    const { headers } = await send(method, of, body, token);
    return { deprecation: headers['deprecation'], link: headers['link'] };
  };
  const since = '@1767225600';

  it('say on every answer that they are, and what takes their place', async () => {
    const id = await variable();
    const all = '</api/v2/workspaces/:workspace_id/vars>; rel="successor-version"';
    const one = '</api/v2/workspaces/:workspace_id/vars/:variable_id>; rel="successor-version"';
    expect(await successorOf('GET', '/vars')).toEqual({ deprecation: since, link: all });
    expect(await successorOf('GET', '/vars?filter[workspace][name]=x')).toEqual({ deprecation: since, link: all });
    expect(await successorOf('GET', '/vars', undefined, 'none')).toEqual({ deprecation: since, link: all });
    expect(await successorOf('POST', '/vars', document({}))).toEqual({ deprecation: since, link: all });
    expect(await successorOf('PATCH', `/vars/${id}`, document({}))).toEqual({ deprecation: since, link: one });
    expect(await successorOf('DELETE', `/vars/${id}`)).toEqual({ deprecation: since, link: one });
  });

  it('are the only ones that do', async () => {
    for (const other of [`/workspaces/${workspace}/vars`, `/workspaces/${workspace}`, '/nothing']) {
      expect(await successorOf('GET', other)).toEqual({ deprecation: undefined, link: undefined });
    }
  });
});

it('a workspace has a bounded number of variables, and room again when one is deleted', async () => {
  const of = await makeWorkspace('crowded');
  const { id } = (await create({ key: 'first', category: 'env' }, of)).body.data;
  // As if the others were there: making them all would take longer than everything else here.
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
