import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openBrowserSessions } from '../../../functions/sign-in/sessions.ts';
import type { RequestContext } from '../../../shared/domain/changes/change-context.ts';
import { now } from '../../../shared/lib/clock.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { openDirectoryWriter } from '../../../shared/store/directory/directory-writer.ts';
import type { SignIn } from '../../../shared/store/directory/sign-in/sessions.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { crashing } from '../../support/faults/crashing-database.ts';
import { followHistory } from '../../support/history/history-follower.ts';

const ISSUER = 'https://idp.example';
const HOUR = 3_600_000;

interface Created {
  readonly id: string;
}

interface TrailEntry {
  readonly attributes: {
    readonly action: string;
    readonly sequence: number;
    readonly actor: { readonly kind: string; readonly id: string };
    readonly details: object;
  };
}

let api: Api;
let sessions: ReturnType<typeof openBrowserSessions>;
let history: Awaited<ReturnType<typeof followHistory>>;
let organization: string;
let owner: string;

const open = (database: Database) => openBrowserSessions(openDirectoryWriter(database, now));

const request = (): RequestContext => ({
  id: base58(12),
  principal: { kind: 'identity-provider', id: 'corporate', name: 'corporate' },
});

const person = ({
  provider,
  ...claims
}: { provider?: Partial<SignIn['provider']> } & Partial<Omit<SignIn, 'provider'>>): SignIn => ({
  provider: { name: 'corporate', issuer: ISSUER, trustedEmailDomains: [], ...provider },
  subject: base58(8),
  username: `user-${base58(6)}`,
  email: undefined,
  emailVerified: false,
  groups: [],
  limits: { hours: 12, idleMinutes: 60 },
  ...claims,
});

/** Signs a person in. @returns the user, the secret of the session, and a token of it. */
const signIn = async (claims: Parameters<typeof person>[0], by = sessions) => {
  const { user, sessionSecret } = await by.signIn(request(), person(claims));
  return { user, sessionSecret, token: await renewed(sessionSecret) };
};

const renewed = async (sessionSecret: string): Promise<string> => {
  const renewal = await sessions.renew(request(), sessionSecret);
  expect(renewal).toBeDefined();
  return renewal?.token ?? '';
};

const send = (method: string, path: string, token: string, data?: object): Promise<ApiResponse> =>
  api.request(method, path, { token, ...(data && { body: { data } }) });

const statusOf = async (token: string, path = '/account/details') => (await send('GET', path, token)).status;

const createTeam = async (attributes: object = {}): Promise<Created> => {
  const path = `/organizations/${organization}/teams`;
  const reply = await send('POST', path, owner, {
    type: 'teams',
    attributes: { name: `t-${base58(6)}`, ...attributes },
  });
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  return reply.body.data;
};

const updateOrganization = (attributes: object, token = owner) =>
  send('PATCH', `/organizations/${organization}`, token, { type: 'organizations', attributes });

const membersOf = async ({ id }: Created): Promise<string[]> =>
  (await send('GET', `/teams/${id}?include=users`, owner)).body.data.relationships.users.data.map(
    (user: Created) => user.id,
  );

/** Moves the clock of this process by some milliseconds during a function. */
const later = async <T>(milliseconds: number, run: () => Promise<T>): Promise<T> => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds });
  try {
    return await run();
  } finally {
    vi.useRealTimers();
  }
};

/** Lists the users with an e-mail address or a username that begins with a text. */
const usersNamed = async (start: string) => {
  const found = [];
  for await (const item of scanItems(api.engine.database)) {
    if (item['ty'] === 'user' && String(item['username']).startsWith(start)) found.push(item);
  }
  return found;
};

beforeAll(async () => {
  api = await startApi();
  history = await followHistory(api);
  sessions = open(api.engine.database);
});

beforeEach(async () => {
  organization = `o-${base58(8)}`;
  owner = (await api.admin('create-organization', { name: organization, email: `${base58(8)}@example.com` })).token;
});

afterAll(async () => {
  const { findings } = await api.admin('check-table');
  expect(findings).toEqual([]);
  await api.stop();
});

