import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { base58 } from '../../../shared/lib/random.ts';
import { keys } from '../../../shared/store/dynamodb/keys.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { followHistory } from '../../support/history/history-follower.ts';
import { cookiesOf, fromPage, identityProvider, ORIGIN, requestToken } from '../../support/sign-in/people.ts';

const MINUTE = 60_000;

let api: Api;
let history: Awaited<ReturnType<typeof followHistory>>;
let owner: string;
/** Name and id of a new user for each test, and of a member of the organization `acme`. */
let username: string;
let user: string;

/** Everything secret that the tests have seen, and everything that was logged. */
const secrets = new Set<string>();
const logged: string[] = [];

/** Creates a link. @returns the part after the #. */
const createLink = async (name = username): Promise<string> => {
  const { url } = await api.admin('sign-in-link', { username: name });
  const link = new URL(url).hash.slice(1);
  secrets.add(link.split('.')[1] ?? '');
  return link;
};

const take = (link: string, headers: object = fromPage('')): Promise<ApiResponse> =>
  api.request('POST', '/sign-in/link', { body: { link }, headers: { ...headers } });

/** Signs in with a link. @returns a token of the session, and its cookie. */
const signIn = async (link: string, headers: object = {}) => {
  const reply = await take(link, { ...fromPage(''), ...headers });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  const cookie = cookiesOf(reply);
  secrets.add(cookie.split('=')[1] ?? '');
  const { access_token: token, expires_in: seconds } = (await requestToken(api, cookie)).body;
  secrets.add(token);
  return { token: token as string, seconds: Number(seconds), cookie, reply };
};

const account = (token: string) => api.request('GET', '/account/details', { token });

const expectRefused = (reply: ApiResponse): void => {
  expect([reply.status, reply.cookies]).toEqual([400, undefined]);
  expect(reply.body.errors[0].detail).toBe(
    'The link was used before, has expired or is incomplete. Request another one.',
  );
};

beforeAll(async () => {
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      logged.push(String(chunk));
      return true;
    });
  }
  api = await startApi({
    logLevel: 'DEBUG',
    identityProviders: [identityProvider({ name: 'down', issuer: 'http://127.0.0.1:1' })],
  });
  history = await followHistory(api);
  owner = (await api.admin('create-organization', { name: 'acme', email: 'root@example.com' })).token;
});
beforeEach(async () => {
  username = `u${base58(8)}`;
  user = (await api.admin('create-user', { username, email: `${username}@example.com` })).user.id;
  await api.admin('add-member', { organization: 'acme', username });
});
afterEach(() => vi.useRealTimers());
afterAll(async () => {
  expect((await api.admin('check-table')).findings).toEqual([]);
  vi.restoreAllMocks();
  await api.stop();
});

