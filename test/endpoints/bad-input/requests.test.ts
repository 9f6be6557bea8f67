import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintToken } from '../../../shared/access/credentials.ts';
import { limits } from '../../../shared/domain/limits.ts';
import { type RouteId, routeIds, routes } from '../../../shared/routes/index.ts';
import { type Api, CACHED, type Reply, type RequestOptions, startApi } from '../../support/api/api.ts';
import { contentType, garbage, nearlyRight, pathSegment, rawBodies } from '../../support/models/arbitraries.ts';
import { expectAnswer, expectRefusal, NOT_FOUND, UNAUTHORIZED } from '../../support/models/arbitraries-checks.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Whatever reaches a function: an answer that a client can read, and nothing done that was refused. */
let api: Api;
let owner: string;
/** Another organization, and its owner. */
let stranger: string;
let subject: Place;
let foreign: Place;

interface Place {
  readonly organization: string;
  readonly id: string;
  readonly name: string;
}

/** Where generated workspaces end up, so that nobody else stumbles over their names. */
const SANDBOX: Place = { organization: 'sandbox', id: 'ws-1111111111111111', name: 'absent' };
const ABSENT: Place = { organization: 'acme', id: 'ws-1111111111111111', name: 'absent' };

const create = (token: string, organization: string, attributes: object) =>
  api.request('POST', `/organizations/${organization}/workspaces`, {
    token,
    body: { data: { type: 'workspaces', attributes } },
  });

const make = async (token: string, organization: string, name: string): Promise<Place> => {
  const { body } = await create(token, organization, { name, description: 'as it was' });
  return { organization, id: body.data.id, name };
};

beforeAll(async () => {
  api = await startApi(CACHED);
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  ({ token: stranger } = await api.admin('create-organization', { name: 'umbrella', email: 'eve@example.com' }));
  await api.admin('create-organization', { name: 'sandbox', email: 'ada@example.com', owner: 'ada' });
  subject = await make(owner, 'acme', 'subject');
  foreign = await make(stranger, 'umbrella', 'foreign');
});
afterAll(async () => {
  await api.stop();
  console.info(`Bad input: answers by status ${JSON.stringify(Object.fromEntries(answers))}`);
});

/** How many requests were answered with each status. */
const answers = new Map<number, number>();

const pathOf = (route: RouteId, { organization, id, name }: Place): string => {
  const parameters: Record<string, string> = { organization_name: organization, workspace_id: id, name };
  return routes[route].path.replaceAll(/\{(\w+)\}/g, (_, key: string) => parameters[key] ?? '');
};

const ask = async (route: RouteId, place: Place, options: RequestOptions = {}): Promise<Reply> => {
  const reply = await api.request(routes[route].method, pathOf(route, place), { token: owner, ...options });
  answers.set(reply.status, (answers.get(reply.status) ?? 0) + 1);
  return reply;
};

const show = async (token: string, { id }: Place) => (await api.request('GET', `/workspaces/${id}`, { token })).body;

const isDeletion = (route: RouteId): boolean => route.includes('delete');
const takesBody = (route: RouteId): boolean => 'body' in routes[route];
const authenticated = routeIds.filter((route) => route.startsWith('workspaces.'));
const onWorkspaces = authenticated.filter((route) => !['workspaces.create', 'workspaces.list'].includes(route));
const byId = onWorkspaces.filter((route) => routes[route].path.includes('{workspace_id}'));
const byName = onWorkspaces.filter((route) => !byId.includes(route));

/** What is meant for a workspace that is there, goes to one; what would delete it, to one that is not. */
const placeFor = (route: RouteId): Place => {
  if (route === 'workspaces.create') return SANDBOX;
  return isDeletion(route) ? ABSENT : subject;
};

