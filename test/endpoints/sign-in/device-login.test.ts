import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { openBrowserSessions } from '../../../functions/sign-in/sessions.ts';
import { now } from '../../../shared/lib/clock.ts';
import { openDirectoryWriter } from '../../../shared/store/directory/directory-writer.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { beginDeviceLogin, pollDeviceLogin, sendForm } from '../../support/sign-in/device-logins.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

let api: Api;
let owner: string;
let user: string;

type Form = Readonly<Record<string, string>>;
const begin = () => beginDeviceLogin(api);
const poll = (device: string, changes?: Form) => pollDeviceLogin(api, device, changes);
const errorOf = async (device: string) => {
  const { status, body } = await poll(device);
  return [status, body.error];
};
const show = (code: string, token?: string) =>
  api.request('POST', '/oauth2/device/show', { body: { user_code: code }, ...(token && { token }) });
const decide = (code: string, decision: string, token?: string) =>
  api.request('POST', '/oauth2/device/decision', { body: { user_code: code, decision }, ...(token && { token }) });
const allow = async (code: string, token = owner) => {
  const { status, body } = await decide(code, 'allow', token);
  expect([status, body]).toEqual([200, {}]);
};

/** Logs in completely. @returns the response with the token. */
const login = async (token = owner): Promise<ApiResponse> => {
  const { device, code } = await begin();
  await allow(code, token);
  const reply = await poll(device);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply;
};

const statusOf = async (token: string) => (await api.request('GET', '/account/details', { token })).status;

let users = 0;
/** Creates a user. @returns the username and a token. */
const createUser = async () => {
  users += 1;
  const username = `user-${users}`;
  await api.admin('create-user', { username, email: `${username}@example.com` });
  const { token } = await api.admin('create-token', { kind: 'user', username });
  return { username, token: token as string };
};
const later = (milliseconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds });

beforeAll(async () => {
  api = await startApi();
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  user = (await api.request('GET', '/account/details', { token: owner })).body.data.id;
});
afterEach(() => vi.useRealTimers());
afterAll(() => api.stop());

describe('the request of a machine without a browser (LOGIN-7)', () => {
  test('gets a code for the person, a code for the machine, and the page of the console without a code in it', async () => {
    const { status, body, headers } = await sendForm(api, '/oauth2/device', {
      client_id: 'terraform-cli',
      scope: 'any',
    });
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'application/json' });
    expect(body).toEqual({
      device_code: expect.stringMatching(/^\S{50,}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: 'http://holdfast.test/app/device',
      expires_in: 600,
      interval: 5,
    });
  });

  test('gets other codes each time', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, begin));
    expect(new Set(all.flatMap(({ device, code }) => [device, code])).size).toBe(20);
  });

  test.each([[{}], [{ client_id: 'other' }]])('is refused with the parameters %j', async (form: Form) => {
    const { status, body } = await sendForm(api, '/oauth2/device', form);
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });
});

