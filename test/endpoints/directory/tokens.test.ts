import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { digestOf } from '../../../shared/access/credentials.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { expectInvalid } from '../../support/api/organization-fixture.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { type HookProxy, startHookProxy } from '../../support/faults/hook-proxy.ts';
import { expectRejection, NOT_FOUND, UNAUTHORIZED } from '../../support/models/arbitraries/arbitraries-checks.ts';
import { nextMillisecond } from '../../support/setup/next-millisecond.ts';

/** Tokens of users, teams and organizations over HTTP (docs/reference/authentication.md). */
let engine: TestEngine;
let proxy: HookProxy;
let api: Api;
let owner: string;
let createdCount = 0;

beforeAll(async () => {
  engine = await startEngine();
  proxy = await startHookProxy(engine.endpoint);
  // Cached for longer than the tests take, so a token that stops working was removed from the cache on purpose.
  api = await startApi({ engine, endpoint: proxy.endpoint, cacheSeconds: 600 });
});
afterAll(async () => {
  expect((await api.admin('check-table')).findings).toEqual([]);
  await api.stop();
  await proxy.stop();
  await engine.stop();
});

const send = (method: string, path: string, token: string | undefined, attributes?: object) =>
  api.request(method, path, { token, ...(attributes && { body: { data: { type: '', attributes } } }) });

const createOrganization = async (): Promise<string> => {
  const name = `acme-${++createdCount}`;
  ({ token: owner } = await api.admin('create-organization', { name, email: `owner-${createdCount}@example.com` }));
  return name;
};
const createTeam = async (organization: string): Promise<string> =>
  (await api.admin('create-team', { organization, name: `team-${++createdCount}`, visibility: 'organization' })).team
    .id;
const createUser = async (organization?: string, team?: string): Promise<{ id: string; token: string }> => {
  const username = `user-${++createdCount}`;
  const { user } = await api.admin('create-user', { username, email: `${username}@example.com` });
  if (organization) await api.admin('add-member', { organization, username, ...(team && { team }) });
  return { id: user.id, token: (await api.admin('create-token', { kind: 'user', username })).token };
};

/** Token paths with the prefix of their tokens and the token of a caller who can create them. */
const tokenPaths: readonly [string, prefix: string, () => Promise<{ path: string; as: string }>][] = [
  [
    'an organization',
    'hfo_',
    async () => ({ path: `/organizations/${await createOrganization()}/authentication-token`, as: owner }),
  ],
  [
    'a team (single token)',
    'hft_',
    async () => ({ path: `/teams/${await createTeam(await createOrganization())}/authentication-token`, as: owner }),
  ],
  [
    'a team (several tokens)',
    'hft_',
    async () => ({ path: `/teams/${await createTeam(await createOrganization())}/authentication-tokens`, as: owner }),
  ],
  [
    'a user',
    'hfu_',
    async () => {
      const { id, token } = await createUser();
      return { path: `/users/${id}/authentication-tokens`, as: token };
    },
  ],
];

const getIds = ({ body }: ApiResponse): string[] => body.data.map(({ id }: { id: string }) => id);
const isValid = async (token: string): Promise<boolean> => (await send('GET', '/organizations', token)).status === 200;