describe('a session', () => {
  test('gets tokens of its user that expire within an hour', async () => {
    const { user, token } = await signIn({ username: 'grace' });
    expect(token).toMatch(/^hfc_/);
    const account = await send('GET', '/account/details', token);
    expect(account.body.data).toMatchObject({ id: user.id, attributes: { username: user.username } });
    expect(await later(HOUR - 60_000, () => statusOf(token))).toBe(200);
    expect(await later(HOUR + 60_000, () => statusOf(token))).toBe(401);
  });

  test('ends after an hour without a renewal', async () => {
    const { sessionSecret } = await signIn({});
    const renew = () => sessions.renew(request(), sessionSecret);
    expect(await later(HOUR + 60_000, renew)).toBeUndefined();
    expect(await later(HOUR - 60_000, renew)).toBeDefined();
    expect(await later(HOUR + 60_000, renew)).toBeDefined();
  });

  test('ends after its lifetime, however often it is renewed, and so does its last token', async () => {
    const { user, sessionSecret } = await sessions.signIn(request(), person({ limits: { hours: 1, idleMinutes: 60 } }));
    const token = await later(HOUR - 120_000, () => renewed(sessionSecret));
    expect(await later(HOUR - 60_000, () => statusOf(token))).toBe(200);
    expect(await later(HOUR + 60_000, () => statusOf(token))).toBe(401);
    expect(await later(HOUR + 60_000, () => sessions.renew(request(), sessionSecret))).toBeUndefined();
    expect(user.id).toMatch(/^user-/);
  });

  test('is limited further by the organizations of its user', async () => {
    const group = base58(8);
    await createTeam({ 'sso-team-id': group });
    expect((await updateOrganization({ 'session-timeout': 10, 'session-remember': 30 })).status).toBe(200);
    const { token, sessionSecret } = await signIn({ groups: [group] });
    expect(await later(11 * 60_000, () => statusOf(token))).toBe(401);
    expect(await later(11 * 60_000, () => sessions.renew(request(), sessionSecret))).toBeUndefined();
    await later(9 * 60_000, () => renewed(sessionSecret));
    await later(18 * 60_000, () => renewed(sessionSecret));
    await later(27 * 60_000, () => renewed(sessionSecret));
    expect(await later(31 * 60_000, () => sessions.renew(request(), sessionSecret))).toBeUndefined();
  });

  test('keeps ten tokens, and drops the oldest one for another', async () => {
    const { sessionSecret, token: first } = await signIn({});
    const tokens: string[] = [];
    for (let count = 0; count < 10; count++) tokens.push(await renewed(sessionSecret));
    expect(await statusOf(first)).toBe(401);
    expect(await Promise.all(tokens.map((token) => statusOf(token)))).toEqual(tokens.map(() => 200));
  });

  test('gets a token for each of several renewals at the same time', async () => {
    const { sessionSecret } = await signIn({});
    const tokens = await Promise.all([1, 2, 3].map(() => renewed(sessionSecret)));
    expect(await Promise.all(tokens.map((token) => statusOf(token)))).toEqual([200, 200, 200]);
    await sessions.end(request(), sessionSecret);
    expect(await Promise.all(tokens.map((token) => statusOf(token)))).toEqual([401, 401, 401]);
  });

  test('ends with its tokens, and leaves other sessions of the user', async () => {
    const subject = base58(8);
    const [one, other] = [await signIn({ subject }), await signIn({ subject })];
    expect(one.user.id).toBe(other.user.id);
    await sessions.end(request(), one.sessionSecret);
    expect(await sessions.renew(request(), one.sessionSecret)).toBeUndefined();
    expect([await statusOf(one.token), await statusOf(other.token)]).toEqual([401, 200]);
    await expect(sessions.end(request(), one.sessionSecret)).resolves.toBeUndefined();
  });

  test('has no token left when it ends during renewals', async () => {
    for (let count = 0; count < 5; count++) {
      const { sessionSecret } = await signIn({});
      const [tokens] = await Promise.all([
        Promise.all([1, 2].map(() => sessions.renew(request(), sessionSecret))),
        sessions.end(request(), sessionSecret),
      ]);
      for (const renewal of tokens) if (renewal) expect(await statusOf(renewal.token)).toBe(401);
      expect(await sessions.renew(request(), sessionSecret)).toBeUndefined();
    }
  });

  test.each(['', 'x', 'ss-1111111111111111.x', `ss-${'1'.repeat(16)}.${'1'.repeat(36)}`])(
    'is not found by the secret "%s"',
    async (secret) => {
      expect(await sessions.renew(request(), secret)).toBeUndefined();
      await sessions.end(request(), secret);
    },
  );

  test('is not found by its id with another secret', async () => {
    const { sessionSecret, token } = await signIn({});
    const [id] = sessionSecret.split('.');
    const forged = `${id}.${'1'.repeat(36)}`;
    expect(await sessions.renew(request(), forged)).toBeUndefined();
    await sessions.end(request(), forged);
    expect(await statusOf(token)).toBe(200);
  });

  test('is stored without its secret and without the text of a token', async () => {
    const { sessionSecret, token } = await signIn({});
    for await (const item of scanItems(api.engine.database)) {
      const text = JSON.stringify(item);
      expect(text.includes(sessionSecret.split('.')[1] ?? '') || text.includes(token)).toBe(false);
    }
  });

  test('works where an organization accepts no tokens of users', async () => {
    const group = base58(8);
    await createTeam({ 'sso-team-id': group });
    const { token, user } = await signIn({ groups: [group] });
    const path = `/organizations/${organization}`;
    const created = await send('POST', `/users/${user.id}/authentication-tokens`, token);
    const userToken = created.body.data.attributes.token;
    expect(await statusOf(userToken, path)).toBe(200);
    expect((await updateOrganization({ 'user-tokens-enabled': false })).status).toBe(200);
    expect([await statusOf(token, path), await statusOf(userToken, path)]).toEqual([200, 401]);
    const listed = await send('GET', `/users/${user.id}/authentication-tokens`, token);
    expect(listed.body.data.map(({ id }: Created) => id)).toEqual([created.body.data.id]);
  });

  test('does not hinder a new username, which its next token has', async () => {
    const { token, user, sessionSecret } = await signIn({});
    const username = `user-${base58(8)}`;
    const changed = await send('PATCH', '/account/update', token, { type: 'users', attributes: { username } });
    expect(changed.body.data.attributes.username).toBe(username);
    const account = await send('GET', '/account/details', await renewed(sessionSecret));
    expect(account.body.data).toMatchObject({ id: user.id, attributes: { username } });
  });

  test('ends when its user is deleted', async () => {
    const subject = base58(8);
    const { token, user, sessionSecret } = await signIn({ subject, sid: base58(8) });
    await api.admin('delete-user', { username: user.username });
    expect(await statusOf(token)).toBe(401);
    expect(await sessions.renew(request(), sessionSecret)).toBeUndefined();
    const again = await signIn({ subject });
    expect(again.user.id).not.toBe(user.id);
  });
});

