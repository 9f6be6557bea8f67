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

/** Hostile requests to the variable endpoints: every response is valid, and a rejected request changes nothing. */
let api: Api;
let changes: Changes;
let owner: string;

/** Path parameters of the owner's organization, of a foreign organization, and of no organization. */
interface Parameters {
  readonly organization_name: string;
  readonly project_id: string;
  readonly workspace_id: string;
  readonly varset_id: string;
  /** A variable of the workspace, or of the set in paths that name a set. */
  readonly variable_id: string;
  readonly variable_of_set: string;
}
let own: Parameters;
let foreign: Parameters;
const absent: Parameters = {
  organization_name: 'absent',
  project_id: 'prj-1111111111111111',
  workspace_id: 'ws-1111111111111111',
  varset_id: 'varset-1111111111111111',
  variable_id: 'var-1111111111111111',
  variable_of_set: 'var-1111111111111111',
};

const createParameters = async (organization: string, token: string): Promise<Parameters> => {
  const body = { data: { type: 'workspaces', attributes: { name: 'subject' } } };
  const workspace = await api.request('POST', `/organizations/${organization}/workspaces`, { token, body });
  const { id, relationships } = workspace.body.data;
  const attributes = { name: 'known' };
  const set = await api.request('POST', `/organizations/${organization}/varsets`, {
    token,
    body: { data: { type: 'varsets', attributes } },
  });
  const variableSet = set.body.data.id;
  const variable = { data: { type: 'vars', attributes: { key: 'known', category: 'env' } } };
  const created = await api.request('POST', `/workspaces/${id}/vars`, { token, body: variable });
  const inSet = await api.request('POST', `/varsets/${variableSet}/relationships/vars`, { token, body: variable });
  return {
    organization_name: organization,
    project_id: relationships.project.data.id,
    workspace_id: id,
    varset_id: variableSet,
    variable_id: created.body.data.id,
    variable_of_set: inSet.body.data.id,
  };
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
  console.info(`Bad input to variables: responses by status ${JSON.stringify(Object.fromEntries(statusCounts))}`);
});

/** Number of responses by status. */
const statusCounts = new Map<number, number>();

const all = routeIds.filter((route) => routes[route].function === 'variables');
const getBodySchema = (route: RouteId): keyof typeof bodies | undefined => {
  const { body } = routes[route] as { body?: { schema: keyof typeof bodies } };
  return body?.schema;
};
const withBody = all.filter((route) => getBodySchema(route) !== undefined);
const withPath = all.filter((route) => routes[route].path.includes('{'));
const reading = all.filter((route) => routes[route].method === 'GET');

const sendRequest = async (
  route: RouteId,
  parameters: Readonly<Record<string, string>>,
  { query = '', ...options }: RequestOptions & { query?: string } = {},
): Promise<ApiResponse> => {
  const { path: template } = routes[route];
  const inSet = template.includes('{varset_id}') && parameters['variable_id'] === own.variable_id;
  const given = inSet ? { ...parameters, variable_id: own.variable_of_set } : parameters;
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => given[name as keyof typeof given] ?? '');
  const reply = await api.request(routes[route].method, path + query, { token: owner, ...options });
  statusCounts.set(reply.status, (statusCounts.get(reply.status) ?? 0) + 1);
  return reply;
};

/** Sends a request and asserts that the response is valid and that a rejection changes nothing. */
const send = async (route: RouteId, options: RequestOptions, sent?: string): Promise<ApiResponse> => {
  await changes.sinceLast();
  const reply = await sendRequest(route, { ...own }, options);
  expectValidResponse(reply, sent);
  if (reply.status >= 400) expect(await changes.sinceLast(), `${route} was rejected`).toEqual([]);
  return reply;
};

/** Adds the workspace, which a body must name when the path does not. */
const inWorkspace = (document: unknown): unknown => {
  const { data } = (document ?? {}) as { data?: unknown };
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return document;
  const relationships = { workspace: { data: { type: 'workspaces', id: own.workspace_id } } };
  return { ...(document as object), filter: null, data: { ...data, relationships } };
};