describe.each(tokenPaths)('authentication token of %s', (_, prefix, createPath) => {
  it('is returned once with its secret, which works and is not stored', async () => {
    const { path, as } = await createPath();
    const before = Date.now();
    const { status, body } = await send('POST', path, as, { description: 'for CI' });
    expect(status).toBe(201);
    const { token, ...attributes } = body.data.attributes;
    expect(token).toMatch(new RegExp(`^${prefix}[1-9A-HJ-NP-Za-km-z]{36}[0-9a-f]{8}$`));
    expect(body.data).toMatchObject({ id: expect.stringMatching(/^at-/), type: 'authentication-tokens' });
    expect(attributes).toEqual({
      description: 'for CI',
      'created-at': expect.any(String),
      'last-used-at': null,
      'expired-at': null,
    });
    expect(Date.parse(attributes['created-at'])).toBeGreaterThanOrEqual(before);
    expect(body.data.relationships['created-by'].data).toMatchObject({ type: 'users' });
    expect(await isValid(token)).toBe(true);

    const shown = await send('GET', `/authentication-tokens/${body.data.id}`, as);
    expect(shown).toMatchObject({ status: 200, body: { data: { ...body.data, attributes } } });
    expect(shown.body.data.attributes).not.toHaveProperty('token');
    for await (const item of scanItems(engine.database)) expect(JSON.stringify(item)).not.toContain(token.slice(4));
  });

  it('is created by a request without a body', async () => {
    const { path, as } = await createPath();
    for (const body of [undefined, {}, { data: null }, { data: {} }, { data: { attributes: null } }]) {
      const reply = await api.request('POST', path, { token: as, body });
      expect(reply.status).toBe(201);
      expect(reply.body.data.attributes).toMatchObject({ description: null, 'expired-at': null });
    }
  });

  it('stops working at its expiry time', async () => {
    const { path, as } = await createPath();
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await send('POST', path, as, { 'expired-at': until });
    expect(body.data.attributes['expired-at']).toBe(until);
    expect(await isValid(body.data.attributes.token)).toBe(true);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(until) });
    expect(await isValid(body.data.attributes.token)).toBe(false);
    vi.useRealTimers();
    expect((await send('GET', `/authentication-tokens/${body.data.id}`, as)).status).toBe(200);
  });

  it.each([
    [{ 'expired-at': '2020-01-01T00:00:00Z' }, 'expired-at', /must be in the future/],
    [{ 'expired-at': 'tomorrow' }, 'expired-at', /must be a timestamp/],
    [{ 'expired-at': '2099-02-30T00:00:00Z' }, 'expired-at', /must be a timestamp/],
    [{ 'expired-at': 1 }, 'expired-at', /must be a string/],
    [{ description: 'x'.repeat(257) }, 'description', /maximum is 256/],
  ])('is rejected with 422 for %j with pointer %s and a detail matching %s', async (attributes, attribute, detail) => {
    const { path, as } = await createPath();
    expectInvalid(await send('POST', path, as, attributes), attribute, detail);
  });

  it('can be revoked by its bearer and stops working at once', async () => {
    const { path, as } = await createPath();
    const { id, attributes } = (await send('POST', path, as)).body.data;
    const { token } = attributes;
    expect((await send('GET', `/authentication-tokens/${id}`, token)).status).toBe(200);
    expect(await send('DELETE', `/authentication-tokens/${id}`, token)).toMatchObject({ status: 204, body: undefined });
    for (const method of ['GET', 'DELETE']) {
      expect(await send(method, `/authentication-tokens/${id}`, token)).toMatchObject({
        status: 401,
        body: UNAUTHORIZED,
      });
      expect(await send(method, `/authentication-tokens/${id}`, as)).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect(await isValid(token)).toBe(false);
  });

  it('can be revoked by its creator', async () => {
    const { path, as } = await createPath();
    const { id, attributes } = (await send('POST', path, as)).body.data;
    expect(await isValid(attributes.token)).toBe(true);
    expect((await send('DELETE', `/authentication-tokens/${id}`, as)).status).toBe(204);
    expect(await isValid(attributes.token)).toBe(false);
  });

  it('returns the same 404 as an unknown token to other callers', async () => {
    const { path, as } = await createPath();
    const { id } = (await send('POST', path, as)).body.data;
    const stranger = await createUser(await createOrganization());
    for (const method of ['GET', 'DELETE']) {
      const response = await send(method, `/authentication-tokens/${id}`, stranger.token);
      expect(response).toEqual(await send(method, '/authentication-tokens/at-1111111111111111', stranger.token));
      expect(response).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect((await send('GET', `/authentication-tokens/${id}`, as)).status).toBe(200);
  });
});

