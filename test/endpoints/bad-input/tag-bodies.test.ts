import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintToken } from '../../../shared/access/credentials.ts';
import { bodies } from '../../../shared/resources/request-bodies.ts';
import { type RouteId, routeIds, routes } from '../../../shared/routes/index.ts';
import { type Api, type ApiResponse, CACHED, type RequestOptions, startApi } from '../../support/api/api.ts';
import { garbage, pathSegment, queryString, rawBodies } from '../../support/models/arbitraries/arbitraries.ts';
import {
  expectRejection,
  expectValidResponse,
  NOT_FOUND,
  UNAUTHORIZED,
} from '../../support/models/arbitraries/arbitraries-checks.ts';
import { nearlyRightFor } from '../../support/models/arbitraries/schema-arbitraries.ts';
import { type Changes, watchChanges } from '../../support/models/changes.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Hostile requests to the tag endpoints: every response is valid, and a rejected request changes nothing. */
let api: Api;
let changes: Changes;
let owner: string;

type Parameters = Readonly<Record<string, string>>;
/** Path parameters of the owner's organization, of a foreign organization, and of no organization. */
let own: Parameters;
let foreign: Parameters;
const absent: Parameters = {
  organization_name: 'nobody',
  workspace_id: 'ws-1111111111111111',
  tag_id: 'tag-1111111111111111',
};

const createParameters = async (organization: string, token: string): Promise<Parameters> => {
  const attributes = { name: 'subject' };
  const relationships = { tags: { data: [{ type: 'tags', attributes: { name: 'known' } }] } };
  const { body } = await api.request('POST', `/organizations/${organization}/workspaces`, {
    token,
    body: { data: { type: 'workspaces', attributes, relationships } },
  });
  const tags = await api.request('GET', `/organizations/${organization}/tags`, { token });
  return { organization_name: organization, workspace_id: body.data.id, tag_id: tags.body.data[0].id };
};

beforeAll(async () => {
  api = await startApi(CACHED);
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  const { token } = await api.admin('create-organization', { name: 'umbrella', email: 'eve@example.com' });
  [own, foreign] = [await createParameters('acme', owner), await createParameters('umbrella', token)];
  changes = await watchChanges(api.engine);
});
afterAll(async () => {
  expect((await api.admin('check-table')).findings).toEqual([]);
  await api.stop();
  console.info(`Bad input to tags: responses by status ${JSON.stringify(Object.fromEntries(statusCounts))}`);
});

/** Number of responses by status. */
const statusCounts = new Map<number, number>();

const all = routeIds.filter((route) => routes[route].function === 'workspace-tags');
const getBodySchema = (route: RouteId): keyof typeof bodies | undefined => {
  const { body } = routes[route] as { body?: { schema: keyof typeof bodies } };
  return body?.schema;
};
const withBody = all.filter((route) => getBodySchema(route) !== undefined);
const reading = all.filter((route) => routes[route].method === 'GET');

const buildPath = (route: RouteId, parameters: Parameters): string =>
  routes[route].path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');

const sendRequest = async (
  route: RouteId,
  parameters: Parameters,
  options: RequestOptions = {},
): Promise<ApiResponse> => {
  const reply = await api.request(routes[route].method, buildPath(route, parameters), { token: owner, ...options });
  statusCounts.set(reply.status, (statusCounts.get(reply.status) ?? 0) + 1);
  return reply;
};

/** Sends a request and asserts that the response is valid and that a rejection changes nothing. */
const send = async (route: RouteId, options: RequestOptions, sent?: string): Promise<ApiResponse> => {
  await changes.sinceLast();
  const reply = await sendRequest(route, own, options);
  expectValidResponse(reply, sent);
  if (reply.status >= 400) expect(await changes.sinceLast(), `${route} was rejected`).toEqual([]);
  return reply;
};

/** Builds a valid body that would change something. */
const buildBody = (route: RouteId, { workspace_id: id }: Parameters): object | undefined => {
  switch (getBodySchema(route)) {
    case 'tags':
      return { data: [{ type: 'tags', attributes: { name: 'known' } }] };
    case 'tagBindings':
      return { data: [{ type: 'tag-bindings', attributes: { key: 'env', value: 'stolen' } }] };
    case 'tagWorkspaces':
      return { data: [{ type: 'workspaces', id }] };
    default:
      return undefined;
  }
};

