import { describe, expect, test } from 'vitest';
import { readPrecondition } from '../../../shared/http/middleware/read-precondition.ts';
import { type RouteId, routeIds, routes } from '../../../shared/routes/index.ts';
import { runMiddleware } from '../../support/http/run-middleware.ts';

const runWith = (header: string | undefined, routeId: RouteId = 'workspaces.update') =>
  runMiddleware(
    { before: readPrecondition },
    {
      event: { headers: header === undefined ? {} : { 'if-match': header } },
      state: { routeId, route: routes[routeId] },
    },
  );

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
    'rejects the malformed value %j with 400',
    async (header) => {
      const { error } = await runWith(header);
      expect(error).toMatchObject({ code: 'bad-request', detail: expect.stringContaining('double quotes') });
    },
  );

  test.each(['workspaces.show', 'workspaces.renew-lock', 'workspaces.create'] as const)(
    'rejects the header with 400 on %s, which does not honor it',
    async (routeId) => {
      const { error } = await runWith('"a"', routeId);
      expect(error).toMatchObject({ code: 'bad-request', detail: expect.stringContaining('does not support') });
    },
  );
});

describe('the routes that change or delete something', () => {
  /** Lists of members, consumers and assignments, and what is no setting of a resource (EDIT-5). */
  const unconditional: readonly RouteId[] = [
    'deleted-workspaces.purge',
    'oauth-clients.remove-projects',
    'remote-state-consumers.remove',
    'remote-state-consumers.replace',
    'sign-in.end',
    'state-versions.roll-back',
    'tags.delete',
    'teams.remove-memberships',
    'teams.remove-users',
    'token-ttl-policies.update',
    'varsets.remove-projects',
  ];

  test('honor If-Match, except those that reject the header', () => {
    const changes = routeIds.filter((id) => ['PATCH', 'DELETE'].includes(routes[id].method));
    expect(changes.filter((id) => !('conditional' in routes[id])).sort()).toEqual(unconditional);
  });
});
