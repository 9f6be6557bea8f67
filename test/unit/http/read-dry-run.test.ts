import { describe, expect, test } from 'vitest';
import { readDryRun } from '../../../shared/http/middleware/read-dry-run.ts';
import { type RouteId, routeIds, routes } from '../../../shared/routes/index.ts';
import { runMiddleware } from '../../support/http/run-middleware.ts';

const runWith = (query: string, routeId: RouteId = 'workspaces.update') =>
  runMiddleware(
    { before: readDryRun },
    {
      event: {},
      state: { routeId, route: routes[routeId], query: new URLSearchParams(query) },
    },
  );

describe('readDryRun', () => {
  test('reads dry-run=true', async () => {
    expect((await runWith('dry-run=true')).internal.isDryRun).toBe(true);
  });

  test('is off without the parameter', async () => {
    expect((await runWith('page[size]=1')).internal.isDryRun).toBeUndefined();
  });

  test.each([
    'dry-run=false',
    'dry-run=',
    'dry-run',
    'dry-run=True',
    'dry-run=1',
    'dry-run=true&dry-run=true',
    'dry-run=true&dry_run=true',
    'dry_run=true',
    'dryRun=true',
    'DRY-RUN=true',
    'dryrun=true',
    'dry-run[]=true',
    'dry%20run=true',
  ])('rejects %s with 400, which names the parameter', async (query) => {
    const { error, internal } = await runWith(query);
    expect(error).toMatchObject({
      code: 'bad-request',
      source: { parameter: [...new URLSearchParams(query).keys()][0] },
    });
    expect(internal.isDryRun).toBeUndefined();
  });

  test.each(routeIds.filter((id) => routes[id].method !== 'GET' && !('dryRun' in routes[id])))(
    'rejects dry-run=true with 400 on %s',
    async (routeId) => {
      expect((await runWith('dry-run=true', routeId)).error).toMatchObject({ code: 'bad-request' });
    },
  );
});
