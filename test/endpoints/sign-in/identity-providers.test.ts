import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  type IdentityProvider,
  startIdentityProvider,
} from '../../../infra/local/identity-provider/identity-provider.ts';
import { demoPeople, type Person } from '../../../infra/local/identity-provider/people.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { followHistory } from '../../support/history/history-follower.ts';
import {
  comeBack,
  cookiesOf,
  fromPage,
  identityProvider,
  ORIGIN,
  requestToken,
  startSignIn,
} from '../../support/sign-in/people.ts';
import { openBrowser } from '../../support/sign-in/sign-in-at-provider.ts';

interface Refusal {
  readonly reason: string;
}

interface TrailEntry {
  readonly attributes: { readonly actor: object; readonly 'resource-name': string; readonly details: Refusal };
  readonly relationships: { readonly resource: { readonly data: object } };
}

const people: Record<string, Person> = { ...demoPeople };
let provider: IdentityProvider;
let api: Api;
let owner: string;
let history: Awaited<ReturnType<typeof followHistory>>;
let builders: string;

/** Everything secret that the tests have seen, and everything that was logged. */
const secrets = new Set<string>();
const logged: string[] = [];

/** Signs a person in with a new browser. @returns the response to the callback, and the address that led to it. */
const signIn = async (sub: string, name = 'local', to?: string) => {
  const { authorization, cookie } = await startSignIn(api, name, to);
  const callback = await openBrowser(provider.issuer).signIn(authorization, sub);
  const reply = await comeBack(api, callback, cookie);
  for (const value of [...authorization.searchParams.values(), ...callback.searchParams.values()]) {
    if (value.length > 30 && !value.startsWith('http')) secrets.add(value);
  }
  for (const one of `${cookie}; ${cookiesOf(reply)}`.split('; ')) if (one !== '') secrets.add(one.split('=')[1] ?? '');
  return { reply, callback, cookie, authorization };
};

/** Signs a person in. @returns the token of the console, and the cookie of the session. */
const signInToConsole = async (sub: string) => {
  const { reply } = await signIn(sub);
  expect(reply.status, String(reply.body)).toBe(307);
  const cookie = cookiesOf(reply);
  const { status, body } = await requestToken(api, cookie);
  expect(status, JSON.stringify(body)).toBe(200);
  secrets.add(body.access_token);
  return { token: body.access_token as string, cookie };
};

const statusOf = async (token: string, path = '/organizations/acme'): Promise<number> =>
  (await api.request('GET', path, { token })).status;

const expectProblem = (reply: ApiResponse, title: string | RegExp): void => {
  expect(reply.status).toBe(400);
  expect(reply.headers).not.toHaveProperty('location');
  expect(reply.headers['cache-control']).toBe('no-store');
  expect(reply.cookies ?? []).toEqual([]);
  expect(reply.body).toMatch(title);
};

beforeAll(async () => {
  const redirects = ['local', 'other', 'strict'].map((name) => `${ORIGIN}/sign-in/${name}/callback`);
  provider = await startIdentityProvider({
    people,
    clients: [
      {
        client_id: 'holdfast',
        token_endpoint_auth_method: 'none',
        redirect_uris: redirects,
        post_logout_redirect_uris: [`${ORIGIN}/`],
      },
    ],
  });
  const { issuer } = provider;
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      logged.push(String(chunk));
      return true;
    });
  }
  api = await startApi({
    logLevel: 'DEBUG',
    identityProviders: [
      identityProvider({ name: 'local', label: 'Acme login', issuer, secretParameter: '/holdfast/unused' }),
      identityProvider({ name: 'other', issuer }),
      identityProvider({ name: 'strict', issuer, requiredGroups: ['operators', 'builders'] }),
      identityProvider({ name: 'down', issuer: 'http://127.0.0.1:1' }),
      identityProvider({ name: 'unregistered', issuer }),
    ],
  });
  history = await followHistory(api);
  owner = (await api.admin('create-organization', { name: 'acme', email: 'root@example.com' })).token;
  const created = await api.request('POST', '/organizations/acme/teams', {
    token: owner,
    body: { data: { type: 'teams', attributes: { name: 'builders', 'sso-team-id': 'builders' } } },
  });
  expect(created.status).toBe(201);
  builders = created.body.data.id;
});
afterAll(async () => {
  vi.restoreAllMocks();
  await api.stop();
  await provider.close();
});

