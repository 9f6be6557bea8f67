import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RouteId, routeIds, routes } from '../../../shared/routes/index.ts';
import { type Api, CACHED, startApi } from '../../support/api/api.ts';
import { queryString } from '../../support/models/arbitraries/arbitraries.ts';
import { expectRejection, expectValidResponse } from '../../support/models/arbitraries/arbitraries-checks.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Pagination, sorting, includes and other query parameters (HTTP-20). */
let api: Api;
let owner: string;

const LIST = '/organizations/acme/workspaces';
/** Names in list order. Uppercase letters sort first, because names are case-sensitive. */
const names = [
  'Zeta',
  '_under',
  ...Array.from({ length: 19 }, (_, index) => `item-${10 + index}`),
  'zeta',
  'zeta-2',
].sort();
const TOTAL = names.length;

beforeAll(async () => {
  api = await startApi(CACHED);
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  await api.admin('create-organization', { name: 'empty', email: 'ada@example.com', owner: 'grace' });
  // Create the workspaces in another order than the list has.
  for (const name of names.toReversed()) {
    await api.request('POST', LIST, { token: owner, body: { data: { type: 'workspaces', attributes: { name } } } });
  }
});
afterAll(() => api.stop());

const list = (query = '', path = LIST, token = owner) =>
  api.request('GET', query ? `${path}?${query}` : path, { token });
const getNames = (body: { data: { attributes: { name: string } }[] }) =>
  body.data.map(({ attributes }) => attributes.name);
const page = (number: number | string, size: number | string) => `page%5Bnumber%5D=${number}&page%5Bsize%5D=${size}`;
/** The URL as the client sees it. The local gateway uses plain HTTP. */
const URL_OF_LIST = `http://holdfast.test/api/v2${LIST}`;

describe('page of a list', () => {
  it('contains the first 20 rows by name by default', async () => {
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(getNames(body)).toEqual(names.slice(0, 20));
    expect(body.meta.pagination).toEqual({
      'current-page': 1,
      'page-size': 20,
      'prev-page': null,
      'next-page': 2,
      'total-pages': 2,
      'total-count': TOTAL,
    });
    expect(body.links).toEqual({
      self: `${URL_OF_LIST}?${page(1, 20)}`,
      first: `${URL_OF_LIST}?${page(1, 20)}`,
      prev: null,
      next: `${URL_OF_LIST}?${page(2, 20)}`,
      last: `${URL_OF_LIST}?${page(2, 20)}`,
    });
  });

  it.each([
    [1, 5, names.slice(0, 5), { prev: null, next: 2, pages: 5 }],
    [2, 5, names.slice(5, 10), { prev: 1, next: 3, pages: 5 }],
    [5, 5, names.slice(20), { prev: 4, next: null, pages: 5 }],
    [23, 1, names.slice(22), { prev: 22, next: null, pages: 23 }],
    [1, 100, names, { prev: null, next: null, pages: 1 }],
  ])(
    'number %i of size %i contains its rows and links to its neighbors',
    async (number, size, rows, { prev, next, pages }) => {
      const { body } = await list(page(number, size));
      expect(getNames(body)).toEqual(rows);
      expect(body.meta.pagination).toEqual({
        'current-page': number,
        'page-size': size,
        'prev-page': prev,
        'next-page': next,
        'total-pages': pages,
        'total-count': TOTAL,
      });
      expect(body.links.prev).toBe(prev === null ? null : `${URL_OF_LIST}?${page(prev, size)}`);
      expect(body.links.next).toBe(next === null ? null : `${URL_OF_LIST}?${page(next, size)}`);
      expect(body.links.last).toBe(`${URL_OF_LIST}?${page(pages, size)}`);
    },
  );

  it.each([101, 1_000, 9_007_199_254_740_991])(
    'contains at most 100 rows, even if the request has size %i',
    async (size) => {
      const { status, body } = await list(page(1, size));
      expect(status).toBe(200);
      expect(body.meta.pagination['page-size']).toBe(100);
      expect(body.links.self).toBe(`${URL_OF_LIST}?${page(1, 100)}`);
    },
  );

  it.each([3, 999, 9_007_199_254_740_991])('number %i beyond the end is empty and keeps its number', async (number) => {
    const { status, body } = await list(page(number, 20));
    expect(status).toBe(200);
    expect(body.data).toEqual([]);
    expect(body.meta.pagination).toMatchObject({
      'current-page': number,
      'next-page': null,
      'total-pages': 2,
      'total-count': TOTAL,
    });
    expect(body.links.next).toBeNull();
    expect(body.links.self).toBe(`${URL_OF_LIST}?${page(number, 20)}`);
  });

  it('is a single page without rows for an empty list', async () => {
    const { token } = await api.admin('create-token', { kind: 'organization', organization: 'empty' });
    const { status, body } = await list('', '/organizations/empty/workspaces', token);
    expect(status).toBe(200);
    expect(body.data).toEqual([]);
    expect(body.meta.pagination).toEqual({
      'current-page': 1,
      'page-size': 20,
      'prev-page': null,
      'next-page': null,
      'total-pages': 1,
      'total-count': 0,
    });
  });

  it('links to the next page until every row was returned once', async () => {
    const seen: string[] = [];
    let next: string | null = `${URL_OF_LIST}?${page(1, 4)}`;
    while (next !== null) {
      const { pathname, search } = new URL(next);
      const { body } = await api.request('GET', pathname + search, { token: owner });
      seen.push(...getNames(body));
      next = body.links.next;
    }
    expect(seen).toEqual(names);
  });

  it('keeps other query parameters in its links', async () => {
    const { body } = await list(`sort=-name&page[number]=2&page[size]=5&unknown=${encodeURIComponent('a&b=c d')}`);
    for (const link of [body.links.self, body.links.first, body.links.prev, body.links.next, body.links.last]) {
      const url = new URL(link);
      expect(url.origin + url.pathname).toBe(URL_OF_LIST);
      expect(url.searchParams.get('sort')).toBe('-name');
      expect(url.searchParams.get('unknown')).toBe('a&b=c d');
      expect(url.searchParams.getAll('page[size]')).toEqual(['5']);
      expect(url.searchParams.getAll('page[number]')).toHaveLength(1);
    }
  });

  it('is the same with encoded and with plain brackets', async () => {
    const [plain, encoded] = await Promise.all([list('page[number]=2&page[size]=3'), list(page(2, 3))]);
    expect(plain).toEqual(encoded);
  });
});

