import { hash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type IdentityProvider,
  startIdentityProvider,
} from '../../../infra/local/identity-provider/identity-provider.ts';
import { openBrowser } from '../../support/sign-in/sign-in-at-provider.ts';

const CLIENT = 'holdfast';
const REDIRECT = 'http://127.0.0.1:8080/sign-in/local/callback';
const VERIFIER = 'a'.repeat(46);

const logoutTokens: string[] = [];
const receiver = createServer(async (request, response) => {
  logoutTokens.push(new URLSearchParams(await text(request)).get('logout_token') ?? '');
  response.end();
});
let provider: IdentityProvider;

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  provider = await startIdentityProvider({
    clients: [
      {
        client_id: CLIENT,
        token_endpoint_auth_method: 'none',
        redirect_uris: [REDIRECT],
        post_logout_redirect_uris: ['http://127.0.0.1:8080/'],
        backchannel_logout_uri: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
        backchannel_logout_session_required: true,
      },
    ],
  });
});
afterAll(async () => {
  await provider.close();
  receiver.close();
});

/** Builds an authorization request with PKCE; undefined leaves a parameter out. */
const authorization = (changes: Readonly<Record<string, string | undefined>> = {}): URL => {
  const parameters = {
    client_id: CLIENT,
    response_type: 'code',
    redirect_uri: REDIRECT,
    scope: 'openid profile email',
    state: 'state',
    nonce: 'nonce',
    code_challenge: hash('sha256', VERIFIER, 'base64url'),
    code_challenge_method: 'S256',
    ...changes,
  };
  const url = new URL('/auth', provider.issuer);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
};

const redeem = async (code: string, verifier = VERIFIER): Promise<Response> =>
  fetch(`${provider.issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: CLIENT,
      redirect_uri: REDIRECT,
      code,
      code_verifier: verifier,
    }),
  });

const verify = async (token: string) => {
  const keys = createRemoteJWKSet(new URL(`${provider.issuer}/jwks`));
  return (await jwtVerify(token, keys, { issuer: provider.issuer, audience: CLIENT })).payload;
};

/** Signs in, and returns the identity token. */
const identityToken = async (sub: string, browser = openBrowser(provider.issuer)): Promise<string> => {
  const callback = await browser.signIn(authorization(), sub);
  const response = await redeem(callback.searchParams.get('code') ?? '');
  return ((await response.json()) as { id_token: string }).id_token;
};

test('the embedded identity provider signs in each person with the claims and groups of that person', async () => {
  const claims = await Promise.all(
    ['person-1', 'person-2', 'person-3'].map(async (sub) => verify(await identityToken(sub))),
  );
  expect(claims).toMatchObject([
    { sub: 'person-1', preferred_username: 'ada', email: 'ada@example.com', email_verified: true, groups: ['owners'] },
    { sub: 'person-2', preferred_username: 'grace', email: 'grace@example.com', groups: ['builders'], nonce: 'nonce' },
    { sub: 'person-3', preferred_username: 'joan', email: 'joan@example.com', groups: [], sid: expect.any(String) },
  ]);
});

test('the sign-in page of the embedded identity provider names the people and their groups', async () => {
  const { page } = await openBrowser(provider.issuer).follow(authorization());
  const content = await page?.text();
  expect(content).toContain('<b>Ada</b>, in the group owners');
  expect(content).toContain('<b>Joan</b>, in no group');
});

test('the embedded identity provider returns an error to the client when the sign-in is cancelled', async () => {
  const callback = await openBrowser(provider.issuer).signIn(authorization(), '');
  expect(Object.fromEntries(callback.searchParams)).toMatchObject({
    error: 'access_denied',
    state: 'state',
    iss: provider.issuer,
  });
});

test('the embedded identity provider refuses an unknown person', async () => {
  await expect(openBrowser(provider.issuer).signIn(authorization(), 'person-9')).rejects.toThrow('Unknown person');
});

test('the embedded identity provider does not redirect to an address that is not registered', async () => {
  const { page } = await openBrowser(provider.issuer).follow(authorization({ redirect_uri: 'http://127.0.0.1:9/' }));
  expect(page?.status).toBe(400);
  expect(await page?.text()).toContain('redirect_uri did not match');
});

test('the embedded identity provider requires PKCE', async () => {
  const without = authorization({ code_challenge: undefined, code_challenge_method: undefined });
  const { url } = await openBrowser(provider.issuer).follow(without);
  expect(url.searchParams.get('error')).toBe('invalid_request');

  const callback = await openBrowser(provider.issuer).signIn(authorization(), 'person-1');
  const response = await redeem(callback.searchParams.get('code') ?? '', 'b'.repeat(46));
  expect(await response.json()).toMatchObject({ error: 'invalid_grant' });
});

test('the embedded identity provider accepts a code once', async () => {
  const callback = await openBrowser(provider.issuer).signIn(authorization(), 'person-1');
  const code = callback.searchParams.get('code') ?? '';
  expect((await redeem(code)).status).toBe(200);
  expect((await redeem(code)).status).toBe(400);
});

test('sign-out at the embedded identity provider ends its session, and notifies the client of it', async () => {
  const browser = openBrowser(provider.issuer);
  const token = await identityToken('person-2', browser);
  const { sid } = await verify(token);
  const url = new URL('/session/end', provider.issuer);
  url.search = new URLSearchParams({
    id_token_hint: token,
    post_logout_redirect_uri: 'http://127.0.0.1:8080/',
  }).toString();

  const { page } = await browser.follow(url);
  const xsrf = /name="xsrf" value="([^"]+)"/.exec((await page?.text()) ?? '')?.[1] ?? '';
  const confirmation = new URL('/session/end/confirm', provider.issuer);
  const left = await browser.follow(confirmation, new URLSearchParams({ xsrf, logout: 'yes' }));
  expect(left.url.href).toBe('http://127.0.0.1:8080/');
  expect(await verify(logoutTokens.at(-1) ?? '')).toMatchObject({
    sid,
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  });

  const next = await browser.signIn(authorization(), 'person-3');
  const response = await redeem(next.searchParams.get('code') ?? '');
  expect(await verify(((await response.json()) as { id_token: string }).id_token)).toMatchObject({ sub: 'person-3' });
});

test('the embedded identity provider signs with a new key after a rotation, and keeps sessions and older keys', async () => {
  const browser = openBrowser(provider.issuer);
  const before = await identityToken('person-1', browser);
  provider.rotateKeys();
  // The browser is signed in, so nobody is picked.
  const after = await identityToken('person-2', browser);
  expect(await verify(after)).toMatchObject({ sub: 'person-1' });
  expect(decodeProtectedHeader(after).kid).not.toBe(decodeProtectedHeader(before).kid);
  await expect(verify(before)).resolves.toBeDefined();
});

test('the embedded identity provider refuses requests that name another host', async () => {
  const { port } = new URL(provider.issuer);
  const response = await fetch(`http://127.0.0.1:${port}/.well-known/openid-configuration`);
  expect(response.status).toBe(403);
});
