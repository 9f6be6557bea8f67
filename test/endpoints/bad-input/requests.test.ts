import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintToken } from '../../../shared/access/credentials.ts';
import { limits } from '../../../shared/domain/limits.ts';
import { type RouteId, routeIds, routes } from '../../../shared/routes/index.ts';
import type { Route } from '../../../shared/routes/route.ts';
import { type Api, type ApiResponse, CACHED, type RequestOptions, startApi } from '../../support/api/api.ts';
import {
  contentType,
  garbage,
  nearlyRight,
  pathSegment,
  rawBodies,
} from '../../support/models/arbitraries/arbitraries.ts';
import {
  expectRejection,
  expectValidResponse,
  NOT_FOUND,
  UNAUTHORIZED,
} from '../../support/models/arbitraries/arbitraries-checks.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Hostile requests to the workspace endpoints: every response is valid, and a rejected request changes nothing. */
let api: Api;
let owner: string;
/** Token of the owner of another organization. */
let stranger: string;
let subject: Target;
let foreign: Target;

interface Target {
  readonly organization: string;
  readonly id: string;
  readonly name: string;
}

/** Organization for generated workspaces, so that their names do not collide with others. */
const SANDBOX: Target = { organization: 'sandbox', id: 'ws-1111111111111111', name: 'absent' };
const ABSENT: Target = { organization: 'acme', id: 'ws-1111111111111111', name: 'absent' };

const create = (token: string, organization: string, attributes: object) =>
  api.request('POST', `/organizations/${organization}/workspaces`, {
    token,
    body: { data: { type: 'workspaces', attributes } },
  });

const createTarget = async (token: string, organization: string, name: string): Promise<Target> => {
  const { body } = await create(token, organization, { name, description: 'as it was' });
  return { organization, id: body.data.id, name };
};

beforeAll(async () => {
  api = await startApi(CACHED);
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  ({ token: stranger } = await api.admin('create-organization', { name: 'umbrella', email: 'eve@example.com' }));
  await api.admin('create-organization', { name: 'sandbox', email: 'ada@example.com', owner: 'ada' });
  subject = await createTarget(owner, 'acme', 'subject');
  foreign = await createTarget(stranger, 'umbrella', 'foreign');
});
afterAll(async () => {
  await api.stop();
  console.info(`Bad input: responses by status ${JSON.stringify(Object.fromEntries(statusCounts))}`);
});

/** Number of responses by status. */
const statusCounts = new Map<number, number>();

const buildPath = (route: RouteId, { organization, id, name }: Target): string => {
  const parameters: Record<string, string> = { organization_name: organization, workspace_id: id, name };
  return routes[route].path.replaceAll(/\{(\w+)\}/g, (_, key: string) => parameters[key] ?? '');
};

const sendRequest = async (route: RouteId, place: Target, options: RequestOptions = {}): Promise<ApiResponse> => {
  const reply = await api.request(routes[route].method, buildPath(route, place), { token: owner, ...options });
  statusCounts.set(reply.status, (statusCounts.get(reply.status) ?? 0) + 1);
  return reply;
};

const show = async (token: string, { id }: Target) => (await api.request('GET', `/workspaces/${id}`, { token })).body;

const isDeletion = (route: RouteId): boolean => route.includes('delete');
const takesBody = (route: RouteId): boolean => 'body' in routes[route];
const needsBody = (route: RouteId): boolean => {
  const { body } = routes[route] as Route;
  return body?.required === true;
};
const authenticated = routeIds.filter((route) => route.startsWith('workspaces.'));
const onWorkspaces = authenticated.filter((route) => !['workspaces.create', 'workspaces.list'].includes(route));
const byId = onWorkspaces.filter((route) => routes[route].path.includes('{workspace_id}'));
const byName = onWorkspaces.filter((route) => !byId.includes(route));

/** Chooses the target: an existing workspace, or an absent one for routes that delete. */
const chooseTarget = (route: RouteId): Target => {
  if (route === 'workspaces.create') return SANDBOX;
  return isDeletion(route) ? ABSENT : subject;
};