/** Sends, and has a refusal leave the workspace as it was. */
const send = async (route: RouteId, options: RequestOptions, sent?: string): Promise<Reply> => {
  const before = await show(owner, subject);
  const reply = await ask(route, placeFor(route), options);
  expectAnswer(reply, sent);
  if (reply.status >= 400) expect(await show(owner, subject), 'a refusal changes nothing').toEqual(before);
  if (reply.status === 200 && route === 'workspaces.lock') await ask('workspaces.force-unlock', subject);
  if (reply.status === 200 && route.startsWith('workspaces.update')) {
    // It may be called anything by now.
    await ask('workspaces.update', subject, {
      body: { data: { type: 'workspaces', attributes: { name: 'subject' } } },
    });
  }
  return reply;
};

/** With a name, where nothing else is wrong with the attributes: so that a wrong one is all that is. */
const named = (body: unknown): unknown => {
  const { data } = (body ?? {}) as { data?: { attributes?: unknown } };
  const { attributes } = data ?? {};
  if (typeof attributes !== 'object' || attributes === null || Object.hasOwn(attributes, 'name')) return body;
  return { data: { ...data, attributes: { ...attributes, name: `generated-${++generated}` } } };
};
let generated = 0;

describe('generated bodies', () => {
  it.each(authenticated.filter(takesBody))('never surprise %s when they are nearly right', async (route) => {
    await fc.assert(
      fc.asyncProperty(nearlyRight, async (document) => {
        const body = JSON.stringify(route === 'workspaces.create' ? named(document) : document);
        await send(route, { body }, body);
      }),
      bounded(50),
    );
  });

  it.each(authenticated)('never surprise %s when they are garbage of some type', async (route) => {
    await fc.assert(
      fc.asyncProperty(garbage, contentType, async (body, type) => {
        const reply = await send(route, { body, headers: { 'content-type': type } }, String(body));
        // What a route has no use for is not looked at.
        if (!takesBody(route)) expect([400, 413, 415, 422]).not.toContain(reply.status);
      }),
      bounded(8),
    );
  });

  it('never reach the prototype of anything', () => {
    expect({}).not.toHaveProperty('admin');
    expect({}).not.toHaveProperty('name');
  });
});

describe('bodies that no serializer would write', () => {
  const targets = authenticated.filter(takesBody);
  it.each(rawBodies)('%s', async (name, body) => {
    for (const route of targets) {
      const reply = await send(route, { body }, String(body));
      // Two harmless ones: a mark that may be skipped (RFC 8259, 8.1), and a lock whose reason is not given.
      const isHarmless = name === 'a byte order mark before a document' || route === 'workspaces.lock';
      if (!isHarmless) expect([400, 422], route).toContain(reply.status);
    }
  });

  it.each(targets)('%s cannot be told anything without authority, however wrong it is', async (route) => {
    for (const [, body] of rawBodies.slice(0, 8)) {
      const reply = await ask(route, subject, { body, token: undefined });
      expect(reply).toMatchObject({ status: 401, body: UNAUTHORIZED });
    }
  });
});

describe('the size of a body', () => {
  /** A document of exactly so many bytes; what it is filled with is ignored. */
  const sized = (attributes: object, size: number): string => {
    const frame = JSON.stringify({ data: { type: 'workspaces', attributes: { ...attributes, unknown: '' } } });
    return frame.replace('"unknown":""', `"unknown":"${'x'.repeat(size - frame.length)}"`);
  };
  const MIB = 1024 * 1024;

  it('is what was promised', () => expect(limits.body).toBe(MIB));

  it.each([
    ['workspaces.create', { name: 'weighty' }, 201],
    ['workspaces.update', { description: 'weighty' }, 200],
    ['workspaces.update-by-name', { description: 'weighty' }, 200],
    ['workspaces.lock', {}, 200],
  ] as const)('may be 1 MiB for %s, and not a byte more', async (route, attributes, status) => {
    expect((await send(route, { body: sized(attributes, MIB) })).status).toBe(status);
    const refused = await send(route, { body: sized(attributes, MIB + 1) });
    expectRefusal(refused);
    expect(refused.status).toBe(413);
  });

  it('counts bytes, not characters', async () => {
    const frame = JSON.stringify({ data: { type: 'workspaces', attributes: { unknown: '' } } });
    const body = frame.replace('""', `"${'ß'.repeat((MIB - frame.length) / 2 + 1)}"`);
    expect((await send('workspaces.update', { body })).status).toBe(413);
  });
});

