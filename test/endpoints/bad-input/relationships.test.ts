import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RouteId, routeIds, routes } from '../../../shared/routes/index.ts';
import { consumers, retention, sshKey } from '../../../shared/routes/workspaces.ts';
import { type Api, type ApiResponse, CACHED, type RequestOptions, startApi } from '../../support/api/api.ts';
import { createSshKey } from '../../support/api/create-ssh-key.ts';
import {
  contentType,
  garbage,
  pathSegment,
  queryString,
  rawBodies,
  value,
} from '../../support/models/arbitraries/arbitraries.ts';
import { expectValidResponse, NOT_FOUND, UNAUTHORIZED } from '../../support/models/arbitraries/arbitraries-checks.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Hostile requests to the relationship endpoints of workspaces: responses are valid, and rejections change nothing. */
let api: Api;
let owner: string;
let subject: string;
let other: string;
let key: string;

const relationshipRoutes = routeIds.filter((id) => [consumers, retention, sshKey].some((group) => id in group));
const takesBody = relationshipRoutes.filter((route) => 'body' in routes[route]);
const onWorkspace = relationshipRoutes.filter((route) => routes[route].path.includes('{workspace_id}'));

beforeAll(async () => {
  api = await startApi(CACHED);
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  const create = async (name: string): Promise<string> =>
    (
      await api.request('POST', '/organizations/acme/workspaces', {
        token: owner,
        body: { data: { type: 'workspaces', attributes: { name } } },
      })
    ).body.data.id;
  [subject, other] = [await create('subject'), await create('other')];
  key = (await createSshKey(api, owner, 'acme', 'key')).id;
});
afterAll(() => api.stop());

const sendRequest = (
  route: RouteId,
  options: RequestOptions & { id?: string; query?: string } = {},
): Promise<ApiResponse> => {
  const { id = subject, query = '', ...rest } = options;
  const path = routes[route].path.replace('{workspace_id}', id).replace('{organization_name}', 'acme');
  return api.request(routes[route].method, path + query, { token: owner, ...rest });
};

/** Reads everything that these routes could change. */
const readState = async (): Promise<unknown> =>
  Promise.all(
    [
      `/workspaces/${subject}`,
      '/organizations/acme',
      `/workspaces/${subject}/relationships/remote-state-consumers`,
    ].map(async (path) => (await api.request('GET', path, { token: owner })).body),
  );

const send = async (route: RouteId, options: Parameters<typeof sendRequest>[1], sent = ''): Promise<ApiResponse> => {
  const before = await readState();
  const reply = await sendRequest(route, options);
  expectValidResponse(reply, sent);
  if (reply.status >= 400) expect(await readState(), `${route}: a rejection changes nothing`).toEqual(before);
  return reply;
};

/** Generates a valid part three times out of four, so that requests reach the business rules. */
const often = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 3, arbitrary }, { weight: 1, arbitrary: value });
const types = often(
  fc.constantFrom(
    'workspaces',
    'ssh-keys',
    ...['delete-olders', 'dont-deletes'].map((it) => `data-retention-policy-${it}`),
    'data-retention-policies',
  ),
);
const ids = often(
  fc.constantFrom('ws-1111111111111111', 'sshkey-1111111111111111', 'SUBJECT', 'OTHER', 'KEY', null, ''),
);
const days = often(fc.oneof(fc.integer({ min: -2, max: 40_000 }), fc.double()));
const attributes = often(
  fc.record(
    { id: ids, 'delete-older-than-n-days': days, deleteOlderThanNDays: days },
    { requiredKeys: [], noNullPrototype: true },
  ),
);
const element = often(
  fc.record({ type: types, id: ids, attributes }, { requiredKeys: ['type'], noNullPrototype: true }),
);
const documents = often(
  fc.record({ data: often(fc.oneof(element, fc.array(element, { maxLength: 5 }))) }, { noNullPrototype: true }),
);
const toText = (document: unknown): string =>
  JSON.stringify(document ?? null)
    .replaceAll('"SUBJECT"', `"${subject}"`)
    .replaceAll('"OTHER"', `"${other}"`)
    .replaceAll('"KEY"', `"${key}"`);

describe('generated relationship request', () => {
  it.each(takesBody)('gets a valid response from %s when its body is almost valid', async (route) => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(documents, async (document) => {
        const body = toText(document);
        statuses.add((await send(route, { body }, body)).status);
      }),
      bounded(24),
    );
    expect(statuses).toContain(422);
  });

  it.each(relationshipRoutes)(
    'gets a valid response from %s when its body is garbage of any media type',
    async (route) => {
      await fc.assert(
        fc.asyncProperty(garbage, contentType, async (body, type) => {
          const reply = await send(route, { body, headers: { 'content-type': type } }, String(body));
          // A route without a body ignores the content.
          if (!takesBody.includes(route)) expect([400, 413, 415, 422]).not.toContain(reply.status);
        }),
        bounded(5),
      );
    },
  );

  it.each(relationshipRoutes.filter((route) => routes[route].method === 'GET'))(
    'gets a valid response from %s for any query',
    async (route) => {
      await fc.assert(
        fc.asyncProperty(queryString, async (query) =>
          expectValidResponse(await sendRequest(route, { query: `?${query}` }), query),
        ),
        bounded(8),
      );
    },
  );

  it.each(onWorkspace)('returns 404 for a generated workspace id: %s', async (route) => {
    await fc.assert(
      fc.asyncProperty(pathSegment, async (id) => {
        const body = validBodies[route]?.();
        expect(await sendRequest(route, { id, ...(body && { body }) })).toMatchObject({ status: 404, body: NOT_FOUND });
      }),
      bounded(5),
    );
  });
});

const validBodies: Partial<Record<RouteId, () => object>> = {
  'remote-state-consumers.add': () => ({ data: [] }),
  'remote-state-consumers.replace': () => ({ data: [] }),
  'remote-state-consumers.remove': () => ({ data: [] }),
  'ssh-key.assign': () => ({ data: { type: 'ssh-keys', id: null } }),
  'retention-policies.set': () => ({ data: { type: 'data-retention-policy-dont-deletes' } }),
  'retention-policies.replace': () => ({ data: { type: 'data-retention-policy-dont-deletes' } }),
};

describe('malformed body of a relationship request', () => {
  it.each(rawBodies)('returns 400 or 422 for %s', async (name, body) => {
    for (const route of takesBody) {
      const reply = await send(route, { body }, String(body));
      expect([400, 422], `${route}: ${name}`).toContain(reply.status);
    }
  });

  it.each(takesBody)('returns 401 from %s without a token', async (route) => {
    for (const [, body] of rawBodies.slice(0, 8)) {
      expect(await sendRequest(route, { body, token: undefined })).toMatchObject({ status: 401, body: UNAUTHORIZED });
    }
  });
});

it.each(takesBody)('%s accepts a body of 1 MiB and returns 413 for one byte more', async (route) => {
  const right = {
    ...(validBodies[route]?.() ?? { data: { type: 'data-retention-policy-dont-deletes' } }),
    unknown: '',
  };
  const frame = JSON.stringify(right);
  const sized = (size: number) => frame.replace('"unknown":""', `"unknown":"${'x'.repeat(size - frame.length)}"`);
  expect((await send(route, { body: sized(1024 * 1024) })).status).toBeLessThan(300);
  expect((await send(route, { body: sized(1024 * 1024 + 1) })).status).toBe(413);
});
