import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openBrowserSessions } from '../../../functions/sign-in/sessions.ts';
import { now } from '../../../shared/lib/clock.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { openDirectoryWriter } from '../../../shared/store/directory/directory-writer.ts';
import { openIdentities } from '../../../shared/store/directory/tokens/identity.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { expectInvalid } from '../../support/api/organization-fixture.ts';
import { followHistory } from '../../support/history/history-follower.ts';

/** The sign-in policy of organizations (POLICY-1 to POLICY-4). */
const DAY = 86_400_000;
const ADMINS = 'admins';
const WORKERS = 'workers';

let api: Api;
let history: Awaited<ReturnType<typeof followHistory>>;
/** Name of an organization for each test, in which people of the group `admins` are owners. */
let organization: string;
/** Token of an owner who has never signed in. */
let owner: string;
/** Id of a team of the people of the group `workers`. */
let team: string;

const send = (method: string, path: string, token: string, data?: object) =>
  api.request(method, path, { token, ...(data && { body: { data } }) });

const statusOf = async (token: string, name = organization) =>
  (await send('GET', `/organizations/${name}`, token)).status;

const setPolicy = (policy: string, token: string) =>
  send('PATCH', `/organizations/${organization}`, token, {
    type: 'organizations',
    attributes: { 'sign-in-policy': policy },
  });

/** Signs a person in at an identity provider. @returns the user, and a token of the session. */
const signIn = async (subject: string, groups: readonly string[]) => {
  const sessions = openBrowserSessions(openDirectoryWriter(api.engine.database, now));
  const request = {
    id: base58(12),
    principal: { kind: 'identity-provider', id: 'corporate', name: 'corporate' },
  } as const;
  const { user, sessionSecret } = await sessions.signIn(request, {
    provider: { name: 'corporate', issuer: 'https://corporate.example', trustedEmailDomains: [] },
    ...{ subject, username: subject, email: undefined, emailVerified: false, groups, sid: base58(8) },
    limits: { hours: 12, idleMinutes: 60 },
  });
  const renewal = await sessions.renew(request, sessionSecret);
  return { user, session: renewal?.token ?? '' };
};

/** Signs a new person in, and creates a token of the user. */
const aPerson = async (groups: readonly string[]) => {
  const subject = `u${base58(8)}`;
  const { user, session } = await signIn(subject, groups);
  const { token } = await api.admin('create-token', { kind: 'user', username: user.username });
  return { subject, user, session, token: String(token) };
};

/** Requires sign-ins in the organization. @returns an owner who has signed in. */
const requireSignIns = async () => {
  const person = await aPerson([ADMINS]);
  const changed = await setPolicy('sso', person.token);
  expect(changed.body.data?.attributes['sign-in-policy'], JSON.stringify(changed.body)).toBe('sso');
  return person;
};

/** Moves the clock of this process by some milliseconds during a function. */
const later = async <T>(milliseconds: number, run: () => Promise<T>): Promise<T> => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds });
  try {
    return await run();
  } finally {
    vi.useRealTimers();
  }
};

beforeAll(async () => {
  api = await startApi();
  history = await followHistory(api);
});

beforeEach(async () => {
  organization = `o-${base58(8)}`;
  owner = (await api.admin('create-organization', { name: organization, email: `${base58(8)}@example.com` })).token;
  const path = `/organizations/${organization}`;
  const groups = { 'owners-team-saml-role-id': ADMINS };
  expect((await send('PATCH', path, owner, { type: 'organizations', attributes: groups })).status).toBe(200);
  const attributes = { name: 'workers', 'sso-team-id': WORKERS };
  team = (await send('POST', `${path}/teams`, owner, { type: 'teams', attributes })).body.data.id;
});

afterAll(async () => {
  expect((await api.admin('check-table')).findings).toEqual([]);
  await api.stop();
});

describe('the sign-in policy sso', () => {
  test('rejects the tokens of members until they sign in, for 14 days', async () => {
    const { subject, token } = await aPerson([WORKERS]);
    await requireSignIns();
    expect(await statusOf(token)).toBe(200);
    expect(await later(14 * DAY - 60_000, () => statusOf(token))).toBe(200);
    await later(14 * DAY + 60_000, async () => {
      const rejected = await send('GET', `/organizations/${organization}`, token);
      expect(rejected.body.errors).toMatchObject([{ status: '401', detail: expect.stringContaining('Sign in') }]);
      expect((await send('GET', '/organizations', token)).body.data).toEqual([]);
      expect((await send('GET', '/account/details', token)).status).toBe(200);
      await signIn(subject, [WORKERS]);
      expect(await statusOf(token)).toBe(200);
    });
  });

  test('rejects the tokens of members who have never signed in', async () => {
    expect(await statusOf(owner)).toBe(200);
    await requireSignIns();
    expect(await statusOf(owner)).toBe(401);
  });

  test('concerns no tokens of teams, of the organization and of sessions', async () => {
    const tokenOf = async (path: string): Promise<string> =>
      (await send('POST', path, owner)).body.data.attributes.token;
    const tokens = [
      await tokenOf(`/teams/${team}/authentication-token`),
      await tokenOf(`/organizations/${organization}/authentication-token`),
    ];
    const { session } = await requireSignIns();
    const statuses = () => Promise.all([...tokens, session].map((token) => statusOf(token)));
    expect(await statuses()).toEqual([200, 200, 200]);
    expect(await later(15 * DAY, () => Promise.all(tokens.map((token) => statusOf(token))))).toEqual([200, 200]);
  });

  test('concerns no other organization, and no stranger', async () => {
    const other = `o-${base58(8)}`;
    const stranger = (await api.admin('create-organization', { name: other, email: `${other}@example.com` })).token;
    await requireSignIns();
    expect([await statusOf(stranger, other), await statusOf(stranger)]).toEqual([200, 404]);
  });

  test('needs a sign-in after the membership began', async () => {
    const { user, token, subject } = await aPerson([WORKERS]);
    await requireSignIns();
    await api.admin('remove-member', { organization, username: user.username });
    await api.admin('add-member', { organization, username: user.username });
    expect(await statusOf(token)).toBe(401);
    await signIn(subject, []);
    expect(await statusOf(token)).toBe(200);
  });

  test('is in force where the membership is cached, and a sign-in as well', async () => {
    const { user, subject } = await aPerson([WORKERS]);
    vi.useFakeTimers({ toFake: ['Date'] });
    const identities = openIdentities(api.engine.database, now, 600, 14);
    const isFresh = async (consistent = false) =>
      (await identities.findCallerMemberships(user.id, consistent)).get(organization)?.isFresh;
    expect(await isFresh()).toBe(true);
    vi.setSystemTime(Date.now() + 14 * DAY + 1);
    expect(await isFresh()).toBe(false);
    await signIn(subject, [WORKERS]);
    expect(await isFresh(true)).toBe(true);
    vi.useRealTimers();
  });
});

