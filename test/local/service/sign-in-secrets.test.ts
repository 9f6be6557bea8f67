import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalToken } from '../../../infra/local/cli/local-token.ts';
import { mapDemoGroups } from '../../../infra/local/service/demo-groups.ts';
import { type Service, startService } from '../../../infra/local/service/service.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { openServiceTable } from '../../support/local/running-service.ts';
import { removedAfterwards } from '../../support/local/small-assembly.ts';
import { openBrowser } from '../../support/sign-in/sign-in-at-provider.ts';

/**
 * Goes through every way to sign in, successfully and not, and then searches for each secret by its value in everything that the
 * service has stored: the table, the logs of all functions, the published events, the queues and the files of the data folder.
 */
const dataFolder = removedAfterwards();
/** Files that contain secrets of the local service itself, such as the token of the first owner. */
const OWN_FILES = /^(local|credentials|signing-key|master-key)[.\w-]*$/;

/** Secrets by what they are. */
const secrets = new Map<string, string>();
const keep = (what: string, value: string | null | undefined): string => {
  expect(value?.length ?? 0, what).toBeGreaterThan(15);
  secrets.set(`${what} ${secrets.size}`, value ?? '');
  return value ?? '';
};
/** Codes that people type. They are too short to be found within a text that is encoded in Base64. */
const userCodes: string[] = [];
let canaries = 0;
/** Creates a value that a request has in a place where secrets are. */
const canary = (what: string): string => keep(what, `canary${++canaries}x${'0123456789abcdef'.repeat(2)}`);

let service: Service;
beforeAll(async () => {
  service = await startService({ dataFolder, signIn: true, settings: { deviceLogin: 'true' } });
  await mapDemoGroups(service, (step) => {
    throw new Error(step);
  });
});
afterAll(() => service.stop());

const send = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(service.origin + path, { redirect: 'manual', ...init });
const sendForm = (path: string, form: Readonly<Record<string, string>>, headers = {}): Promise<Response> =>
  send(path, { method: 'POST', body: new URLSearchParams(form), headers });
const cookiesOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((cookie) => {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value !== '') keep(`cookie ${name}`, value);
      return `${name}=${value}`;
    })
    .join('; ');
const api = (method: string, path: string, token: string, body?: object): Promise<Response> =>
  fetch(service.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' },
    ...(body && { body: JSON.stringify(body) }),
  });
const local = (claims: object): Promise<string> => createLocalToken(['--claims', JSON.stringify(claims)], dataFolder);

/** Starts a sign-in. @returns the authorization request, and the cookie of the browser. */
const start = async (to = '/app') => {
  const started = await send(`/sign-in/local?to=${encodeURIComponent(to)}`);
  const authorization = new URL(started.headers.get('location') ?? '');
  for (const name of ['state', 'nonce']) keep(name, authorization.searchParams.get(name));
  return { authorization, cookie: cookiesOf(started) };
};
/** Goes to an address of the service to which the identity provider leads. */
const follow = ({ pathname, search }: URL, cookie: string) => send(pathname + search, { headers: { cookie } });
const fromPage = (cookie: string) => ({ cookie, origin: service.origin, 'sec-fetch-site': 'same-origin' });

const signIn = async (person: string) => {
  const { authorization, cookie } = await start();
  const callback = await openBrowser(service.issuer ?? '').signIn(authorization, person);
  keep('code of the identity provider', callback.searchParams.get('code'));
  const ended = await follow(callback, cookie);
  expect(ended.headers.get('location')).toBe(`${service.origin}/app/sign-in?to=%2Fapp`);
  return { callback, cookie, session: cookiesOf(ended) };
};
const renew = async (session: string): Promise<string> => {
  const renewed = await send('/sign-in/session', { method: 'POST', headers: fromPage(session) });
  const { access_token: token } = (await renewed.json()) as { access_token: string };
  return keep('token of a session', token);
};

