import { createHash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { openBrowserSessions } from '../../../functions/sign-in/sessions.ts';
import { now } from '../../../shared/lib/clock.ts';
import { openDirectoryWriter } from '../../../shared/store/directory/directory-writer.ts';
import type { Api, ApiResponse } from '../../support/api/api.ts';
import { startApi } from '../../support/api/api.ts';

const HOUR = 3_600_000;
const STATE = 'b9d4c7be-6a4b-4d3e-9f0e-6f8a4c1f2e11';

let api: Api;
let owner: string;
let user: string;

const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');
const newVerifier = (): string => randomBytes(34).toString('base64url');

/** The query that the command lines send. */
const query = (changes: Readonly<Record<string, string | undefined>> = {}): string => {
  const all = {
    response_type: 'code',
    client_id: 'terraform-cli',
    redirect_uri: 'http://localhost:10004/login',
    state: STATE,
    code_challenge: challengeOf('verifier'),
    code_challenge_method: 'S256',
    ...changes,
  };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${new URLSearchParams(given)}`;
};
const authorize = (search: string) => api.request('GET', `/oauth2/authorize?${search}`);

const consent = (token: string, challenge: string, port = 10_004): Promise<ApiResponse> =>
  api.request('POST', '/oauth2/consent', { token, body: { port, state: STATE, code_challenge: challenge } });

/** Allows a login. @returns the code that the browser brings to the command line. */
const allow = async (verifier: string, token = owner): Promise<string> => {
  const { status, body } = await consent(token, challengeOf(verifier));
  expect(status, JSON.stringify(body)).toBe(200);
  return new URL(body.redirect_to).searchParams.get('code') ?? '';
};

const redeem = (code: string, verifier: string, changes: Readonly<Record<string, string>> = {}) =>
  api.request('POST', '/oauth2/token', {
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'terraform-cli',
      code,
      redirect_uri: 'http://localhost:10004/login',
      code_verifier: verifier,
      ...changes,
    }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

/** Logs in completely. @returns the new token. */
const login = async (token = owner): Promise<string> => {
  const verifier = newVerifier();
  const reply = await redeem(await allow(verifier, token), verifier);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.body.access_token;
};

const statusOf = async (token: string) => (await api.request('GET', '/account/details', { token })).status;
const tokens = async (token = owner) =>
  (await api.request('GET', `/users/${user}/authentication-tokens`, { token })).body.data;
const logins = async () =>
  (await tokens()).filter(
    (one: { attributes: { description: string } }) => one.attributes.description === 'terraform login',
  );

let users = 0;
/** Creates a user. @returns the username and a token. */
const createUser = async () => {
  users += 1;
  const username = `user-${users}`;
  await api.admin('create-user', { username, email: `${username}@example.com` });
  const { token } = await api.admin('create-token', { kind: 'user', username });
  return { username, token: token as string };
};

beforeAll(async () => {
  api = await startApi();
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  user = (await api.request('GET', '/account/details', { token: owner })).body.data.id;
});
afterEach(() => vi.useRealTimers());
afterAll(() => api.stop());

describe('service discovery of terraform login', () => {
  test('names the login, with a token that has expired and with one that is malformed', async () => {
    const attributes = { 'expired-at': new Date(Date.now() + 1_000).toISOString() };
    const path = `/users/${user}/authentication-tokens`;
    const { body } = await api.request('POST', path, { token: owner, body: { data: { attributes } } });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HOUR });
    for (const token of [body.data.attributes.token, 'garbage', undefined]) {
      const reply = await api.request('GET', '/.well-known/terraform.json', { ...(token && { token }) });
      expect(reply.status).toBe(200);
      expect(reply.headers['content-type']).toBe('application/json');
      expect(reply.body['login.v1']).toEqual({
        client: 'terraform-cli',
        grant_types: ['authz_code'],
        authz: '/oauth2/authorize',
        token: '/oauth2/token',
        ports: [10_000, 10_010],
      });
    }
  });
});

describe('an authorization request of a command line', () => {
  test('leads to the consent page of the console, on the same host', async () => {
    const { status, headers } = await authorize(query());
    expect(status).toBe(307);
    const url = new URL(headers['location'] ?? '', 'https://holdfast.test');
    expect(headers['location']).toMatch(/^\/app\/settings\/login\?/);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      port: '10004',
      state: STATE,
      code_challenge: challengeOf('verifier'),
    });
  });

  test('may have a scope and other parameters, which are ignored', async () => {
    const { status, headers } = await authorize(`${query()}&scope=openid&prompt=none`);
    expect(status).toBe(307);
    expect(headers['location']).not.toContain('scope');
  });

  test.each<readonly [what: string, changes: Readonly<Record<string, string | undefined>>]>([
    ['another host', { redirect_uri: 'http://evil.example:10004/login' }],
    ['a host that begins with localhost', { redirect_uri: 'http://localhost.evil.example:10004/login' }],
    ['a user in front of the host', { redirect_uri: 'http://localhost:10004@evil.example/login' }],
    ['127.0.0.1', { redirect_uri: 'http://127.0.0.1:10004/login' }],
    ['https', { redirect_uri: 'https://localhost:10004/login' }],
    ['another path', { redirect_uri: 'http://localhost:10004/logins' }],
    ['a slash at the end', { redirect_uri: 'http://localhost:10004/login/' }],
    ['a query in the redirect', { redirect_uri: 'http://localhost:10004/login?x=1' }],
    ['a fragment in the redirect', { redirect_uri: 'http://localhost:10004/login#x' }],
    ['upper case', { redirect_uri: 'http://LOCALHOST:10004/login' }],
    ['the port 9999', { redirect_uri: 'http://localhost:9999/login' }],
    ['the port 10011', { redirect_uri: 'http://localhost:10011/login' }],
    ['a port with a zero in front', { redirect_uri: 'http://localhost:010004/login' }],
    ['no redirect', { redirect_uri: undefined }],
    ['the method plain', { code_challenge_method: 'plain' }],
    ['no method', { code_challenge_method: undefined }],
    ['no challenge', { code_challenge: undefined }],
    ['a challenge of another length', { code_challenge: 'short' }],
    ['another client', { client_id: 'other' }],
    ['another kind of response', { response_type: 'token' }],
    ['no state', { state: undefined }],
    ['a state that is too long', { state: 's'.repeat(513) }],
  ])('with %s ends on a page, and redirects nowhere', async (_, changes) => {
    const { status, headers, body } = await authorize(query(changes));
    expect(status).toBe(400);
    expect(headers['location']).toBeUndefined();
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    expect(body).toContain('Press Ctrl-C in the terminal');
    expect(body).not.toContain('evil');
  });

  test('with a parameter twice ends on a page', async () => {
    const twice = `${query()}&redirect_uri=${encodeURIComponent('http://evil.example/login')}`;
    const { status, headers } = await authorize(twice);
    expect([status, headers['location']]).toEqual([400, undefined]);
  });
});

describe('consent to a login', () => {
  test('brings the code and the state to the command line on the port of its request', async () => {
    const { status, body, headers } = await consent(owner, challengeOf(newVerifier()), 10_009);
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    const url = new URL(body.redirect_to);
    expect(url.origin + url.pathname).toBe('http://localhost:10009/login');
    expect([...url.searchParams.keys()]).toEqual(['code', 'state']);
    expect(url.searchParams.get('state')).toBe(STATE);
  });

  test('shows until when a token is valid: for twelve hours', async () => {
    const { status, body } = await api.request('GET', '/oauth2/consent', { token: owner });
    expect(status).toBe(200);
    expect(Math.abs(Date.parse(body.expires_at) - Date.now() - 12 * HOUR)).toBeLessThan(60_000);
  });

  test.each(['team', 'organization', 'site'] as const)('is rejected for the token of a %s', async (kind) => {
    await api.admin('create-team', { organization: 'acme', name: `team-of-${kind}` });
    const owners = { team: { organization: 'acme', team: `team-of-${kind}` }, organization: { organization: 'acme' } };
    const { token } = await api.admin('create-token', { kind, ...(kind === 'site' ? {} : owners[kind]) });
    for (const reply of [
      await consent(token, challengeOf('v')),
      await api.request('GET', '/oauth2/consent', { token }),
    ]) {
      expect(reply.status).toBe(403);
      expect(reply.body.errors[0].detail).toContain('Only a person can allow a login');
    }
  });

  test('is rejected for a revoked token that the function has in its cache', async () => {
    const caching = await startApi({ engine: api.engine, cacheSeconds: 600 });
    const { id, token } = await api.admin('create-token', { kind: 'user', username: 'ada' });
    const ask = () => caching.request('GET', '/oauth2/consent', { token });
    expect((await ask()).status).toBe(200);
    await api.admin('revoke-token', { id });
    expect((await ask()).status).toBe(401);
    const body = { port: 10_004, state: STATE, code_challenge: challengeOf('v') };
    expect((await caching.request('POST', '/oauth2/consent', { token, body })).status).toBe(401);
    await caching.stop();
  });

  test('is rejected without a token, and with a cookie in its place', async () => {
    const body = { port: 10_004, state: STATE, code_challenge: challengeOf('v') };
    expect((await api.request('POST', '/oauth2/consent', { body })).status).toBe(401);
    const headers = { cookie: `token=${owner}; __Host-hf-session=${owner}` };
    expect((await api.request('POST', '/oauth2/consent', { body, headers })).status).toBe(401);
  });

  test.each([
    ['a port of another program', { port: 8080 }],
    ['a text as port', { port: '10004/login@evil.example' }],
    ['a challenge of another form', { code_challenge: 'plain' }],
    ['no challenge', { code_challenge: undefined }],
    ['no state', { state: '' }],
  ])('is rejected with %s', async (_, changes) => {
    const body = { port: 10_004, state: STATE, code_challenge: challengeOf('v'), ...changes };
    expect((await api.request('POST', '/oauth2/consent', { token: owner, body })).status).toBe(422);
  });
});

describe('the code of a login', () => {
  test('brings a token of the user, with a description and an expiry', async () => {
    const verifier = newVerifier();
    const reply = await redeem(await allow(verifier), verifier);
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'application/json' });
    expect(reply.body).toEqual({
      access_token: expect.stringMatching(/^hfu_/),
      token_type: 'Bearer',
      expires_in: expect.any(Number),
    });
    expect(12 * 3_600 - reply.body.expires_in).toBeLessThan(60);
    const account = await api.request('GET', '/account/details', { token: reply.body.access_token });
    expect(account.body.data.id).toBe(user);
    const own = (await tokens()).find((one: { id: string }) => one.id === account.body.meta['token-id']);
    expect(own.attributes.description).toBe('terraform login');
    expect(own.relationships['created-by'].data).toEqual({ type: 'users', id: user });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 12 * HOUR + 1 });
    expect(await statusOf(reply.body.access_token)).toBe(401);
  });

  const refusal = {
    error: 'invalid_grant',
    error_description: 'The code is unknown, expired or used, or belongs to another login. Log in again.',
  };

  test.each<readonly [what: string, changes: Readonly<Record<string, string>>]>([
    ['another verifier', { code_verifier: newVerifier() }],
    ['the challenge as verifier', { code_verifier: challengeOf('the-verifier') }],
    ['another port', { redirect_uri: 'http://localhost:10005/login' }],
    ['another redirect', { redirect_uri: 'http://127.0.0.1:10004/login' }],
    ['an unknown code', { code: 'x'.repeat(43) }],
  ])('is refused with %s', async (_, changes) => {
    const reply = await redeem(await allow('the-verifier'), 'the-verifier', changes);
    expect([reply.status, reply.body]).toEqual([400, refusal]);
    expect(reply.headers['cache-control']).toBe('no-store');
  });

  test('is used up by a wrong verifier', async () => {
    const code = await allow('right');
    expect((await redeem(code, 'wrong')).status).toBe(400);
    expect((await redeem(code, 'right')).status).toBe(400);
  });

  test.each(['client_id', 'code', 'redirect_uri', 'code_verifier'])('is refused without %s', async (name) => {
    const reply = await redeem(await allow('v'), 'v', { [name]: '' });
    expect([reply.status, reply.body.error]).toEqual([400, 'invalid_request']);
  });

  test('expires after a minute', async () => {
    const code = await allow('late');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    expect((await redeem(code, 'late')).body).toEqual(refusal);
  });

  test('works once: its second use, which may come minutes later, revokes the token that it has brought', async () => {
    const verifier = newVerifier();
    const code = await allow(verifier);
    const { access_token: token } = (await redeem(code, verifier)).body;
    expect(await statusOf(token)).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5 * 60_000 });
    expect((await redeem(code, verifier)).body).toEqual(refusal);
    expect(await statusOf(token)).toBe(401);
  });

  test('leaves no token when it is used several times at the same moment', async () => {
    const before = (await logins()).length;
    const verifier = newVerifier();
    const code = await allow(verifier);
    const replies = await Promise.all(Array.from({ length: 5 }, () => redeem(code, verifier)));
    const given = replies.filter(({ status }) => status === 200).map(({ body }) => body.access_token);
    for (const token of given) expect(await statusOf(token)).toBe(401);
    expect((await logins()).length).toBe(before);
  });
});

describe('the token of a login', () => {
  test('expires no later than the token by which it was allowed', async () => {
    const expiredAt = new Date(Date.now() + HOUR).toISOString();
    const path = `/users/${user}/authentication-tokens`;
    const body = { data: { attributes: { 'expired-at': expiredAt } } };
    const { token } = (await api.request('POST', path, { token: owner, body })).body.data.attributes;
    const shown = (await api.request('GET', '/oauth2/consent', { token })).body.expires_at;
    expect(Date.parse(shown)).toBe(Date.parse(expiredAt));
    const next = await login(token);
    expect((await api.request('GET', '/oauth2/consent', { token: next })).body.expires_at).toBe(shown);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(expiredAt) + 1 });
    expect(await statusOf(next)).toBe(401);
  });

  test('expires with the session by which it was allowed, and outlives the short token of the session', async () => {
    const sessions = openBrowserSessions(openDirectoryWriter(api.engine.database, now));
    const request = { id: 'request-1', principal: { kind: 'identity-provider', id: 'idp', name: 'idp' } } as const;
    const { sessionSecret } = await sessions.signIn(request, {
      provider: { name: 'idp', issuer: 'https://idp.example', trustedEmailDomains: [] },
      subject: 'subject-1',
      username: 'grace-of-idp',
      email: undefined,
      emailVerified: false,
      groups: [],
      limits: { hours: 3, idleMinutes: 60 },
    });
    const { token = '' } = (await sessions.renew(request, sessionSecret)) ?? {};
    const verifier = newVerifier();
    const { expires_in: seconds, access_token: given } = (await redeem(await allow(verifier, token), verifier)).body;
    expect(3 * 3_600 - seconds).toBeLessThan(60);
    expect(given).toMatch(/^hfu_/);
    await sessions.end(request, sessionSecret);
    expect((await consent(token, challengeOf('v'))).status).toBe(401);
  });

  test('expires as early as the organizations of the user demand', async () => {
    const patch = async (path: string, data: object) => {
      const { status, body } = await api.request('PATCH', path, { token: owner, body: { data } });
      expect(status, JSON.stringify(body)).toBe(200);
    };
    await patch('/organizations/acme/token-ttl-policies', {
      type: 'organization-token-ttl-policies',
      attributes: { 'token-ttl-policies': [{ 'token-type': 'user', 'max-ttl-ms': 2 * HOUR }] },
    });
    const verifier = newVerifier();
    const { expires_in: seconds } = (await redeem(await allow(verifier), verifier)).body;
    expect(Math.abs(2 * 3_600 - seconds)).toBeLessThan(60);
    await patch('/organizations/acme', { type: 'organizations', attributes: { 'max-ttl-enabled': false } });
  });

  test('replaces the oldest when the user has twenty, also when several are made at the same moment', async () => {
    const { token: other } = await createUser();
    const first = await login(other);
    for (let count = 1; count < 20; count++) await login(other);
    expect(await statusOf(first)).toBe(200);
    const further = await Promise.all([login(other), login(other), login(other)]);
    expect(await statusOf(first)).toBe(401);
    for (const token of further) expect(await statusOf(token)).toBe(200);
    const id = (await api.request('GET', '/account/details', { token: other })).body.data.id;
    const all = (await api.request('GET', `/users/${id}/authentication-tokens`, { token: other })).body.data;
    expect(all.length).toBe(21);
    expect(await statusOf(other)).toBe(200);
  });

  test('is not given to a user who was deleted after the consent', async () => {
    const { username, token } = await createUser();
    const verifier = newVerifier();
    const code = await allow(verifier, token);
    await api.admin('delete-user', { username });
    const reply = await redeem(code, verifier);
    expect([reply.status, reply.body.error]).toEqual([400, 'invalid_grant']);
  });
});
