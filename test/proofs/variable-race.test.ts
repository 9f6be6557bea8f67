import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type ApiResponse, startApi } from '../support/api/api.ts';
import { startEngine, type TestEngine } from '../support/engine/engine.ts';
import { createFaultProxy } from '../support/faults/fault-proxy.ts';
import { startCrashProxy } from '../support/faults/lock-crash-proxy.ts';
import { chained, createLateProxy } from '../support/faults/lock-late-proxy.ts';
import { createSeededRandom } from '../support/models/seeded-random.ts';
import { isExplicable, type VariableCall } from '../support/models/variable-history.ts';
import { scaled } from '../support/setup/run-budget.ts';

const OWNER = { name: 'acme', email: 'ada@example.com' };
const WRITE = 'TransactWriteItems';

const client = (api: Api, token: string) => {
  const send = (method: string, path: string, body?: object): Promise<ApiResponse> =>
    api.request(method, path, { token, ...(body && { body }) });
  return {
    send,
    makeWorkspace: async (name: string): Promise<string> => {
      const body = { data: { type: 'workspaces', attributes: { name } } };
      return (await send('POST', '/organizations/acme/workspaces', body)).body.data.id;
    },
  };
};
const document = (attributes: object) => ({ data: { type: 'vars', attributes } });

describe('the variable history checker', () => {
  let clock = 0;
  const called = (action: VariableCall['action'], status: number, more: Partial<VariableCall> = {}): VariableCall => ({
    action,
    status,
    value: `v${++clock}`,
    invokedAt: 2 * clock,
    completedAt: 2 * clock + 1,
    ...more,
  });
  const created = called('create', 201, { key: 'a', value: 'one' });
  const deleted = called('delete', 204, { of: 'one' });

  it.each<[string, boolean, VariableCall[]]>([
    [
      'accepts a variable that is created, deleted and created again',
      true,
      [created, deleted, called('create', 201, { key: 'a' })],
    ],
    ['rejects two variables with the same key', false, [created, called('create', 201, { key: 'a' })]],
    [
      'rejects a key that is reported as taken although no variable has it',
      false,
      [created, deleted, called('create', 422, { key: 'a' })],
    ],
    [
      'rejects a rename to a key in use',
      false,
      [created, called('create', 201, { key: 'b', value: 'two' }), called('rename', 200, { of: 'two', key: 'a' })],
    ],
    [
      'rejects a deleted variable that is listed again',
      false,
      [created, deleted, called('list', 200, { shown: ['a one one'] })],
    ],
    [
      'rejects a lost update',
      false,
      [created, called('update', 200, { of: 'one' }), called('list', 200, { shown: ['a one one'] })],
    ],
    [
      'accepts a call without a response that took effect',
      true,
      [created, called('update', 503, { of: 'one', value: 'two' }), called('list', 200, { shown: ['a one two'] })],
    ],
    [
      'accepts a call without a response that took effect later',
      true,
      [
        created,
        called('delete', 503, { of: 'one' }),
        called('list', 200, { shown: ['a one one'] }),
        called('list', 200, { shown: [] }),
      ],
    ],
    [
      'rejects a call without a response whose effect is undone',
      false,
      [
        created,
        called('delete', 503, { of: 'one' }),
        called('list', 200, { shown: [] }),
        called('list', 200, { shown: ['a one one'] }),
      ],
    ],
  ])('%s', (_, expected, calls) => {
    expect(isExplicable(calls)).toBe(expected);
  });
});