describe('the type of a body', () => {
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
  ])('may be %s', async (type) => {
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
  ])('may not be "%s"', async (type) => {
    const reply = await update(type);
    expectRefusal(reply);
    expect(reply.status).toBe(415);
  });

  it('is asked for where there is none', async () => {
    const event = { body: '{"data":{"type":"workspaces"}}', headers: { 'content-type': undefined as never } };
    expect((await send('workspaces.update', event)).status).toBe(415);
  });

  it('is not looked at without a body', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect((await ask('workspaces.lock', subject, { headers })).status).toBe(200);
    expect((await ask('workspaces.unlock', subject, { headers })).status).toBe(200);
    expect((await ask('workspaces.create', subject, { headers })).status).toBe(400);
  });
});

describe('ids and names', () => {
  it.each(byId)('%s answers 404, and nothing more, for ids that are none', async (route) => {
    await fc.assert(
      fc.asyncProperty(pathSegment, async (id) => {
        const body = takesBody(route) ? { data: { type: 'workspaces' } } : undefined;
        const reply = await ask(route, { ...ABSENT, id }, { body });
        expect(reply).toMatchObject({ status: 404, body: NOT_FOUND });
      }),
      bounded(10),
    );
  });

  it.each(byName)('%s answers 404, and nothing more, for names that are none', async (route) => {
    await fc.assert(
      fc.asyncProperty(pathSegment, fc.constantFrom('acme', 'umbrella', 'nobody'), async (name, organization) => {
        const body = takesBody(route) ? { data: { type: 'workspaces' } } : undefined;
        const reply = await ask(route, { ...ABSENT, organization, name }, { body });
        expect(reply).toMatchObject({ status: 404, body: NOT_FOUND });
      }),
      bounded(10),
    );
  });

  it.each(['workspaces.list', 'workspaces.create', ...byName] as const)(
    '%s answers 404, and nothing more, for organizations that are none',
    async (route) => {
      await fc.assert(
        fc.asyncProperty(pathSegment, async (organization) => {
          const body = takesBody(route) ? { data: { type: 'workspaces', attributes: { name: 'a' } } } : undefined;
          const reply = await ask(route, { ...subject, organization }, { body });
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
    ['another case', '/organizations/acme/workspaces/SUBJECT'],
    ['another case of the organization', '/organizations/ACME/workspaces/subject'],
    ['a blank after the name', '/organizations/acme/workspaces/subject%20'],
    ['a NUL after the name', '/organizations/acme/workspaces/subject%00'],
    ['a full-width letter', `/organizations/acme/workspaces/${encodeURIComponent('ｓubject')}`],
    ['a name of 10,000 letters', `/organizations/acme/workspaces/${'a'.repeat(10_000)}`],
    ['a double encoding', '/organizations/acme/workspaces/sub%256Aect'],
  ])('%s is nobody', async (_, path) => {
    for (const method of ['GET', 'DELETE']) {
      expect(await api.request(method, path, { token: owner })).toMatchObject({ status: 404, body: NOT_FOUND });
    }
  });

  it('finds the workspace by its percent-encoded name', async () => {
    const reply = await api.request('GET', '/organizations/%61cme/workspaces/sub%6Aect', { token: owner });
    expect(reply.body.data.id).toBe(subject.id);
  });
});

describe("another organization's workspace", () => {
  it.each(onWorkspaces)('is as absent as an absent one to %s', async (route) => {
    const before = await show(stranger, foreign);
    const body = takesBody(route)
      ? { data: { type: 'workspaces', attributes: { description: 'taken over' } } }
      : undefined;
    for (const place of [foreign, { ...foreign, organization: 'umbrella', name: 'absent' }]) {
      const there = await ask(route, place, { body });
      const nowhere = await ask(route, { ...ABSENT, organization: 'nobody' }, { body });
      expect(there).toEqual(nowhere);
      expect(there).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect(await show(stranger, foreign)).toEqual(before);
  });

  it('is as absent when the body is wrong as well', async () => {
    for (const body of [{ data: { type: 'runs' } }, { data: { type: 'workspaces', attributes: { name: 'a b' } } }]) {
      const [there, nowhere] = await Promise.all(
        [foreign, ABSENT].map((place) => ask('workspaces.update', place, { body })),
      );
      expect(there).toEqual(nowhere);
    }
  });

  it('can neither be listed nor be created in', async () => {
    for (const organization of ['umbrella', 'nobody']) {
      expect(await ask('workspaces.list', { ...foreign, organization })).toMatchObject({
        status: 404,
        body: NOT_FOUND,
      });
      expect(await create(owner, organization, { name: 'foreign' })).toMatchObject({ status: 404, body: NOT_FOUND });
    }
  });

  it('may have the same name', async () => {
    expect((await create(owner, 'acme', { name: 'foreign' })).status).toBe(201);
    const { body } = await api.request('GET', '/organizations/umbrella/workspaces/foreign', { token: stranger });
    expect(body.data.id).toBe(foreign.id);
  });

  it('lends none of its records: they are as unknown as those that do not exist', async () => {
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
    for (const [id, prefix, bodyOf] of bodies) {
      expect(id).toMatch(new RegExp(`^${prefix}`));
      const replies = await Promise.all(
        [id, `${prefix}1111111111111111`, 'nonsense'].map((given) =>
          send('workspaces.update', { body: { data: { type: 'workspaces', ...bodyOf(given) } } }),
        ),
      );
      for (const reply of replies) expect(reply).toEqual(replies[0]);
      expect(replies[0]?.status).toBe(422);
      expect(replies[0]?.body.errors[0].source.pointer).toMatch(/^\/data\/(attributes|relationships)\//);
    }
  });
});

describe('credentials that are none', () => {
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

  it.each(authenticated)('are refused by %s, all in the same words', async (route) => {
    const before = await show(owner, subject);
    const body = takesBody(route) ? { data: { type: 'workspaces', attributes: { name: 'stolen' } } } : undefined;
    for (const [name, authorization] of Object.entries(wrong())) {
      const reply = await ask(route, subject, { token: undefined, headers: { authorization }, body });
      expectRefusal(reply);
      expect(reply, name).toMatchObject({ status: 401, body: UNAUTHORIZED, headers: { 'www-authenticate': 'Bearer' } });
    }
    expect(await ask(route, subject, { token: undefined, body })).toMatchObject({ status: 401, body: UNAUTHORIZED });
    expect(await show(owner, subject)).toEqual(before);
  });

  it('are refused whatever they are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...authenticated),
        fc.oneof(
          fc.string({ maxLength: 200 }),
          fc.base64String({ maxLength: 100 }).map((it) => `Bearer ${it}`),
        ),
        async (route, authorization) => {
          const reply = await ask(route, subject, { token: undefined, headers: { authorization } });
          expect(reply).toMatchObject({ status: 401, body: UNAUTHORIZED });
        },
      ),
      bounded(40),
    );
  });

  it('are not looked for anywhere but in the header', async () => {
    const path = `/workspaces/${subject.id}?access_token=${owner}&token=${owner}`;
    const reply = await api.request('GET', path, { headers: { cookie: `token=${owner}`, 'x-api-key': owner } });
    expect(reply.status).toBe(401);
  });

  it('does not include a scheme in another case', async () => {
    const headers = { authorization: `bearer ${owner}` };
    expect((await ask('workspaces.show', subject, { token: undefined, headers })).status).toBe(200);
  });

  it('say nothing of whether the workspace is there', async () => {
    const [there, nowhere] = await Promise.all(
      [subject, ABSENT].map((place) => ask('workspaces.show', place, { token: mintToken('user') })),
    );
    expect(there).toEqual(nowhere);
  });
});