describe('GET /users/:user_id/sessions', () => {
  test('lists the sessions of the user, the newest first, to any token of the user', async () => {
    const subject = base58(8);
    const first = await signIn({ subject });
    const second = await later(1_000, () => signIn({ subject }));
    const path = `/users/${first.user.id}/sessions`;
    const listed = await send('GET', path, first.token);
    expect(listed.body.data).toMatchObject([
      { id: second.sessionSecret.split('.')[0], attributes: { provider: 'corporate', current: false } },
      { id: first.sessionSecret.split('.')[0], attributes: { 'idle-minutes': 60, current: true, 'user-agent': null } },
    ]);
    expect(JSON.stringify(listed.body)).not.toContain('digest');
    const own = await send('POST', `/users/${first.user.id}/authentication-tokens`, first.token);
    expect((await send('GET', path, own.body.data.attributes.token)).body.data).toHaveLength(2);
    expect(await later(2 * HOUR, () => send('GET', path, own.body.data.attributes.token))).toMatchObject({
      status: 200,
      body: { data: [] },
    });
  });

  test('is for site administrators too, and for nobody else', async () => {
    const { user, sessionSecret } = await signIn({});
    const [path, session] = [`/users/${user.id}/sessions`, `/sessions/${sessionSecret.split('.')[0]}`];
    const { user: admin, token } = await signIn({});
    const site = (await api.admin('create-token', { kind: 'site' })).token;
    expect(await Promise.all([token, owner, site].map((one) => statusOf(one, path)))).toEqual([404, 404, 200]);
    expect((await send('DELETE', session, token)).status).toBe(404);
    await api.admin('update-user', { username: admin.username, siteAdmin: true });
    expect(await statusOf(token, path)).toBe(200);
    expect((await send('DELETE', session, token)).status).toBe(204);
    expect(await sessions.renew(request(), sessionSecret)).toBeUndefined();
  });
});

describe('DELETE /sessions/:session_id', () => {
  test('ends a session of the user with its tokens', async () => {
    const subject = base58(8);
    const [one, other] = [await signIn({ subject }), await signIn({ subject })];
    const path = `/sessions/${other.sessionSecret.split('.')[0]}`;
    expect((await send('DELETE', path, one.token)).status).toBe(204);
    expect([await statusOf(one.token), await statusOf(other.token)]).toEqual([200, 401]);
    expect((await send('DELETE', path, one.token)).status).toBe(404);
  });
});

