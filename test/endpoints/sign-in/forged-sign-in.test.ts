import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { limits } from '../../../shared/domain/limits.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { type ForgingProvider, responseTo, startForgingProvider } from '../../support/sign-in/forging-provider.ts';
import {
  comeBack,
  cookiesOf,
  fromPage,
  identityProvider,
  requestToken,
  startSignIn,
} from '../../support/sign-in/people.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const SECRET = 'the-secret-of-the-client';
const AWS_TOKEN = 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJhd3MifQ.c2ln';

/** Metadata of identity providers that cannot be used, by their names. */
const wrongMetadata = {
  'other-issuer': { issuer: 'https://other.example.com' },
  unencrypted: { token_endpoint: 'http://evil.example/token' },
  script: { authorization_endpoint: 'javascript:alert(1)' },
} as const;

let provider: ForgingProvider;
/** Stopped by the test that needs it. */
let down: ForgingProvider;
const wrong: ForgingProvider[] = [];
let aws: Server;
let awsRequests: { readonly target: string | undefined; readonly body: string }[];
let api: Api;

/** Emulates the two operations of SSM and STS that the function uses. */
const startAws = async (): Promise<Server> => {
  const server = createServer(async (incoming, response) => {
    const body = await text(incoming);
    awsRequests.push({ target: incoming.headers['x-amz-target'] as string | undefined, body });
    if (body.startsWith('Action=')) {
      const xml = `<GetWebIdentityTokenResponse><GetWebIdentityTokenResult><WebIdentityToken>${AWS_TOKEN}</WebIdentityToken></GetWebIdentityTokenResult></GetWebIdentityTokenResponse>`;
      response.setHeader('content-type', 'text/xml').end(xml);
    } else if (body.includes('"/holdfast/secret"')) response.end(JSON.stringify({ Parameter: { Value: SECRET } }));
    else response.writeHead(400).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

beforeAll(async () => {
  provider = await startForgingProvider({ id_token_signing_alg_values_supported: ['none', 'HS256', 'RS256'] });
  awsRequests = [];
  aws = await startAws();
  const endpoint = `http://127.0.0.1:${(aws.address() as AddressInfo).port}`;
  vi.stubEnv('AWS_ENDPOINT_URL_SSM', endpoint);
  vi.stubEnv('AWS_ENDPOINT_URL_STS', endpoint);
  const { url: issuer } = provider;
  const settings = { issuer, label: 'Acme login' };
  for (const metadata of Object.values(wrongMetadata)) wrong.push(await startForgingProvider(metadata));
  const odd = await startForgingProvider();
  odd.respond('/token', (_, response) => {
    const error = { error: 'invalid_grant', error_description: { en: 'The code has expired' } };
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(error));
  });
  wrong.push(odd);
  down = await startForgingProvider({ end_session_endpoint: 'http://127.0.0.1:1/end' });
  api = await startApi({
    identityProviders: [
      identityProvider({ name: 'down', issuer: down.url }),
      identityProvider({ ...settings, name: 'acme' }),
      ...Object.keys(wrongMetadata).map((name, index) => identityProvider({ name, issuer: wrong[index]?.url ?? '' })),
      identityProvider({ name: 'odd', issuer: odd.url }),
      identityProvider({ ...settings, name: 'corporate', trustedEmailDomains: ['corp.example'] }),
      identityProvider({ ...settings, name: 'strong', requiredAcr: 'gold' }),
      identityProvider({ ...settings, name: 'pointer', groupsClaim: '/realm_access/roles' }),
      identityProvider({ ...settings, name: 'mail', emailClaim: 'upn', usernameClaim: 'upn' }),
      identityProvider({
        ...settings,
        name: 'secret',
        clientAuthentication: 'secret',
        secretParameter: '/holdfast/secret',
      }),
      identityProvider({
        ...settings,
        name: 'lost',
        clientAuthentication: 'secret',
        secretParameter: '/holdfast/lost',
      }),
      identityProvider({ ...settings, name: 'aws', clientAuthentication: 'aws' }),
    ],
  });
});
afterAll(async () => {
  await api.stop();
  for (const one of [provider, ...wrong]) await one.stop();
  aws.close();
});
beforeEach(() => {
  provider.claims = {};
  provider.forge = (token) => token;
});

/** Signs in with an identity token. @param claims that differ from the usual ones; undefined leaves one out. */
const signIn = async (
  claims: Readonly<Record<string, unknown>> = {},
  { name = 'acme', parameters = {} }: { readonly name?: string; readonly parameters?: Record<string, string> } = {},
): Promise<ApiResponse> => {
  provider.claims = claims;
  const { authorization, cookie } = await startSignIn(api, name);
  return comeBack(api, responseTo(authorization, parameters), cookie);
};

const expectProblem = (reply: ApiResponse, content: string | RegExp): void => {
  expect(reply.status).toBe(400);
  expect(reply.headers).not.toHaveProperty('location');
  expect(reply.cookies ?? []).toEqual([]);
  expect(reply.body).toMatch(content);
};

const manyGroups = Array.from({ length: limits.groups + 1 }, (_, index) => `group-${index}`);

const seconds = (): number => Math.floor(Date.now() / 1_000);
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

test('an error that the token endpoint describes with something else than a text ends on a page', async () => {
  const { authorization, cookie } = await startSignIn(api, 'odd');
  const reply = await comeBack(api, responseTo(authorization), cookie);
  expectProblem(reply, 'Its error is invalid_grant');
});

describe('an identity token', () => {
  test('signs the person in if nothing is wrong with it', async () => {
    expect((await signIn()).status).toBe(307);
  });

  test.each<[string, () => Readonly<Record<string, unknown>>, string]>([
    ['of another sign-in', () => ({ nonce: 'other' }), 'does not belong to this sign-in'],
    ['without a nonce', () => ({ nonce: undefined }), 'does not belong to this sign-in'],
    ['of another issuer', () => ({ iss: 'https://evil.example' }), 'issuer or audience is wrong'],
    ['for another client', () => ({ aud: 'other' }), 'issuer or audience is wrong'],
    ['for several clients, and another one', () => ({ aud: ['holdfast', 'other'], azp: 'other' }), 'audience is wrong'],
    ['without a subject', () => ({ sub: undefined }), 'is not valid'],
    ['with an empty subject', () => ({ sub: '' }), 'no text in the claim sub'],
    ['with half a character in the subject', () => ({ sub: 'ada\ud800' }), 'no text in the claim sub'],
    ['that has expired', () => ({ exp: seconds() - 61 }), 'Two clocks differ'],
    ['of a clock that is ten minutes ahead', () => ({ iat: seconds() + 600, exp: seconds() + 900 }), 'Two clocks'],
    ['of a clock that is ten minutes behind', () => ({ iat: seconds() - 600 }), 'administrators of Acme login can set'],
    ['that is not valid yet', () => ({ nbf: seconds() + 61 }), 'Two clocks differ'],
    ['without a username', () => ({ preferred_username: undefined }), 'no text in the claim preferred_username'],
    ['with a username that is no text', () => ({ preferred_username: ['ada'] }), 'no text in the claim'],
    ['with groups that are no texts', () => ({ groups: [{ id: 1 }] }), 'is not a list of texts'],
    ['with more groups than are looked up', () => ({ groups: manyGroups }), 'You are in too many groups'],
    ['with the marker of too many groups', () => ({ _claim_names: { groups: 'src1' } }), 'groupsClaim is roles'],
    ['with the other marker of too many groups', () => ({ hasgroups: true }), 'Nothing was changed'],
  ])('%s is rejected with an explanation', async (_, claims, explanation) => {
    expectProblem(await signIn(claims()), explanation);
  });

  test('is accepted if the clocks differ by less than a minute, and if it is dated back by five minutes', async () => {
    expect((await signIn({ iat: seconds() + 50, nbf: seconds() + 50 })).status).toBe(307);
    expect((await signIn({ iat: seconds() - 300, exp: seconds() - 50 })).status).toBe(307);
  });

  test.each<[string, (token: string) => string]>([
    ['without a signature', (token) => `${encode({ alg: 'none', typ: 'JWT' })}.${token.split('.')[1]}.`],
    [
      'that is signed with the public key as a shared secret',
      (token) => {
        const signed = `${encode({ alg: 'HS256', typ: 'JWT', kid: 'key-1' })}.${token.split('.')[1]}`;
        const key = JSON.stringify(provider.publicKeys()[0]);
        return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
      },
    ],
    [
      'whose claims were changed',
      (token) => {
        const [header, payload = '', signature] = token.split('.');
        const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
        return `${header}.${encode({ ...claims, sub: 'root' })}.${signature}`;
      },
    ],
    ['whose signature is not in base64url', (token) => `${token.slice(0, token.lastIndexOf('.'))}.***`],
    ['that is none', () => 'no token'],
  ])('%s is rejected', async (_, forge) => {
    provider.forge = forge;
    expectProblem(await signIn(), 'The response of the identity provider is not valid');
  });

  test('of a key that the identity provider has just created is accepted at the second sign-in at the latest', async () => {
    await signIn();
    await provider.rotate('ES256');
    await signIn();
    expect((await signIn()).status).toBe(307);
  });

  test('gives an e-mail address only if no other identity provider is trusted for its domain', async () => {
    const emailFrom = async (name: string, sub: string): Promise<string> => {
      const claims = { sub, email: 'grace@Corp.example', email_verified: true };
      const { body } = await requestToken(api, cookiesOf(await signIn(claims, { name })));
      const account = await api.request('GET', '/account/details', { token: body.access_token });
      return account.body.data.attributes.email;
    };
    expect(await emailFrom('acme', 'somebody')).toMatch(/@unconfirmed\.invalid$/);
    expect(await emailFrom('corporate', 'grace')).toBe('grace@Corp.example');
  });

  test('needs the required level of authentication, which the request names', async () => {
    const { authorization } = await startSignIn(api, 'strong');
    expect(authorization.searchParams.get('acr_values')).toBe('gold');
    expectProblem(await signIn({}, { name: 'strong' }), 'requires the authentication level gold');
    expectProblem(await signIn({ acr: 'silver' }, { name: 'strong' }), 'A stronger sign-in is required');
    expect((await signIn({ acr: 'gold' }, { name: 'strong' })).status).toBe(307);
  });

  test('may have groups behind a JSON pointer, whose marker of too many groups is found as well', async () => {
    expect((await signIn({ realm_access: { roles: ['builders'] } }, { name: 'pointer' })).status).toBe(307);
    expectProblem(await signIn({ _claim_names: { realm_access: 'src1' } }, { name: 'pointer' }), 'Nothing was changed');
  });
});

test('the marker of too many groups leaves the teams of a person as they are', async () => {
  const { token: owner } = await api.admin('create-organization', { name: 'many-groups', email: 'root@example.com' });
  const body = { data: { type: 'teams', attributes: { name: 'builders', 'sso-team-id': 'builders' } } };
  await api.request('POST', '/organizations/many-groups/teams', { token: owner, body });
  const claims = { sub: 'many-groups', preferred_username: 'many-groups' };
  const cookie = cookiesOf(await signIn({ ...claims, groups: ['builders'] }));
  expectProblem(await signIn({ ...claims, groups: undefined, hasgroups: true }), 'Nothing was changed');
  const { access_token: token } = (await requestToken(api, cookie)).body;
  expect((await api.request('GET', '/organizations/many-groups', { token })).status).toBe(200);
});

test('the refused sign-in of a subject with half a character leaves no entry of the person whose subject is stored like it', async () => {
  const { token: owner } = await api.admin('create-organization', { name: 'half-subject', email: 'root@example.com' });
  const body = { data: { type: 'teams', attributes: { name: 'builders', 'sso-team-id': 'half' } } };
  await api.request('POST', '/organizations/half-subject/teams', { token: owner, body });
  const claims = { preferred_username: 'half', groups: ['half'] };
  expect((await signIn({ ...claims, sub: 'half\ufffd' })).status).toBe(307);
  const reasons = async () => {
    const found: string[] = [];
    for await (const { ty, refusal } of scanItems(api.engine.database)) {
      if (ty === 'refusals') found.push((refusal as { readonly reason: string }).reason);
    }
    return found.toSorted();
  };
  const before = await reasons();
  expectProblem(await signIn({ ...claims, sub: 'half\ud800' }), 'no text in the claim sub');
  expect(await reasons()).toEqual(before);
  expectProblem(await signIn({ ...claims, sub: 'half\ufffd', preferred_username: '' }), 'preferred_username');
  expect(await reasons()).toEqual([...before, 'missing-claim'].toSorted());
});

test('sessions are renewed, used and ended while their identity provider is down', async () => {
  const { authorization, cookie } = await startSignIn(api, 'down');
  const session = cookiesOf(await comeBack(api, responseTo(authorization), cookie));
  await down.stop();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60_000 });
  try {
    const { access_token: token } = (await requestToken(api, session)).body;
    expect((await api.request('GET', '/account/details', { token })).status).toBe(200);
    const ended = await api.request('DELETE', '/sign-in/session', { headers: fromPage(session) });
    expect(ended).toMatchObject({ status: 200, body: { sign_out_url: null } });
    expect((await api.request('GET', '/account/details', { token })).status).toBe(401);
  } finally {
    vi.useRealTimers();
  }
});