describe.each(tokenPaths.slice(0, 2))('single authentication token of %s', (_, __, createPath) => {
  it('is replaced by the next one', async () => {
    const { path, as } = await createPath();
    expectRejection(await send('GET', path, as));
    const first = (await send('POST', path, as, { description: 'first' })).body.data;
    expect(await isValid(first.attributes.token)).toBe(true);
    const second = (await send('POST', path, as, { description: 'second' })).body.data;
    expect(await isValid(first.attributes.token)).toBe(false);
    expect(await isValid(second.attributes.token)).toBe(true);
    expect(second.id).not.toBe(first.id);
    const shown = await send('GET', path, as);
    expect(shown).toMatchObject({ status: 200, body: { data: { id: second.id } } });
    expect((await send('GET', `/authentication-tokens/${first.id}`, as)).status).toBe(404);
  });

  it('is revoked by DELETE and can be created again', async () => {
    const { path, as } = await createPath();
    const { attributes } = (await send('POST', path, as)).body.data;
    expect(await isValid(attributes.token)).toBe(true);
    expect((await send('DELETE', path, as)).status).toBe(204);
    expect(await isValid(attributes.token)).toBe(false);
    for (const method of ['GET', 'DELETE']) expect((await send(method, path, as)).status).toBe(404);
    expect((await send('POST', path, as)).status).toBe(201);
  });

  it('remains single when two are created concurrently', async () => {
    const { path, as } = await createPath();
    await send('POST', path, as);
    let other: ApiResponse | undefined;
    proxy.beforeNext('TransactWriteItems', async () => {
      other = await send('POST', path, as);
    });
    const one = await send('POST', path, as);
    expect([one.status, other?.status]).toEqual([201, 201]);
    expect(await isValid(one.body.data.attributes.token)).toBe(true);
    expect(await isValid(other?.body.data.attributes.token)).toBe(false);
    expect((await send('GET', path, as)).body.data.id).toBe(one.body.data.id);
  });

  it('remains single when many are created concurrently', async () => {
    const { path, as } = await createPath();
    const all = await Promise.all(Array.from({ length: 8 }, () => send('POST', path, as)));
    const given = all.filter(({ status }) => status === 201).map(({ body }) => body.data.attributes.token);
    for (const { status } of all) expect([201, 503]).toContain(status);
    const valid = await Promise.all(given.map(async (token) => (await isValid(token)) && digestOf(token)));
    expect(valid.filter(Boolean)).toHaveLength(1);
  });
});

describe.each(tokenPaths.slice(2))('authentication tokens of %s', (_, __, createPath) => {
  it('are listed without secrets, oldest first, whole or in pages', async () => {
    const { path, as } = await createPath();
    const before = getIds(await send('GET', path, as));
    const ids: string[] = [...before];
    for (const description of ['one', 'two', 'three']) {
      await nextMillisecond();
      ids.push((await send('POST', path, as, { description })).body.data.id);
    }
    const whole = await send('GET', path, as);
    expect(getIds(whole)).toEqual(ids);
    for (const { attributes } of whole.body.data) expect(attributes).not.toHaveProperty('token');
    const second = await send('GET', `${path}?page[size]=2&page[number]=2`, as);
    expect(getIds(second)).toEqual(ids.slice(2, 4));
    expect(second.body.meta.pagination).toMatchObject({ 'total-count': ids.length, 'current-page': 2 });
    expect((await send('GET', `${path}?page[size]=x`, as)).status).toBe(400);
  });
});

describe('single authentication token of a team', () => {
  it("is independent of the team's other tokens", async () => {
    const team = await createTeam(await createOrganization());
    const further = (await send('POST', `/teams/${team}/authentication-tokens`, owner)).body.data;
    const one = (await send('POST', `/teams/${team}/authentication-token`, owner)).body.data;
    await send('POST', `/teams/${team}/authentication-token`, owner);
    expect(await isValid(further.attributes.token)).toBe(true);
    expect(await isValid(one.attributes.token)).toBe(false);
    await send('DELETE', `/teams/${team}/authentication-token`, owner);
    expect(await isValid(further.attributes.token)).toBe(true);
    expect(getIds(await send('GET', `/teams/${team}/authentication-tokens`, owner))).toEqual([further.id]);
  });

  it('is kept when the team is renamed', async () => {
    const organization = await createOrganization();
    const team = await createTeam(organization);
    const { id } = (await send('POST', `/teams/${team}/authentication-token`, owner)).body.data;
    await api.admin('update-team', { organization, name: team, newName: `renamed-${createdCount}` });
    expect((await send('GET', `/authentication-tokens/${id}`, owner)).status).toBe(200);
  });

  it('can be managed only by owners when it belongs to the owners team', async () => {
    const organization = await createOrganization();
    const owners = (await api.admin('update-team', { organization, name: 'owners' })).team.id;
    const { token } = (await send('POST', `/organizations/${organization}/authentication-token`, owner)).body.data
      .attributes;
    const manager = await createTeam(organization);
    await api.admin('update-team', { organization, name: manager, permissions: 'manage-teams' });
    const { token: managers } = (await send('POST', `/teams/${manager}/authentication-token`, owner)).body.data
      .attributes;
    for (const as of [token, managers]) {
      for (const path of ['authentication-token', 'authentication-tokens']) {
        expect((await send('POST', `/teams/${owners}/${path}`, as)).status).toBe(404);
        expect((await send('POST', `/teams/${manager}/authentication-tokens`, as)).status).toBe(201);
      }
    }
    const own = await send('POST', `/teams/${owners}/authentication-token`, owner);
    expect(own.status).toBe(201);
    expect((await send('DELETE', `/authentication-tokens/${own.body.data.id}`, token)).status).toBe(404);
  });
});

