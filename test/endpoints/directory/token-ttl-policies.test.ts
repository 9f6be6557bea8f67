import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_MAX_TTL, limitedTokenTypes } from '../../../shared/domain/directory/token-ttl-policies.ts';
import { limits } from '../../../shared/domain/limits.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { expectInvalid } from '../../support/api/organization-fixture.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type HookProxy, startHookProxy } from '../../support/faults/hook-proxy.ts';
import { NOT_FOUND } from '../../support/models/arbitraries/arbitraries-checks.ts';

/** Limits of the lifetime of tokens (AUTH-22). */
let engine: TestEngine;
let proxy: HookProxy;
let api: Api;
let createdCount = 0;

beforeAll(async () => {
  engine = await startEngine();
  proxy = await startHookProxy(engine.endpoint);
  api = await startApi({ engine, endpoint: proxy.endpoint, cacheSeconds: 600 });
});
afterAll(async () => {
  expect((await api.admin('check-table')).findings).toEqual([]);
  await api.stop();
  await proxy.stop();
  await engine.stop();
});

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Owned {
  readonly name: string;
  readonly owner: string;
  /** Id of the owner. */
  readonly user: string;
}

const createOrganization = async (): Promise<Owned> => {
  const name = `acme-${++createdCount}`;
  const { token, user } = await api.admin('create-organization', { name, email: `${name}@example.com` });
  return { name, owner: token, user: user.id };
};

const list = async ({ name, owner }: Owned, query = '') =>
  (await api.request('GET', `/organizations/${name}/token-ttl-policies${query}`, { token: owner })).body;
const patch = ({ name, owner }: Owned, policies: unknown, token = owner) =>
  api.request('PATCH', `/organizations/${name}/token-ttl-policies`, {
    token,
    body: { data: { type: 'organization-token-ttl-policies', attributes: { 'token-ttl-policies': policies } } },
  });
const limit = (type: string, milliseconds: number) => ({ 'token-type': type, 'max-ttl-ms': milliseconds });
const update = ({ name, owner }: Owned, attributes: object) =>
  api.request('PATCH', `/organizations/${name}`, {
    token: owner,
    body: { data: { type: 'organizations', attributes } },
  });
const show = async ({ name, owner }: Owned) =>
  (await api.request('GET', `/organizations/${name}`, { token: owner })).body.data.attributes;
const lengths = ({ data }: { data: { attributes: Record<string, unknown> }[] }) =>
  Object.fromEntries(data.map(({ attributes }) => [attributes['token-type'], attributes['max-ttl-ms']]));

/** Path at which a token of each type is created. */
const paths: Readonly<Record<string, (organization: Owned) => Promise<string>>> = {
  organization: async ({ name }) => `/organizations/${name}/authentication-token`,
  audit_trails: async ({ name }) => `/organizations/${name}/authentication-token?token=audit-trails`,
  team: async ({ name }) => {
    const { team } = await api.admin('create-team', { organization: name, name: `team-${++createdCount}` });
    return `/teams/${team.id}/authentication-tokens`;
  },
  'team (single token)': async (organization) => (await paths['team']?.(organization))?.slice(0, -1) ?? '',
  user: async ({ user }) => `/users/${user}/authentication-tokens`,
};
const inFrom = (milliseconds: number): string => new Date(Date.now() + milliseconds).toISOString();
const createToken = (path: string, { owner }: Owned, expiredAt?: string) =>
  api.request('POST', path, {
    token: owner,
    body: { data: { type: 'authentication-tokens', attributes: expiredAt ? { 'expired-at': expiredAt } : {} } },
  });

