import { describe, expect, test } from 'vitest';
import type { DomainError } from '../../../shared/domain/errors.ts';
import { parseQuery } from '../../../shared/http/middleware/parse-query.ts';
import { type RouteId, routes } from '../../../shared/routes/index.ts';
import { runMiddleware } from '../../support/http/run-middleware.ts';

const runWith = (rawQueryString: string, routeId: RouteId = 'workspaces.show') =>
  runMiddleware({ before: parseQuery }, { event: { rawQueryString }, state: { routeId, route: routes[routeId] } });

describe('parseQuery', () => {
  test('decodes the parameters', async () => {
    const { internal } = await runWith('page%5Bname%5D=a%20b');
    expect(internal.query?.get('page[name]')).toBe('a b');
  });

  test('collects the names of all include parameters, with hyphens read as underscores', async () => {
    const { internal } = await runWith('include=project,%20locked-by&include=organization');
    expect([...(internal.include ?? [])]).toEqual(['project', 'locked_by', 'organization']);
  });

  test('rejects a name that the route cannot include with 400', async () => {
    const { error } = await runWith('include=project,nothing');
    expect(error).toMatchObject({
      code: 'bad-request',
      detail: 'Invalid include parameter',
      source: { parameter: 'include' },
    });
  });

  test('ignores include on writes', async () => {
    const { response, internal } = await runWith('include=nothing', 'workspaces.update');
    expect(response?.statusCode).toBe(200);
    expect(internal.include).toEqual(new Set());
  });

  test('ignores include where the route needs no credential', async () => {
    const { internal } = await runWith('include=nothing', 'ping');
    expect(internal.include).toBeUndefined();
  });

  test.each([
    ['filter[nme]=a', 'filter[nme]'],
    ['search[name]=a&filter%5Bproject%5D%5Bname%5D=b', 'filter[project][name]'],
    ['filter[tagged][0][name]=a', 'filter[tagged][0][name]'],
    ['filter[names][]=a', 'filter[names][]'],
    ['search[include%20parameter]=a', 'search[include parameter]'],
  ])('rejects the unknown filter in %s with 400 and names the known ones', async (query, parameter) => {
    const { error } = await runWith(query, 'workspaces.list');
    expect(error).toMatchObject({ code: 'bad-request', source: { parameter } });
    expect(error).toMatchObject({ detail: expect.stringContaining('filter[project][id], ') });
    expect(String((error as DomainError).detail)).not.toContain('include parameter');
  });

  test.each([
    ['workspaces.list', 'search[name]=a&filter[tagged][7][key]=b&filter[tagged][][value]=c&sort=-name'],
    ['workspaces.list', 'filter=a&search=b&filters[x]=c&Filter[x]=d'],
    ['memberships.list', 'filter[email]=a&q=b&sort='],
    ['workspaces.update', 'filter[unknown]=a&sort=b'],
    ['ping', 'filter[unknown]=a&sort=b'],
  ] as const)('accepts a query of %s: %s', async (route, query) => {
    expect((await runWith(query, route)).error).toBeUndefined();
  });

  test('rejects sort with 400 on a list that cannot be sorted', async () => {
    const { error } = await runWith('sort=name', 'memberships.list');
    expect(error).toMatchObject({ code: 'bad-request', source: { parameter: 'sort' } });
  });
});