test('lists identity providers in the order of the settings, with nothing but what the sign-in page shows', async () => {
  const reply = await api.request('GET', '/sign-in/providers', { headers: { host: 'evil.example' } });
  expect(reply.status).toBe(200);
  expect(reply.body.data.slice(0, 2)).toEqual([
    {
      id: 'local',
      type: 'identity-providers',
      attributes: { name: 'local', label: 'Acme login', 'sign-in-url': `${ORIGIN}/sign-in/local` },
    },
    {
      id: 'other',
      type: 'identity-providers',
      attributes: { name: 'other', label: 'other', 'sign-in-url': `${ORIGIN}/sign-in/other` },
    },
  ]);
});

describe('the start of a sign-in', () => {
  test('leads to the identity provider with PKCE, a state and a nonce, whatever the Host header says', async () => {
    const reply = await api.request('GET', '/sign-in/local?to=/app', { headers: { host: 'evil.example' } });
    const url = new URL(reply.headers['location'] ?? '');
    expect(url.origin).toBe(provider.issuer);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'holdfast',
      redirect_uri: `${ORIGIN}/sign-in/local/callback`,
      scope: 'openid profile email',
      state: expect.stringMatching(/^\w{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  test('sets a cookie that scripts and other sites do not get and other hosts cannot set, and keeps it for a second tab', async () => {
    const first = await api.request('GET', '/sign-in/local');
    expect(first.cookies).toEqual([
      expect.stringMatching(/^__Host-hf-flow=\w{43}; Max-Age=600; Path=\/; Secure; HttpOnly; SameSite=Lax$/),
    ]);
    const second = await api.request('GET', '/sign-in/local', { headers: { cookie: cookiesOf(first) } });
    expect(second.cookies).toEqual(first.cookies);
    const forged = await api.request('GET', '/sign-in/local', { headers: { cookie: '__Host-hf-flow=short' } });
    expect(cookiesOf(forged)).toMatch(/=\w{43}$/);
  });

  test.each([
    ...['//evil.example', 'https://evil.example', '/\\evil.example', 'app', '/api/v2/ping', '/app/../api/v2/ping'],
    ...['/app/..//evil.example', '/app/%2e%2e//evil.example', '/app/..\\/evil.example', '/\t/evil.example'],
    ...['/apple', '/%2e%2e//evil.example', 'javascript:alert(1)', '', `/app/${'x'.repeat(2_000)}`, '/sign-in/local'],
  ])('rejects the path to continue with %j', async (to) => {
    expectProblem(await api.request('GET', `/sign-in/local?to=${encodeURIComponent(to)}`), 'The address is not valid');
  });

  test('explains that there is no such identity provider', async () => {
    expectProblem(await api.request('GET', '/sign-in/nobody'), 'There is no such identity provider');
  });

  test('explains that the identity provider does not respond, and who can help', async () => {
    const reply = await api.request('GET', '/sign-in/down');
    expectProblem(reply, /127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)/);
    expect(reply.body).toMatch('The operators of this deployment can mend it in its setting identityProviders');
  });

  test('ends at the identity provider if the address to return to is not registered there', async () => {
    const { authorization } = await startSignIn(api, 'unregistered');
    await expect(openBrowser(provider.issuer).signIn(authorization, 'person-1')).rejects.toThrow(/redirect_uri/);
  });
});

describe('a sign-in', () => {
  test('gives the rights of the team of a group with the first request', async () => {
    const { token } = await signInToConsole('person-2');
    expect(token).toMatch(/^hfc_/);
    expect(await statusOf(token)).toBe(200);
    const account = await api.request('GET', '/account/details', { token });
    expect(account.body.data.attributes).toMatchObject({ username: 'grace' });
    const team = await api.request('GET', `/teams/${builders}?include=users`, { token: owner });
    expect(team.body.data.attributes['users-count']).toBe(1);
  });

  test('gives no rights to a person without a group', async () => {
    const { token } = await signInToConsole('person-3');
    expect(await statusOf(token, '/account/details')).toBe(200);
    expect(await statusOf(token)).toBe(404);
  });

  test('takes the rights of a team from a person who has left its group, at the next sign-in', async () => {
    people['person-4'] = { name: 'Kay', preferred_username: 'kay', groups: ['builders'] };
    expect(await statusOf((await signInToConsole('person-4')).token)).toBe(200);
    people['person-4'] = { ...people['person-4'], groups: [] };
    expect(await statusOf((await signInToConsole('person-4')).token)).toBe(404);
  });

  test('continues with the path of the console, with its query', async () => {
    const { reply } = await signIn('person-2', 'local', '/app/consent?request=1&x=%2F');
    expect(reply.headers['location']).toBe(`${ORIGIN}/app/sign-in?to=%2Fapp%2Fconsent%3Frequest%3D1%26x%3D%252F`);
    expect(reply.cookies).toEqual([
      expect.stringMatching(/^__Host-hf-session=[^;]+; Max-Age=43200; Path=\/; Secure; HttpOnly; SameSite=Lax$/),
    ]);
  });

  test('creates one user for two tabs at once', async () => {
    people['person-5'] = { name: 'Tony', preferred_username: 'tony', groups: [] };
    const browser = openBrowser(provider.issuer);
    const first = await startSignIn(api, 'local');
    const second = await startSignIn(api, 'local');
    const callbacks = [
      await browser.signIn(first.authorization, 'person-5'),
      await browser.signIn(second.authorization, 'person-5'),
    ] as const;
    const replies = await Promise.all([
      comeBack(api, callbacks[0], first.cookie),
      comeBack(api, callbacks[1], second.cookie),
    ]);
    expect(replies.map(({ status, body }) => body ?? status)).toEqual([307, 307]);
    const users = await Promise.all(
      replies.map(async (reply) => {
        const token = (await requestToken(api, cookiesOf(reply))).body.access_token;
        return (await api.request('GET', '/account/details', { token })).body.data.id;
      }),
    );
    expect(new Set(users).size).toBe(1);
  });

  test('is rejected in another browser than the one that started it', async () => {
    const { authorization } = await startSignIn(api, 'local');
    const callback = await openBrowser(provider.issuer).signIn(authorization, 'person-2');
    const { cookie: foreign } = await startSignIn(api, 'local');
    expectProblem(await comeBack(api, callback, foreign), 'started in another browser');
  });

  test('is rejected without the cookie of the browser', async () => {
    const { authorization } = await startSignIn(api, 'local');
    const callback = await openBrowser(provider.issuer).signIn(authorization, 'person-2');
    expectProblem(await comeBack(api, callback, ''), 'allow cookies for this site');
  });

  test('is rejected the second time, and without a state', async () => {
    const { reply, callback, cookie } = await signIn('person-2');
    expect(reply.status).toBe(307);
    expectProblem(await comeBack(api, callback, cookie), 'The sign-in has expired');
    callback.searchParams.delete('state');
    expectProblem(await comeBack(api, callback, cookie), 'The sign-in has expired');
  });

  test('is rejected at the address of another identity provider', async () => {
    const { authorization, cookie } = await startSignIn(api, 'local');
    const callback = await openBrowser(provider.issuer).signIn(authorization, 'person-2');
    callback.pathname = '/sign-in/other/callback';
    expectProblem(await comeBack(api, callback, cookie), 'The sign-in has expired');
  });

  test('is rejected with the code of another sign-in, because the verifier of PKCE differs', async () => {
    const mine = await startSignIn(api, 'local');
    const theirs = await startSignIn(api, 'local');
    const stolen = await openBrowser(provider.issuer).signIn(theirs.authorization, 'person-1');
    const callback = await openBrowser(provider.issuer).signIn(mine.authorization, 'person-2');
    callback.searchParams.set('code', stolen.searchParams.get('code') ?? '');
    expectProblem(await comeBack(api, callback, mine.cookie), 'Its error is invalid_grant');
  });

  test('is rejected with the response of another issuer', async () => {
    const { authorization, cookie } = await startSignIn(api, 'local');
    const callback = await openBrowser(provider.issuer).signIn(authorization, 'person-2');
    callback.searchParams.set('iss', 'https://evil.example');
    expectProblem(await comeBack(api, callback, cookie), 'The response of the identity provider is not valid');
  });

  test('explains that the person cancelled it', async () => {
    const { reply } = await signIn('');
    expectProblem(reply, 'Its error is access_denied: The sign-in was cancelled');
  });

  test('is rejected for a person in none of the required groups', async () => {
    expectProblem((await signIn('person-3', 'strict')).reply, 'in none of the groups');
    expect((await signIn('person-2', 'strict')).reply.status).toBe(307);
  });

  test('leaves an entry in the audit trail of each organization of a member when it is refused, once a minute for each reason', async () => {
    people['person-6'] = { name: 'Mary', preferred_username: 'mary', groups: ['builders'] };
    const trail = async () => {
      await history.record();
      const path = '/organizations/acme/audit-trail?filter[action]=user.sign-in-refused';
      const { body } = await api.request('GET', path, { token: owner });
      return body.data
        .map(({ attributes, relationships }: TrailEntry) => ({
          actor: attributes.actor,
          name: attributes['resource-name'],
          ...attributes.details,
          resource: relationships.resource.data,
        }))
        .toSorted((a: Refusal, b: Refusal) => a.reason.localeCompare(b.reason));
    };
    const before = await trail();
    await signIn('person-3', 'strict');
    expect(await trail(), 'of a person without an organization').toEqual(before);
    expect((await signIn('person-6', 'strict')).reply.status).toBe(307);
    people['person-6'] = { ...people['person-6'], groups: [] };
    // The two sign-ins after the first one can end in the next minute.
    vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 60_000) * 60_000 });
    try {
      for (let time = 0; time < 3; time++)
        expectProblem((await signIn('person-6', 'strict')).reply, 'in none of the groups');
    } finally {
      vi.useRealTimers();
    }
    await api.admin('suspend-user', { username: 'mary' });
    people['person-6'] = { ...people['person-6'], groups: ['builders'] };
    expectProblem((await signIn('person-6', 'strict')).reply, 'Your account is suspended');
    const resource = { type: 'organization-memberships', id: expect.stringMatching(/^ou-/) };
    const actor = { kind: 'identity-provider', id: 'strict', name: 'strict' };
    const refusal = { actor, name: 'mary', resource, signIn: { provider: 'strict' } };
    expect(await trail()).toEqual([
      { ...refusal, reason: 'missing-group' },
      { ...refusal, reason: 'suspended' },
    ]);
  });

  test('works after the identity provider has changed its keys', async () => {
    await provider.rotateKeys();
    const { reply } = await signIn('person-2');
    // The library reads the keys of an unknown id again after a minute; the metadata is forgotten with the first failure.
    if (reply.status !== 307) expect((await signIn('person-2')).reply.status).toBe(307);
  });
});