const buildBody = (route: RouteId): object | undefined => {
  const schema = getBodySchema(route);
  if (schema === undefined) return undefined;
  if (schema === 'variableSet') return { data: { type: 'varsets', attributes: { name: 'stolen' } } };
  if (schema === 'variableVerification') return { value: 'stolen' };
  if (schema === 'assignedWorkspaces') return { data: [{ type: 'workspaces', id: own.workspace_id }] };
  if (schema === 'assignedProjects') return { data: [{ type: 'projects', id: own.project_id }] };
  return { data: { type: 'vars', attributes: { key: 'stolen', category: 'env' } } };
};

describe('request bodies of variable endpoints', () => {
  it.each(withBody)('get a valid response from %s when they are almost valid', async (route) => {
    const documents = nearlyRightFor(bodies[getBodySchema(route) as keyof typeof bodies]);
    await fc.assert(
      fc.asyncProperty(fc.boolean(), documents, async (isNamed, document) => {
        const body = JSON.stringify(isNamed ? inWorkspace(document) : document);
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

  it('are returned exactly as sent when they are accepted', async () => {
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
        const { status, body: response } = await send('workspace-variables.create', { body: JSON.stringify(body) });
        if (given.key.trim() === '' || status === 422) {
          const detail = given.key.trim() === '' ? "Key can't be blank" : 'Key has already been taken';
          expect(response.errors).toMatchObject([{ status: '422', detail }]);
          return;
        }
        const { id, attributes: shown } = response.data;
        expect(shown).toMatchObject({
          ...defaults,
          ...given,
          key: given.key.trim(),
          ...(given.sensitive && { value: null }),
        });
        const read = await sendRequest('workspace-variables.show', { ...own, variable_id: id });
        const category = given.category === 'env' ? 'env' : 'infra';
        expect(read.body).toEqual({ data: { ...response.data, attributes: { ...shown, category } } });
      }),
      bounded(30),
    );
  });
});

describe('queries of variable endpoints', () => {
  it.each(reading)('get a valid response from %s', async (route) => {
    await fc.assert(
      fc.asyncProperty(queryString, async (query) => {
        expectValidResponse(await sendRequest(route, { ...own }, { query: `?${query}` }), query);
      }),
      bounded(12),
    );
  });
});

describe('paths of variable endpoints', () => {
  it.each(withPath)('return a plain 404 from %s for generated ids', async (route) => {
    const names = [...routes[route].path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
    await fc.assert(
      fc.asyncProperty(pathSegment, fc.constantFrom(...names), async (segment, name) => {
        const reply = await sendRequest(route, { ...own, [name]: segment }, { body: buildBody(route) });
        expect(reply).toMatchObject({ status: 404, body: NOT_FOUND });
      }),
      bounded(8),
    );
  });

  it.each(withPath)(
    'return the same response from %s for a foreign organization as for an absent one',
    async (route) => {
      await changes.sinceLast();
      const isVariable = routes[route].path.includes('{variable_id}');
      for (const parameters of [foreign, ...(isVariable ? [{ ...own, variable_id: foreign.variable_id }] : [])]) {
        const there = await sendRequest(route, { ...parameters }, { body: buildBody(route) });
        const nowhere = await sendRequest(route, { ...absent }, { body: buildBody(route) });
        expect(there).toEqual(nowhere);
        expect(there).toMatchObject({ status: 404, body: NOT_FOUND });
      }
      expect(await changes.sinceLast()).toEqual([]);
    },
  );
});

describe('invalid credentials for variable endpoints', () => {
  it.each(all)('get the same 401 from %s', async (route) => {
    await changes.sinceLast();
    for (const authorization of ['', 'Bearer', `Basic ${owner}`, `Bearer ${owner}0`, `Bearer ${mintToken('user')}`]) {
      const body = inWorkspace(buildBody(route));
      const options = { token: undefined, headers: { authorization }, ...(buildBody(route) && { body }) };
      const reply = await sendRequest(route, { ...own }, options);
      expectRejection(reply);
      expect(reply).toMatchObject({ status: 401, body: UNAUTHORIZED, headers: { 'www-authenticate': 'Bearer' } });
    }
    expect(await changes.sinceLast()).toEqual([]);
  });
});
