import { describe, expect, test } from 'vitest';
import { parseQuery } from '../../../shared/http/middleware/parse-query.ts';
import { routes } from '../../../shared/routes/index.ts';
import { runMiddleware } from '../../support/http/run-middleware.ts';

const runWith = (
  rawQueryString: string,
  routeId: 'workspaces.show' | 'workspaces.update' | 'ping' = 'workspaces.show',
) => runMiddleware(parseQuery(), { event: { rawQueryString }, state: { route: routes[routeId] } });

describe('parseQuery', () => {
  test('decodes the parameters', async () => {
    const { internal } = await runWith('filter%5Bname%5D=a%20b');
    expect(internal.query?.get('filter[name]')).toBe('a b');
  });

  test('collects the names of all include parameters, with hyphens read as underscores', async () => {
    const { internal } = await runWith('include=project,%20locked-by&include=organization');
    expect([...(internal.include ?? [])]).toEqual(['project', 'locked_by', 'organization']);
  });

  test('refuses a name that the route cannot include with 400', async () => {
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
});
