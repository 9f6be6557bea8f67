import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintToken } from '../../../shared/access/credentials.ts';
import { type RouteId, routeIds, routes } from '../../../shared/routes/index.ts';
import { bodies } from '../../../shared/schemas/request-bodies.ts';
import { type Api, CACHED, type Reply, type RequestOptions, startApi } from '../../support/api/api.ts';
import { garbage, pathSegment, queryString, rawBodies } from '../../support/models/arbitraries.ts';
import { expectAnswer, expectRefusal, NOT_FOUND, UNAUTHORIZED } from '../../support/models/arbitraries-checks.ts';
import { type Changes, watchChanges } from '../../support/models/changes.ts';
import { nearlyRightFor } from '../../support/models/schema-arbitraries.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Whatever reaches the endpoints of tags: an answer that a client can read, and nothing done that was refused. */
let api: Api;
let changes: Changes;
let owner: string;

type Parameters = Readonly<Record<string, string>>;
/** Path parameters: of the owner's organization, of another one, and of none. */
let own: Parameters;
let foreign: Parameters;
const absent: Parameters = {
  organization_name: 'nobody',
  workspace_id: 'ws-1111111111111111',
  tag_id: 'tag-1111111111111111',
};

const parametersOf = async (organization: string, token: string): Promise<Parameters> => {
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
  [own, foreign] = [await parametersOf('acme', owner), await parametersOf('umbrella', token)];
  changes = await watchChanges(api.engine);
});
afterAll(async () => {
  expect((await api.admin('check-table')).findings).toEqual([]);
  await api.stop();
  console.info(`Bad input to tags: answers by status ${JSON.stringify(Object.fromEntries(answers))}`);
});

/** How many requests were answered with each status. */
const answers = new Map<number, number>();

const all = routeIds.filter((route) => routes[route].function === 'workspace-tags');
const schemaOf = (route: RouteId): keyof typeof bodies | undefined => {
  const { body } = routes[route] as { body?: { schema: keyof typeof bodies } };
  return body?.schema;
};
const withBody = all.filter((route) => schemaOf(route) !== undefined);
const reading = all.filter((route) => routes[route].method === 'GET');

const pathOf = (route: RouteId, parameters: Parameters): string =>
  routes[route].path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');

const ask = async (route: RouteId, parameters: Parameters, options: RequestOptions = {}): Promise<Reply> => {
  const reply = await api.request(routes[route].method, pathOf(route, parameters), { token: owner, ...options });
  answers.set(reply.status, (answers.get(reply.status) ?? 0) + 1);
  return reply;
};

/** Sends, and has a refusal leave everything as it was. */
const send = async (route: RouteId, options: RequestOptions, sent?: string): Promise<Reply> => {
  await changes.sinceLast();
  const reply = await ask(route, own, options);
  expectAnswer(reply, sent);
  if (reply.status >= 400) expect(await changes.sinceLast(), `${route} was refused`).toEqual([]);
  return reply;
};

/** A body that means to change something. */
const meant = (route: RouteId, { workspace_id: id }: Parameters): object | undefined => {
  switch (schemaOf(route)) {
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

describe('bodies', () => {
  it.each(withBody)('never surprise %s when they are nearly right', async (route) => {
    const schema = bodies[schemaOf(route) as keyof typeof bodies];
    await fc.assert(
      fc.asyncProperty(nearlyRightFor(schema), async (document) => {
        const body = JSON.stringify(document);
        await send(route, { body }, body);
      }),
      bounded(30),
    );
  });

  it.each(withBody)('never surprise %s when they are garbage', async (route) => {
    await fc.assert(
      fc.asyncProperty(garbage, async (body) => {
        await send(route, { body }, String(body));
      }),
      bounded(6),
    );
    for (const [, body] of rawBodies) await send(route, { body }, String(body));
  });

  it.each(['workspaces.create', 'workspaces.update'] as const)(
    'never surprise %s when their tags and bindings are nearly right',
    async (route) => {
      let made = 0;
      const data = (schema: 'tags' | 'tagBindings') =>
        nearlyRightFor(bodies[schema]).map((document) => (document as { data?: unknown } | null)?.data);
      await fc.assert(
        fc.asyncProperty(data('tags'), data('tagBindings'), async (tags, bindings) => {
          const body = JSON.stringify({
            data: {
              type: 'workspaces',
              attributes: { name: route === 'workspaces.create' ? `made-${++made}` : 'subject' },
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

describe('queries', () => {
  const known = fc.constantFrom('name', 'q', 'filter[exclude][taggable][id]', 'page[size]', 'page[number]');
  const parameter = fc.tuple(
    known,
    fc.string({ unit: 'binary', maxLength: 300 }).map((text) => text.toWellFormed()),
  );
  const query = fc.oneof(
    queryString,
    parameter.map((pair) => String(new URLSearchParams([pair]))),
  );
  it.each(reading)('never surprise %s', async (route) => {
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        const reply = await api.request('GET', `${pathOf(route, own)}?${text}`, { token: owner });
        expectAnswer(reply, text);
        expect([200, 400]).toContain(reply.status);
      }),
      bounded(16),
    );
  });
});

describe('paths', () => {
  it.each(all)('of %s answer 404, and nothing more, for what there is not', async (route) => {
    const names = [...routes[route].path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
    await fc.assert(
      fc.asyncProperty(pathSegment, fc.constantFrom(...names), async (segment, name) => {
        const reply = await ask(route, { ...own, [name]: segment }, { body: meant(route, own) });
        expect(reply).toMatchObject({ status: 404, body: NOT_FOUND });
      }),
      bounded(8),
    );
  });

  it.each(all)("of %s lead to another organization's as to what there is not", async (route) => {
    await changes.sinceLast();
    const [there, nowhere] = [
      await ask(route, foreign, { body: meant(route, foreign) }),
      await ask(route, absent, { body: meant(route, absent) }),
    ];
    expect(there).toEqual(nowhere);
    expect(there).toMatchObject({ status: 404, body: NOT_FOUND });
    expect(await changes.sinceLast()).toEqual([]);
  });
});

describe('credentials that are none', () => {
  it.each(all)('are refused by %s, all in the same words', async (route) => {
    await changes.sinceLast();
    for (const authorization of ['', 'Bearer', `Basic ${owner}`, `Bearer ${owner}0`, `Bearer ${mintToken('user')}`]) {
      const options = { token: undefined, headers: { authorization }, body: meant(route, own) };
      const reply = await ask(route, own, options);
      expectRefusal(reply);
      expect(reply).toMatchObject({ status: 401, body: UNAUTHORIZED, headers: { 'www-authenticate': 'Bearer' } });
    }
    expect(await changes.sinceLast()).toEqual([]);
  });
});