describe('invalid page parameter', () => {
  const wrong = [
    '0',
    '-1',
    '1.5',
    '1e2',
    '0x10',
    'x',
    '',
    '%20',
    '1%20',
    '%2B1',
    '1,2',
    'NaN',
    'Infinity',
    'null',
    '99999999999999999999',
    encodeURIComponent('٣'),
    encodeURIComponent('１'),
    '%00',
    '1'.repeat(5_000),
  ];

  it.each(['page[number]', 'page[size]'])('%s returns 400 and is named in the error', async (parameter) => {
    for (const value of wrong) {
      const reply = await list(`${encodeURIComponent(parameter)}=${value}`);
      expectRejection(reply);
      expect(reply.status, value).toBe(400);
      expect(reply.body.errors, value).toEqual([
        { status: '400', title: 'bad request', detail: expect.stringContaining(parameter), source: { parameter } },
      ]);
    }
  });

  it.each(['page[number]', 'page[size]'])(
    '%s returns 400 for any text that is not a positive integer',
    async (parameter) => {
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => !/^0*[1-9]\d*$/.test(text)),
          async (text) => {
            const reply = await list(`${parameter}=${encodeURIComponent(text.toWellFormed())}`);
            expect(reply).toMatchObject({ status: 400, body: { errors: [{ source: { parameter } }] } });
          },
        ),
        bounded(30),
      );
    },
  );

  it('returns 400 even if the other parameters are valid', async () => {
    expect((await list('sort=name&page[number]=1&page[size]=nine')).body.errors[0].source).toEqual({
      parameter: 'page[size]',
    });
  });
});