/** Sends a request and asserts that the response is valid and that a rejection leaves the workspace unchanged. */
const send = async (route: RouteId, options: RequestOptions, sent?: string): Promise<ApiResponse> => {
  const before = await show(owner, subject);
  const reply = await sendRequest(route, chooseTarget(route), options);
  expectValidResponse(reply, sent);
  if (reply.status >= 400) expect(await show(owner, subject), 'a rejection changes nothing').toEqual(before);
  if (reply.status === 200 && route === 'workspaces.lock') await sendRequest('workspaces.force-unlock', subject);
  if (reply.status === 200 && route.startsWith('workspaces.update')) {
    // The update may have renamed the workspace.
    await sendRequest('workspaces.update', subject, {
      body: { data: { type: 'workspaces', attributes: { name: 'subject' } } },
    });
  }
  return reply;
};

/** Adds a name when the attributes have none, so that another invalid attribute is the only error. */
const withName = (body: unknown): unknown => {
  const { data } = (body ?? {}) as { data?: { attributes?: unknown } };
  const { attributes } = data ?? {};
  if (typeof attributes !== 'object' || attributes === null || Object.hasOwn(attributes, 'name')) return body;
  return { data: { ...data, attributes: { ...attributes, name: `generated-${++generated}` } } };
};
let generated = 0;

describe('generated body of a workspace request', () => {
  it.each(authenticated.filter(takesBody))('gets a valid response from %s when it is almost valid', async (route) => {
    await fc.assert(
      fc.asyncProperty(nearlyRight, async (document) => {
        const body = JSON.stringify(route === 'workspaces.create' ? withName(document) : document);
        await send(route, { body }, body);
      }),
      bounded(50),
    );
  });

  it.each(authenticated)('gets a valid response from %s when it is garbage of any media type', async (route) => {
    await fc.assert(
      fc.asyncProperty(garbage, contentType, async (body, type) => {
        const reply = await send(route, { body, headers: { 'content-type': type } }, String(body));
        // A route without a body ignores the content.
        if (!takesBody(route)) expect([400, 413, 415, 422]).not.toContain(reply.status);
      }),
      bounded(8),
    );
  });

  it('does not change the prototype of objects', () => {
    expect({}).not.toHaveProperty('admin');
    expect({}).not.toHaveProperty('name');
  });
});

describe('malformed body of a workspace request', () => {
  const targets = authenticated.filter(takesBody);
  it.each(rawBodies)('returns 400 or 422 for %s', async (name, body) => {
    for (const route of targets) {
      const reply = await send(route, { body }, String(body));
      // A byte order mark may be ignored (RFC 8259, 8.1).
      if (name === 'a byte order mark before a document') continue;
      // A change of the lock needs no body. It is 409 if the body is accepted and the workspace has no lock.
      expect(needsBody(route) ? [400, 422] : [200, 400, 409, 422], route).toContain(reply.status);
    }
  });

  it.each(targets)('returns 401 from %s without a token', async (route) => {
    for (const [, body] of rawBodies.slice(0, 8)) {
      const reply = await sendRequest(route, subject, { body, token: undefined });
      expect(reply).toMatchObject({ status: 401, body: UNAUTHORIZED });
    }
  });
});

describe('size of a request body', () => {
  /** Builds a document of exactly that many bytes. The filling is an unknown attribute, which is ignored. */
  const sized = (attributes: object, size: number): string => {
    const frame = JSON.stringify({ data: { type: 'workspaces', attributes: { ...attributes, unknown: '' } } });
    return frame.replace('"unknown":""', `"unknown":"${'x'.repeat(size - frame.length)}"`);
  };
  const MIB = 1024 * 1024;

  it('is limited to the documented 1 MiB', () => expect(limits.body).toBe(MIB));

  it.each([
    ['workspaces.create', { name: 'weighty' }, 201],
    ['workspaces.update', { description: 'weighty' }, 200],
    ['workspaces.update-by-name', { description: 'weighty' }, 200],
    ['workspaces.lock', {}, 200],
  ] as const)('may be 1 MiB for %s, and one byte more returns 413', async (route, attributes, status) => {
    expect((await send(route, { body: sized(attributes, MIB) })).status).toBe(status);
    const rejected = await send(route, { body: sized(attributes, MIB + 1) });
    expectRejection(rejected);
    expect(rejected.status).toBe(413);
  });

  it('is measured in bytes, not characters', async () => {
    const frame = JSON.stringify({ data: { type: 'workspaces', attributes: { unknown: '' } } });
    const body = frame.replace('""', `"${'ß'.repeat((MIB - frame.length) / 2 + 1)}"`);
    expect((await send('workspaces.update', { body })).status).toBe(413);
  });
});

