import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, startApi } from '../../support/api/api.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Lists of variables: of a workspace, by its names, and of everything (VAR-9, VAR-10). */
let api: Api;
let ada: string;
/** Ids by workspace, in the order of their names, of both organizations that ada is in. */
const ids = new Map<string, string>();
const organizations = ['acme', 'boron'] as const;

const send = (method: string, path: string, body?: unknown, token = ada) =>
  api.request(method, path, { token, ...(body !== undefined && { body }) });
const makeWorkspace = async (organization: string, name: string, token = ada): Promise<string> => {
  const body = { data: { type: 'workspaces', attributes: { name } } };
  return (await send('POST', `/organizations/${organization}/workspaces`, body, token)).body.data.id;
};
const makeVariable = async (workspace: string, key: string, attributes: object = {}, token = ada): Promise<string> => {
  const body = { data: { type: 'vars', attributes: { key, category: 'env', ...attributes } } };
  return (await send('POST', `/workspaces/${workspace}/vars`, body, token)).body.data.id;
};
const list = async (query = '', token = ada) => {
  const { status, body } = await send('GET', `/vars${query && `?${query}`}`, undefined, token);
  expect(status).toBe(200);
  return body;
};
const keysOf = ({ data }: { data: { attributes: { key: string } }[] }) => data.map(({ attributes }) => attributes.key);

/** How many variables each workspace has; their keys tell where they belong in the order of everything. */
const SIZES = [3, 0, 1, 7, 2, 5];
const expected: string[] = [];

beforeAll(async () => {
  api = await startApi();
  ({ token: ada } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  await api.admin('create-organization', { name: 'boron', email: 'ada@example.com' });
  const { token: eve } = await api.admin('create-organization', { name: 'umbrella', email: 'eve@example.com' });
  for (const organization of organizations) {
    for (const [index, size] of SIZES.entries()) {
      const name = `w${index}`;
      const id = await makeWorkspace(organization, name);
      ids.set(`${organization}/${name}`, id);
      const keys = Array.from({ length: size }, (_, position) => `${organization}-${name}-${position}`);
      for (const key of keys.toReversed()) await makeVariable(id, key, { sensitive: key.endsWith('2') });
      expected.push(...keys);
    }
  }
  await makeVariable(await makeWorkspace('umbrella', 'w0', eve), 'umbrella-w0-0', {}, eve);
});
afterAll(() => api.stop());

describe('a list of a workspace', () => {
  const lists = (name: string, parameters = '') => [
    `/vars?filter[workspace][name]=${name}&filter[organization][name]=acme${parameters}`,
    `/vars?filter%5Bworkspace%5D%5Bname%5D=${name}&filter%5Borganization%5D%5Bname%5D=acme${parameters}`,
    `/workspaces/${ids.get(`acme/${name}`)}/vars?x=y${parameters}`,
  ];

  it('is whole, by category and key, and says that it is one page', async () => {
    const keys = Array.from({ length: 7 }, (_, position) => `acme-w3-${position}`);
    for (const path of lists('w3')) {
      const { status, body } = await send('GET', path);
      expect(status).toBe(200);
      expect(keysOf(body)).toEqual(keys);
      expect(body.meta.pagination).toEqual({
        'current-page': 1,
        'page-size': 20,
        'prev-page': null,
        'next-page': null,
        'total-pages': 1,
        'total-count': 7,
      });
      expect(new URL(body.links.self).searchParams.has('page[size]')).toBe(false);
    }
  });

  it('is empty where there are none', async () => {
    for (const path of lists('w1')) {
      const { body } = await send('GET', path);
      expect(body).toMatchObject({ data: [], meta: { pagination: { 'total-count': 0, 'total-pages': 1 } } });
    }
  });

  it('comes in pages where one is asked for, and links lead through them', async () => {
    for (const first of lists('w3', '&page[size]=3')) {
      const seen: string[] = [];
      let next: string | null = first;
      for (let page = 1; next !== null; page++) {
        const { body }: { body: Awaited<ReturnType<typeof list>> } = await send('GET', next);
        expect(body.meta.pagination).toMatchObject({ 'current-page': page, 'total-pages': 3, 'total-count': 7 });
        seen.push(...keysOf(body));
        next = body.links.next?.replace(/^https?:\/\/[^/]+/, '') ?? null;
      }
      expect(seen).toEqual(Array.from({ length: 7 }, (_, position) => `acme-w3-${position}`));
    }
    const [beyond = ''] = lists('w3', '&page[number]=9');
    expect((await send('GET', beyond)).body).toMatchObject({
      data: [],
      meta: { pagination: { 'current-page': 9, 'total-count': 7 } },
    });
  });

  it.each(['page[size]=0', 'page[number]=-1', 'page[size]=x'])('refuses %s', async (parameter) => {
    for (const path of [...lists('w3', `&${parameter}`), `/vars?${parameter}`]) {
      const { status, body } = await send('GET', path);
      expect(status).toBe(400);
      expect(body.errors[0].source).toEqual({ parameter: parameter.split('=')[0] });
    }
  });

  it.each([
    ['filter[workspace][name]=w3', 'filter[organization][name]'],
    ['filter[workspace][name]=w3&filter[organization][name]=', 'filter[organization][name]'],
    ['filter[organization][name]=acme', 'filter[workspace][name]'],
  ])('needs both filters or none: %s', async (query, missing) => {
    const { status, body } = await send('GET', `/vars?${query}`);
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      {
        status: '400',
        title: 'bad request',
        detail: expect.stringContaining(`needs ${missing} beside it`),
        source: { parameter: missing },
      },
    ]);
  });

  it.each([
    ['nowhere', 'acme'],
    ['w3', 'nobody'],
    ['w0', 'umbrella'],
    ['no name', 'no/name'],
  ])('is not there for %s of %s', async (name, organization) => {
    const query = new URLSearchParams({ 'filter[workspace][name]': name, 'filter[organization][name]': organization });
    const { status, body } = await send('GET', `/vars?${query}`);
    expect({ status, body }).toEqual({ status: 404, body: { errors: [{ status: '404', title: 'not found' }] } });
  });
});