describe('GET /users/:user_id/linked-identities', () => {
  test('lists the identities of the user', async () => {
    const subject = base58(8);
    const { user, token } = await signIn({ subject });
    const listed = await send('GET', `/users/${user.id}/linked-identities`, token);
    expect(listed.body.data).toMatchObject([
      { id: expect.stringMatching(/^li-/), attributes: { provider: 'corporate', issuer: ISSUER, subject } },
    ]);
    expect(await statusOf(owner, `/users/${user.id}/linked-identities`)).toBe(404);
  });
});

describe('a logout at the identity provider', () => {
  test('ends the sessions that come from one session there', async () => {
    const [subject, sid] = [base58(8), base58(8)];
    const one = await signIn({ subject, sid });
    const other = await signIn({ subject, sid: base58(8) });
    expect(await sessions.endByProvider(request(), { issuer: 'https://other.example', sid })).toBe(0);
    expect(await sessions.endByProvider(request(), { issuer: ISSUER, subject: 'another', sid })).toBe(0);
    expect(await sessions.endByProvider(request(), { issuer: ISSUER, sid })).toBe(1);
    expect([await statusOf(one.token), await statusOf(other.token)]).toEqual([401, 200]);
    expect(await sessions.endByProvider(request(), { issuer: ISSUER, sid })).toBe(0);
  });

  test('ends all sessions of a subject', async () => {
    const subject = base58(8);
    const [one, two, foreign] = [await signIn({ subject }), await signIn({ subject }), await signIn({})];
    expect(await sessions.endByProvider(request(), { issuer: ISSUER, subject })).toBe(2);
    const statuses = await Promise.all([one, two, foreign].map(({ token }) => statusOf(token)));
    expect(statuses).toEqual([401, 401, 200]);
    expect(await sessions.endByProvider(request(), { issuer: ISSUER })).toBe(0);
  });
});

describe('the user of a person who signs in', () => {
  test('is found by issuer and subject, whatever the names and addresses are', async () => {
    const subject = base58(8);
    const first = await signIn({ subject, username: 'ada', email: 'ada@example.com' });
    const again = await signIn({ subject, username: 'countess', email: 'other@example.com', emailVerified: true });
    expect(again.user.id).toBe(first.user.id);
    const elsewhere = await signIn({ subject, provider: { issuer: 'https://other.example' } });
    expect(elsewhere.user.id).not.toBe(first.user.id);
  });

  test('gets a username with a digit if the name is taken', async () => {
    const username = `u${base58(8)}`;
    const names = [];
    for (let count = 0; count < 3; count++) names.push((await signIn({ username })).user.username);
    expect(names).toEqual([username, `${username}2`, `${username}3`]);
    for (let count = 0; count < 6; count++) await signIn({ username });
    expect((await signIn({ username })).user.username).toMatch(new RegExp(`^${username}\\d{5}$`));
  });

  test.each([
    ['grace.hopper@example.com', /^grace-hopper/],
    ['李', /^user/],
    ['', /^user/],
    ['x'.repeat(300), /^x{58,60}\d*$/],
  ])('gets an allowed username for "%s"', async (username, expected) => {
    expect((await signIn({ username })).user.username).toMatch(expected);
  });

  test('is created once by two browser tabs at the same time', async () => {
    const claims = person({ username: `u${base58(8)}`, email: `${base58(8)}@example.com`, emailVerified: true });
    const results = await Promise.all([1, 2, 3, 4].map(() => sessions.signIn(request(), claims)));
    expect(new Set(results.map(({ user }) => user.id)).size).toBe(1);
    expect(await usersNamed(claims.username)).toHaveLength(1);
    for (const { sessionSecret } of results) expect(await statusOf(await renewed(sessionSecret))).toBe(200);
  });

  test('is created once when the name of the person changes between two tabs at the same time', async () => {
    const [subject, start] = [base58(8), `u${base58(8)}`];
    const signIns = [1, 2, 3, 4].map((tab) =>
      sessions.signIn(request(), person({ subject, username: `${start}-${tab}` })),
    );
    expect(new Set((await Promise.all(signIns)).map(({ user }) => user.id)).size).toBe(1);
    expect(await usersNamed(start)).toHaveLength(1);
  });

  test('differs for two people with the same name at the same time', async () => {
    const username = `u${base58(8)}`;
    const results = await Promise.all([1, 2, 3].map(() => sessions.signIn(request(), person({ username }))));
    expect(new Set(results.map(({ user }) => user.username)).size).toBe(3);
  });

  test('has the e-mail address only if it is verified', async () => {
    const email = `${base58(8)}@example.com`;
    const { token } = await signIn({ email });
    const account = await send('GET', '/account/details', token);
    expect(account.body.data.attributes).toMatchObject({ 'unconfirmed-email': email });
    expect(account.body.data.attributes.email).toMatch(/@unconfirmed\.invalid$/);
    const { user } = await signIn({ email, emailVerified: true });
    expect(user.email).toBe(email);
    expect((await signIn({ email: 'no address', emailVerified: true })).user.email).toMatch(/@unconfirmed\.invalid$/);
    const long = `${'x'.repeat(253)}😀@example.com`;
    expect((await signIn({ email: long })).user.unconfirmedEmail).toBe(`${'x'.repeat(253)}\ufffd`);
  });

  test('is a site administrator while a group says so', async () => {
    const [subject, siteAdminGroup] = [base58(8), base58(8)];
    const isAdmin = async (groups: string[] | undefined): Promise<boolean> => {
      const { token } = await signIn({ subject, groups, provider: { siteAdminGroup } });
      return (await send('GET', '/account/details', token)).body.data.attributes['is-site-admin'];
    };
    expect(await isAdmin([siteAdminGroup])).toBe(true);
    expect(await isAdmin(['other'])).toBe(false);
    expect(await isAdmin([siteAdminGroup])).toBe(true);
    expect(await isAdmin(undefined)).toBe(false);
  });

  test('stays a site administrator whom an administrator made one', async () => {
    const [subject, siteAdminGroup] = [base58(8), base58(8)];
    const { user } = await signIn({ subject });
    await api.admin('update-user', { username: user.username, siteAdmin: true });
    const { token } = await signIn({ subject, provider: { siteAdminGroup } });
    expect((await send('GET', '/account/details', token)).body.data.attributes['is-site-admin']).toBe(true);
  });
});

