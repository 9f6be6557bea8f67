import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, startApi } from '../../support/api/api.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Lists of variables: of a workspace by id or by names, and over all workspaces (VAR-9, VAR-10). */
let api: Api;
let ada: string;
/** Workspace ids of both organizations of ada, in the order of the workspace names. */
const ids = new Map<string, string>();
const organizations = ['acme', 'boron'] as const;

const send = (method: string, path: string, body?: unknown, token = ada) =>
  api.request(method, path, { token, ...(body !== undefined && { body }) });
const createWorkspace = async (organization: string, name: string, token = ada): Promise<string> => {
  const body = { data: { type: 'workspaces', attributes: { name } } };
  return (await send('POST', `/organizations/${organization}/workspaces`, body, token)).body.data.id;
};
const createVariable = async (
  workspace: string,
  key: string,
  attributes: object = {},
  token = ada,
): Promise<string> => {
  const body = { data: { type: 'vars', attributes: { key, category: 'env', ...attributes } } };
  return (await send('POST', `/workspaces/${workspace}/vars`, body, token)).body.data.id;
};
const list = async (query = '', token = ada) => {
  const { status, body } = await send('GET', `/vars${query && `?${query}`}`, undefined, token);
  expect(status).toBe(200);
  return body;
};
const getKeys = ({ data }: { data: { attributes: { key: string } }[] }) => data.map(({ attributes }) => attributes.key);

/** Number of variables of each workspace. Their keys show their position in the unfiltered list. */
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
      const id = await createWorkspace(organization, name);
      ids.set(`${organization}/${name}`, id);
      const keys = Array.from({ length: size }, (_, position) => `${organization}-${name}-${position}`);
      for (const key of keys.toReversed()) await createVariable(id, key, { sensitive: key.endsWith('2') });
      expected.push(...keys);
    }
  }
  await createVariable(await createWorkspace('umbrella', 'w0', eve), 'umbrella-w0-0', {}, eve);
});
afterAll(() => api.stop());

