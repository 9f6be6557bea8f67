import { createHmac } from 'node:crypto';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Api, ApiResponse } from '../../support/api/api.ts';
import { startApi } from '../../support/api/api.ts';
import { startIssuer, type TestIssuer } from '../../support/api/issuer.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { followHistory, type ShownEntry } from '../../support/history/history-follower.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT = 'urn:ietf:params:oauth:token-type:jwt';
const AUDIENCE = 'http://holdfast.test';

interface Created {
  readonly id: string;
}

let api: Api;
let issuer: TestIssuer;
let owner: string;
let team: Created;
let project: Created;
let otherProject: Created;
let inScope: Created;
let outOfScope: Created;

const send = async (method: string, path: string, token: string, data?: object): Promise<ApiResponse> =>
  api.request(method, path, { token, ...(data && { body: { data } }) });

const create = async (path: string, type: string, attributes: object, relationships?: object): Promise<Created> => {
  const reply = await send('POST', path, owner, { type, attributes, ...(relationships && { relationships }) });
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  return reply.body.data;
};

const to = (type: string, ...ids: readonly string[]) => ({ data: ids.map((id) => ({ type, id })) });

let identities = 0;
/** Creates a workload identity of the local issuer. */
const createIdentity = async (attributes: object = {}, relationships: object = {}): Promise<Created> => {
  identities += 1;
  return create(
    '/organizations/acme/workload-identities',
    'workload-identities',
    {
      name: `identity-${identities}`,
      issuer: issuer.url,
      conditions: [{ claim: '/sub', equals: ['repo:acme/network'] }],
      ...attributes,
    },
    { team: { data: { type: 'teams', id: team.id } }, ...relationships },
  );
};

const post = (path: string, form: Readonly<Record<string, string>>, sourceIp?: string) =>
  api.request('POST', path, {
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    ...(sourceIp && { sourceIp }),
  });

const exchange = (id: string, token: string, form: Readonly<Record<string, string>> = {}, sourceIp?: string) =>
  post(
    '/oauth2/token',
    {
      grant_type: GRANT,
      client_id: id,
      subject_token: token,
      subject_token_type: JWT,
      ...form,
    },
    sourceIp,
  );

/** Exchanges a token that is accepted. @returns the token of the pipeline. */
const issue = async (id: string, claims = {}): Promise<string> => {
  const reply = await exchange(id, await issuer.sign(claims));
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.body.access_token;
};

const statusOf = async (token: string, path = '/organizations/acme') => (await send('GET', path, token)).status;

