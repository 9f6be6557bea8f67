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

/** Whatever reaches the endpoints of variables: an answer that a client can read, and nothing done that was refused. */
let api: Api;
let changes: Changes;
let owner: string;

/** Path parameters: of the owner's organization, of another one, and of none. */
interface Parameters {
  readonly workspace_id: string;
  readonly variable_id: string;
}
let own: Parameters;
let foreign: Parameters;
const absent: Parameters = { workspace_id: 'ws-1111111111111111', variable_id: 'var-1111111111111111' };

const parametersOf = async (organization: string, token: string): Promise<Parameters> => {
  const body = { data: { type: 'workspaces', attributes: { name: 'subject' } } };
  const workspace = await api.request('POST', `/organizations/${organization}/workspaces`, { token, body });
  const { id } = workspace.body.data;
  const variable = { data: { type: 'vars', attributes: { key: 'known', category: 'env' } } };
  const made = await api.request('POST', `/workspaces/${id}/vars`, { token, body: variable });
  return { workspace_id: id, variable_id: made.body.data.id };
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
  console.info(`Bad input to variables: answers by status ${JSON.stringify(Object.fromEntries(answers))}`);
});

/** How many requests were answered with each status. */
const answers = new Map<number, number>();

const all = routeIds.filter((route) => routes[route].function === 'variables');
const schemaOf = (route: RouteId): keyof typeof bodies | undefined => {
  const { body } = routes[route] as { body?: { schema: keyof typeof bodies } };
  return body?.schema;
};
const withBody = all.filter((route) => schemaOf(route) !== undefined);
const withPath = all.filter((route) => routes[route].path.includes('{'));
const reading = all.filter((route) => routes[route].method === 'GET');

const ask = async (
  route: RouteId,
  parameters: Readonly<Record<string, string>>,
  { query = '', ...options }: RequestOptions & { query?: string } = {},
): Promise<Reply> => {
  const path = routes[route].path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');
  const reply = await api.request(routes[route].method, path + query, { token: owner, ...options });
  answers.set(reply.status, (answers.get(reply.status) ?? 0) + 1);
  return reply;
};

/** Sends, and has a refusal leave everything as it was. */
const send = async (route: RouteId, options: RequestOptions, sent?: string): Promise<Reply> => {
  await changes.sinceLast();
  const reply = await ask(route, { ...own }, options);
  expectAnswer(reply, sent);
  if (reply.status >= 400) expect(await changes.sinceLast(), `${route} was refused`).toEqual([]);
  return reply;
};

/** With the workspace that a body has to name where the path does not. */
const inWorkspace = (document: unknown): unknown => {
  const { data } = (document ?? {}) as { data?: unknown };
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return document;
  const relationships = { workspace: { data: { type: 'workspaces', id: own.workspace_id } } };
  return { ...(document as object), filter: null, data: { ...data, relationships } };
};

const meant = (route: RouteId): object | undefined =>
  schemaOf(route) === undefined
    ? undefined
    : { data: { type: 'vars', attributes: { key: 'stolen', category: 'env' } } };

describe('bodies', () => {
  it.each(withBody)('never surprise %s when they are nearly right', async (route) => {
    const documents = nearlyRightFor(bodies[schemaOf(route) as keyof typeof bodies]);
    await fc.assert(
      fc.asyncProperty(fc.boolean(), documents, async (isNamed, document) => {
        const body = JSON.stringify(isNamed ? inWorkspace(document) : document);
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

  it('that are taken are answered as they were sent', async () => {
    const text = (maxLength: number) => fc.string({ unit: 'binary', maxLength });
    const attributes = fc.record(
      {
        key: text(100),
        category: fc.constantFrom('infra', 'env', 'terraform'),
        value: text(300),
        description: fc.option(text(100)),
        hcl: fc.boolean(),
        sensitive: fc.boolean(),
      },
      { requiredKeys: ['key', 'category'] },
    );
    const defaults = { value: '', description: null, hcl: false, sensitive: false };
    await fc.assert(
      fc.asyncProperty(attributes, async (given) => {
        const body = { data: { type: 'vars', attributes: given } };
        const { status, body: answer } = await send('workspace-variables.create', { body: JSON.stringify(body) });
        if (given.key.trim() === '' || status === 422) {
          const detail = given.key.trim() === '' ? "Key can't be blank" : 'Key has already been taken';
          expect(answer.errors).toMatchObject([{ status: '422', detail }]);
          return;
        }
        const { id, attributes: shown } = answer.data;
        expect(shown).toMatchObject({
          ...defaults,
          ...given,
          key: given.key.trim(),
          category: given.category === 'env' ? 'env' : 'infra',
          ...(given.sensitive && { value: null }),
        });
        const read = await ask('workspace-variables.show', { ...own, variable_id: id });
        expect(read.body).toEqual(answer);
      }),
      bounded(30),
    );
  });
});

describe('queries', () => {
  it.each(reading)('never surprise %s', async (route) => {
    await fc.assert(
      fc.asyncProperty(queryString, async (query) => {
        expectAnswer(await ask(route, { ...own }, { query: `?${query}` }), query);
      }),
      bounded(12),
    );
  });
});

describe('paths', () => {
  it.each(withPath)('of %s answer 404, and nothing more, for what there is not', async (route) => {
    const names = [...routes[route].path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
    await fc.assert(
      fc.asyncProperty(pathSegment, fc.constantFrom(...names), async (segment, name) => {
        const reply = await ask(route, { ...own, [name]: segment }, { body: meant(route) });
        expect(reply).toMatchObject({ status: 404, body: NOT_FOUND });
      }),
      bounded(8),
    );
  });

  it.each(withPath)("of %s lead to another organization's as to what there is not", async (route) => {
    await changes.sinceLast();
    const isVariable = routes[route].path.includes('{variable_id}');
    for (const parameters of [foreign, ...(isVariable ? [{ ...own, variable_id: foreign.variable_id }] : [])]) {
      const there = await ask(route, { ...parameters }, { body: meant(route) });
      const nowhere = await ask(route, { ...absent }, { body: meant(route) });
      expect(there).toEqual(nowhere);
      expect(there).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect(await changes.sinceLast()).toEqual([]);
  });
});

describe('credentials that are none', () => {
  it.each(all)('are refused by %s, all in the same words', async (route) => {
    await changes.sinceLast();
    for (const authorization of ['', 'Bearer', `Basic ${owner}`, `Bearer ${owner}0`, `Bearer ${mintToken('user')}`]) {
      const body = inWorkspace(meant(route));
      const options = { token: undefined, headers: { authorization }, ...(meant(route) && { body }) };
      const reply = await ask(route, { ...own }, options);
      expectRefusal(reply);
      expect(reply).toMatchObject({ status: 401, body: UNAUTHORIZED, headers: { 'www-authenticate': 'Bearer' } });
    }
    expect(await changes.sinceLast()).toEqual([]);
  });
});
