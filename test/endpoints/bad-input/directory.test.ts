import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintToken } from '../../../shared/access/credentials.ts';
import { operations } from '../../../shared/openapi/operations/index.ts';
import { bodies } from '../../../shared/resources/request-bodies.ts';
import { type RouteId, routeIds, routes } from '../../../shared/routes/index.ts';
import { type Api, type ApiResponse, CACHED, type RequestOptions, startApi } from '../../support/api/api.ts';
import { createSshKey } from '../../support/api/create-ssh-key.ts';
import { startSession } from '../../support/api/start-session.ts';
import { garbage, pathSegment, rawBodies } from '../../support/models/arbitraries/arbitraries.ts';
import {
  expectRejection,
  expectValidResponse,
  NOT_FOUND,
  UNAUTHORIZED,
} from '../../support/models/arbitraries/arbitraries-checks.ts';
import { nearlyRightFor } from '../../support/models/arbitraries/schema-arbitraries.ts';
import { type Changes, watchChanges } from '../../support/models/changes.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Hostile requests to the directory endpoints: every response is valid, and a rejected request changes nothing. */
let api: Api;
let changes: Changes;
let owner: string;
let site: string;

type Parameters = Readonly<Record<string, string>>;
/** Path parameters of the owner's organization, of a foreign organization, and of no organization. */
let own: Parameters;
let foreign: Parameters;
const absent: Parameters = {
  organization_name: 'nobody',
  membership_id: 'ou-1111111111111111',
  user_id: 'user-1111111111111111',
  team_id: 'team-1111111111111111',
  project_id: 'prj-1111111111111111',
  team_workspace_id: 'tws-1111111111111111',
  team_project_id: 'tprj-1111111111111111',
  agent_pool_id: 'apool-1111111111111111',
  reserved_tag_key_id: 'rtk-1111111111111111',
  workload_identity_id: 'wi-1111111111111111',
  ssh_key_id: 'sshkey-1111111111111111',
  oauth_client_id: 'oc-1111111111111111',
  oauth_token_id: 'ot-1111111111111111',
  token_id: 'at-1111111111111111',
  session_id: 'ss-1111111111111111',
};

/** Creates one resource for each path parameter of an organization. */
const createParameters = async (organization: string, token: string): Promise<Parameters> => {
  const body = { data: { type: 'workspaces', attributes: { name: 'network' } } };
  const created = await api.request('POST', `/organizations/${organization}/workspaces`, { token, body });
  const memberships = await api.request('GET', `/organizations/${organization}/organization-memberships`, { token });
  const [membership] = memberships.body.data;
  const pool = await api.admin('create-agent-pool', { organization, name: 'pool' });
  const provider = { serviceProvider: 'github', httpUrl: 'https://github.com' };
  const { vcsConnection } = await api.admin('create-vcs-connection', { organization, name: 'hub', ...provider });
  const reserved = { data: { type: 'reserved-tag-keys', attributes: { key: 'reserved' } } };
  const tagKey = await api.request('POST', `/organizations/${organization}/reserved-tag-keys`, {
    token,
    body: reserved,
  });
  const team = (await api.admin('create-team', { organization, name: 'readers' })).team.id;
  const identity = await api.request('POST', `/organizations/${organization}/workload-identities`, {
    token,
    body: identityOf(team),
  });
  const parameters = {
    workload_identity_id: identity.body.data.id,
    reserved_tag_key_id: tagKey.body.data.id,
    agent_pool_id: pool.agentPool.id,
    ssh_key_id: (await createSshKey(api, token, organization, 'key')).id,
    oauth_client_id: vcsConnection.client,
    oauth_token_id: vcsConnection.id,
    organization_name: organization,
    membership_id: membership.id,
    user_id: membership.relationships.user.data.id,
    workspace_id: created.body.data.id,
    project_id: created.body.data.relationships.project.data.id,
    team_id: team,
  };
  const access = async (on: 'workspace' | 'project') =>
    (await api.request('POST', `/team-${on}s`, { token, body: accessIn(parameters, on) })).body.data.id;
  const tokens = `/users/${parameters.user_id}/authentication-tokens`;
  return {
    ...parameters,
    team_workspace_id: await access('workspace'),
    team_project_id: await access('project'),
    token_id: (await api.request('POST', tokens, { token })).body.data.id,
    session_id: await startSession(api, parameters.user_id),
  };
};