beforeAll(async () => {
  api = await startApi();
  issuer = await startIssuer(AUDIENCE);
  owner = (await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' })).token;
  team = await create('/organizations/acme/teams', 'teams', {
    name: 'builders',
    'organization-access': { 'manage-workspaces': true, 'manage-teams': true, 'read-audit-trail': true },
  });
  project = await create('/organizations/acme/projects', 'projects', { name: 'Network' });
  otherProject = await create('/organizations/acme/projects', 'projects', { name: 'Other' });
  const inProject = ({ id }: Created) => ({ project: { data: { type: 'projects', id } } });
  inScope = await create('/organizations/acme/workspaces', 'workspaces', { name: 'network' }, inProject(project));
  outOfScope = await create('/organizations/acme/workspaces', 'workspaces', { name: 'other' }, inProject(otherProject));
});

afterAll(async () => {
  await issuer.stop();
  await api.stop();
});

describe('an exchange', () => {
  test('returns a token that acts as the team for the lifetime of the workload identity', async () => {
    const { id } = await createIdentity({ 'lifetime-minutes': 5 });
    const reply = await exchange(id, await issuer.sign());
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'application/json' });
    expect(reply.body).toEqual({
      access_token: expect.stringMatching(/^hfw_/),
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      expires_in: 300,
    });
    const { access_token: token } = reply.body;
    const locked = await send('POST', `/workspaces/${inScope.id}/actions/lock`, token, undefined);
    expect(locked.body.data.relationships['locked-by'].data).toEqual({ type: 'teams', id: team.id });
    await send('POST', `/workspaces/${inScope.id}/actions/unlock`, token);

    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 301_000 });
    try {
      expect(await statusOf(token)).toBe(401);
    } finally {
      vi.useRealTimers();
    }
  });

  test('returns a token that ends when the organization limits the lifetime of tokens of teams', async () => {
    const { id } = await createIdentity({ 'lifetime-minutes': 60 });
    await send('PATCH', '/organizations/acme/token-ttl-policies', owner, {
      type: 'organization-token-ttl-policies',
      attributes: { 'token-ttl-policies': [{ 'token-type': 'team', 'max-ttl-ms': 120_000 }] },
    });
    const { expires_in: seconds, access_token: token } = (await exchange(id, await issuer.sign())).body;
    await send('PATCH', '/organizations/acme', owner, {
      type: 'organizations',
      attributes: { 'max-ttl-enabled': false },
    });
    expect(seconds).toBe(120);
    expect(await statusOf(token)).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 121_000 });
    try {
      expect(await statusOf(token)).toBe(401);
    } finally {
      vi.useRealTimers();
    }
    expect((await exchange(id, await issuer.sign())).body.expires_in).toBe(3_600);
  });

  test('accepts the same identity token again, and both subject token types', async () => {
    const { id } = await createIdentity();
    const token = await issuer.sign();
    const replies = [
      await exchange(id, token),
      await exchange(id, token, { subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(replies[0]?.body.access_token).not.toBe(replies[1]?.body.access_token);
  });

  test.each(['PS256', 'ES256', 'EdDSA'])('accepts a signature with %s', async (alg) => {
    const other = await startIssuer(AUDIENCE);
    await other.rotate(alg);
    const { id } = await createIdentity({ issuer: other.url });
    expect((await exchange(id, await other.sign())).status).toBe(200);
    await other.stop();
  });

  test('accepts a list of audiences, and clocks that differ by a minute', async () => {
    const { id } = await createIdentity();
    const now = Math.floor(Date.now() / 1_000);
    const claims = [{ aud: ['other', AUDIENCE] }, { exp: now - 30 }, { nbf: now + 30 }, { iat: now + 30 }];
    for (const one of claims) expect((await exchange(id, await issuer.sign(one))).status).toBe(200);
  });

  test.each([
    ['half a surrogate pair', 'repo:\ud800', 'repo:\ufffd'],
    ['an emoji where its description is cut', `repo:${'x'.repeat(250)}😀`, `repo:${'x'.repeat(250)}\ufffd`],
  ])('stores a subject with %s', async (_, sub, stored) => {
    const { id } = await createIdentity({ conditions: [{ claim: '/sub', matches: 'repo:*' }] });
    expect(await statusOf(await issue(id, { sub, jti: sub }))).toBe(200);
    const descriptions: unknown[] = [];
    for await (const item of scanItems(api.engine.database)) {
      if (item['ty'] === 'token' && item['subject'] === id) descriptions.push(item['description']);
    }
    expect(descriptions).toEqual([stored]);
  });

  test('reads the keys of an issuer once, and again for an unknown key id after half a minute', async () => {
    const other = await startIssuer(AUDIENCE);
    const { id } = await createIdentity({ issuer: other.url });
    expect(other.takeRequests(), 'the creation').toEqual([]);
    await exchange(id, await other.sign());
    await exchange(id, await other.sign());
    expect(other.takeRequests()).toEqual(['/.well-known/openid-configuration', '/keys']);
    await other.rotate();
    expect((await exchange(id, await other.sign())).status).toBe(400);
    expect(other.takeRequests()).toEqual([]);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    try {
      expect((await exchange(id, await other.sign())).status).toBe(200);
      expect(other.takeRequests()).toEqual(['/keys']);
    } finally {
      vi.useRealTimers();
    }
    await other.stop();
  });
});

describe('a refused exchange', () => {
  const part = (content: object): string => Buffer.from(JSON.stringify(content)).toString('base64url');

  /** Signs with HMAC, with the public key of the issuer as the secret. */
  const forgeHmac = async (): Promise<string> => {
    const [, payload] = (await issuer.sign()).split('.');
    const input = `${part({ alg: 'HS256', kid: 'key-1' })}.${payload}`;
    const secret = JSON.stringify(issuer.publicKeys()[0]);
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
  };
  const unsigned = async (): Promise<string> => `${part({ alg: 'none' })}.${(await issuer.sign()).split('.')[1]}.`;
  const changed = async (): Promise<string> => {
    const [header, payload = '', signature] = (await issuer.sign({ sub: 'repo:evil/network' })).split('.');
    const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), sub: 'repo:acme/network' };
    return `${header}.${part(claims)}.${signature}`;
  };
  const foreign = async (): Promise<string> => {
    const other = await startIssuer(AUDIENCE);
    const token = await other.sign({ iss: issuer.url });
    await other.stop();
    return token;
  };
  /** Signs with a key of its own, which the header contains. */
  const ownKey = async (header: object = {}): Promise<string> => {
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
    const now = seconds(0);
    const claims = { iss: issuer.url, aud: AUDIENCE, sub: 'repo:acme/network', iat: now, exp: now + 300 };
    const jwk = await exportJWK(publicKey);
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'key-1', jwk, ...header }).sign(privateKey);
  };
  const withHeader = async (header: object): Promise<string> => {
    const [present = '', ...rest] = (await issuer.sign()).split('.');
    return [part({ ...JSON.parse(Buffer.from(present, 'base64url').toString()), ...header }), ...rest].join('.');
  };
  const seconds = (offset: number): number => Math.floor(Date.now() / 1_000) + offset;

  const forgeries: Readonly<Record<string, () => Promise<string>>> = {
    'no token': async () => 'eyJ',
    'an unsigned token': unsigned,
    'HS256 with the public key': forgeHmac,
    'a changed payload': changed,
    'a token that another key signed': foreign,
    'an unknown key id': () => issuer.sign({}, { kid: 'unknown' }),
    'another issuer': () => issuer.sign({ iss: 'https://token.actions.githubusercontent.com' }),
    'another audience': () => issuer.sign({ aud: 'https://example.com' }),
    'no audience': () => issuer.sign({ aud: undefined }),
    'an expired token': () => issuer.sign({ exp: seconds(-61) }),
    'no expiry': () => issuer.sign({ exp: undefined }),
    'an expiry that is no number': () => issuer.sign({ exp: 'never' }),
    'a token that is not valid yet': () => issuer.sign({ nbf: seconds(120) }),
    'a token from the future': () => issuer.sign({ iat: seconds(120) }),
    'a token that was issued long ago': () => issuer.sign({ iat: seconds(-3_700) }),
    'no time of issue': () => issuer.sign({ iat: undefined }),
    'a missing claim': () => issuer.sign({ sub: undefined }),
    'another claim': () => issuer.sign({ sub: 'repo:acme/other' }),
    'a claim as a list': () => issuer.sign({ sub: ['repo:acme/network'] }),
    'a critical header that is not known': () => withHeader({ crit: ['x'], x: 1 }),
    'a payload that is not encoded': () => withHeader({ crit: ['b64'], b64: false }),
    'a list of algorithms': () => withHeader({ alg: ['RS256'] }),
    'a key in its header': ownKey,
    'the address of a key in its header': () => ownKey({ jku: `${issuer.url}/keys`, x5u: `${issuer.url}/keys` }),
    'a key id that is a path': () => issuer.sign({}, { kid: '../keys/key-1' }),
    'an issuer in a list': () => issuer.sign({ iss: [issuer.url] }),
    'an issuer with a slash': () => issuer.sign({ iss: `${issuer.url}/` }),
    'an audience in a list of lists': () => issuer.sign({ aud: [[AUDIENCE]] }),
    'an audience with a slash': () => issuer.sign({ aud: `${AUDIENCE}/` }),
    'a claim with a zero byte': () => issuer.sign({ sub: 'repo:acme/network\0' }),
    'an encrypted token': async () => 'a.b.c.d.e',
    'a token in JSON': async () => {
      const [header, payload, signature] = (await issuer.sign()).split('.');
      return JSON.stringify({ protected: header, payload, signature });
    },
  };

  const REFUSED = {
    error: 'invalid_grant',
    error_description:
      'The identity token was not exchanged. Owners of the organization find the reason in its audit trail.',
  };

  test.each(Object.keys(forgeries))('has one response for %s', async (name) => {
    const { id } = await createIdentity();
    const reply = await exchange(id, (await forgeries[name]?.()) ?? '');
    expect(reply).toMatchObject({ status: 400, headers: { 'cache-control': 'no-store' } });
    expect(reply.body).toEqual(REFUSED);
  });

  test('has the same response for an unknown and a disabled workload identity', async () => {
    const { id } = await createIdentity({ enabled: false });
    for (const one of [id, 'wi-CvpbqPPtsWSnyrTk', team.id, 'x']) {
      expect(await exchange(one, await issuer.sign())).toMatchObject({ status: 400, body: REFUSED });
    }
  });

  test('has the same response for a redirect, a large or slow issuer, and the configuration of another one', async () => {
    const target = await startIssuer(AUDIENCE);
    const configuration = '/.well-known/openid-configuration';
    const failures: readonly ((other: TestIssuer) => void)[] = [
      (other) =>
        other.respond(configuration, (_, response) => {
          response.writeHead(302, { location: `${target.url}${configuration}` }).end();
        }),
      (other) =>
        other.respond('/keys', (_, response) => {
          response.writeHead(302, { location: `${target.url}/keys` }).end();
        }),
      (other) =>
        other.respond('/keys', (_, response) =>
          response.end(JSON.stringify({ keys: other.publicKeys(), x: 'x'.repeat(3e5) })),
        ),
      (other) => other.respond('/keys', (_, response) => response.end('<html>')),
      (other) => other.respond(configuration, (_, response) => response.end(JSON.stringify({ issuer: target.url }))),
      (other) =>
        other.respond(configuration, (_, response) =>
          response.end(JSON.stringify({ issuer: other.url, jwks_uri: 'https://169.254.169.254/keys' })),
        ),
      (other) =>
        other.respond(configuration, (_, response) => {
          const jwksUri = target.url.replace('http://', 'http://user@');
          response.end(JSON.stringify({ issuer: other.url, jwks_uri: `${jwksUri}/keys` }));
        }),
      (other) => void other.stop(),
    ];
    for (const fail of failures) {
      const other = await startIssuer(AUDIENCE);
      const { id } = await createIdentity({ issuer: other.url });
      const token = await other.sign();
      fail(other);
      expect(await exchange(id, token)).toMatchObject({ status: 400, body: REFUSED });
      await other.stop();
    }
    expect(target.takeRequests()).toEqual([]);
    await target.stop();
  });

  test('is that of a claim in which the * of a pattern would have to cross a / or a colon', async () => {
    const { id } = await createIdentity({ conditions: [{ claim: '/sub', matches: 'repo:acme/*' }] });
    for (const sub of ['repo:acme/network/evil', 'repo:acme/network:ref:refs/heads/main']) {
      expect(await exchange(id, await issuer.sign({ sub })), sub).toMatchObject({ status: 400, body: REFUSED });
    }
    expect((await exchange(id, await issuer.sign())).status).toBe(200);
  });

  test('of an issuer that is down leaves the workload identities of other issuers working', async () => {
    const down = await startIssuer(AUDIENCE);
    const { id } = await createIdentity({ issuer: down.url });
    const other = await createIdentity();
    const token = await down.sign();
    await down.stop();
    expect(await exchange(id, token)).toMatchObject({ status: 400, body: REFUSED });
    expect((await exchange(other.id, await issuer.sign())).status).toBe(200);
  });

  test.each([
    ['another grant', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['no grant', { grant_type: '' }, 'invalid_request'],
    ['no workload identity', { client_id: '' }, 'invalid_request'],
    ['no identity token', { subject_token: '' }, 'invalid_request'],
    ['another type of token', { subject_token_type: 'urn:ietf:params:oauth:token-type:saml2' }, 'invalid_request'],
    ['another requested type', { requested_token_type: JWT }, 'invalid_request'],
    ['a huge token', { subject_token: 'x'.repeat(20_000) }, 'invalid_request'],
  ])('has an error of its own for a form with %s', async (_, form, error) => {
    const reply = await exchange('wi-CvpbqPPtsWSnyrTk', 'token', form);
    expect(reply).toMatchObject({ status: 400, headers: { 'cache-control': 'no-store' }, body: { error } });
  });

  test.each([
    ['JSON', '{}', 'application/json'],
    ['a parameter twice', 'grant_type=a&grant_type=b', 'application/x-www-form-urlencoded'],
    ['a body that is too large', `grant_type=${'x'.repeat(70_000)}`, 'application/x-www-form-urlencoded'],
  ])('has status 400 for %s', async (_, body, type) => {
    const reply = await api.request('POST', '/oauth2/token', { body, headers: { 'content-type': type } });
    expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });
});