describe('the local service, after every way to sign in was taken', () => {
  it('has signed people in, and refused others', async () => {
    const { callback, cookie, session } = await signIn('person-2');
    const token = await renew(session);
    expect((await api('GET', '/organizations/demo', token)).status).toBe(200);
    await renew(session);
    expect((await follow(callback, cookie)).status).toBe(400);
    const other = await start();
    const stolen = await openBrowser(service.issuer ?? '').signIn(other.authorization, 'person-1');
    keep('code of the identity provider', stolen.searchParams.get('code'));
    expect((await follow(stolen, cookie)).status).toBe(400);
    const denied = await start();
    const error = await openBrowser(service.issuer ?? '').signIn(denied.authorization, '');
    error.searchParams.set('error_description', canary('description of an error'));
    expect((await follow(error, denied.cookie)).status).toBe(400);
    const changed = await start();
    const forged = await openBrowser(service.issuer ?? '').signIn(changed.authorization, 'person-2');
    forged.searchParams.set('code', canary('code'));
    expect((await follow(forged, changed.cookie)).status).toBe(400);
    for (const path of [
      `/sign-in/local?to=//${canary('path to continue with')}`,
      `/sign-in/unknown?to=${canary('path to continue with')}`,
      `/sign-in/unknown/callback?code=${canary('code')}&state=${canary('state')}`,
      `/sign-in/local/callback?code=${canary('code')}&state=${canary('state')}`,
    ])
      expect((await send(path, { headers: { cookie: `hf-flow=${canary('cookie')}` } })).status).toBe(400);
    const unknown = fromPage(`hf-session=${canary('cookie')}.${canary('cookie')}`);
    expect((await send('/sign-in/session', { method: 'POST', headers: unknown })).status).toBe(401);
    const foreign = { ...fromPage(session), origin: 'https://evil.example' };
    expect((await send('/sign-in/session', { method: 'POST', headers: foreign })).status).toBe(403);
    expect((await send('/sign-in/session', { method: 'DELETE', headers: fromPage(session) })).status).toBe(200);
    await expect.poll(async () => (await api('GET', '/organizations/demo', token)).status).toBe(401);
  });

  it('has ended sessions by back-channel logout', async () => {
    const token = await renew((await signIn('person-2')).session);
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const logout = async (claims: object) =>
      sendForm('/sign-in/local/logout', { logout_token: keep('logout token', await local(claims)) });
    expect((await logout({ sub: 'person-2', aud: 'holdfast', events })).status).toBe(200);
    await expect.poll(async () => (await api('GET', '/organizations/demo', token)).status).toBe(401);
    expect((await logout({ sub: 'person-2', aud: 'other', events })).status).toBe(400);
    expect((await sendForm('/sign-in/local/logout', { logout_token: canary('logout token') })).status).toBe(400);
  });

  it('has let a command line log in, and refused others', async () => {
    const owner = service.token ?? '';
    const verifier = canary('verifier');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const body = { port: 10_000, state: canary('state'), code_challenge: challenge };
    const consent = async () => {
      const allowed = await send('/oauth2/consent', {
        method: 'POST',
        headers: { authorization: `Bearer ${owner}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const { redirect_to: address } = (await allowed.json()) as { redirect_to: string };
      return keep('code', new URL(address).searchParams.get('code'));
    };
    const redeem = (code: string, code_verifier: string) =>
      sendForm('/oauth2/token', {
        ...{ grant_type: 'authorization_code', client_id: 'terraform-cli', code, code_verifier },
        redirect_uri: 'http://localhost:10000/login',
      });
    const code = await consent();
    const given = (await (await redeem(code, verifier)).json()) as { access_token: string };
    keep('token of a login', given.access_token);
    expect((await api('GET', '/organizations/demo', given.access_token)).status).toBe(200);
    expect((await redeem(code, verifier)).status).toBe(400);
    expect((await redeem(await consent(), canary('verifier'))).status).toBe(400);
    const search = new URLSearchParams({
      client_id: canary('client'),
      redirect_uri: `http://${canary('host')}/`,
      state: canary('state'),
    });
    expect((await send(`/oauth2/authorize?${search}`)).status).toBe(400);
  });

  it('has let a machine without a browser log in, and refused others', async () => {
    const begin = async () => {
      const began = await sendForm('/oauth2/device', { client_id: 'terraform-cli', scope: canary('scope') });
      const { device_code: device, user_code: code } = (await began.json()) as Record<string, string>;
      userCodes.push(code ?? '');
      return { device: keep('device code', device), code };
    };
    const poll = (device_code: string) =>
      sendForm('/oauth2/token', {
        ...{ grant_type: 'urn:ietf:params:oauth:grant-type:device_code', client_id: 'terraform-cli' },
        device_code,
      });
    const decide = (user_code: string | undefined, decision: string) =>
      send('/oauth2/device/decision', {
        method: 'POST',
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ user_code, decision }),
      });
    const [allowed, denied] = [await begin(), await begin()];
    expect((await poll(allowed.device)).status).toBe(400);
    expect((await decide(allowed.code, 'allow')).status).toBe(200);
    const given = (await (await poll(allowed.device)).json()) as { access_token: string };
    keep('token of a device login', given.access_token);
    expect((await api('GET', '/organizations/demo', given.access_token)).status).toBe(200);
    expect((await poll(allowed.device)).status).toBe(400);
    expect((await decide(denied.code, 'deny')).status).toBe(200);
    expect((await poll(denied.device)).status).toBe(400);
    expect((await poll(canary('device code'))).status).toBe(400);
    expect((await decide(canary('user code'), 'allow')).status).toBe(404);
    expect((await sendForm('/oauth2/device', { client_id: canary('client') })).status).toBe(400);
  });

  it('has exchanged the token of a pipeline, and refused others', async () => {
    const owner = service.token ?? '';
    const teams = await (await api('GET', '/organizations/demo/teams?filter%5Bnames%5D=builders', owner)).json();
    const created = await api('POST', '/organizations/demo/workload-identities', owner, {
      data: {
        type: 'workload-identities',
        attributes: { name: 'pipeline', issuer: service.issuer, conditions: [{ claim: '/sub', equals: ['job'] }] },
        relationships: { team: { data: { type: 'teams', id: (teams as { data: { id: string }[] }).data[0]?.id } } },
      },
    });
    const { data } = (await created.json()) as { data: { id: string } };
    const exchange = (subject_token: string, headers = {}) =>
      sendForm(
        '/oauth2/token',
        {
          ...{ grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', client_id: data.id, subject_token },
          subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        },
        headers,
      );
    const identityToken = keep('identity token', await local({ sub: 'job' }));
    const response = (await (await exchange(identityToken)).json()) as { access_token: string };
    const token = keep('token of a pipeline', response.access_token);
    expect((await api('GET', '/organizations/demo', token)).status).toBe(200);
    expect((await exchange(keep('identity token', await local({ sub: 'other' })))).status).toBe(400);
    expect((await exchange(canary('identity token'), { authorization: `Basic ${canary('password')}` })).status).toBe(
      400,
    );
    const test = {
      data: {
        type: 'workload-identity-tests',
        attributes: { 'subject-token': keep('identity token', await local({ sub: 'test' })) },
      },
    };
    expect((await api('POST', `/workload-identities/${data.id}/actions/test`, owner, test)).status).toBe(200);
    expect((await sendForm('/oauth2/revoke', { token })).status).toBe(200);
    expect((await sendForm('/oauth2/revoke', { token: `hfw_${canary('token')}` })).status).toBe(200);
    expect((await sendForm('/oauth2/token', { grant_type: canary('grant'), code: canary('code') })).status).toBe(400);
    expect((await send('/oauth2/token', { method: 'POST', body: `{"code":"${canary('code')}"}` })).status).toBe(400);
  });

  it('contains none of their codes, tokens, cookies and query strings anywhere', async () => {
    const trail = async () => {
      const read = await api('GET', '/organizations/demo/audit-trail?page%5Bsize%5D=100', service.token ?? '');
      const { data } = (await read.json()) as { data: readonly { attributes: { action: string } }[] };
      return data.map(({ attributes }) => attributes.action);
    };
    // The history is written last, from the stream of the table.
    await expect.poll(trail).toEqual(expect.arrayContaining(['user.signed-in', 'session.ended', 'exchange.refused']));
    const items: unknown[] = [];
    for await (const item of scanItems(openServiceTable(service.engineEndpoint, service.tableNames[0])))
      items.push(item);
    await service.stop();

    const places = new Map([['the table', JSON.stringify(items)]]);
    for (const file of readdirSync(dataFolder, { recursive: true, withFileTypes: true })) {
      const path = join(file.parentPath, file.name);
      if (file.isFile() && !OWN_FILES.test(file.name) && !path.includes('/assembly/'))
        places.set(path.slice(dataFolder.length), readFileSync(path, 'latin1'));
    }
    const withText = (text: string) =>
      [...places].flatMap(([place, content]) => (content.includes(text) ? [place] : []));
    // The search sees the log, the events and the table.
    expect(withText('Sign-in of a person at an identity provider refused')).toEqual([expect.stringContaining('log')]);
    expect(withText('user.signed-in').length).toBeGreaterThan(1);
    expect(secrets.size).toBeGreaterThan(40);

    /** Spellings of a secret: as it is, in a URL, and within a text that is encoded in Base64, wherever it begins there. */
    const spellings = (secret: string) => [
      ...new Set([secret, encodeURIComponent(secret)]),
      ...[0, 1, 2].map((shift) =>
        Buffer.from(' '.repeat(shift) + secret)
          .toString('base64')
          .slice(4, -4),
      ),
    ];
    const found = [...secrets].flatMap(([what, secret]) =>
      spellings(secret).flatMap((text) => withText(text).map((place) => `${what} is in ${place}`)),
    );
    expect(found).toEqual([]);
    expect(userCodes.flatMap((code) => [code, code.replace('-', '')]).flatMap(withText)).toEqual([]);
  });
});