describe('concurrent clients that use the same variable keys, with lost, rejected and late writes', () => {
  const SEED = 11;
  const HISTORIES = scaled(8);
  const CLIENTS = 4;
  const CALLS = 6;
  const LATEST_MILLIS = 120;
  const keys = ['env alpha', 'env beta', 'infra alpha'];

  const faults = createFaultProxy(SEED, {});
  const late = createLateProxy(SEED, LATEST_MILLIS);
  let engine: TestEngine;
  let api: Api;
  let token: string;
  let stopProxies: () => Promise<void>;
  beforeAll(async () => {
    engine = await startEngine();
    const proxy = await chained(faults.engineProxy, late.engineProxy)(engine.endpoint);
    stopProxies = proxy.stop;
    api = await startApi({ engine, endpoint: proxy.endpoint });
    ({ token } = await api.admin('create-organization', OWNER));
  });
  afterAll(async () => {
    await api.stop();
    await stopProxies();
    await engine.stop();
  });

  const race = async (seed: number): Promise<VariableCall[]> => {
    const random = createSeededRandom(seed);
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
    const { send, makeWorkspace } = client(api, token);
    const workspace = await makeWorkspace(`history-${seed}`);
    const calls: VariableCall[] = [];
    const made: { readonly of: string; readonly id: string }[] = [];
    let [clock, values] = [0, 0];

    const shownOf = ({ body }: ApiResponse): string[] =>
      [body.data]
        .flat()
        // The description holds the initial value, so that variables created without a response can be identified.
        .map(({ attributes: { category, key, value, description } }) => `${category} ${key} ${description} ${value}`)
        .sort();
    const call = async (action: VariableCall['action']): Promise<void> => {
      const value = `v${++values}`;
      const key = pick(keys);
      const [category, name] = key.split(' ');
      const { of, id } = made.length > 0 ? pick(made) : { of: undefined, id: 'var-1111111111111111' };
      const path = `/workspaces/${workspace}/vars${action === 'create' || action === 'list' ? '' : `/${id}`}`;
      const invokedAt = ++clock;
      const reply = await {
        create: () => send('POST', path, document({ key: name, category, value, description: value })),
        update: () => send('PATCH', path, document({ value })),
        rename: () => send('PATCH', path, document({ key: name, category, value })),
        delete: () => send('DELETE', path),
        list: () => send('GET', path),
      }[action]();
      const { status } = reply;
      if (status === 201) made.push({ of: value, id: reply.body.data.id });
      calls.push({
        action,
        value,
        ...(action !== 'create' && action !== 'list' && of !== undefined && { of }),
        ...((action === 'create' || action === 'rename') && { key }),
        invokedAt,
        completedAt: ++clock,
        status,
        ...(status === 200 && { shown: shownOf(reply) }),
      });
    };

    const actions: VariableCall['action'][] = ['create', 'create', 'update', 'rename', 'rename', 'delete', 'list'];
    faults.setPlan({ [WRITE]: { lost: 0.12, conflicting: 0.1, throttled: 0.05, delayed: 0.4, delayMillis: 25 } });
    late.setFraction(0.12);
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        for (let count = 0; count < CALLS; count++) await call(pick(actions));
      }),
    );
    faults.setPlan({});
    late.setFraction(0);
    await late.settled();
    await call('list');
    return calls;
  };

  it('observe histories that a single map of keys can explain', async () => {
    const statuses = new Map<number, number>();
    for (let seed = 0; seed < HISTORIES; seed++) {
      const calls = await race(SEED * 1_000 + seed);
      for (const { status } of calls) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect(isExplicable(calls), JSON.stringify(calls, undefined, 1)).toBe(true);
    }
    expect((await api.admin('check-table')).findings).toEqual([]);
    const faultCounts = JSON.stringify({ ...faults.counts, late: late.count() });
    console.info(`Variable key races: ${HISTORIES} histories, ${JSON.stringify([...statuses])}, faults ${faultCounts}`);
    for (const status of [200, 201, 204, 404, 422, 503])
      expect(statuses.get(status), String(status)).toBeGreaterThan(0);
    expect(Math.min(faults.counts.lost, faults.counts.conflicting, late.count())).toBeGreaterThan(0);
  });
});

describe('a variables function that crashes after any of its calls', () => {
  const attempts: readonly [string, (id: string, workspace: string) => [string, string, object?]][] = [
    [
      'creating a variable',
      (_, workspace) => ['POST', `/workspaces/${workspace}/vars`, document({ key: 'new', category: 'env' })],
    ],
    [
      'creating a sensitive variable',
      (_, workspace) => [
        'POST',
        `/workspaces/${workspace}/vars`,
        document({ key: 'new', category: 'env', value: 's', sensitive: true }),
      ],
    ],
    ['updating a variable', (id) => ['PATCH', `/vars/${id}`, document({ value: 'new' })]],
    [
      'renaming a variable',
      (id, workspace) => ['PATCH', `/workspaces/${workspace}/vars/${id}`, document({ key: 'renamed' })],
    ],
    ['making a variable sensitive', (id) => ['PATCH', `/vars/${id}`, document({ sensitive: true })]],
    ['deleting a variable', (id) => ['DELETE', `/vars/${id}`]],
  ];

  it.each(attempts)('applies all changes or none when it crashes while %s', async (what, attempt) => {
    const engine = await startEngine();
    const proxy = await startCrashProxy(engine.endpoint);
    const api = await startApi({ engine, endpoint: proxy.endpoint });
    const { token } = await api.admin('create-organization', OWNER);
    const { send, makeWorkspace } = client(api, token);
    let crashes = 0;
    for (let calls = 0; ; calls++) {
      const workspace = await makeWorkspace(`crash-${calls}`);
      const path = `/workspaces/${workspace}/vars`;
      const { id } = (await send('POST', path, document({ key: 'old', category: 'env' }))).body.data;
      const before = (await send('GET', path)).body.data;
      const hasCrashed = await proxy.crashAfter(calls, () => send(...attempt(id, workspace)));
      if (!hasCrashed) break;
      crashes++;
      expect((await send('GET', path)).body.data).toEqual(before);
      expect((await send(...attempt(id, workspace))).status, what).toBeLessThan(300);
    }
    expect(crashes).toBeGreaterThan(4);
    expect((await api.admin('check-table')).findings).toEqual([]);
    await api.stop();
    await proxy.stop();
    await engine.stop();
  });
});