describe('failed exchanges', () => {
  const send11 = async (id: string, sourceIp: string): Promise<ApiResponse[]> => {
    const token = await issuer.sign({ sub: 'repo:acme/other' });
    const replies: ApiResponse[] = [];
    for (let count = 0; count < 11; count++) replies.push(await exchange(id, token, {}, sourceIp));
    return replies;
  };
  afterEach(() => vi.useRealTimers());

  test('refuse an address for seconds after ten in a minute, also with a valid token, in the same words', async () => {
    const { id } = await createIdentity();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const [first, ...others] = await send11(id, '198.51.100.1');
    for (const { status, body } of others)
      expect({ status, body }).toEqual({ status: first?.status, body: first?.body });
    const valid = await issuer.sign();
    expect((await exchange(id, valid, {}, '198.51.100.1')).body).toEqual(first?.body);
    expect((await exchange(id, valid, {}, '198.51.100.2')).status, 'another address').toBe(200);
    const other = await createIdentity();
    expect((await exchange(other.id, valid, {}, '198.51.100.1')).status, 'another workload identity').toBe(200);
    vi.setSystemTime(Date.now() + 6_000);
    expect((await exchange(id, valid, {}, '198.51.100.1')).status).toBe(200);
  });

  test('count by the first half of an IPv6 address', async () => {
    const { id } = await createIdentity();
    await send11(id, '2001:db8::1');
    const valid = await issuer.sign();
    expect((await exchange(id, valid, {}, '2001:db8::2')).status).toBe(400);
    expect((await exchange(id, valid, {}, '2001:db8:0:1::1')).status).toBe(200);
  });

  test('leave one entry a minute for each reason, and one for their number', async () => {
    const { id } = await createIdentity();
    const history = await followHistory(api);
    await send11(id, '198.51.100.3');
    await history.record();
    const path = `/organizations/acme/audit-trail?page[size]=100&filter[action]=exchange.refused`;
    const entries: ShownEntry[] = (await send('GET', path, owner)).body.data;
    const reasons = entries
      .filter(({ attributes }) => attributes.actor.id === id)
      .map(({ attributes }) => attributes.details.exchange.reason);
    expect(reasons).toEqual(['too-many-failures', 'claim']);
  });

  test('of a workload identity that does not exist are counted, too, and read nothing then', async () => {
    await send11('wi-CvpbqPPtsWSnyrTk', '198.51.100.4');
    const reads = vi.spyOn(DynamoDBDocumentClient.prototype, 'send');
    expect((await exchange('wi-CvpbqPPtsWSnyrTk', 'token', {}, '198.51.100.4')).status).toBe(400);
    expect(reads).not.toHaveBeenCalled();
    reads.mockRestore();
  });
});