describe('a user that exists', () => {
  const provider = { trustedEmailDomains: ['Example.com'] };
  let email: string;
  let username: string;
  let existing: Created;

  beforeEach(async () => {
    username = `e${base58(8)}`;
    email = `${username}@example.com`;
    existing = (await api.admin('create-user', { username, email })).user;
  });

  test('is linked by a verified e-mail address of a trusted domain', async () => {
    const { user } = await signIn({ email: email.toUpperCase(), emailVerified: true, provider });
    expect(user).toMatchObject({ id: existing.id, username });
  });

  test('accepts an invitation by that', async () => {
    const invited = `i${base58(8)}@example.com`;
    const path = `/organizations/${organization}/organization-memberships`;
    const reply = await send('POST', path, owner, { type: 'organization-memberships', attributes: { email: invited } });
    expect(reply.body.data.attributes.status).toBe('invited');
    const { token } = await signIn({ email: invited, emailVerified: true, provider });
    expect(await statusOf(token, `/organizations/${organization}`)).toBe(200);
    const membership = await send('GET', `/organization-memberships/${reply.body.data.id}`, owner);
    expect(membership.body.data.attributes.status).toBe('active');
  });

  test.each<[string, () => Promise<Parameters<typeof person>[0]>]>([
    ['an address that is not verified', async () => ({ email, provider })],
    ['an address of a domain that is not trusted', async () => ({ email, emailVerified: true })],
    ['an address of a subdomain', async () => ({ email: email.replace('@', '@sub.'), emailVerified: true, provider })],
    [
      'another address that is the same in lower case',
      async () => {
        await api.admin('update-user', { username, email: `k${email}` });
        return { email: `\u212a${email}`, emailVerified: true, provider };
      },
    ],
    [
      'an address that several users have',
      async () => {
        await api.admin('create-user', { username: `e${base58(8)}`, email });
        return { email, emailVerified: true, provider };
      },
    ],
    [
      'a site administrator',
      async () => {
        await api.admin('update-user', { username, siteAdmin: true });
        return { email, emailVerified: true, provider };
      },
    ],
    [
      'an owner',
      async () => {
        await api.admin('add-member', { organization, team: 'owners', username });
        return { email, emailVerified: true, provider };
      },
    ],
    [
      'a service account',
      async () => {
        await api.admin('update-user', { username, serviceAccount: true });
        return { email, emailVerified: true, provider };
      },
    ],
    [
      'a user with another identity',
      async () => {
        await signIn({ email, emailVerified: true, provider });
        return { email, emailVerified: true, provider };
      },
    ],
  ])('is not linked by or for %s', async (_, prepare) => {
    const { user } = await signIn(await prepare());
    expect(user.id).not.toBe(existing.id);
  });

  test('is linked with one of two identities at the same time', async () => {
    const claims = [1, 2].map(() => person({ email, emailVerified: true, provider: { ...provider } }));
    const results = await Promise.all(claims.map((one) => sessions.signIn(request(), one)));
    expect(results.filter(({ user }) => user.id === existing.id)).toHaveLength(1);
  });
});