describe('sign-in-link', () => {
  test('signs the user in for an hour, while the identity provider is down', async () => {
    const created = await api.admin('sign-in-link', { username });
    expect(created).toMatchObject({ user: { username }, expiresAt: expect.stringMatching(/Z$/) });
    expect(created['url']).toMatch(new RegExp(`^${ORIGIN}/app/sign-in/link#${username}\\.\\w{43}$`));
    expect(Date.parse(created['expiresAt']) - Date.now()).toBeGreaterThan(9 * MINUTE);
    const browser = `Mozilla/5.0 ${'x'.repeat(300)}`;
    const link = new URL(created['url']).hash.slice(1);
    const { token, seconds, cookie, reply } = await signIn(link, { 'user-agent': browser });
    expect(reply.cookies?.[0]).toMatch(/^__Host-hf-session=.*Max-Age=3600; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
    expect(seconds).toBeGreaterThan(3_000);
    expect((await account(token)).body.data.attributes.username).toBe(username);
    const sessions = await api.request('GET', `/users/${user}/sessions`, { token });
    const attributes = { provider: 'link', current: true, 'user-agent': browser.slice(0, 256) };
    expect(sessions.body.data).toMatchObject([{ attributes }]);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 59 * MINUTE });
    expect((await account(token)).status).toBe(200);
    vi.setSystemTime(Date.now() + 2 * MINUTE);
    expect((await account(token)).status).toBe(401);
    expect((await requestToken(api, cookie)).status).toBe(401);
  });

  test('creates a link that works once, also for two browsers at the same time', async () => {
    const link = await createLink();
    const replies = await Promise.all([take(link), take(link), take(link)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expectRefused(await take(link));
  });

  test('creates a link that works for ten minutes', async () => {
    const [early, late] = [await createLink(), await createLink()];
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 9.9 * MINUTE });
    expect((await take(early)).status).toBe(200);
    vi.setSystemTime(Date.now() + 0.2 * MINUTE);
    expectRefused(await take(late));
  });

  test('creates a link that is valid for its user only, and unchanged', async () => {
    const [, secret = ''] = (await createLink()).split('.');
    for (const link of [`root.${secret}`, secret, `${username}.`, '', 'x'.repeat(128)]) expectRefused(await take(link));
  });

  test('creates a link that only a page of the deployment can take, and that an attempt of another page does not use up', async () => {
    const link = await createLink();
    const foreign = [{}, { origin: 'https://evil.example' }, { origin: ORIGIN, 'sec-fetch-site': 'cross-site' }];
    for (const headers of foreign) expect((await take(link, headers)).status).toBe(403);
    expect((await api.request('GET', '/sign-in/link')).status).toBe(400);
    expect((await take(link)).status).toBe(200);
  });

  test('creates a link that does not work for a user who is suspended or deleted meanwhile', async () => {
    const [suspended, deleted] = [await createLink(), await createLink()];
    await api.admin('suspend-user', { username });
    expect((await take(suspended)).body.errors[0].detail).toBe(`The user ${username} is suspended.`);
    expect(await api.admin('sign-in-link', { username })).toMatchObject({ errors: [{ status: '409' }] });
    await api.admin('delete-user', { username });
    expect((await take(deleted)).body.errors[0].detail).toBe('The user does not exist any more.');
  });

  test('starts a session that suspend-user and end-sessions end', async () => {
    const [one, other] = [await signIn(await createLink()), await signIn(await createLink())];
    expect(await api.admin('end-sessions', { username })).toMatchObject({ endedSessions: 2 });
    const third = await signIn(await createLink());
    await api.admin('suspend-user', { username });
    const statuses = await Promise.all([one, other, third].map(async ({ token }) => (await account(token)).status));
    expect(statuses).toEqual([401, 401, 401]);
    await api.admin('resume-user', { username });
  });

  test('ends the session that the browser had before', async () => {
    const before = await signIn(await createLink());
    const reply = await take(await createLink(), fromPage(before.cookie));
    expect(reply.status).toBe(200);
    expect((await account(before.token)).status).toBe(401);
    expect((await requestToken(api, before.cookie)).status).toBe(401);
    expect((await requestToken(api, cookiesOf(reply))).status).toBe(200);
  });

  test('does not count as a sign-in at an identity provider', async () => {
    await signIn(await createLink());
    const membership = await api.engine.database.get(keys.organizationMembership(user, 'acme'), true);
    expect(membership).toBeDefined();
    expect(membership).not.toHaveProperty('signedInAt');
  });

  test('leaves an entry for the link, and another one for the sign-in', async () => {
    const { token } = await signIn(await createLink());
    await history.record();
    const membership = (await api.engine.database.get(keys.organizationMembership(user, 'acme'), true))?.['id'];
    const entries = async (action: string) => {
      const path = `/organizations/acme/audit-trail?filter[action]=${action}&page[size]=100`;
      const { data } = (await api.request('GET', path, { token: owner })).body;
      return data.filter(
        ({ relationships }: { relationships: { resource: { data: { id: string } } } }) =>
          relationships.resource.data.id === membership,
      );
    };
    expect(await entries('user.sign-in-link-created')).toMatchObject([{ attributes: { actor: { id: 'admin' } } }]);
    expect(await entries('user.signed-in')).toMatchObject([
      { attributes: { actor: { kind: 'user', id: user }, details: { signIn: { provider: 'link' } } } },
    ]);
    expect((await account(token)).status).toBe(200);
  });

  test('reports an unknown user, and a deployment without the web console', async () => {
    expect(await api.admin('sign-in-link', { username: 'nobody' })).toMatchObject({ errors: [{ status: '404' }] });
    const { admin } = openAdmin(api.engine.database);
    expect(await admin('sign-in-link', { username })).toMatchObject({
      errors: [{ status: '409', detail: expect.stringContaining('no web console') }],
    });
  });
});

test('no link, cookie or token of a sign-in by link is logged, or in plain text in the table', async () => {
  await signIn(await createLink());
  await history.record();
  expect(secrets.size).toBeGreaterThan(10);
  const log = logged.join('');
  expect(log).toContain('sign-in-link');
  const items: unknown[] = [];
  for await (const item of scanItems(api.engine.database)) items.push(item);
  const stored = JSON.stringify(items);
  for (const secret of secrets) {
    expect(log.includes(secret)).toBe(false);
    expect(stored.includes(secret)).toBe(false);
  }
});