describe('a token of a pipeline', () => {
  test('creates no tokens, teams, memberships and workload identities', async () => {
    const { id } = await createIdentity();
    const token = await issue(id);
    const pool = await create('/organizations/acme/agent-pools', 'agent-pools', { name: 'pool' });
    const attempts: readonly (readonly [string, object | undefined])[] = [
      [`/teams/${team.id}/authentication-token`, undefined],
      [`/teams/${team.id}/authentication-tokens`, undefined],
      ['/organizations/acme/authentication-token', undefined],
      [
        `/agent-pools/${pool.id}/authentication-tokens`,
        { type: 'authentication-tokens', attributes: { description: 'x' } },
      ],
      ['/organizations/acme/teams', { type: 'teams', attributes: { name: 'more' } }],
      [
        '/organizations/acme/organization-memberships',
        { type: 'organization-memberships', attributes: { email: 'eve@example.com' } },
      ],
      [
        '/organizations/acme/workload-identities',
        {
          type: 'workload-identities',
          attributes: { name: 'more', issuer: issuer.url, conditions: [{ claim: '/sub', equals: ['x'] }] },
          relationships: { team: { data: { type: 'teams', id: team.id } } },
        },
      ],
    ];
    for (const [path, data] of attempts)
      expect([path, (await send('POST', path, token, data)).status]).toEqual([path, 404]);
    expect(await statusOf(token, `/workload-identities/${id}`)).toBe(404);
    expect((await send('PATCH', `/workload-identities/${id}`, token, { attributes: { enabled: false } })).status).toBe(
      404,
    );
  });

  test('reaches only the projects and workspaces of its workload identity', async () => {
    for (const scope of [{ projects: to('projects', project.id) }, { workspaces: to('workspaces', inScope.id) }]) {
      const { id } = await createIdentity({}, scope);
      const token = await issue(id);
      expect(await statusOf(token, `/workspaces/${inScope.id}`)).toBe(200);
      expect(await statusOf(token, '/organizations/acme/workspaces/network')).toBe(200);
      expect(await statusOf(token, `/workspaces/${outOfScope.id}`)).toBe(404);
      expect(await statusOf(token, '/organizations/acme/workspaces/other')).toBe(404);
      expect(await statusOf(token, `/projects/${otherProject.id}`)).toBe(404);
      const list = await send('GET', '/organizations/acme/workspaces', token);
      expect(list.body.data.map((one: Created) => one.id)).toEqual([inScope.id]);
      expect(list.body.meta['status-counts'].total).toBe(1);
      const projects = await send('GET', '/organizations/acme/projects', token);
      expect(projects.body.data.map((one: Created) => one.id)).toEqual('projects' in scope ? [project.id] : []);
      const inDefault = { type: 'workspaces', attributes: { name: 'new' } };
      expect((await send('POST', '/organizations/acme/workspaces', token, inDefault)).status).toBe(404);
      expect(await statusOf(token, '/organizations/acme/audit-trail')).toBe(404);
    }
  });

  test('creates and deletes workspaces in a project of its scope', async () => {
    const { id } = await createIdentity({}, { projects: to('projects', project.id) });
    const token = await issue(id);
    const data = (target: Created, name: string) => ({
      type: 'workspaces',
      attributes: { name },
      relationships: { project: { data: { type: 'projects', id: target.id } } },
    });
    const made = await send('POST', '/organizations/acme/workspaces', token, data(project, 'made'));
    expect(made.status).toBe(201);
    const elsewhere = await send('POST', '/organizations/acme/workspaces', token, data(otherProject, 'elsewhere'));
    expect(elsewhere.status).toBe(422);
    const moved = await send('PATCH', `/workspaces/${made.body.data.id}`, token, {
      ...data(otherProject, 'made'),
      id: made.body.data.id,
    });
    expect(moved.status).toBe(403);
    expect((await send('POST', `/workspaces/${made.body.data.id}/actions/safe-delete`, token)).status).toBe(204);
  });

  test('reaches nothing more after a project of its scope was deleted', async () => {
    const gone = await create('/organizations/acme/projects', 'projects', { name: 'Gone' });
    const { id } = await createIdentity({}, { projects: to('projects', gone.id) });
    expect((await send('DELETE', `/projects/${gone.id}`, owner)).status).toBe(204);
    const token = await issue(id);
    expect((await send('GET', '/organizations/acme/workspaces', token)).body.data).toEqual([]);
    expect(await statusOf(token, `/workspaces/${inScope.id}`)).toBe(404);
  });

  test('shows no tags, teams, agent pools and keys of others', async () => {
    const { id } = await createIdentity({}, { workspaces: to('workspaces', inScope.id) });
    const token = await issue(id);
    await send('POST', `/workspaces/${outOfScope.id}/relationships/tags`, owner, [
      { type: 'tags', attributes: { name: 'hidden' } },
    ] as never);
    await create('/organizations/acme/teams', 'teams', { name: 'open', visibility: 'organization' });
    expect((await send('GET', '/organizations/acme/tags', token)).body.data).toEqual([]);
    const teams = await send('GET', '/organizations/acme/teams', token);
    expect(teams.body.data.map((one: Created) => one.id)).toEqual([team.id]);
    for (const path of ['agent-pools', 'oauth-clients', 'ssh-keys']) {
      expect([path, await statusOf(token, `/organizations/acme/${path}`)]).toEqual([path, 404]);
    }
  });

  test.each([
    ['is deleted', (id: string) => send('DELETE', `/workload-identities/${id}`, owner)],
    ['is disabled', (id: string) => change(id, { enabled: false })],
    ['has other conditions', (id: string) => change(id, { conditions: [{ claim: '/sub', matches: 'repo:acme/*' }] })],
    [
      'has another scope',
      (id: string) =>
        send('PATCH', `/workload-identities/${id}`, owner, { relationships: { projects: to('projects', project.id) } }),
    ],
  ])('ends when its workload identity %s', async (_, end) => {
    const { id } = await createIdentity();
    const tokens = [await issue(id), await issue(id)];
    expect((await end(id)).status).toBeLessThan(300);
    for (const token of tokens) expect(await statusOf(token)).toBe(401);
  });

  const change = (id: string, attributes: object) => send('PATCH', `/workload-identities/${id}`, owner, { attributes });

  test('stays valid when the name or the lifetime of its workload identity changes', async () => {
    const { id } = await createIdentity();
    const token = await issue(id);
    expect((await change(id, { name: 'renamed', 'lifetime-minutes': 10 })).status).toBe(200);
    expect(await statusOf(token)).toBe(200);
  });

  test('ends with its team, and so does the workload identity', async () => {
    const leaving = await create('/organizations/acme/teams', 'teams', { name: 'leaving' });
    const { id } = await createIdentity({}, { team: { data: { type: 'teams', id: leaving.id } } });
    const token = await issue(id);
    expect((await send('DELETE', `/teams/${leaving.id}`, owner)).status).toBe(204);
    expect(await statusOf(token)).toBe(401);
    expect(await statusOf(owner, `/workload-identities/${id}`)).toBe(404);
    expect((await exchange(id, await issuer.sign())).status).toBe(400);
  });

  test('does not survive a deletion of the workload identity at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await createIdentity();
      const token = await issuer.sign();
      await exchange(id, token);
      const [first, second, removal] = await Promise.all([
        exchange(id, token),
        exchange(id, token),
        send('DELETE', `/workload-identities/${id}`, owner),
      ]);
      expect(removal.status).toBe(204);
      for (const { status, body } of [first, second]) {
        if (status === 200) expect(await statusOf(body.access_token)).toBe(401);
        else expect(status).toBe(400);
      }
    }
  });

  test('is not issued if the conditions change after its identity token was checked', async () => {
    const other = await startIssuer(AUDIENCE);
    const { id } = await createIdentity({ issuer: other.url });
    const updates: Promise<ApiResponse>[] = [];
    other.respond('/keys', async (_, response) => {
      updates.push(change(id, { conditions: [{ claim: '/sub', equals: ['repo:acme/other'] }] }));
      await Promise.all(updates);
      response.end(JSON.stringify({ keys: other.publicKeys() }));
    });
    expect((await exchange(id, await other.sign())).status).toBe(400);
    expect((await Promise.all(updates)).map(({ status }) => status)).toEqual([200]);
    await other.stop();
  });

  test('can be shown and revoked by itself, and by who manages the team', async () => {
    const { id } = await createIdentity();
    const [first, second] = [await issue(id), await issue(id)];
    const tokenIds: string[] = [];
    for await (const { ty, subject, id: tokenId } of scanItems(api.engine.database)) {
      if (ty === 'token-of' && subject === id) tokenIds.push(String(tokenId));
    }
    expect(tokenIds).toHaveLength(2);
    const shown = await send('GET', `/authentication-tokens/${tokenIds[0]}`, owner);
    expect(shown.body.data).toMatchObject({
      attributes: { description: 'repo:acme/network' },
      relationships: { team: { data: { id: team.id } } },
    });
    for (const tokenId of tokenIds) {
      expect((await send('DELETE', `/authentication-tokens/${tokenId}`, owner)).status).toBe(204);
    }
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 401]);
  });
});

describe('a revocation', () => {
  const revoke = (token: string) => post('/oauth2/revoke', { token });

  test('ends a token of a pipeline, and succeeds again', async () => {
    const { id } = await createIdentity();
    const token = await issue(id);
    expect(await revoke(token)).toMatchObject({ status: 200, body: {} });
    expect(await statusOf(token)).toBe(401);
    expect((await revoke(token)).status).toBe(200);
    expect((await revoke('hfw_unknown')).status).toBe(200);
  });

  test('does not end other tokens', async () => {
    expect(await revoke(owner)).toMatchObject({ status: 400, body: { error: 'unsupported_token_type' } });
    expect(await statusOf(owner)).toBe(200);
  });
});
