import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openAdmin } from '../../support/api/admin.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { followHistory } from '../../support/history/history-follower.ts';
import { beginDeviceLogin, pollDeviceLogin } from '../../support/sign-in/device-logins.ts';

/** A deployment without the console, which logs everything. */
let api: Api;
let token: string;
const logged: string[] = [];

beforeAll(async () => {
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      logged.push(String(chunk));
      return true;
    });
  }
  api = await startApi({ logLevel: 'DEBUG', auditRefusals: true, console: false });
  ({ token } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
});
afterAll(async () => {
  vi.restoreAllMocks();
  await api.stop();
});

it('the code, the verifier, the state and the token of a login are in no log, event, history or item', async () => {
  const [verifier, state] = ['verifier-canary-0123456789-0123456789-0123456789', 'state-canary'];
  const history = await followHistory(api);
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const body = { port: 10_000, state, code_challenge: challenge };
  const { redirect_to: address } = (await api.request('POST', '/oauth2/consent', { token, body })).body;
  const code = new URL(address).searchParams.get('code') ?? '';
  const redeem = () =>
    api.request('POST', '/oauth2/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: 'terraform-cli',
        code,
        redirect_uri: 'http://localhost:10000/login',
        code_verifier: verifier,
      }).toString(),
    });
  const given = await redeem();
  expect(given.status).toBe(200);
  expect((await redeem()).status).toBe(400);
  const { token: ofTeam } = await api.admin('create-token', { kind: 'team', organization: 'acme', team: 'owners' });
  expect((await api.request('POST', '/oauth2/consent', { token: ofTeam, body })).status).toBe(403);
  const search = new URLSearchParams({ client_id: 'terraform-cli', redirect_uri: 'http://redirect-canary/', state });
  expect((await api.request('GET', `/oauth2/authorize?${search}`)).status).toBe(400);

  const records = await history.record();
  expect(records.length).toBeGreaterThan(3);
  const items: unknown[] = [];
  for await (const item of scanItems(api.engine.database)) items.push(item);
  const places = { 'the table': items, 'the stream of changes': records, 'the log': logged };
  expect(logged.join('')).toContain('POST /oauth2/token');
  for (const [place, content] of Object.entries(places)) {
    for (const secret of [code, verifier, given.body.access_token, state, 'redirect-canary'])
      expect(JSON.stringify(content), place).not.toContain(secret);
  }
  expect((await openAdmin(api.engine.database).check()).findings).toEqual([]);
});

it('the codes and the token of a device login are in no log, event, history or item', async () => {
  const withConsole = await startApi({ logLevel: 'DEBUG', auditRefusals: true });
  try {
    const owner = await withConsole.admin('create-organization', { name: 'acme', email: 'ada@example.com' });
    const history = await followHistory(withConsole);
    const { device, code } = await beginDeviceLogin(withConsole);
    const decide = (form: object) =>
      withConsole.request('POST', '/oauth2/device/decision', { token: owner.token, body: form });
    expect((await pollDeviceLogin(withConsole, device)).body.error).toBe('authorization_pending');
    expect((await decide({ user_code: code, decision: 'allow' })).status).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    const given = await pollDeviceLogin(withConsole, device);
    vi.useRealTimers();
    expect(given.status).toBe(200);
    expect((await decide({ user_code: code, decision: 'allow' })).status).not.toBe(200);
    expect((await pollDeviceLogin(withConsole, device)).status).toBe(400);

    const items: unknown[] = [];
    for await (const item of scanItems(withConsole.engine.database)) items.push(item);
    const places = { 'the table': items, 'the stream of changes': await history.record(), 'the log': logged };
    expect(logged.join('')).toContain('POST /oauth2/device/decision');
    for (const [place, content] of Object.entries(places)) {
      for (const secret of [device, code, code.replace('-', ''), given.body.access_token])
        expect(JSON.stringify(content), place).not.toContain(secret);
    }
  } finally {
    vi.useRealTimers();
    await withConsole.stop();
  }
});

it('without the console, which is needed for consent, the login is not offered, and its first request says so', async () => {
  const { body } = await api.request('GET', '/.well-known/terraform.json');
  expect(Object.keys(body)).toEqual(['tfe.v2', 'tfe.v2.1', 'tfe.v2.2']);
  const page = await api.request('GET', '/oauth2/authorize?client_id=terraform-cli');
  expect(page.status).toBe(400);
  expect(page.body).toContain('no web console');
});