describe('the teams of a person', () => {
  test('follow the groups before the first request', async () => {
    const [group, other] = [base58(8), base58(8)];
    const team = await createTeam({ 'sso-team-id': group, 'organization-access': { 'manage-workspaces': true } });
    const unrelated = await createTeam({ 'sso-team-id': other });
    const { token, user } = await signIn({ groups: [group, 'unknown'] });
    const path = `/organizations/${organization}/workspaces`;
    const created = await send('POST', path, token, { type: 'workspaces', attributes: { name: 'network' } });
    expect(created.status).toBe(201);
    expect(await membersOf(team)).toEqual([user.id]);
    expect(await membersOf(unrelated)).toEqual([]);
  });

  test('end with the group, at the next sign-in, and so does the membership of the organization', async () => {
    const [group, subject] = [base58(8), base58(8)];
    const team = await createTeam({ 'sso-team-id': group });
    const first = await signIn({ subject, groups: [group] });
    const path = `/organizations/${organization}`;
    expect(await statusOf(first.token, path)).toBe(200);
    const { token } = await signIn({ subject, groups: undefined });
    expect(await membersOf(team)).toEqual([]);
    expect([await statusOf(token, path), await statusOf(first.token, path)]).toEqual([404, 404]);
  });

  test('stay if a person or another identity provider gave them', async () => {
    const [group, subject] = [base58(8), base58(8)];
    const [mapped, manual] = [await createTeam({ 'sso-team-id': group }), await createTeam()];
    const { user } = await signIn({ subject, groups: [group] });
    const add = { token: owner, body: { data: [{ type: 'users', id: user.username }] } };
    expect((await api.request('POST', `/teams/${manual.id}/relationships/users`, add)).status).toBe(204);
    await signIn({ subject, groups: [], provider: { name: 'renamed' } });
    expect(await membersOf(mapped)).toEqual([user.id]);
    const { token } = await signIn({ subject, groups: [] });
    expect([await membersOf(mapped), await membersOf(manual)]).toEqual([[], [user.id]]);
    expect(await statusOf(token, `/organizations/${organization}`)).toBe(200);
  });

  test('stay if a person adds a member of the group', async () => {
    const [group, subject] = [base58(8), base58(8)];
    const team = await createTeam({ 'sso-team-id': group });
    const { user } = await signIn({ subject, groups: [group] });
    const add = { token: owner, body: { data: [{ type: 'users', id: user.username }] } };
    expect((await api.request('POST', `/teams/${team.id}/relationships/users`, add)).status).toBe(204);
    await signIn({ subject, groups: [] });
    expect(await membersOf(team)).toEqual([user.id]);
  });

  test('follow a changed or removed mapping at the next sign-in', async () => {
    const [group, other, subject] = [base58(8), base58(8), base58(8)];
    const team = await createTeam({ 'sso-team-id': group });
    const { user } = await signIn({ subject, groups: [group] });
    const map = (value: string | null) =>
      send('PATCH', `/teams/${team.id}`, owner, { type: 'teams', attributes: { 'sso-team-id': value } });
    const membersAfter = async (value: string | null, groups: string[]) => {
      expect((await map(value)).status).toBe(200);
      await signIn({ subject, groups });
      return membersOf(team);
    };
    expect(await membersAfter(other, [group])).toEqual([]);
    expect(await membersAfter(other, [other])).toEqual([user.id]);
    expect(await membersAfter(null, [group, other])).toEqual([]);
    expect(await membersAfter('', [''])).toEqual([]);
  });

  test('are those of several organizations', async () => {
    const group = base58(8);
    const teams = [await createTeam({ 'sso-team-id': group })];
    const first = organization;
    organization = `o-${base58(8)}`;
    owner = (await api.admin('create-organization', { name: organization, email: `${base58(8)}@example.com` })).token;
    teams.push(await createTeam({ 'sso-team-id': group }), await createTeam({ 'sso-team-id': group }));
    const { token } = await signIn({ groups: [group] });
    const paths = [`/organizations/${first}`, `/organizations/${organization}`];
    expect(await Promise.all(paths.map((path) => statusOf(token, path)))).toEqual([200, 200]);
    expect(teams).toHaveLength(3);
  });

  test('are more than one transaction changes', async () => {
    const subject = base58(8);
    const groups = Array.from({ length: 60 }, () => base58(8));
    const teams: Created[] = [];
    for (const group of groups) teams.push(await createTeam({ 'sso-team-id': group }));
    const { user } = await signIn({ subject, groups });
    for (const team of teams) expect(await membersOf(team)).toEqual([user.id]);
    const { token } = await signIn({ subject, groups: [] });
    expect(await statusOf(token, `/organizations/${organization}`)).toBe(404);
  });

  test('are the owners for the group of the owners, whose last owner stays', async () => {
    const [group, subject] = [base58(8), base58(8)];
    expect((await updateOrganization({ 'owners-team-saml-role-id': group })).status).toBe(200);
    const { token, user } = await signIn({ subject, groups: [group] });
    const path = `/organizations/${organization}`;
    expect((await send('GET', path, token)).body.data.attributes.permissions['can-destroy']).toBe(true);
    const teams = (await send('GET', `${path}/teams?include=users`, token)).body.data;
    const others = teams[0].relationships.users.data.filter(({ id }: Created) => id !== user.id);
    const remove = { token, body: { data: others } };
    expect((await api.request('DELETE', `/teams/${teams[0].id}/relationships/users`, remove)).status).toBe(204);
    await signIn({ subject, groups: [] });
    expect(await statusOf(token, path)).toBe(200);
    owner = token;
    expect(await membersOf(teams[0])).toEqual([user.id]);
  });

  test('are owners no longer when they leave the group of the owners', async () => {
    const [group, subject] = [base58(8), base58(8)];
    await updateOrganization({ 'owners-team-saml-role-id': group });
    const { token } = await signIn({ subject, groups: [group] });
    await updateOrganization({ 'owners-team-saml-role-id': base58(8) });
    await signIn({ subject, groups: [group] });
    expect(await statusOf(token, `/organizations/${organization}`)).toBe(404);
  });

  test('do not change by a group of a deleted team, and the group can be mapped again', async () => {
    const group = base58(8);
    const team = await createTeam({ 'sso-team-id': group });
    expect((await send('DELETE', `/teams/${team.id}`, owner)).status).toBe(204);
    const { token } = await signIn({ groups: [group] });
    expect(await statusOf(token, `/organizations/${organization}`)).toBe(404);
    const again = await createTeam({ 'sso-team-id': group });
    const { user } = await signIn({ groups: [group] });
    expect(await membersOf(again)).toEqual([user.id]);
  });
});