describe('the response of an identity provider', () => {
  test('is rejected if it names another issuer', async () => {
    expectProblem(await signIn({}, { parameters: { iss: 'https://evil.example' } }), 'is not valid');
  });

  test('shows its error without any markup', async () => {
    const parameters = { error: 'temporarily_unavailable', error_description: '<img src=x onerror=alert(1)>' };
    const reply = await signIn({}, { parameters });
    expectProblem(reply, 'temporarily_unavailable: &lt;img');
    expect(reply.body).not.toContain('<img');
  });

  test.each<[keyof typeof wrongMetadata, string]>([
    ['other-issuer', 'is the configuration of another issuer'],
    ['unencrypted', 'token_endpoint in its configuration must begin with https://'],
    ['script', 'authorization_endpoint in its configuration must begin with https://'],
  ])('is rejected with an explanation if its metadata is wrong: %s', async (name, explanation) => {
    expectProblem(await api.request('GET', `/sign-in/${name}`), explanation);
  });
});

describe('the authentication at an identity provider', () => {
  const lastRequest = () => provider.tokenRequests.at(-1);

  test('is PKCE alone for a public client', async () => {
    await signIn();
    expect(lastRequest()?.authorization).toBeUndefined();
    expect(lastRequest()?.form).toEqual({
      grant_type: 'authorization_code',
      client_id: 'holdfast',
      code: expect.any(String),
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
      redirect_uri: 'http://holdfast.test/sign-in/acme/callback',
    });
  });

  test('sends the secret of the parameter that the setting names, which is kept', async () => {
    awsRequests = [];
    expect((await signIn({}, { name: 'secret' })).status).toBe(307);
    expect((await signIn({}, { name: 'secret' })).status).toBe(307);
    expect(lastRequest()?.authorization).toBe(
      `Basic ${Buffer.from(`holdfast:${encodeURIComponent(SECRET).replaceAll('-', '%2D')}`).toString('base64')}`,
    );
    expect(awsRequests).toEqual([
      { target: 'AmazonSSM.GetParameter', body: '{"Name":"/holdfast/secret","WithDecryption":true}' },
    ]);
  });

  test('names the parameter that cannot be read, and who can help', async () => {
    const reply = await signIn({}, { name: 'lost' });
    expectProblem(reply, 'The parameter /holdfast/lost cannot be read');
    expect(reply.body).toContain('The operators of this deployment can mend it');
  });

  test('sends a token of AWS for the issuer', async () => {
    awsRequests = [];
    expect((await signIn({}, { name: 'aws' })).status).toBe(307);
    expect(lastRequest()?.form).toMatchObject({
      client_id: 'holdfast',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: AWS_TOKEN,
    });
    expect(Object.fromEntries(new URLSearchParams(awsRequests[0]?.body))).toEqual({
      Action: 'GetWebIdentityToken',
      Version: '2011-06-15',
      'Audience.member.1': provider.url,
      SigningAlgorithm: 'RS256',
      DurationSeconds: '60',
    });
  });
});

