import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_FAILURES } from '../../../shared/gate/failure-limit.ts';
import { createGate } from '../../../shared/gate/gate.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type CountingProxy, startCountingProxy } from '../../support/faults/counting-proxy.ts';

const MINUTE = 60_000;

let engine: TestEngine;
let proxy: CountingProxy;
let api: Api;
let token: string;
let workspace: string;
let time = 30_000_000 * MINUTE;

beforeAll(async () => {
  engine = await startEngine();
  proxy = await startCountingProxy(engine.endpoint);
  const gate = (serve: Parameters<typeof createGate>[0]) => createGate(serve, { rate: 10, burst: 4 }, () => time);
  api = await startApi({ engine, endpoint: proxy.endpoint, gate });
  await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' });
  ({ token } = await api.admin('create-token', { kind: 'organization', organization: 'acme' }));
  const body = { data: { type: 'workspaces', attributes: { name: 'web' } } };
  workspace = (await api.request('POST', '/organizations/acme/workspaces', { token, body })).body.data.id;
});
afterAll(async () => {
  await api.stop();
  await proxy.stop();
  await engine.stop();
});

const show = () => api.request('GET', `/workspaces/${workspace}`, { token });
const countOf = async (send: () => Promise<ApiResponse>) => {
  const { result, count } = await proxy.count(send);
  const { calls, rounds, readUnits, writeUnits } = count;
  return { status: result.status, calls, rounds, readUnits, writeUnits };
};

describe('a deployment with a limit of each token', () => {
  it('makes no further calls', async () => {
    time += MINUTE;
    expect(await countOf(show)).toMatchObject({ status: 200, calls: 3, rounds: 2, writeUnits: 0 });
    expect(await countOf(show)).toMatchObject({ status: 200, calls: 3, rounds: 2, writeUnits: 0 });
  });

  it('rejects a request above the limit without a call, and does not store the response for its Idempotency-Key', async () => {
    time += MINUTE;
    const body = { data: { type: 'workspaces', attributes: { name: 'other' } } };
    const headers = { 'idempotency-key': 'key-1' };
    const create = () => api.request('POST', '/organizations/acme/workspaces', { token, body, headers });
    for (const _ of Array(4)) expect((await show()).status).toBe(200);
    expect(await countOf(create)).toEqual({ status: 429, calls: 0, rounds: 0, readUnits: 0, writeUnits: 0 });
    time += MINUTE;
    expect((await create()).status).toBe(201);
  });

  it('rejects invalid tokens of an address after some failures, and never a valid one', async () => {
    time += MINUTE;
    const invalid = () => api.request('GET', `/workspaces/${workspace}`, { token: 'invalid' });
    for (const _ of Array(MAX_FAILURES)) expect((await invalid()).status).toBe(401);
    expect(await countOf(invalid)).toMatchObject({ status: 429, calls: 0 });
    const { token: created } = await api.admin('create-token', { kind: 'user', username: 'ada' });
    expect((await api.request('GET', `/workspaces/${workspace}`, { token: created })).status).toBe(200);
  });

  it('states the limit in the response to a ping, which clients adapt to', async () => {
    const { headers } = await api.request('GET', '/ping', { token });
    expect(headers['x-ratelimit-limit']).toBe('10');
  });

  it('leaves a table that check-table accepts', async () => {
    expect(await api.admin('check-table')).toMatchObject({ findings: [] });
  });
});