describe('a list without filters', () => {
  it('has what the caller may read in all organizations, by their names and those of the workspaces', async () => {
    for (const query of ['', 'filter[workspace][name]=&filter[organization][name]=']) {
      const body = await list(query);
      expect(keysOf(body)).toEqual(expected);
      expect(body.meta.pagination).toMatchObject({ 'total-count': 36, 'page-size': 36, 'total-pages': 1 });
      const sensitive = body.data.filter((one: { attributes: { sensitive: boolean } }) => one.attributes.sensitive);
      expect(sensitive).not.toHaveLength(0);
      for (const { attributes } of sensitive) expect(attributes.value).toBeNull();
    }
  });

  it('in pages, is the same: the union of pages is the whole, whatever their size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 120 }), async (size) => {
        const seen: string[] = [];
        const pages = Math.ceil(expected.length / Math.min(size, 100));
        for (let page = 1; page <= pages; page++) {
          const body = await list(`page[size]=${size}&page[number]=${page}`);
          expect(body.meta.pagination).toMatchObject({ 'total-count': expected.length, 'total-pages': pages });
          seen.push(...keysOf(body));
        }
        expect(seen).toEqual(expected);
      }),
      bounded(3),
    );
  });

  it("is an organization token's of that organization, and a stranger's of nothing", async () => {
    const { token } = await api.admin('create-token', { kind: 'organization', organization: 'boron' });
    expect(keysOf(await list('', token))).toEqual(expected.filter((key) => key.startsWith('boron')));
    await api.admin('create-user', { username: 'stranger', email: 'stranger@example.com' });
    const stranger = await api.admin('create-token', { kind: 'user', username: 'stranger' });
    expect(await list('', stranger.token)).toMatchObject({ data: [], meta: { pagination: { 'total-count': 0 } } });
  });

  it('follows what was created, moved out of sight, deleted and taken away a moment ago', async () => {
    await api.admin('create-team', { organization: 'acme', name: 'readers' });
    await api.admin('create-user', { username: 'grace', email: 'grace@example.com' });
    await api.admin('add-member', { organization: 'acme', team: 'readers', username: 'grace' });
    const { token: grace } = await api.admin('create-token', { kind: 'user', username: 'grace' });
    const { project } = await api.admin('create-project', { organization: 'acme', name: 'Hidden' });
    const grant = (workspace: string, access = 'read') =>
      api.admin('grant-access', { organization: 'acme', team: 'readers', workspace, access });
    expect(keysOf(await list('', grace))).toEqual([]);

    const [one, two] = [await makeWorkspace('acme', 'moment-1'), await makeWorkspace('acme', 'moment-2')];
    for (const id of [one, two]) await grant(id);
    const first = await makeVariable(one, 'm-1');
    await makeVariable(two, 'm-2');
    expect(keysOf(await list('', grace))).toEqual(['m-1', 'm-2']);
    await send('DELETE', `/vars/${first}`);
    expect(keysOf(await list('', grace))).toEqual(['m-2']);
    await makeVariable(one, 'm-3');
    await api.admin('revoke-access', { organization: 'acme', team: 'readers', workspace: two });
    expect(keysOf(await list('', grace))).toEqual(['m-3']);

    await api.admin('grant-access', { organization: 'acme', team: 'readers', project: 'Hidden', access: 'read' });
    const move = {
      data: { type: 'workspaces', relationships: { project: { data: { type: 'projects', id: project.id } } } },
    };
    await send('PATCH', `/workspaces/${two}`, move);
    expect(keysOf(await list('', grace))).toEqual(['m-3', 'm-2']);
    await api.admin('revoke-access', { organization: 'acme', team: 'readers', project: 'Hidden' });
    expect(keysOf(await list('', grace))).toEqual(['m-3']);
    await send('DELETE', `/workspaces/${one}`);
    expect(keysOf(await list('', grace))).toEqual([]);
    await send('DELETE', `/workspaces/${two}`);
  });
});

