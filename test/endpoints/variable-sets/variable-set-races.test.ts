import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { createFaultProxy } from '../../support/faults/fault-proxy.ts';

/** Requests on variable sets at the same time, while responses are lost and calls are throttled and delayed. */
let engine: TestEngine;
let api: Api;
let stopProxy: () => Promise<void>;
let owner: string;
let created = 0;
const proxy = createFaultProxy(11);
const FAULTS = { lost: 0.15, throttled: 0.1, conflicting: 0.1, delayed: 0.3 };

const send = (method: string, path: string, body?: unknown): Promise<ApiResponse> =>
  api.request(method, path, { token: owner, ...(body !== undefined && { body }) });
const create = async (path: string, type: string, attributes: object = {}): Promise<string> => {
  const body = { data: { type, attributes: { name: `one-${++created}`, ...attributes } } };
  return (await send('POST', `/organizations/acme/${path}`, body)).body.data.id;
};
const createSet = (attributes?: object): Promise<string> => create('varsets', 'varsets', attributes);
const keysOf = async (set: string): Promise<readonly string[]> =>
  (await send('GET', `/varsets/${set}/relationships/vars`)).body.data.map(
    ({ attributes }: { attributes: { key: string } }) => attributes.key,
  );
const addVariable = (set: string, key: string) =>
  send('POST', `/varsets/${set}/relationships/vars`, {
    data: { type: 'vars', attributes: { key, value: 'v', category: 'env' } },
  });

beforeAll(async () => {
  engine = await startEngine();
  const { endpoint, stop } = await proxy.engineProxy(engine.endpoint);
  stopProxy = stop;
  api = await startApi({ engine, endpoint, cacheSeconds: 9_999 });
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
});
afterEach(async () => {
  proxy.setPlan({});
  await api.cleanup();
  expect((await api.admin('check-table')).findings).toEqual([]);
});
afterAll(async () => {
  await api.stop();
  await stopProxy();
  await engine.stop();
});

describe('requests on variable sets at the same time, with faults', () => {
  it('leave no assignment of a variable set that is deleted while it is assigned', async () => {
    const workspaces = [await create('workspaces', 'workspaces'), await create('workspaces', 'workspaces')];
    const project = await create('projects', 'projects');
    for (let round = 0; round < 4; round++) {
      const set = await createSet();
      const identifiers = (type: string, ids: readonly string[]) => ({ data: ids.map((id) => ({ type, id })) });
      proxy.setPlan({ TransactWriteItems: FAULTS, UpdateItem: FAULTS });
      const [assigned, shared, deleted] = await Promise.all([
        send('POST', `/varsets/${set}/relationships/workspaces`, identifiers('workspaces', workspaces)),
        send('POST', `/varsets/${set}/relationships/projects`, identifiers('projects', [project])),
        send('DELETE', `/varsets/${set}`),
      ]);
      proxy.setPlan({});
      for (const { status } of [assigned, shared]) expect([204, 404, 503]).toContain(status);
      expect([204, 503]).toContain(deleted.status);
      expect([204, 404]).toContain((await send('DELETE', `/varsets/${set}`)).status);
      for (const path of [`/workspaces/${workspaces[0]}/varsets`, `/projects/${project}/varsets`]) {
        expect((await send('GET', path)).body.data).toEqual([]);
      }
    }
  });

  it('give a key to one variable of a variable set, and to one of two global variable sets', async () => {
    const [local, one, other] = [
      await createSet(),
      await createSet({ global: true }),
      await createSet({ global: true }),
    ];
    for (let round = 0; round < 4; round++) {
      const key = `KEY_${round}`;
      proxy.setPlan({ TransactWriteItems: FAULTS });
      const replies = await Promise.all([local, local, one, other].map((set) => addVariable(set, key)));
      proxy.setPlan({});
      for (const { status } of replies) expect([201, 422, 503]).toContain(status);
      const held = [...(await keysOf(one)), ...(await keysOf(other))].filter((found) => found === key);
      const succeeded = replies.map(({ status }) => status === 201);
      expect((await keysOf(local)).filter((found) => found === key).length).toBeLessThanOrEqual(1);
      expect(held.length).toBeLessThanOrEqual(1);
      expect(succeeded.slice(0, 2).filter(Boolean).length).toBeLessThanOrEqual(1);
      expect(succeeded.slice(2).filter(Boolean).length).toBeLessThanOrEqual(held.length);
    }
    expect(proxy.counts.lost).toBeGreaterThan(0);
    expect(proxy.counts.throttled + proxy.counts.conflicting).toBeGreaterThan(0);
  });
});