describe('limits of the lifetime of tokens', () => {
  it('are two years for each type of tokens by default, and not in force', async () => {
    const organization = await createOrganization();
    const { data } = await list(organization);
    const { 'created-at': created, 'max-ttl-enabled': enabled } = await show(organization);
    expect(enabled).toBe(false);
    expect(data).toEqual(
      limitedTokenTypes.map((type) => ({
        id: expect.stringMatching(/^ttl-/),
        type: 'organization-token-ttl-policies',
        attributes: {
          'token-type': type,
          'max-ttl-ms': DEFAULT_MAX_TTL,
          'created-at': created,
          'updated-at': created,
        },
      })),
    );
    expect(new Set(data.map(({ id }: { id: string }) => id)).size).toBe(limitedTokenTypes.length);
    const page = await list(organization, '?page[size]=3&page[number]=2');
    expect([page.data.length, page.meta.pagination['total-count']]).toEqual([1, 4]);
    const unlimited = await createToken((await paths['user']?.(organization)) ?? '', organization);
    expect(unlimited.body.data.attributes['expired-at']).toBeNull();
  });

  it('are set for some types, which puts all of them in force, and keep the others', async () => {
    const organization = await createOrganization();
    const before = (await list(organization)).data;
    const first = await patch(organization, [limit('team', DAY), limit('user', 2 * DAY)]);
    expect(first.status).toBe(200);
    const second = await patch(organization, [limit('team', HOUR)]);
    expect(lengths(second.body)).toEqual({
      organization: DEFAULT_MAX_TTL,
      team: HOUR,
      user: 2 * DAY,
      audit_trails: DEFAULT_MAX_TTL,
    });
    expect(await list(organization)).toEqual(second.body);
    expect(second.body.data.map(({ id }: { id: string }) => id)).toEqual(before.map(({ id }: { id: string }) => id));
    expect((await show(organization))['max-ttl-enabled']).toBe(true);
  });

  it('keep a limit of another type that is set at the same time', async () => {
    const organization = await createOrganization();
    // The first request with a token is reported by a write of its own.
    await show(organization);
    proxy.beforeNext('UpdateItem', async () => {
      await patch(organization, [limit('user', DAY)]);
    });
    await patch(organization, [limit('team', HOUR)]);
    expect(lengths(await list(organization))).toMatchObject({ team: HOUR, user: DAY });
  });

  it('are 404 to other organizations', async () => {
    const organization = await createOrganization();
    const { owner: stranger } = await createOrganization();
    expect(await patch(organization, [limit('team', HOUR)], stranger)).toMatchObject({ status: 404, body: NOT_FOUND });
    const read = await api.request('GET', `/organizations/${organization.name}/token-ttl-policies`, {
      token: stranger,
    });
    expect(read).toMatchObject({ status: 404, body: NOT_FOUND });
  });

  it.each([
    ['no limit', [], 'token-ttl-policies'],
    ['no list', {}, 'token-ttl-policies'],
    ['an unknown type', [limit('agent', HOUR)], 'token-ttl-policies/0/token-type'],
    ['no type', [{ 'max-ttl-ms': HOUR }], 'token-ttl-policies/0/token-type'],
    ['no length', [{ 'token-type': 'team' }], 'token-ttl-policies/0/max-ttl-ms'],
    ['a number of seconds', [limit('team', 3_600)], 'token-ttl-policies/0/max-ttl-ms'],
    ['a negative length', [limit('team', -HOUR)], 'token-ttl-policies/0/max-ttl-ms'],
    ['a length above the maximum', [limit('team', limits.tokenTtl + 1)], 'token-ttl-policies/0/max-ttl-ms'],
    ['a fraction', [limit('team', HOUR + 0.5)], 'token-ttl-policies/0/max-ttl-ms'],
    ['one type twice', [limit('team', HOUR), limit('team', DAY)], 'token-ttl-policies/1/token-type'],
  ])('are rejected with 422 for %s', async (_, policies, pointer) => {
    const organization = await createOrganization();
    expectInvalid(await patch(organization, policies), pointer, /./);
    expect((await show(organization))['max-ttl-enabled']).toBe(false);
  });
});