const identityOf = (team: string) => ({
  data: {
    type: 'workload-identities',
    attributes: {
      name: 'deploy',
      issuer: 'https://issuer.example.com',
      conditions: [{ claim: '/sub', equals: ['deploy'] }],
    },
    relationships: { team: { data: { type: 'teams', id: team } } },
  },
});

const accessIn = ({ team_id: team, ...ids }: Parameters, on: 'workspace' | 'project') => ({
  data: {
    type: `team-${on}s`,
    attributes: { access: 'read' },
    relationships: { team: { data: { id: team } }, [on]: { data: { id: ids[`${on}_id`] } } },
  },
});

beforeAll(async () => {
  api = await startApi(CACHED);
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  const other = await api.admin('create-organization', { name: 'umbrella', email: 'eve@example.com' });
  ({ token: site } = await api.admin('create-token', { kind: 'site' }));
  [own, foreign] = [await createParameters('acme', owner), await createParameters('umbrella', other.token)];
  changes = await watchChanges(api.engine);
});
afterAll(async () => {
  await api.stop();
  console.info(`Bad input to the directory: responses by status ${JSON.stringify(Object.fromEntries(statusCounts))}`);
});

/** Number of responses by status. */
const statusCounts = new Map<number, number>();

const directoryFunctions: readonly string[] = ['organizations', 'projects', 'teams', 'integrations'];
const all = routeIds.filter((route) => directoryFunctions.includes(routes[route].function));
const getBodySchema = (route: RouteId): keyof typeof bodies | undefined => {
  const { body } = routes[route] as { body?: { schema: keyof typeof bodies } };
  return body?.schema;
};
const withBody = all.filter((route) => getBodySchema(route) !== undefined);
const onRecords = all.filter((route) => routes[route].path.includes('{'));

const buildPath = (route: RouteId, parameters: Parameters): string => {
  const path = routes[route].path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const given = parameters[name];
    if (given === undefined) throw new Error(`${route} needs the parameter ${name}`);
    return given;
  });
  // The query parameter `filter[workspace][id]` takes the value of the path parameter `workspace_id`.
  const filters = Object.keys(operations[route].query ?? {}).filter((name) =>
    /^filter\[(project|workspace)\]/.test(name),
  );
  const query = filters.map((name) => [name, parameters[name.replaceAll(/^filter\[|\]/g, '').replaceAll('[', '_')]]);
  return query.length === 0 ? path : `${path}?${new URLSearchParams(Object.fromEntries(query))}`;
};

const sendRequest = async (
  route: RouteId,
  parameters: Parameters,
  options: RequestOptions = {},
): Promise<ApiResponse> => {
  const token = route === 'organizations.create' ? site : owner;
  const reply = await api.request(routes[route].method, buildPath(route, parameters), { token, ...options });
  statusCounts.set(reply.status, (statusCounts.get(reply.status) ?? 0) + 1);
  return reply;
};

/**
 * Sends a request and asserts that the response is valid and that a rejection changes nothing. DELETE requests name
 * absent ids.
 */
const send = async (route: RouteId, options: RequestOptions, sent?: string): Promise<ApiResponse> => {
  await changes.sinceLast();
  const reply = await sendRequest(route, routes[route].method === 'DELETE' ? absent : own, options);
  expectValidResponse(reply, sent);
  if (reply.status >= 400) expect(await changes.sinceLast(), `${route} was rejected`).toEqual([]);
  return reply;
};