describe('a logout token', () => {
  let count = 0;
  const logoutClaims = () => ({ sub: 'ada', sid: 'session-1', jti: `logout-${++count}`, events: { [EVENT]: {} } });
  const send = async (token: string, name = 'acme') =>
    api.request('POST', `/sign-in/${name}/logout`, {
      body: new URLSearchParams({ logout_token: token }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  const signedIn = async (sid = 'session-1') => {
    const cookie = cookiesOf(await signIn({ sid }));
    const { body } = await requestToken(api, cookie);
    return { cookie, token: body.access_token as string };
  };
  const statusOf = async (token: string) => (await api.request('GET', '/account/details', { token })).status;

  test('ends the session that it names with its tokens, and no other one', async () => {
    const [named, other] = [await signedIn('session-1'), await signedIn('session-2')];
    const reply = await send(await provider.sign(logoutClaims(), { typ: 'logout+jwt' } as object));
    expect(reply.status).toBe(200);
    expect(reply.headers['cache-control']).toBe('no-store');
    expect([await statusOf(named.token), await statusOf(other.token)]).toEqual([401, 200]);
    expect((await requestToken(api, named.cookie)).status).toBe(401);
  });

  test('ends all sessions of a subject without a session', async () => {
    const sessions = [await signedIn('session-1'), await signedIn('session-2')];
    expect((await send(await provider.sign({ ...logoutClaims(), sid: undefined }))).status).toBe(200);
    expect(await Promise.all(sessions.map(({ token }) => statusOf(token)))).toEqual([401, 401]);
  });

  test('works once', async () => {
    const token = await provider.sign(logoutClaims());
    expect((await send(token)).status).toBe(200);
    const { token: later } = await signedIn();
    expect((await send(token)).status).toBe(400);
    expect(await statusOf(later)).toBe(200);
  });

  test.each<[string, () => Readonly<Record<string, unknown>>]>([
    ['of another issuer', () => ({ iss: 'https://evil.example' })],
    ['for another client', () => ({ aud: 'other' })],
    ['that has expired', () => ({ exp: seconds() - 61 })],
    ['that is old', () => ({ iat: seconds() - 700 })],
    ['without a time', () => ({ iat: undefined })],
    ['without an id', () => ({ jti: undefined })],
    ['with a nonce', () => ({ nonce: 'one' })],
    ['without the event', () => ({ events: {} })],
    ['without events', () => ({ events: undefined })],
    ['that names nobody', () => ({ sub: undefined, sid: undefined })],
    ['with a subject that is no text', () => ({ sub: 7, sid: undefined })],
    ['with a session that is no text', () => ({ sid: 7 })],
    ['with an empty session', () => ({ sid: '' })],
  ])('%s is rejected, and ends nothing', async (_, claims) => {
    const { token } = await signedIn();
    const reply = await send(await provider.sign({ ...logoutClaims(), ...claims() }));
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ error: 'invalid_request' });
    expect(await statusOf(token)).toBe(200);
  });

  test.each<[string, string, (incoming: IncomingMessage, response: ServerResponse) => void, string]>([
    ['pointer', 'cannot be read', ({ socket }) => socket.destroy(), 'cannot be reached (ECONNRESET)'],
    [
      'mail',
      'are malformed',
      (_, response) =>
        response.end(JSON.stringify({ keys: provider.publicKeys().map((key) => ({ ...key, n: '', x: '' })) })),
      'The keys of the identity provider are malformed',
    ],
  ])('is rejected with an explanation if the keys of %s %s', async (name, _, respond, explanation) => {
    const token = await provider.sign(logoutClaims());
    provider.respond('/keys', respond);
    const reply = await send(token, name);
    provider.respond('/keys', (_incoming, response) => response.end(JSON.stringify({ keys: provider.publicKeys() })));
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ error: 'invalid_request' });
    expect(reply.body.error_description).toContain(explanation);
  });

  test('of another type or without a signature is rejected, and so is one for an unknown identity provider', async () => {
    const claims = logoutClaims();
    expect((await send(await provider.sign(claims, { typ: 'at+jwt' } as object))).status).toBe(400);
    const [, payload] = (await provider.sign(claims)).split('.');
    expect((await send(`${encode({ alg: 'none' })}.${payload}.`)).status).toBe(400);
    expect((await send('no token')).status).toBe(400);
    expect((await send(await provider.sign(claims), 'nobody')).status).toBe(400);
  });
});