describe('authentication token for the audit trails of an organization', () => {
  const paths = async () => {
    const ordinary = `/organizations/${await createOrganization()}/authentication-token`;
    return { ordinary, audit: `${ordinary}?token=audit-trails` };
  };
  const create = async (path: string) => (await send('POST', path, owner)).body.data;

  it('is created, shown, replaced and deleted apart from the ordinary token', async () => {
    const { ordinary, audit } = await paths();
    const one = await create(ordinary);
    expect((await send('GET', audit, owner)).status).toBe(404);
    const first = await create(audit);
    expect(first.attributes.token).toMatch(/^hfa_/);
    const second = await create(audit);
    expect((await send('GET', audit, owner)).body.data.id).toBe(second.id);
    expect((await send('GET', `/authentication-tokens/${first.id}`, owner)).status).toBe(404);
    expect((await send('DELETE', audit, owner)).status).toBe(204);
    expect((await send('GET', audit, owner)).status).toBe(404);
    expect((await send('GET', ordinary, owner)).body.data.id).toBe(one.id);
    expect(await isValid(one.attributes.token)).toBe(true);
    await create(audit);
    await send('DELETE', ordinary, owner);
    expect((await send('GET', audit, owner)).status).toBe(200);
  });

  it('is 404 as a credential, also for itself', async () => {
    const { ordinary, audit } = await paths();
    const { id, attributes } = await create(audit);
    for (const [method, path] of [
      ['GET', '/organizations'],
      ['GET', '/account/details'],
      ['GET', ordinary],
      ['GET', `/authentication-tokens/${id}`],
      ['DELETE', `/authentication-tokens/${id}`],
    ] as const) {
      expect(await send(method, path, attributes.token), path).toMatchObject({ status: 404, body: NOT_FOUND });
    }
    expect((await send('DELETE', `/authentication-tokens/${id}`, owner)).status).toBe(204);
    expect((await send('GET', '/organizations', attributes.token)).status).toBe(401);
  });

  it.each(['agents', '', 'organization'])('is the only other kind: ?token=%s is 400', async (kind) => {
    const { ordinary } = await paths();
    for (const method of ['GET', 'POST', 'DELETE']) {
      const reply = await send(method, `${ordinary}?token=${kind}`, owner);
      expect(reply).toMatchObject({ status: 400, body: { errors: [{ source: { parameter: 'token' } }] } });
    }
  });

  it('is deleted with its organization', async () => {
    const { ordinary, audit } = await paths();
    const { attributes } = await create(audit);
    await api.admin('delete-organization', { name: ordinary.split('/')[2] });
    expect((await send('GET', '/organizations', attributes.token)).status).toBe(401);
  });
});

describe('authentication tokens of a user', () => {
  it('return the same 404 as those of an unknown user to everyone else', async () => {
    const organization = await createOrganization();
    const { id } = await createUser(organization);
    const site = await api.admin('create-token', { kind: 'site' });
    const organizationToken = await send('POST', `/organizations/${organization}/authentication-token`, owner);
    for (const as of [owner, site.token, organizationToken.body.data.attributes.token]) {
      for (const method of ['GET', 'POST']) {
        const path = (user: string) => `/users/${user}/authentication-tokens`;
        const response = await send(method, path(id), as);
        expect(response).toEqual(await send(method, path('user-1111111111111111'), as));
        expect(response).toMatchObject({ status: 404, body: NOT_FOUND });
      }
    }
  });

  it('identify themselves by id', async () => {
    const { id: user, token } = await createUser();
    const { id, attributes } = (await send('POST', `/users/${user}/authentication-tokens`, token, {})).body.data;
    const account = await send('GET', '/account/details', attributes.token);
    expect(account.body).toMatchObject({ data: { id: user }, meta: { 'token-id': id } });
  });

  it('have equal permissions and can revoke each other', async () => {
    const { id, token } = await createUser();
    const path = `/users/${id}/authentication-tokens`;
    const first = (await send('POST', path, token)).body.data;
    const second = (await send('POST', path, first.attributes.token)).body.data;
    expect((await send('DELETE', `/authentication-tokens/${first.id}`, second.attributes.token)).status).toBe(204);
    expect(await isValid(first.attributes.token)).toBe(false);
    expect(await isValid(token)).toBe(true);
  });
});