describe('the group of a team', () => {
  test('cannot be set on the owners team', async () => {
    const { data } = (await send('GET', `/organizations/${organization}/teams`, owner)).body;
    const map = (value: string | null) =>
      send('PATCH', `/teams/${data[0].id}`, owner, { type: 'teams', attributes: { 'sso-team-id': value } });
    const reply = await map('group');
    expect(reply.status).toBe(422);
    expect(reply.body.errors[0].source.pointer).toBe('/data/attributes/sso-team-id');
    expect((await map(null)).status).toBe(200);
  });

  test('of the owners is set by owners only', async () => {
    const path = `/organizations/${organization}/authentication-token`;
    const token = (await send('POST', path, owner)).body.data.attributes.token;
    expect((await updateOrganization({ 'owners-team-saml-role-id': 'group' }, token)).status).toBe(404);
    expect((await updateOrganization({ 'owners-team-saml-role-id': null, 'session-timeout': 60 }, token)).status).toBe(
      200,
    );
    expect((await updateOrganization({ 'owners-team-saml-role-id': 'group' })).status).toBe(200);
    expect((await updateOrganization({ 'owners-team-saml-role-id': 'group' }, token)).status).toBe(200);
    expect((await updateOrganization({ 'owners-team-saml-role-id': null }, token)).status).toBe(404);
  });
});