describe('sort order', () => {
  it.each([
    ['sort=name', names],
    ['sort=-name', names.toReversed()],
    ['', names],
  ])('is by name for the query "%s"', async (query, expected) => {
    const { body } = await list(`${query}&page[size]=100`);
    expect(getNames(body)).toEqual(expected);
  });

  it.each([
    'size',
    'NAME',
    '--name',
    '+name',
    'name,created-at',
    'latest-change-at,name',
    'current-run.created-at ',
    '-',
    'id',
    '__proto__',
    'constructor',
    'toString',
    '%00',
  ])('returns 400 for the value %s', async (sort) => {
    const reply = await list(`sort=${sort}`);
    expectRejection(reply);
    expect(reply).toMatchObject({
      status: 400,
      body: { errors: [{ status: '400', title: 'bad request', source: { parameter: 'sort' } }] },
    });
  });
});

describe('unknown include', () => {
  it.each(['/organizations/acme/workspaces', '/organizations/acme/workspaces/zeta'])(
    'returns 400 from %s in the words that clients match',
    async (path) => {
      for (const include of ['nonsense', 'organization,nonsense', 'ORGANIZATION', '__proto__', 'locked_by.nonsense']) {
        const reply = await list(`include=${include}`, path);
        expectRejection(reply);
        expect(reply.status).toBe(400);
        expect(reply.body.errors).toEqual([
          {
            status: '400',
            title: 'bad request',
            detail: expect.stringContaining('Invalid include parameter'),
            source: { parameter: 'include' },
          },
        ]);
      }
    },
  );

  it('is ignored where nothing can be included', async () => {
    const { body } = await list('', '/organizations/acme/workspaces/zeta');
    const lock = await api.request('POST', `/workspaces/${body.data.id}/actions/lock?include=nonsense`, {
      token: owner,
    });
    expect(lock.status).toBe(200);
  });

  it('does not reveal whether the workspace exists', async () => {
    const [there, nowhere] = await Promise.all(
      ['zeta', 'absent'].map((name) => list('include=nonsense', `${LIST}/${name}`)),
    );
    expect(there).toEqual(nowhere);
  });
});

describe('unknown query parameter', () => {
  it.each([
    'a=b',
    'page=3',
    'page[]=3',
    'page[offset]=3',
    'Sort=x',
    'PAGE[number]=x',
    '=',
    '&&&',
    '%=%',
    '%zz',
    '%3F',
    '%ff=%c0',
  ])('%s is ignored', async (query) => {
    const reply = await list(`${query}&page[size]=2`);
    expect(reply.status).toBe(200);
    expect(getNames(reply.body)).toEqual(names.slice(0, 2));
  });
});

describe('generated query', () => {
  // The documentation endpoints have no query parameters.
  const readers = routeIds.filter(
    (route) => routes[route].method === 'GET' && routes[route].function !== 'documentation',
  );
  const pages = readers.filter((route) => 'page' in routes[route]);
  const buildPath = (route: RouteId) =>
    routes[route].path
      .replace('{organization_name}', 'acme')
      .replace('{name}', 'zeta')
      .replace('{provider_name}', 'nobody')
      .replace('{workspace_id}', 'ws-1111111111111111');

  it.each(pages)('gets the page of a problem from %s', async (route) => {
    await fc.assert(
      fc.asyncProperty(queryString, async (query) => {
        const { status, headers } = await api.request('GET', `${buildPath(route)}?${query}`);
        expect({ status, type: headers['content-type'], location: headers['location'] }).toEqual({
          status: 400,
          type: 'text/html; charset=utf-8',
          location: undefined,
        });
      }),
      bounded(30),
    );
  });

  // The consent to a login is a plain document, which its own tests check.
  const resources = readers.filter((route) => !pages.includes(route) && route !== 'oauth2.show-consent');
  it.each(resources)('gets a valid response from %s', async (route) => {
    await fc.assert(
      fc.asyncProperty(queryString, async (query) => {
        const reply = await api.request('GET', `${buildPath(route)}?${query}`, { token: owner });
        expectValidResponse(reply, decodeURIComponent(query.replaceAll('%', '%25')));
        expect([200, 204, 400, 404]).toContain(reply.status);
        if (reply.status === 400) expect(reply.body.errors[0].source).toHaveProperty('parameter');
      }),
      bounded(30),
    );
  });
});
