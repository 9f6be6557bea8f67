import { describe, expect, test } from 'vitest';
import { readPrecondition } from '../../../shared/http/middleware/read-precondition.ts';
import { type RouteId, routes } from '../../../shared/routes/index.ts';
import { runMiddleware } from '../../support/http/run-middleware.ts';

const runWith = (header: string | undefined, routeId: RouteId = 'workspaces.update') =>
  runMiddleware(readPrecondition(), {
    event: { headers: header === undefined ? {} : { 'if-match': header } },
    state: { routeId, route: routes[routeId] },
  });

describe('readPrecondition', () => {
  test.each([
    ['"a"', ['"a"']],
    ['"a", "b"', ['"a"', '"b"']],
    ['"a",,"b" ,', ['"a"', '"b"']],
    ['"a,b"', ['"a,b"']],
    ['""', ['""']],
    ['W/"a"', []],
    ['W/"a", "b"', ['"b"']],
  ])('reads the strong entity tags of %s', async (header, tags) => {
    const { internal } = await runWith(header);
    expect(internal.precondition).toEqual(tags);
  });

  test.each(['*', ' * '])('reads %j, which any entity tag matches', async (header) => {
    expect((await runWith(header)).internal.precondition).toBe('*');
  });

  test('sets no precondition for a request without the header', async () => {
    expect((await runWith(undefined)).internal.precondition).toBeUndefined();
  });

  test.each(['', ',', 'a', '"a" "b"', '"a', '"a"b"', '*, "a"', 'w/"a"', '"a\u0001"'])(
    'refuses the malformed value %j with 400',
    async (header) => {
      const { error } = await runWith(header);
      expect(error).toMatchObject({ code: 'bad-request', detail: expect.stringContaining('double quotes') });
    },
  );

  test.each(['workspaces.show', 'workspaces.lock', 'workspaces.create'] as const)(
    'refuses the header with 400 on %s, which does not honor it',
    async (routeId) => {
      const { error } = await runWith('"a"', routeId);
      expect(error).toMatchObject({ code: 'bad-request', detail: expect.stringContaining('does not support') });
    },
  );
});