describe('the filter of memberships on accepted tokens', () => {
  const usersOf = async (query: string, token = owner): Promise<string[]> =>
    (await send('GET', `/organizations/${organization}/organization-memberships?${query}`, token)).body.data.map(
      ({ relationships }: { relationships: { user: { data: { id: string } } } }) => relationships.user.data.id,
    );

  test('finds the members whose tokens the policy sso would reject', async () => {
    const { user, token } = await aPerson([WORKERS]);
    const { id: first } = (await send('GET', '/account/details', owner)).body.data;
    expect(await usersOf('filter[tokens-accepted]=false')).toEqual([first]);
    expect(await usersOf('filter[tokens-accepted]=true')).toEqual([user.id]);
    await later(15 * DAY, async () => {
      expect((await usersOf('filter[tokens-accepted]=false')).toSorted()).toEqual([first, user.id].toSorted());
      expect(await usersOf('filter[tokens-accepted]=false', token)).toEqual([user.id]);
    });
  });

  test('is a 400 with another value', async () => {
    const path = `/organizations/${organization}/organization-memberships?filter[tokens-accepted]=maybe`;
    expect((await send('GET', path, owner)).status).toBe(400);
  });
});

describe('exempt-user', () => {
  test('accepts the tokens of a member for some hours, and leaves an entry', async () => {
    await requireSignIns();
    const username = `u${base58(8)}`;
    await api.admin('create-user', { username, email: `${username}@example.com` });
    await api.admin('add-member', { organization, username, team: 'owners' });
    const { token } = await api.admin('create-token', { kind: 'user', username });
    expect(await statusOf(token)).toBe(401);
    const exempted = await api.admin('exempt-user', { organization, username, hours: '2' });
    expect(exempted).toMatchObject({ user: { username }, exemptUntil: expect.stringMatching(/^\d{4}-/) });
    expect(await statusOf(token)).toBe(200);
    expect(await later(2 * 3_600_000 + 1, () => statusOf(token))).toBe(401);
    await history.record();
    const { body } = await send('GET', `/organizations/${organization}/audit-trail`, token);
    expect(body.data).toContainEqual(
      expect.objectContaining({
        attributes: expect.objectContaining({
          action: 'user.exempted',
          actor: expect.objectContaining({ id: 'admin' }),
        }),
      }),
    );
    await api.admin('exempt-user', { organization, username, hours: '0' });
    expect(await statusOf(token)).toBe(401);
  });

  test('lets an owner require sign-ins whose identity provider is down', async () => {
    const { body } = await send('GET', '/account/details', owner);
    await api.admin('exempt-user', { organization, username: body.data.attributes.username, hours: '1' });
    expect((await setPolicy('sso', owner)).status).toBe(200);
    expect(await statusOf(owner)).toBe(200);
  });

  test('is a 404 for a user who is no member', async () => {
    const username = `u${base58(8)}`;
    await api.admin('create-user', { username, email: `${username}@example.com` });
    expect((await api.admin('exempt-user', { organization, username, hours: '1' })).errors).toMatchObject([
      { status: '404' },
    ]);
  });
});

describe('a change of the sign-in policy', () => {
  test('is for owners who have signed in, and is in the audit trail', async () => {
    expectInvalid(await setPolicy('sso', owner), 'sign-in-policy', /own tokens/);
    const { token } = await requireSignIns();
    await later(15 * DAY, async () => expect((await setPolicy('any', token)).status).toBe(401));
    expect((await setPolicy('any', token)).status).toBe(200);
    expect(await statusOf(owner)).toBe(200);
    await history.record();
    const { body } = await send('GET', `/organizations/${organization}/audit-trail`, owner);
    expect(JSON.stringify(body.data)).toContain('sign-in-policy');
  });

  test('is not for the organization token, which may repeat the present one', async () => {
    const path = `/organizations/${organization}/authentication-token`;
    const { token } = (await send('POST', path, owner)).body.data.attributes;
    expect([(await setPolicy('sso', token)).status, (await setPolicy('any', token)).status]).toEqual([404, 200]);
    await requireSignIns();
    expect([(await setPolicy('any', token)).status, (await setPolicy('sso', token)).status]).toEqual([404, 200]);
  });

  test('cannot be part of a creation', async () => {
    const { token } = await api.admin('create-token', { kind: 'site' });
    const attributes = { name: `o-${base58(8)}`, email: 'ada@example.com', 'sign-in-policy': 'sso' };
    expectInvalid(await send('POST', '/organizations', token, { type: 'organizations', attributes }), 'sign-in-policy');
  });
});