describe('the audit trail', () => {
  test('names the identity provider, the teams and the sessions', async () => {
    const [group, subject] = [base58(8), base58(8)];
    const team = await createTeam({ 'sso-team-id': group });
    const { user, sessionSecret } = await signIn({ subject, groups: [group] });
    await signIn({ subject, groups: [group] });
    await sessions.end(request(), sessionSecret);
    await sessions.endByProvider(request(), { issuer: ISSUER, subject });
    await history.record();
    const trail = await send('GET', `/organizations/${organization}/audit-trail`, owner);
    const entries: readonly TrailEntry[] = trail.body.data;
    const shown = entries
      .filter(({ attributes }) =>
        /^(user|membership|session|team-membership|organization-membership)/.test(attributes.action),
      )
      .map(({ attributes: { action, actor, details, sequence } }) => ({
        action,
        actor: actor.id,
        sequence,
        ...details,
      }))
      .filter(({ actor }) => actor === user.id || actor === 'corporate');
    const provider = 'corporate';
    const signedIn = { action: 'user.signed-in', actor: user.id, signIn: { provider, session: expect.any(String) } };
    const [id] = sessionSecret.split('.');
    expect(shown).toHaveLength(7);
    expect(shown).toEqual(
      expect.arrayContaining([
        { action: 'organization-membership.created', actor: provider, sequence: 1 },
        {
          action: 'membership.synced',
          actor: provider,
          sequence: 2,
          signIn: { provider },
          teams: { added: [team.id], removed: [] },
        },
        { action: 'team-membership.created', actor: provider, sequence: 1 },
        { ...signedIn, sequence: 3, signIn: { provider, session: id } },
        { ...signedIn, sequence: 4 },
        { action: 'session.ended', actor: user.id, sequence: 5, signIn: { provider, session: id } },
        { action: 'session.ended', actor: provider, sequence: 6, signIn: { provider, session: expect.any(String) } },
      ]),
    );
    expect(JSON.stringify(entries)).not.toContain(sessionSecret.split('.')[1]);
  });

  test('names an identity that is linked to a member', async () => {
    const username = `e${base58(8)}`;
    const email = `${username}@example.com`;
    await api.admin('create-user', { username, email });
    const { id } = await createTeam();
    const { team } = { team: (await send('GET', `/teams/${id}`, owner)).body.data.attributes.name };
    await api.admin('add-member', { organization, team, username });
    const trusted = { provider: { trustedEmailDomains: ['example.com'] }, email, emailVerified: true };
    const { user } = await signIn(trusted);
    expect(user.username).toBe(username);
    await history.record();
    const trail = await send('GET', `/organizations/${organization}/audit-trail?filter[action]=identity.linked`, owner);
    expect(trail.body.data.map(({ attributes }: TrailEntry) => attributes)).toMatchObject([
      { actor: { kind: 'identity-provider', id: 'corporate' }, details: { signIn: { provider: 'corporate' } } },
    ]);
  });
});

describe('a sign-in that is interrupted', () => {
  test('is complete after the next one, wherever it crashed', async () => {
    const group = base58(8);
    const team = await createTeam({ 'sso-team-id': group });
    let finished = false;
    for (let at = 1; !finished; at++) {
      for (const when of ['before', 'after'] as const) {
        const claims = person({ groups: [group], username: `u${base58(8)}` });
        const database = crashing(api.engine.database, at, when);
        finished = await open(database)
          .signIn(request(), claims)
          .then(
            () => true,
            () => false,
          );
        const { user, sessionSecret } = await sessions.signIn(request(), claims);
        expect(await usersNamed(claims.username)).toHaveLength(1);
        expect(await membersOf(team)).toContain(user.id);
        expect(await statusOf(await renewed(sessionSecret), `/organizations/${organization}`)).toBe(200);
      }
      expect(at).toBeLessThan(20);
    }
  });

  test('removes memberships completely after the next one, wherever it crashed', async () => {
    const group = base58(8);
    const team = await createTeam({ 'sso-team-id': group });
    let finished = false;
    for (let at = 1; !finished; at++) {
      const claims = person({ groups: [group] });
      const { user } = await sessions.signIn(request(), claims);
      const without = { ...claims, groups: [] };
      finished = await open(crashing(api.engine.database, at, 'after'))
        .signIn(request(), without)
        .then(
          () => true,
          () => false,
        );
      const { sessionSecret } = await sessions.signIn(request(), without);
      expect(await membersOf(team)).not.toContain(user.id);
      expect(await statusOf(await renewed(sessionSecret), `/organizations/${organization}`)).toBe(404);
    }
  });
});