describe('descriptions of the tokens of a team', () => {
  it('are unique, also when two tokens are created concurrently', async () => {
    const path = `/teams/${await createTeam(await createOrganization())}/authentication-tokens`;
    const create = (description: string | null) => send('POST', path, owner, { description });
    const both = await Promise.all([create('ci'), create('ci')]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 422]);
    // The Go client compares the title and the detail.
    const taken = {
      status: 422,
      body: {
        errors: [
          {
            status: '422',
            title: 'invalid attributes',
            detail: 'Validation failed: Description has already been taken',
            source: { pointer: '/data/attributes/description' },
          },
        ],
      },
    };
    expect(await create('ci')).toMatchObject(taken);
    expect((await create('')).body.data.attributes.description).toBe('');
    expect(await create('')).toMatchObject(taken);
    for (const _ of [1, 2]) expect((await create(null)).status).toBe(201);
    expect((await send('GET', path, owner)).body.data).toHaveLength(4);
  });
});

describe('GET /organizations/:name/team-tokens', () => {
  it('lists the tokens of all teams that the caller manages, sorted and filtered by team', async () => {
    const organization = await createOrganization();
    const [first, second] = [await createTeam(organization), await createTeam(organization)];
    const { team: owners } = await api.admin('update-team', { organization, name: 'owners' });
    const create = async (team: string, years: number) => {
      await nextMillisecond();
      const expiry = { 'expired-at': `${new Date().getUTCFullYear() + years}-01-01T00:00:00Z` };
      return (await send('POST', `/teams/${team}/authentication-tokens`, owner, expiry)).body.data.id;
    };
    const [one, two, three] = [await create(second, 3), await create(first, 2), await create(owners.id, 4)];
    const list = async (query = '', token = owner) =>
      (await send('GET', `/organizations/${organization}/team-tokens${query}`, token)).body;
    const ids = async (query?: string, token?: string) =>
      (await list(query, token)).data.map(({ id }: { id: string }) => id);
    expect(await ids()).toEqual([one, two, three]);
    expect((await ids('?sort=team-name')).slice(1)).toEqual([two, one]);
    expect(await ids('?sort=expired-at')).toEqual([two, one, three]);
    expect(await ids('?sort=-expired-at')).toEqual([three, one, two]);
    expect(await ids('?sort=created-by')).toHaveLength(3);
    expect(await ids('?q=OWNERS')).toEqual([three]);
    expect(await ids('?filter[expiry_status]=active')).toEqual([one, two, three]);
    expect(await ids('?filter[expiry_status]=expired,no_expiration,expiring_in_30_days')).toEqual([]);
    expect(
      (await send('GET', `/organizations/${organization}/team-tokens?filter[expiry_status]=x`, owner)).status,
    ).toBe(400);
    expect(await list('?page[size]=2&page[number]=2')).toMatchObject({
      data: [{ id: three, relationships: { team: { data: { id: owners.id } } } }],
      meta: { pagination: { 'total-count': 3 } },
    });
    expect((await send('GET', `/organizations/${organization}/team-tokens?sort=name`, owner)).status).toBe(400);
    const { team } = await api.admin('create-team', { organization, name: 'managers', permissions: 'manage-teams' });
    const manager = await createUser(organization, 'managers');
    expect(team.id).toBeDefined();
    expect(await ids('', manager.token)).toEqual([one, two]);
    const member = await createUser(organization);
    expect(await send('GET', `/organizations/${organization}/team-tokens`, member.token)).toMatchObject({
      status: 404,
    });
  });
});