describe('Content-Type of a request with a body', () => {
  const update = (type: string | undefined) =>
    send('workspaces.update', {
      body: '{"data":{"type":"workspaces"}}',
      headers: { 'content-type': type ?? '' },
    });

  it.each([
    'application/vnd.api+json',
    'application/json',
    'application/vnd.api+json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/VND.api+JSON; Charset="utf-8"',
  ])('accepts %s', async (type) => {
    expect((await update(type)).status).toBe(200);
  });

  it.each([
    '',
    'text/plain',
    'text/json',
    'application/octet-stream',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonp',
    'application/vnd.api+jsonx',
    'json',
    '*/*',
    'application/json; charset=iso-8859-1',
    'application/json, application/vnd.api+json',
  ])('returns 415 for "%s"', async (type) => {
    const reply = await update(type);
    expectRejection(reply);
    expect(reply.status).toBe(415);
  });

  it('returns 415 when it is missing', async () => {
    const event = { body: '{"data":{"type":"workspaces"}}', headers: { 'content-type': undefined as never } };
    expect((await send('workspaces.update', event)).status).toBe(415);
  });

  it('is ignored when there is no body', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect((await sendRequest('workspaces.lock', subject, { headers })).status).toBe(200);
    expect((await sendRequest('workspaces.unlock', subject, { headers })).status).toBe(200);
    expect((await sendRequest('workspaces.create', subject, { headers })).status).toBe(400);
  });
});

describe('ids and names in paths', () => {
  it.each(byId)('return a plain 404 from %s for generated ids', async (route) => {
    await fc.assert(
      fc.asyncProperty(pathSegment, async (id) => {
        const body = takesBody(route) ? { data: { type: 'workspaces' } } : undefined;
        const reply = await sendRequest(route, { ...ABSENT, id }, { body });
        expect(reply).toMatchObject({ status: 404, body: NOT_FOUND });
      }),
      bounded(10),
    );
  });

  it.each(byName)('return a plain 404 from %s for generated names', async (route) => {
    await fc.assert(
      fc.asyncProperty(pathSegment, fc.constantFrom('acme', 'umbrella', 'nobody'), async (name, organization) => {
        const body = takesBody(route) ? { data: { type: 'workspaces' } } : undefined;
        const reply = await sendRequest(route, { ...ABSENT, organization, name }, { body });
        expect(reply).toMatchObject({ status: 404, body: NOT_FOUND });
      }),
      bounded(10),
    );
  });

  it.each(['workspaces.list', 'workspaces.create', ...byName] as const)(
    'return a plain 404 from %s for generated organization names',
    async (route) => {
      await fc.assert(
        fc.asyncProperty(pathSegment, async (organization) => {
          const body = takesBody(route) ? { data: { type: 'workspaces', attributes: { name: 'a' } } } : undefined;
          const reply = await sendRequest(route, { ...subject, organization }, { body });
          expect(reply).toMatchObject({ status: 404, body: NOT_FOUND });
        }),
        bounded(8),
      );
    },
  );

  it.each([
    ['an encoded slash in a name', '/organizations/acme/workspaces/sub%2Fject'],
    ['an encoded slash before the name', '/organizations/acme/workspaces/%2Fsubject'],
    ['an encoded path in an id', '/workspaces/x%2Factions%2Flock'],
    ['a name in another case', '/organizations/acme/workspaces/SUBJECT'],
    ['an organization name in another case', '/organizations/ACME/workspaces/subject'],
    ['a blank after the name', '/organizations/acme/workspaces/subject%20'],
    ['a NUL after the name', '/organizations/acme/workspaces/subject%00'],
    ['a full-width letter', `/organizations/acme/workspaces/${encodeURIComponent('ｓubject')}`],
    ['a name of 10,000 letters', `/organizations/acme/workspaces/${'a'.repeat(10_000)}`],
    ['a double encoding', '/organizations/acme/workspaces/sub%256Aect'],
  ])('return 404 for %s', async (_, path) => {
    for (const method of ['GET', 'DELETE']) {
      expect(await api.request(method, path, { token: owner })).toMatchObject({ status: 404, body: NOT_FOUND });
    }
  });

  it('are percent-decoded', async () => {
    const reply = await api.request('GET', '/organizations/%61cme/workspaces/sub%6Aect', { token: owner });
    expect(reply.body.data.id).toBe(subject.id);
  });
});

