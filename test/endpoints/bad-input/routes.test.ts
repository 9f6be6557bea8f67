import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { methodsOf } from '../../../shared/routes/index.ts';
import { type Api, CACHED, startApi } from '../../support/api/api.ts';
import { pathSegment } from '../../support/models/arbitraries/arbitraries.ts';
import { expectOurHeaders, expectRejection, NOT_FOUND } from '../../support/models/arbitraries/arbitraries-checks.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Unknown paths, and methods that a path does not support. */
let api: Api;
let owner: string;

beforeAll(async () => {
  api = await startApi(CACHED);
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
});
afterAll(() => api.stop());

/** Paths of the API (HTTP-16) with the methods that they support. */
const paths: Readonly<Record<string, readonly string[]>> = {
  '/ping': ['GET'],
  '/organizations/acme/workspaces': ['GET', 'POST'],
  '/organizations/acme/workspaces/network': ['DELETE', 'GET', 'PATCH'],
  '/organizations/acme/workspaces/network/actions/safe-delete': ['POST'],
  '/workspaces/ws-1111111111111111': ['DELETE', 'GET', 'PATCH'],
  '/workspaces/ws-1111111111111111/actions/lock': ['POST'],
  '/workspaces/ws-1111111111111111/actions/unlock': ['POST'],
  '/workspaces/ws-1111111111111111/actions/force-unlock': ['POST'],
  '/workspaces/ws-1111111111111111/actions/safe-delete': ['POST'],
};
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];

describe('methods of a path', () => {
  it.each(Object.entries(paths))(
    'return 405 with the Allow header when %s does not support them',
    async (path, allowed) => {
      for (const method of methods.filter((it) => !allowed.includes(it))) {
        // No authentication is needed to learn the supported methods.
        for (const token of [owner, undefined]) {
          const reply = await api.request(method, path, { token, ...(method !== 'HEAD' && { body: '{' }) });
          expectRejection(reply);
          expect(reply.status, method).toBe(405);
          const { allow = '' } = reply.headers;
          expect(allow.split(', ').sort(), method).toEqual(allowed);
          const detail = `This path supports only ${allow}.`;
          expect(reply.body).toEqual({ errors: [{ status: '405', title: 'method not allowed', detail }] });
        }
      }
    },
  );

  it.each(Object.entries(paths))(
    'are redirected from %s with a slash to the path without it',
    async (path, allowed) => {
      for (const method of allowed) {
        const reply = await api.request(method, `${path}/?page[size]=1`, { token: undefined });
        expectRejection(reply);
        expect(reply).toMatchObject({
          status: 308,
          headers: { location: `/api/v2${path}?page[size]=1` },
          body: { errors: [{ status: '308', title: 'permanent redirect' }] },
        });
      }
    },
  );

  it.each(Object.entries(paths))('are supported by %s as documented', async (path, allowed) => {
    for (const method of allowed) {
      const reply = await api.request(method, path, { token: owner });
      expectOurHeaders(reply);
      expect(reply.status, method).not.toBe(405);
    }
  });
});

describe('unknown path', () => {
  it.each([
    '/',
    '',
    '/workspaces',
    '/workspaces/',
    '/workspaces/ws-1111111111111111/actions/',
    '/workspaces/ws-1111111111111111/actions',
    '/workspaces/ws-1111111111111111/actions/explode',
    '/workspaces/ws-1111111111111111/actions/lock/again',
    '/WORKSPACES/ws-1111111111111111',
    '/organizations//workspaces',
    '/organizations/acme/workspaces/network/actions/lock',
    '/organizations/acme/workspaces//actions/safe-delete',
    '/organizations/a/b/workspaces',
    '/api/v1/workspaces/ws-1111111111111111',
    '/api/v2',
    '/api/',
    '/.well-known/openid-configuration',
    '/.env',
    '/ping/pong',
    '/__proto__',
    '/constructor',
  ])('%s returns 404 for any method, with and without a token', async (path) => {
    for (const method of methods) {
      for (const token of [owner, undefined]) {
        const reply = await api.request(method, path, { token });
        expectRejection(reply);
        expect(reply, method).toMatchObject({ status: 404, body: NOT_FOUND });
      }
    }
  });

  it('returns 404 when it matches a route only after decoding a slash', async () => {
    for (const path of ['/workspaces%2Fws-1111111111111111', '/organizations%2Facme/workspaces', '/%2Fping']) {
      const reply = await api.request('GET', path, { token: owner });
      // A 405 naming GET would not help a client that has just used GET.
      expect(reply, path).toMatchObject({ status: 404, body: NOT_FOUND });
    }
  });

  it('returns 404 when it is generated at random', async () => {
    const segments = fc.array(
      fc.oneof(
        pathSegment,
        fc.constantFrom('workspaces', 'organizations', 'actions', 'api', 'v2', 'lock', 'acme', '%2F'),
      ),
      { minLength: 1, maxLength: 7 },
    );
    const isRoute = (path: string) => methodsOf(`/api/v2${path}`).length > 0;
    await fc.assert(
      fc.asyncProperty(
        segments
          .map((parts) => `/${parts.join('/')}`)
          .filter((path) => !isRoute(path) && !isRoute(decodeURIComponent(path))),
        fc.constantFrom(...methods),
        async (path, method) => {
          const reply = await api.request(method, path, { token: owner });
          expectRejection(reply);
          expect(reply).toMatchObject({ status: 404, body: NOT_FOUND });
        },
      ),
      bounded(60),
    );
  });
});

describe('GET /ping', () => {
  it.each([{}, { authorization: 'Bearer nonsense' }, { authorization: 'Basic x' }, { 'content-type': 'text/plain' }])(
    'returns 204 to anyone, whatever the headers are: %j',
    async (headers) => {
      const reply = await api.request('GET', '/ping?page[number]=x&sort=y', { headers, body: 'not json' });
      expectOurHeaders(reply);
      expect(reply).toMatchObject({ status: 204, body: undefined });
    },
  );
});