describe('the poll of a machine (LOGIN-8)', () => {
  test('waits until a person has decided, and gets the token then', async () => {
    const { device, code } = await begin();
    expect(await errorOf(device)).toEqual([400, 'authorization_pending']);
    later(5 * SECOND);
    expect(await errorOf(device)).toEqual([400, 'authorization_pending']);
    await allow(code);
    const { status, body, headers } = await poll(device);
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'application/json' });
    expect(body).toEqual({
      access_token: expect.stringMatching(/^hfu_/),
      token_type: 'Bearer',
      expires_in: expect.any(Number),
    });
    expect(12 * 3_600 - body.expires_in).toBeLessThan(60);
    const account = await api.request('GET', '/account/details', { token: body.access_token });
    expect(account.body.data.id).toBe(user);
  });

  test('has to wait five seconds longer for each time that it comes too early', async () => {
    const { device } = await begin();
    expect(await errorOf(device)).toEqual([400, 'authorization_pending']);
    later(4 * SECOND);
    expect(await errorOf(device)).toEqual([400, 'slow_down']);
    later(9 * SECOND);
    expect(await errorOf(device)).toEqual([400, 'slow_down']);
    later(15 * SECOND);
    expect(await errorOf(device)).toEqual([400, 'authorization_pending']);
  });

  test('gets an allowed token at once, also when it comes too early', async () => {
    const { device, code } = await begin();
    expect(await errorOf(device)).toEqual([400, 'authorization_pending']);
    await allow(code);
    expect((await poll(device)).status).toBe(200);
  });

  test('gets access_denied when the person has denied it', async () => {
    const { device, code } = await begin();
    expect((await decide(code, 'deny', owner)).status).toBe(200);
    expect(await errorOf(device)).toEqual([400, 'access_denied']);
    expect((await decide(code, 'allow', owner)).status).toBe(404);
    expect(await errorOf(device)).toEqual([400, 'access_denied']);
  });

  test('gets expired_token after ten minutes, also when the login was allowed', async () => {
    const [waiting, allowed] = [await begin(), await begin()];
    await allow(allowed.code);
    later(10 * MINUTE);
    expect(await errorOf(waiting.device)).toEqual([400, 'expired_token']);
    expect(await errorOf(allowed.device)).toEqual([400, 'expired_token']);
    expect((await decide(waiting.code, 'allow', owner)).status).toBe(404);
  });

  test('brings one token for one code, of many at the same moment and afterwards', async () => {
    const { device, code } = await begin();
    await allow(code);
    const replies = await Promise.all(Array.from({ length: 10 }, () => poll(device)));
    const [given, ...others] = replies.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    expect(replies.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(9);
    expect(await errorOf(device)).toEqual([400, 'invalid_grant']);
    expect(await statusOf(given?.body.access_token)).toBe(200);
  });

  test('is answered whatever number of polls come at the same moment', async () => {
    const { device } = await begin();
    const errors = await Promise.all(Array.from({ length: 10 }, () => errorOf(device)));
    expect(new Set(errors.map(([status]) => status))).toEqual(new Set([400]));
    expect(errors.map(([, error]) => error)).toContain('authorization_pending');
  });

  test.each<readonly [what: string, change: (device: string) => string]>([
    ['an unknown code', () => 'x'.repeat(52)],
    ['the code for the person', (device) => device.slice(0, 8)],
    ['the right code for the person and another secret', (device) => `${device.slice(0, 9)}${'x'.repeat(43)}`],
    ['another case', (device) => device.toLowerCase()],
  ])('is refused with %s', async (_, change) => {
    const { device, code } = await begin();
    await allow(code);
    expect(await errorOf(change(device))).toEqual([400, 'invalid_grant']);
    expect((await poll(device)).status).toBe(200);
  });

  test.each([[{ client_id: '' }], [{ client_id: 'other' }], [{ device_code: '' }]])(
    'is refused with the parameters %j',
    async (changes: Form) => {
      const { status, body } = await poll((await begin()).device, changes);
      expect([status, body.error]).toEqual([400, 'invalid_request']);
    },
  );
});

