import { describe, expect, test } from 'vitest';
import { matchRoute } from '../../../shared/http/middleware/match-route.ts';
import { routes } from '../../../shared/routes/index.ts';
import { runMiddleware } from '../../support/http/run-middleware.ts';

const unmatched = (method: string, rawPath: string) =>
  runMiddleware(
    { before: matchRoute },
    {
      event: { routeKey: '$default', rawPath, requestContext: { http: { method } } as never },
    },
  );

describe('matchRoute', () => {
  test('finds the route of a route key', async () => {
    const { internal } = await runMiddleware({ before: matchRoute }, { event: { routeKey: 'GET /api/v2/ping' } });
    expect(internal).toMatchObject({ routeId: 'ping', route: routes.ping });
  });

  test('rejects an unknown path with 404', async () => {
    const { error } = await unmatched('GET', '/api/v2/nothing');
    expect(error).toMatchObject({ code: 'not-found' });
  });

  test('rejects an unknown method of a path with 405 and the methods that it has', async () => {
    const { error } = await unmatched('PUT', '/api/v2/ping');
    expect(error).toMatchObject({ code: 'method-not-allowed', allow: ['GET'] });
  });

  test('rejects a path that only looks like a route, because a slash in it was encoded, with 404', async () => {
    const { error } = await unmatched('GET', '/api/v2/ping');
    expect(error).toMatchObject({ code: 'not-found' });
  });

  test.each([
    ['/api/v2/ping/', '', '/api/v2/ping'],
    ['/api/v2/organizations/acme//', 'page[size]=1', '/api/v2/organizations/acme?page[size]=1'],
    ['/api/v2/organizations/a b/', '', '/api/v2/organizations/a%20b'],
  ])('redirects %s with the query %j to %s', async (rawPath, rawQueryString, location) => {
    const { error } = await runMiddleware(
      { before: matchRoute },
      {
        event: { routeKey: '$default', rawPath, rawQueryString, requestContext: { http: { method: 'GET' } } as never },
      },
    );
    expect(error).toMatchObject({ code: 'permanent-redirect', location });
  });

  test.each([['/api/v2/nothing/'], ['//example.com/'], ['/']])(
    'rejects %s with 404, because no route has that path without its slash',
    async (path) => {
      expect((await unmatched('GET', path)).error).toMatchObject({ code: 'not-found' });
    },
  );
});