describe('what is too much for one answer', () => {
  const tooLarge = {
    status: 422,
    body: {
      errors: [
        {
          status: '422',
          title: 'unprocessable entity',
          detail: 'The answer is larger than 5 MB. Ask for fewer at once with page[size].',
          source: { parameter: 'page[size]' },
        },
      ],
    },
  };

  it('is refused, and answered page by page', async () => {
    const id = await makeWorkspace('acme', 'x-large');
    const value = 'v'.repeat(256 * 1024);
    for (let index = 0; index < 21; index++) await makeVariable(id, `big-${String(index).padStart(2, '0')}`, { value });
    for (const path of [`/workspaces/${id}/vars`, '/vars', `/workspaces/${id}/vars?page[size]=100`]) {
      const { status, body } = await send('GET', path);
      expect({ status, body }).toEqual(tooLarge);
    }
    const seen: string[] = [];
    for (const page of [1, 2, 3]) {
      const { status, body } = await send('GET', `/workspaces/${id}/vars?page[size]=10&page[number]=${page}`);
      expect(status).toBe(200);
      seen.push(...keysOf(body));
    }
    expect(seen).toEqual(Array.from({ length: 21 }, (_, index) => `big-${String(index).padStart(2, '0')}`));
    expect(keysOf(await list('page[size]=5&page[number]=1'))).toEqual(expected.slice(0, 5));
    // Secrets are not answered: however long, they take no room.
    const secret = await makeWorkspace('acme', 'x-secret');
    for (let index = 0; index < 21; index++) await makeVariable(secret, `s-${index}`, { value, sensitive: true });
    expect((await send('GET', `/workspaces/${secret}/vars`)).body.data).toHaveLength(21);
    for (const doomed of [id, secret]) await send('DELETE', `/workspaces/${doomed}`);
  });
});