describe('workspace of another organization', () => {
  it.each(onWorkspaces)('gets the same response from %s as an absent workspace', async (route) => {
    const before = await show(stranger, foreign);
    const body = takesBody(route)
      ? { data: { type: 'workspaces', attributes: { description: 'taken over' } } }
      : undefined;
    for (const place of [foreign, { ...foreign, organization: 'umbrella', name: 'absent' }]) {
      const there = await sendRequest(route, place, { body });
      const nowhere = await sendRequest(route, { ...ABSENT, organization: 'nobody' }, { body });
      expect(there).toEqual(nowhere);
      expect(there).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect(await show(stranger, foreign)).toEqual(before);
  });

  it('gets the same response as an absent workspace when the body is invalid, too', async () => {
    for (const body of [{ data: { type: 'runs' } }, { data: { type: 'workspaces', attributes: { name: 'a b' } } }]) {
      const [there, nowhere] = await Promise.all(
        [foreign, ABSENT].map((place) => sendRequest('workspaces.update', place, { body })),
      );
      expect(there).toEqual(nowhere);
    }
  });

  it('can neither be listed nor created', async () => {
    for (const organization of ['umbrella', 'nobody']) {
      expect(await sendRequest('workspaces.list', { ...foreign, organization })).toMatchObject({
        status: 404,
        body: NOT_FOUND,
      });
      expect(await create(owner, organization, { name: 'foreign' })).toMatchObject({ status: 404, body: NOT_FOUND });
    }
  });

  it('may have the same name as a workspace of the caller', async () => {
    expect((await create(owner, 'acme', { name: 'foreign' })).status).toBe(201);
    const { body } = await api.request('GET', '/organizations/umbrella/workspaces/foreign', { token: stranger });
    expect(body.data.id).toBe(foreign.id);
  });

  it('has records that are rejected like unknown ones when a request refers to them', async () => {
    const { agentPool } = await api.admin('create-agent-pool', { organization: 'umbrella', name: 'pool' });
    const { vcsConnection } = await api.admin('create-vcs-connection', {
      organization: 'umbrella',
      name: 'hub',
      serviceProvider: 'github',
      httpUrl: 'https://github.com',
    });
    const { appInstallation } = await api.admin('create-app-installation', { organization: 'umbrella', name: 'app' });
    const { project } = await api.admin('create-project', { organization: 'umbrella', name: 'Secret' });
    await api.request('PATCH', `/workspaces/${subject.id}`, {
      token: owner,
      body: { data: { type: 'workspaces', attributes: { 'vcs-repo': null } } },
    });
    const bodies = [
      [agentPool.id, 'apool-', (id: string) => ({ attributes: { 'execution-mode': 'agent', 'agent-pool-id': id } })],
      [
        vcsConnection.id,
        'ot-',
        (id: string) => ({ attributes: { 'vcs-repo': { 'oauth-token-id': id, identifier: 'a/b' } } }),
      ],
      [
        appInstallation.id,
        'ghain-',
        (id: string) => ({ attributes: { 'vcs-repo': { 'app-installation-id': id, identifier: 'a/b' } } }),
      ],
      [project.id, 'prj-', (id: string) => ({ relationships: { project: { data: { type: 'projects', id } } } })],
    ] as const;
    for (const [id, prefix, toBody] of bodies) {
      expect(id).toMatch(new RegExp(`^${prefix}`));
      const replies = await Promise.all(
        [id, `${prefix}1111111111111111`, 'nonsense'].map((given) =>
          send('workspaces.update', { body: { data: { type: 'workspaces', ...toBody(given) } } }),
        ),
      );
      for (const reply of replies) expect(reply).toEqual(replies[0]);
      expect(replies[0]?.status).toBe(422);
      expect(replies[0]?.body.errors[0].source.pointer).toMatch(/^\/data\/(attributes|relationships)\//);
    }
  });
});

describe('invalid credentials', () => {
  const wrong = (): Record<string, string> => ({
    nothing: '',
    'the scheme alone': 'Bearer',
    'the scheme and a blank': 'Bearer ',
    'another scheme': `Basic ${Buffer.from(`ada:${owner}`).toString('base64')}`,
    'no scheme': owner,
    'a scheme that only begins like it': `Bearerx ${owner}`,
    'a token cut short': `Bearer ${owner.slice(0, -1)}`,
    'a token with a letter more': `Bearer ${owner}0`,
    'a token in another case': `Bearer ${owner.toUpperCase()}`,
    'a token with another checksum': `Bearer ${owner.slice(0, -8)}00000000`,
    "a token of another kind's prefix": `Bearer ${owner.replace('hfu_', 'hfo_')}`,
    'a token that another deployment made': `Bearer ${mintToken('user')}`,
    "another deployment's organization token": `Bearer ${mintToken('organization')}`,
    'two tokens': `Bearer ${owner} ${owner}`,
    'two headers': `Bearer ${owner},Bearer ${owner}`,
    'the form of another service’s tokens': `Bearer 6yEmxNAhaoQLH1Da.atlasv1.${'x'.repeat(60)}`,
    'a very long token': `Bearer hfu_${'1'.repeat(9_000)}`,
    'a prototype': 'Bearer __proto__',
  });

  it.each(authenticated)('get the same 401 from %s', async (route) => {
    const before = await show(owner, subject);
    const body = takesBody(route) ? { data: { type: 'workspaces', attributes: { name: 'stolen' } } } : undefined;
    for (const [name, authorization] of Object.entries(wrong())) {
      const reply = await sendRequest(route, subject, { token: undefined, headers: { authorization }, body });
      expectRejection(reply);
      expect(reply, name).toMatchObject({ status: 401, body: UNAUTHORIZED, headers: { 'www-authenticate': 'Bearer' } });
    }
    expect(await sendRequest(route, subject, { token: undefined, body })).toMatchObject({
      status: 401,
      body: UNAUTHORIZED,
    });
    expect(await show(owner, subject)).toEqual(before);
  });

  it('get 401 whatever their text is', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...authenticated),
        fc.oneof(
          fc.string({ maxLength: 200 }),
          fc.base64String({ maxLength: 100 }).map((it) => `Bearer ${it}`),
        ),
        async (route, authorization) => {
          const reply = await sendRequest(route, subject, { token: undefined, headers: { authorization } });
          expect(reply).toMatchObject({ status: 401, body: UNAUTHORIZED });
        },
      ),
      bounded(40),
    );
  });

  it('are read only from the Authorization header', async () => {
    const path = `/workspaces/${subject.id}?access_token=${owner}&token=${owner}`;
    const reply = await api.request('GET', path, { headers: { cookie: `token=${owner}`, 'x-api-key': owner } });
    expect(reply.status).toBe(401);
  });

  it('are not assumed for a Bearer scheme in lowercase', async () => {
    const headers = { authorization: `bearer ${owner}` };
    expect((await sendRequest('workspaces.show', subject, { token: undefined, headers })).status).toBe(200);
  });

  it('get the same response whether or not the workspace exists', async () => {
    const [there, nowhere] = await Promise.all(
      [subject, ABSENT].map((place) => sendRequest('workspaces.show', place, { token: mintToken('user') })),
    );
    expect(there).toEqual(nowhere);
  });
});
