import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { REJECTIONS_PER_MINUTE } from '../../../shared/domain/changes/change-records.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type CountingProxy, startCountingProxy } from '../../support/faults/counting-proxy.ts';
import { followHistory, type ShownEntry } from '../../support/history/history-follower.ts';

const CACHE = { cacheSeconds: 9_999 };

let engine: TestEngine;
let proxy: CountingProxy;
/** The deployment with the setting, and one without it on the same table. */
let api: Api;
let without: Api;
let history: Awaited<ReturnType<typeof followHistory>>;
let owner: string;
let workspace: string;
/** A user without access to the workspace. */
let ben: { readonly id: string; readonly token: string };

const createUser = async (username: string) => {
  const { user } = await api.admin('create-user', { username, email: `${username}@example.com` });
  const { token } = await api.admin('create-token', { kind: 'user', username });
  return { id: user.id as string, token: token as string };
};

beforeAll(async () => {
  engine = await startEngine();
  proxy = await startCountingProxy(engine.endpoint);
  without = await startApi({ engine, endpoint: proxy.endpoint, ...CACHE });
  api = await startApi({ engine, endpoint: proxy.endpoint, auditRefusals: true, ...CACHE });
  history = await followHistory(api);
  owner = (await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' })).token;
  ben = await createUser('ben');
  const body = { data: { type: 'workspaces', attributes: { name: 'network' } } };
  workspace = (await api.request('POST', '/organizations/acme/workspaces', { token: owner, body })).body.data.id;
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(async () => {
  await api.stop();
  await without.stop();
  await proxy.stop();
  await engine.stop();
});

const lockPath = () => `/workspaces/${workspace}/actions/lock`;

/** Reads the entries of rejected requests, newest first. */
const readRejections = async (query = '', token = owner): Promise<readonly ShownEntry[]> => {
  await history.record();
  const path = `/organizations/acme/audit-trail?page[size]=100&filter[action]=request.refused${query}`;
  const { status, body } = await api.request('GET', path, { token });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
};

const reject = async (token: string, { request }: Api = api): Promise<void> => {
  expect((await request('POST', lockPath(), { token })).status).toBe(404);
};

describe('entries of rejected requests', () => {
  it('name the caller, the operation, the status and the path', async () => {
    await reject(ben.token);
    const rejected = api.lastRequest();
    const entries = await readRejections();
    expect(entries).toHaveLength(1);
    expect(entries[0]?.attributes).toMatchObject({
      action: 'request.refused',
      actor: { kind: 'user', id: ben.id, name: 'ben' },
      'request-id': rejected,
      'token-id': expect.stringMatching(/^at-/),
      'source-address': '127.0.0.1',
      changes: [],
      details: { refusal: { operation: 'workspaces.lock', status: 404, path: `/api/v2${lockPath()}` } },
    });
  });

  it('show no path to a team that reads the audit trail but does not own the organization', async () => {
    await reject(ben.token);
    await api.admin('create-team', { organization: 'acme', name: 'auditors', permissions: 'read-audit-trail' });
    const { token } = await api.admin('create-token', { kind: 'team', organization: 'acme', team: 'auditors' });
    const [entry] = await readRejections('', token);
    expect(entry?.attributes.details).toEqual({ refusal: { operation: 'workspaces.lock', status: 404 } });
    expect(entry?.attributes['token-id']).toBeNull();
  });

  it('no rejection is recorded for unknown tokens, or for things that do not exist', async () => {
    const before = (await readRejections()).length;
    const unknown = ben.token.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    expect((await api.request('POST', lockPath(), { token: unknown })).status).toBe(401);
    expect((await api.request('GET', '/workspaces/ws-2jPTvTDXBPFzPGbT', { token: owner })).status).toBe(404);
    expect(await readRejections()).toHaveLength(before);
  });

  it('at most 20 rejections are recorded for each token and minute', async () => {
    const carl = await createUser('carl');
    const start = Math.ceil(Date.now() / 60_000) * 60_000;
    vi.useFakeTimers({ toFake: ['Date'], now: start });
    for (let request = 0; request < REJECTIONS_PER_MINUTE + 2; request++) await reject(carl.token);
    expect(await readRejections(`&filter[actor]=${carl.id}`)).toHaveLength(REJECTIONS_PER_MINUTE);
    vi.setSystemTime(start + 60_000);
    await reject(carl.token);
    expect(await readRejections(`&filter[actor]=${carl.id}`)).toHaveLength(REJECTIONS_PER_MINUTE + 1);
    expect(await api.admin('check-table')).toMatchObject({ findings: [] });
  });

  it('cost one write with the setting, and nothing without it', async () => {
    const dora = await createUser('dora');
    const count = async (from: Api) => {
      await reject(dora.token, from);
      return (await proxy.count(() => reject(dora.token, from))).count;
    };
    const before = (await readRejections()).length;
    const off = await count(without);
    expect(off.writeUnits).toBe(0);
    expect(await readRejections()).toHaveLength(before);
    const on = await count(api);
    expect({ ...on, operations: on.operations.toSorted() }).toMatchObject({
      calls: off.calls + 1,
      rounds: off.rounds + 1,
      readUnits: off.readUnits,
      writeUnits: 1,
    });
  });
});