describe.each(Object.entries(paths))('a new token of the type %s', (name, pathOf) => {
  const type = name.split(' ')[0] ?? '';

  it('expires at its limit if it has no expiry, and is rejected with a later one', async () => {
    const organization = await createOrganization();
    await patch(organization, [limit(type, HOUR)]);
    const path = await pathOf(organization);
    const from = Date.now();
    const { attributes } = (await createToken(path, organization)).body.data;
    expect(Date.parse(attributes['expired-at'])).toBeGreaterThanOrEqual(from + HOUR);
    expect(Date.parse(attributes['expired-at'])).toBeLessThanOrEqual(Date.now() + HOUR);
    const sooner = inFrom(HOUR / 2);
    expect((await createToken(path, organization, sooner)).body.data.attributes['expired-at']).toBe(sooner);
    expectInvalid(
      await createToken(path, organization, inFrom(2 * HOUR)),
      'expired-at',
      new RegExp(`must not be later than .*Z: the organization ${organization.name} limits`),
    );
  });

  it('is not limited by limits of other types beyond two years, nor when the limits are lifted', async () => {
    const organization = await createOrganization();
    await patch(
      organization,
      limitedTokenTypes.filter((other) => other !== type).map((other) => limit(other, HOUR)),
    );
    const path = await pathOf(organization);
    expect((await createToken(path, organization, inFrom(700 * DAY))).status).toBe(201);
    expectInvalid(await createToken(path, organization, inFrom(800 * DAY)), 'expired-at', /must not be later/);
    await update(organization, { 'max-ttl-enabled': false });
    expect((await createToken(path, organization)).body.data.attributes['expired-at']).toBeNull();
    await update(organization, { 'max-ttl-enabled': true });
    expect((await createToken(path, organization)).body.data.attributes['expired-at']).not.toBeNull();
  });
});

describe('tokens and their limits', () => {
  it('do not change for tokens that exist already', async () => {
    const organization = await createOrganization();
    const path = (await paths['team']?.(organization)) ?? '';
    const { id } = (await createToken(path, organization)).body.data;
    await patch(organization, [limit('team', HOUR)]);
    const shown = await api.request('GET', `/authentication-tokens/${id}`, { token: organization.owner });
    expect(shown.body.data.attributes['expired-at']).toBeNull();
  });

  it('are the strictest of all organizations of a user', async () => {
    const [strict, lenient] = [await createOrganization(), await createOrganization()];
    const username = `user-${++createdCount}`;
    const { user } = await api.admin('create-user', { username, email: `${username}@example.com` });
    for (const { name } of [strict, lenient]) await api.admin('add-member', { organization: name, username });
    const { token } = await api.admin('create-token', { kind: 'user', username });
    await patch(strict, [limit('user', HOUR)]);
    await patch(lenient, [limit('user', DAY)]);
    const path = `/users/${user.id}/authentication-tokens`;
    const expected = new RegExp(`the organization ${strict.name} limits`);
    expectInvalid(await createToken(path, { ...strict, owner: token }, inFrom(2 * HOUR)), 'expired-at', expected);
    expect((await createToken(path, { ...strict, owner: token }, inFrom(HOUR / 2))).status).toBe(201);
  });

  it('leave tokens of agent pools and of the admin function as they are', async () => {
    const organization = await createOrganization();
    await patch(
      organization,
      limitedTokenTypes.map((type) => limit(type, HOUR)),
    );
    const { agentPool } = await api.admin('create-agent-pool', { organization: organization.name, name: 'pool' });
    const ofPool = await api.request('POST', `/agent-pools/${agentPool.id}/authentication-tokens`, {
      token: organization.owner,
      body: { data: { type: 'authentication-tokens', attributes: { description: 'agent' } } },
    });
    expect(ofPool.body.data.attributes['expired-at']).toBeNull();
    const byAdmin = await api.admin('create-token', { kind: 'organization', organization: organization.name });
    expect(byAdmin).not.toHaveProperty('expiresAt');
  });
});