describe('the decision of a person about a machine without a browser (LOGIN-9)', () => {
  test('is preceded by the address and the time of the request, and the expiry of the token', async () => {
    const before = Date.now();
    const { code } = await begin();
    const { status, body, headers } = await show(code, owner);
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toEqual({
      client_id: 'terraform-cli',
      address: '203.0.113.7',
      requested_at: expect.any(String),
      expires_at: expect.any(String),
    });
    expect(Date.parse(body.requested_at)).toBeGreaterThanOrEqual(before - SECOND);
    expect(Math.abs(Date.parse(body.expires_at) - Date.now() - 12 * HOUR)).toBeLessThan(MINUTE);
  });

  test('takes the code in any case, with or without the hyphen', async () => {
    const { code } = await begin();
    for (const typed of [code.toLowerCase(), code.replace('-', ''), ` ${code.replace('-', ' ')} `])
      expect((await show(typed, owner)).status).toBe(200);
  });

  test.each(['team', 'organization', 'site'] as const)('is refused for the token of a %s', async (kind) => {
    await api.admin('create-team', { organization: 'acme', name: `team-of-${kind}` });
    const owners = { team: { organization: 'acme', team: `team-of-${kind}` }, organization: { organization: 'acme' } };
    const { token } = await api.admin('create-token', { kind, ...(kind === 'site' ? {} : owners[kind]) });
    const { device, code } = await begin();
    for (const reply of [
      await show(code, token),
      await decide(code, 'allow', token),
      await decide(code, 'deny', token),
    ])
      expect([reply.status, reply.body.errors[0].detail]).toEqual([
        403,
        'Only a person can allow a login. Sign in with the token of a user.',
      ]);
    expect(await errorOf(device)).toEqual([400, 'authorization_pending']);
  });

  test('is refused without a token, and for a revoked one that the function has in its cache', async () => {
    const { device, code } = await begin();
    expect([(await show(code)).status, (await decide(code, 'allow')).status]).toEqual([401, 401]);
    const caching = await startApi({ engine: api.engine, cacheSeconds: 600 });
    const { id, token } = await api.admin('create-token', { kind: 'user', username: 'ada' });
    const ask = (path: string, body: object) => caching.request('POST', path, { token, body });
    expect((await ask('/oauth2/device/show', { user_code: code })).status).toBe(200);
    await api.admin('revoke-token', { id });
    expect((await ask('/oauth2/device/show', { user_code: code })).status).toBe(401);
    expect((await ask('/oauth2/device/decision', { user_code: code, decision: 'allow' })).status).toBe(401);
    await caching.stop();
    expect(await errorOf(device)).toEqual([400, 'authorization_pending']);
  });

  test('is taken once, of one person: another one cannot change it', async () => {
    const { token: other } = await createUser();
    const { device, code } = await begin();
    const replies = await Promise.all([owner, other, owner, other].map((token) => decide(code, 'allow', token)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
    expect((await decide(code, 'deny', other)).status).toBe(404);
    const winner = [owner, other, owner, other][replies.findIndex(({ status }) => status === 200)] ?? '';
    const account = async (token: string) => (await api.request('GET', '/account/details', { token })).body.data.id;
    expect(await account((await poll(device)).body.access_token)).toBe(await account(winner));
  });

  test.each([
    [{ user_code: undefined }],
    [{ user_code: 7 }],
    [{ user_code: 'x'.repeat(65) }],
    [{ decision: 'maybe' }],
    [{ decision: undefined }],
  ])('is rejected with the body %j', async (changes) => {
    const body = { user_code: 'WDJB-MJHT', decision: 'allow', ...changes };
    expect((await api.request('POST', '/oauth2/device/decision', { token: owner, body })).status).toBe(422);
  });
});

describe('wrong codes of a person (LOGIN-10)', () => {
  test('are refused after five for a while, also when they come at the same moment, and only for this person', async () => {
    const { token } = await createUser();
    const { code } = await begin();
    const wrong = await Promise.all(Array.from({ length: 12 }, () => show('BBBB-BBBB', token)));
    expect(wrong.filter(({ status }) => status === 404)).toHaveLength(5);
    const refused = wrong.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(7);
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(590);
    expect(refused[0]?.body.errors[0].detail).toBe('You have typed 5 wrong codes. Wait, and check the code.');
    expect([(await show(code, token)).status, (await decide(code, 'allow', token)).status]).toEqual([429, 429]);
    expect((await show(code, owner)).status).toBe(200);
    later(10 * MINUTE);
    const { code: next } = await begin();
    expect((await show(next, token)).status).toBe(200);
  });

  test('are counted alone: any number of right ones can come in between', async () => {
    const { token } = await createUser();
    for (let count = 0; count < 4; count += 1) expect((await show('AAAA-AAAA', token)).status).toBe(404);
    for (let count = 0; count < 7; count += 1) await login(token);
    expect((await decide('CCCC-CCCC', 'allow', token)).status).toBe(404);
    expect((await show('CCCC-CCCC', token)).status).toBe(429);
  });
});

describe('the token of a device login (LOGIN-11)', () => {
  test('has a description that names its way, and counts among the twenty tokens of logins', async () => {
    const { token } = await createUser();
    const first = (await login(token)).body.access_token;
    for (let count = 1; count < 20; count += 1) await login(token);
    expect(await statusOf(first)).toBe(200);
    await login(token);
    expect(await statusOf(first)).toBe(401);
    const id = (await api.request('GET', '/account/details', { token })).body.data.id;
    const { data } = (await api.request('GET', `/users/${id}/authentication-tokens`, { token })).body;
    const descriptions = data.map((one: { attributes: { description: string } }) => one.attributes.description);
    expect(descriptions.filter((text: string) => text === 'device login')).toHaveLength(20);
  });

  test('expires no later than the token by which it was allowed', async () => {
    const expiredAt = new Date(Date.now() + HOUR).toISOString();
    const body = { data: { attributes: { 'expired-at': expiredAt } } };
    const path = `/users/${user}/authentication-tokens`;
    const { token } = (await api.request('POST', path, { token: owner, body })).body.data.attributes;
    const { code } = await begin();
    expect(Date.parse((await show(code, token)).body.expires_at)).toBe(Date.parse(expiredAt));
    const { access_token: given } = (await login(token)).body;
    later(HOUR + 1);
    expect(await statusOf(given)).toBe(401);
  });

  test('expires with the session by which it was allowed, whose end prevents further ones', async () => {
    const sessions = openBrowserSessions(openDirectoryWriter(api.engine.database, now));
    const request = { id: 'request-1', principal: { kind: 'identity-provider', id: 'idp', name: 'idp' } } as const;
    const { sessionSecret } = await sessions.signIn(request, {
      provider: { name: 'idp', issuer: 'https://idp.example', trustedEmailDomains: [] },
      ...{ subject: 'subject-1', username: 'grace-of-idp', email: undefined, emailVerified: false, groups: [] },
      limits: { hours: 3, idleMinutes: 60 },
    });
    const { token = '' } = (await sessions.renew(request, sessionSecret)) ?? {};
    const { expires_in: seconds } = (await login(token)).body;
    expect(3 * 3_600 - seconds).toBeLessThan(60);
    const { code } = await begin();
    await sessions.end(request, sessionSecret);
    expect((await decide(code, 'allow', token)).status).toBe(401);
  });

  test.each([
    ['deleted', (username: string) => api.admin('delete-user', { username })],
    ['suspended', (username: string) => api.admin('suspend-user', { username })],
  ])('is not given to a user who was %s after the decision', async (_, act) => {
    const { username, token } = await createUser();
    const { device, code } = await begin();
    await allow(code, token);
    await act(username);
    expect(await errorOf(device)).toEqual([400, 'invalid_grant']);
  });
});

test('without the setting deviceLogin, the login is not offered, and nothing is stored', async () => {
  const off = await startApi({ deviceLogin: false });
  const { token } = await off.admin('create-organization', { name: 'acme', email: 'ada@example.com' });
  const count = async () => {
    let items = 0;
    for await (const _ of scanItems(off.engine.database)) items += 1;
    return items;
  };
  const before = await count();
  const began = await sendForm(off, '/oauth2/device', { client_id: 'terraform-cli' });
  expect([began.status, began.body.error]).toEqual([400, 'unauthorized_client']);
  const polled = await pollDeviceLogin(off, 'BBBBBBBB.x');
  expect([polled.status, polled.body.error]).toEqual([400, 'unsupported_grant_type']);
  expect(polled.body.error_description).not.toContain('device');
  const body = { user_code: 'BBBB-BBBB', decision: 'allow' };
  for (const path of ['show', 'decision']) {
    const reply = await off.request('POST', `/oauth2/device/${path}`, { token, body });
    expect([reply.status, reply.body.errors[0].detail]).toEqual([
      404,
      'This service does not offer the login of machines without a browser.',
    ]);
  }
  expect(await count()).toBe(before);
  await off.stop();
});