describe('a session', () => {
  test('is no credential of the API', async () => {
    const { cookie } = await signInToConsole('person-2');
    const reply = await api.request('GET', '/organizations/acme', { headers: { cookie } });
    expect(reply.status).toBe(401);
  });

  test.each<[string, Record<string, string | undefined>]>([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another host of the same site', { origin: 'http://other.holdfast.test', 'sec-fetch-site': 'same-site' }],
    ['a page without an origin', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['no page', { origin: undefined, 'sec-fetch-site': undefined }],
    ['a navigation', { 'sec-fetch-site': 'none' }],
  ])('gives no token to a request of %s, and is not ended by it', async (_, headers) => {
    const { cookie, token } = await signInToConsole('person-2');
    const sent = Object.fromEntries(
      Object.entries({ ...fromPage(cookie), ...headers }).filter(([, value]) => value !== undefined),
    ) as Record<string, string>;
    expect((await api.request('POST', '/sign-in/session', { headers: sent })).status).toBe(403);
    expect((await api.request('DELETE', '/sign-in/session', { headers: sent })).status).toBe(403);
    expect(await statusOf(token)).toBe(200);
  });

  test('gives a token to a browser that sends no Sec-Fetch-Site', async () => {
    const { cookie } = await signInToConsole('person-2');
    const reply = await api.request('POST', '/sign-in/session', { headers: { cookie, origin: ORIGIN } });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      access_token: expect.stringMatching(/^hfc_/),
      token_type: 'Bearer',
      expires_in: expect.toSatisfy((seconds: number) => seconds > 3_500 && seconds <= 3_600),
      user_id: expect.stringMatching(/^user-/),
      username: 'grace',
    });
  });

  test('is not read from a cookie that another host of the domain can set', async () => {
    const { cookie } = await signInToConsole('person-2');
    for (const prefix of ['__Secure-', ''])
      expect((await requestToken(api, cookie.replace('__Host-', prefix))).status).toBe(401);
    expect((await requestToken(api, cookie)).status).toBe(200);
  });

  test.each(['', '__Host-hf-session=', '__Host-hf-session=unknown', 'hf-session=unknown'])(
    'gives no token for the cookie %j',
    async (cookie) => {
      expect((await requestToken(api, cookie)).status).toBe(401);
    },
  );

  test.each([
    ['the same person', 'person-2'],
    ['another person', 'person-1'],
  ])('ends with its tokens when %s signs in in the same browser', async (_, sub) => {
    const former = await signInToConsole('person-2');
    const elsewhere = await signInToConsole('person-2');
    const { authorization, cookie } = await startSignIn(api, 'local');
    const callback = await openBrowser(provider.issuer).signIn(authorization, sub);
    const reply = await comeBack(api, callback, `${cookie}; ${former.cookie}`);
    expect(reply.status, String(reply.body)).toBe(307);
    expect(await statusOf(former.token)).toBe(401);
    expect((await requestToken(api, former.cookie)).status).toBe(401);
    expect((await requestToken(api, cookiesOf(reply))).status).toBe(200);
    expect(await statusOf(elsewhere.token)).toBe(200);
  });

  test('stays when a sign-in in the same browser is refused', async () => {
    const { cookie, token } = await signInToConsole('person-2');
    const { authorization, cookie: flow } = await startSignIn(api, 'strict');
    const callback = await openBrowser(provider.issuer).signIn(authorization, 'person-3');
    expectProblem(await comeBack(api, callback, `${flow}; ${cookie}`), /<h1>/);
    expect(await statusOf(token)).toBe(200);
  });

  test('ends with its tokens when the person signs out, and leads to the page of the identity provider for that', async () => {
    const { cookie, token } = await signInToConsole('person-2');
    const reply = await api.request('DELETE', '/sign-in/session', { headers: fromPage(cookie) });
    expect(reply.status).toBe(200);
    expect(reply.cookies).toEqual([expect.stringMatching(/^__Host-hf-session=; Max-Age=0; /)]);
    const url = new URL(reply.body.sign_out_url);
    expect(`${url.origin}${url.pathname}`).toBe(`${provider.issuer}/session/end`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'holdfast',
      post_logout_redirect_uri: `${ORIGIN}/`,
    });
    expect(await statusOf(token)).toBe(401);
    expect((await requestToken(api, cookie)).status).toBe(401);
    const again = await api.request('DELETE', '/sign-in/session', { headers: fromPage(cookie) });
    expect(again.status).toBe(200);
  });
});

test('stores and logs no code, token, cookie or state anywhere, and logs why sign-ins were refused', async () => {
  expect(secrets.size).toBeGreaterThan(20);
  const stored: string[] = [];
  for await (const item of scanItems(api.engine.database)) stored.push(JSON.stringify(item));
  const log = logged.join('');
  expect(log).toContain('Sign-in of a person at an identity provider refused');
  expect(log).toContain('"reason":"other-browser"');
  const text = stored.join('\n') + log;
  for (const secret of secrets) expect(text.includes(secret), secret).toBe(false);
});