/** Builds a valid body that would change something. */
const buildBody = (route: RouteId): object | undefined => {
  const schema = getBodySchema(route);
  if (schema === undefined) return undefined;
  if (route === 'team-workspaces.create') return accessIn(own, 'workspace');
  if (route === 'team-projects.create') return accessIn(own, 'project');
  if (schema === 'teamUsers') return { data: [{ type: 'users', id: 'ada' }] };
  if (schema === 'teamMemberships') {
    return { data: [{ type: 'organization-memberships', id: own['membership_id'] }] };
  }
  if (schema === 'projectWorkspaces') return { data: [{ type: 'workspaces', id: own['workspace_id'] }] };
  if (schema === 'oauthClientProjects') return { data: [{ type: 'projects', id: own['project_id'] }] };
  if (schema === 'tagBindings') return { data: [{ type: 'tag-bindings', attributes: { key: 'a', value: 'stolen' } }] };
  if (schema === 'tokenTtlPolicies') {
    return { data: { attributes: { 'token-ttl-policies': [{ 'token-type': 'team', 'max-ttl-ms': 60_000 }] } } };
  }
  return { data: { type: getResourceType(route), attributes: { name: 'stolen', email: 'stolen@example.com' } } };
};
const getResourceType = (route: RouteId): string => {
  const schema = bodies[getBodySchema(route) as keyof typeof bodies] as unknown as {
    properties: { data: { properties?: { type?: { enum: string[] } } } };
  };
  return schema.properties.data.properties?.type?.enum[0] ?? '';
};

/** Replaces about half of the related ids by ids of the owner's resources. */
const withOwnIds = (document: unknown): unknown => {
  // biome-ignore lint/suspicious/noExplicitAny: generated documents have any shape.
  const related = (document as any)?.data?.relationships ?? {};
  for (const [name, id] of Object.entries(own)) {
    const data = related[name.replace(/_id$/, '')]?.data;
    if (typeof data?.id === 'string' && data.id.length % 2 === 1) data.id = id;
  }
  return document;
};

describe('request bodies of directory endpoints', () => {
  it.each(withBody)('get a valid response from %s when they are almost valid', async (route) => {
    const schema = bodies[getBodySchema(route) as keyof typeof bodies];
    await fc.assert(
      fc.asyncProperty(nearlyRightFor(schema), async (document) => {
        const body = JSON.stringify(withOwnIds(document));
        await send(route, { body }, body);
      }),
      bounded(24),
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
});

describe('paths of directory endpoints', () => {
  it.each(onRecords)('return a plain 404 from %s for generated ids', async (route) => {
    const names = [...routes[route].path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
    await fc.assert(
      fc.asyncProperty(pathSegment, fc.constantFrom(...names), async (segment, name) => {
        const reply = await sendRequest(route, { ...own, [name]: segment }, { body: buildBody(route) });
        expect(reply).toMatchObject({ status: 404, body: NOT_FOUND });
      }),
      bounded(8),
    );
  });

  it.each(onRecords)(
    'return the same response from %s for a foreign organization as for an absent one',
    async (route) => {
      await changes.sinceLast();
      const wrong = getBodySchema(route) && { data: { type: getResourceType(route), attributes: { name: '' } } };
      for (const body of [buildBody(route), wrong]) {
        const [there, nowhere] = [
          await sendRequest(route, foreign, { body }),
          await sendRequest(route, absent, { body }),
        ];
        expect(there).toEqual(nowhere);
        if (body !== wrong || body === undefined) expect(there).toMatchObject({ status: 404, body: NOT_FOUND });
      }
      expect(await changes.sinceLast()).toEqual([]);
    },
  );
});

describe('invalid credentials for directory endpoints', () => {
  it.each(all)('get the same 401 from %s', async (route) => {
    await changes.sinceLast();
    for (const authorization of ['', 'Bearer', `Basic ${owner}`, `Bearer ${owner}0`, `Bearer ${mintToken('site')}`]) {
      const reply = await sendRequest(route, own, {
        token: undefined,
        headers: { authorization },
        body: buildBody(route),
      });
      expectRejection(reply);
      expect(reply).toMatchObject({ status: 401, body: UNAUTHORIZED, headers: { 'www-authenticate': 'Bearer' } });
    }
    expect(await changes.sinceLast()).toEqual([]);
  });
});