describe('request bodies of tag endpoints', () => {
  it.each(withBody)('get a valid response from %s when they are almost valid', async (route) => {
    const schema = bodies[getBodySchema(route) as keyof typeof bodies];
    await fc.assert(
      fc.asyncProperty(nearlyRightFor(schema), async (document) => {
        const body = JSON.stringify(document);
        await send(route, { body }, body);
      }),
      bounded(30),
    );
  });

  it.each(withBody)('get a valid response from %s when they are garbage', async (route) => {
    await fc.assert(
      fc.asyncProperty(garbage, async (body) => {
        await send(route, { body }, String(body));
      }),
      bounded(6),
    );
    for (const [, body] of rawBodies) await send(route, { body }, String(body));
  });

  it.each(['workspaces.create', 'workspaces.update'] as const)(
    'get a valid response from %s when their tags and bindings are almost valid',
    async (route) => {
      let createdCount = 0;
      const data = (schema: 'tags' | 'tagBindings') =>
        nearlyRightFor(bodies[schema]).map((document) => (document as { data?: unknown } | null)?.data);
      await fc.assert(
        fc.asyncProperty(data('tags'), data('tagBindings'), async (tags, bindings) => {
          const body = JSON.stringify({
            data: {
              type: 'workspaces',
              attributes: { name: route === 'workspaces.create' ? `made-${++createdCount}` : 'subject' },
              relationships: { tags: { data: tags }, 'tag-bindings': { data: bindings } },
            },
          });
          await send(route, { body }, body);
        }),
        bounded(20),
      );
    },
  );
});

describe('queries of tag endpoints', () => {
  const known = fc.constantFrom('name', 'q', 'filter[exclude][taggable][id]', 'page[size]', 'page[number]');
  const parameter = fc.tuple(
    known,
    fc.string({ unit: 'binary', maxLength: 300 }).map((text) => text.toWellFormed()),
  );
  const query = fc.oneof(
    queryString,
    parameter.map((pair) => String(new URLSearchParams([pair]))),
  );
  it.each(reading)('get a valid response from %s', async (route) => {
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        const reply = await api.request('GET', `${buildPath(route, own)}?${text}`, { token: owner });
        expectValidResponse(reply, text);
        expect([200, 400]).toContain(reply.status);
      }),
      bounded(16),
    );
  });
});

describe('paths of tag endpoints', () => {
  it.each(all)('return a plain 404 from %s for generated ids', async (route) => {
    const names = [...routes[route].path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
    await fc.assert(
      fc.asyncProperty(pathSegment, fc.constantFrom(...names), async (segment, name) => {
        const reply = await sendRequest(route, { ...own, [name]: segment }, { body: buildBody(route, own) });
        expect(reply).toMatchObject({ status: 404, body: NOT_FOUND });
      }),
      bounded(8),
    );
  });

  it.each(all)('return the same response from %s for a foreign organization as for an absent one', async (route) => {
    await changes.sinceLast();
    const [there, nowhere] = [
      await sendRequest(route, foreign, { body: buildBody(route, foreign) }),
      await sendRequest(route, absent, { body: buildBody(route, absent) }),
    ];
    expect(there).toEqual(nowhere);
    expect(there).toMatchObject({ status: 404, body: NOT_FOUND });
    expect(await changes.sinceLast()).toEqual([]);
  });
});

describe('invalid credentials for tag endpoints', () => {
  it.each(all)('get the same 401 from %s', async (route) => {
    await changes.sinceLast();
    for (const authorization of ['', 'Bearer', `Basic ${owner}`, `Bearer ${owner}0`, `Bearer ${mintToken('user')}`]) {
      const options = { token: undefined, headers: { authorization }, body: buildBody(route, own) };
      const reply = await sendRequest(route, own, options);
      expectRejection(reply);
      expect(reply).toMatchObject({ status: 401, body: UNAUTHORIZED, headers: { 'www-authenticate': 'Bearer' } });
    }
    expect(await changes.sinceLast()).toEqual([]);
  });
});