describe('list of the variables of a workspace', () => {
  const lists = (name: string, parameters = '') => [
    `/vars?filter[workspace][name]=${name}&filter[organization][name]=acme${parameters}`,
    `/vars?filter%5Bworkspace%5D%5Bname%5D=${name}&filter%5Borganization%5D%5Bname%5D=acme${parameters}`,
    `/workspaces/${ids.get(`acme/${name}`)}/vars?x=y${parameters}`,
  ];

  it('is sorted by category and key, and is one page without page parameters', async () => {
    const keys = Array.from({ length: 7 }, (_, position) => `acme-w3-${position}`);
    for (const path of lists('w3')) {
      const { status, body } = await send('GET', path);
      expect(status).toBe(200);
      expect(getKeys(body)).toEqual(keys);
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

  it('is empty for a workspace without variables', async () => {
    for (const path of lists('w1')) {
      const { body } = await send('GET', path);
      expect(body).toMatchObject({ data: [], meta: { pagination: { 'total-count': 0, 'total-pages': 1 } } });
    }
  });

  it('is paginated with links when page parameters are given', async () => {
    for (const first of lists('w3', '&page[size]=3')) {
      const seen: string[] = [];
      let next: string | null = first;
      for (let page = 1; next !== null; page++) {
        const { body }: { body: Awaited<ReturnType<typeof list>> } = await send('GET', next);
        expect(body.meta.pagination).toMatchObject({ 'current-page': page, 'total-pages': 3, 'total-count': 7 });
        seen.push(...getKeys(body));
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

  it.each(['page[size]=0', 'page[number]=-1', 'page[size]=x'])('returns 400 for %s', async (parameter) => {
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
  ])('returns 400 for the query %s, which has only one of the two filters', async (query, missing) => {
    const { status, body } = await send('GET', `/vars?${query}`);
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      {
        status: '400',
        title: 'bad request',
        detail: expect.stringContaining(`requires ${missing}; send both or neither`),
        source: { parameter: missing },
      },
    ]);
  });

  it.each([
    ['nowhere', 'acme'],
    ['w3', 'nobody'],
    ['w0', 'umbrella'],
    ['no name', 'no/name'],
  ])('returns 404 for the workspace "%s" of the organization "%s"', async (name, organization) => {
    const query = new URLSearchParams({ 'filter[workspace][name]': name, 'filter[organization][name]': organization });
    const { status, body } = await send('GET', `/vars?${query}`);
    expect({ status, body }).toEqual({ status: 404, body: { errors: [{ status: '404', title: 'not found' }] } });
  });
});

describe('GET /vars without filters', () => {
  it('returns all variables that the caller can read, sorted by organization and workspace name', async () => {
    for (const query of ['', 'filter[workspace][name]=&filter[organization][name]=']) {
      const body = await list(query);
      expect(getKeys(body)).toEqual(expected);
      expect(body.meta.pagination).toMatchObject({ 'total-count': 36, 'page-size': 36, 'total-pages': 1 });
      const sensitive = body.data.filter((one: { attributes: { sensitive: boolean } }) => one.attributes.sensitive);
      expect(sensitive).not.toHaveLength(0);
      for (const { attributes } of sensitive) expect(attributes.value).toBeNull();
    }
  });

  it('returns the same variables in pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 120 }), async (size) => {
        const seen: string[] = [];
        const pages = Math.ceil(expected.length / Math.min(size, 100));
        for (let page = 1; page <= pages; page++) {
          const body = await list(`page[size]=${size}&page[number]=${page}`);
          expect(body.meta.pagination).toMatchObject({ 'total-count': expected.length, 'total-pages': pages });
          seen.push(...getKeys(body));
        }
        expect(seen).toEqual(expected);
      }),
      bounded(3),
    );
  });

  it("returns the organization's variables for an organization token, and none for a user without organizations", async () => {
    const { token } = await api.admin('create-token', { kind: 'organization', organization: 'boron' });
    expect(getKeys(await list('', token))).toEqual(expected.filter((key) => key.startsWith('boron')));
    await api.admin('create-user', { username: 'stranger', email: 'stranger@example.com' });
    const stranger = await api.admin('create-token', { kind: 'user', username: 'stranger' });
    expect(await list('', stranger.token)).toMatchObject({ data: [], meta: { pagination: { 'total-count': 0 } } });
  });

  it('reflects variables and grants that were created, moved or removed a moment ago', async () => {
    await api.admin('create-team', { organization: 'acme', name: 'readers' });
    await api.admin('create-user', { username: 'grace', email: 'grace@example.com' });
    await api.admin('add-member', { organization: 'acme', team: 'readers', username: 'grace' });
    const { token: grace } = await api.admin('create-token', { kind: 'user', username: 'grace' });
    const { project } = await api.admin('create-project', { organization: 'acme', name: 'Hidden' });
    const grant = (workspace: string, access = 'read') =>
      api.admin('grant-access', { organization: 'acme', team: 'readers', workspace, access });
    expect(getKeys(await list('', grace))).toEqual([]);

    const [one, two] = [await createWorkspace('acme', 'moment-1'), await createWorkspace('acme', 'moment-2')];
    for (const id of [one, two]) await grant(id);
    const first = await createVariable(one, 'm-1');
    await createVariable(two, 'm-2');
    expect(getKeys(await list('', grace))).toEqual(['m-1', 'm-2']);
    await send('DELETE', `/vars/${first}`);
    expect(getKeys(await list('', grace))).toEqual(['m-2']);
    await createVariable(one, 'm-3');
    await api.admin('revoke-access', { organization: 'acme', team: 'readers', workspace: two });
    expect(getKeys(await list('', grace))).toEqual(['m-3']);

    await api.admin('grant-access', { organization: 'acme', team: 'readers', project: 'Hidden', access: 'read' });
    const move = {
      data: { type: 'workspaces', relationships: { project: { data: { type: 'projects', id: project.id } } } },
    };
    await send('PATCH', `/workspaces/${two}`, move);
    expect(getKeys(await list('', grace))).toEqual(['m-3', 'm-2']);
    await api.admin('revoke-access', { organization: 'acme', team: 'readers', project: 'Hidden' });
    expect(getKeys(await list('', grace))).toEqual(['m-3']);
    await send('DELETE', `/workspaces/${one}`);
    expect(getKeys(await list('', grace))).toEqual([]);
    await send('DELETE', `/workspaces/${two}`);
  });
});

describe('list of variables larger than the response size limit', () => {
  const tooLarge = {
    status: 422,
    body: {
      errors: [
        {
          status: '422',
          title: 'unprocessable entity',
          detail: 'The response is larger than 5 MB. Request a smaller page with page[size].',
          source: { parameter: 'page[size]' },
        },
      ],
    },
  };

  it('returns 422 with page[size], and succeeds in smaller pages', async () => {
    const id = await createWorkspace('acme', 'x-large');
    const value = 'v'.repeat(256 * 1024);
    for (let index = 0; index < 21; index++)
      await createVariable(id, `big-${String(index).padStart(2, '0')}`, { value });
    for (const path of [`/workspaces/${id}/vars`, '/vars', `/workspaces/${id}/vars?page[size]=100`]) {
      const { status, body } = await send('GET', path);
      expect({ status, body }).toEqual(tooLarge);
    }
    const seen: string[] = [];
    for (const page of [1, 2, 3]) {
      const { status, body } = await send('GET', `/workspaces/${id}/vars?page[size]=10&page[number]=${page}`);
      expect(status).toBe(200);
      seen.push(...getKeys(body));
    }
    expect(seen).toEqual(Array.from({ length: 21 }, (_, index) => `big-${String(index).padStart(2, '0')}`));
    expect(getKeys(await list('page[size]=5&page[number]=1'))).toEqual(expected.slice(0, 5));
    // Sensitive values are not returned, so they do not count toward the limit.
    const secret = await createWorkspace('acme', 'x-secret');
    for (let index = 0; index < 21; index++) await createVariable(secret, `s-${index}`, { value, sensitive: true });
    expect((await send('GET', `/workspaces/${secret}/vars`)).body.data).toHaveLength(21);
    for (const doomed of [id, secret]) await send('DELETE', `/workspaces/${doomed}`);
  });
});
