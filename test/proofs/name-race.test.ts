import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../shared/store/dynamodb/keys.ts';
import { type ApiResponse, startApi } from '../support/api/api.ts';
import { startEngine, type TestEngine } from '../support/engine/engine.ts';
import { scanItems } from '../support/engine/scan-items.ts';
import { createFaultProxy } from '../support/faults/fault-proxy.ts';
import { type CrashProxy, startCrashProxy } from '../support/faults/lock-crash-proxy.ts';
import { checkNames, type NameCall } from '../support/models/history-names.ts';
import { createSeededRandom } from '../support/models/seeded-random.ts';
import { scaled } from '../support/setup/run-budget.ts';

/** Long enough to lie in an item of its own, which must come and go with its workspace. */
const LONG = 'x'.repeat(900);

const document = (attributes: object, project?: string) => ({
  data: {
    type: 'workspaces',
    attributes,
    ...(project !== undefined && { relationships: { project: { data: { type: 'projects', id: project } } } }),
  },
});

/** Reads all items of a table. */
const itemsOf = async ({ database }: TestEngine): Promise<Item[]> => {
  const items: Item[] = [];
  for await (const item of scanItems(database)) items.push(item);
  return items;
};

const live = (items: readonly Item[]) => items.filter(({ ty, gone }) => ty === 'workspace' && gone === undefined);

/** Expects that names and their claims in a table match one to one. */
const expectUniqueNames = async (engine: TestEngine): Promise<void> => {
  const items = await itemsOf(engine);
  const names = live(items).map(({ id, name }) => `${name} ${id}`);
  const claims = items
    .filter(({ ty }) => ty === 'workspace-name')
    .map(({ pk, workspace }) => `${String(pk).split('#').at(-1)} ${workspace}`);
  expect(claims.sort()).toEqual(names.sort());
  expect(new Set(live(items).map(({ name }) => name)).size).toBe(names.length);
};

const start = async (proxied: (endpoint: string) => Promise<string>) => {
  const engine = await startEngine();
  const api = await startApi({ engine, endpoint: await proxied(engine.endpoint) });
  const { token } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' });
  const { project } = await api.admin('create-project', { organization: 'acme', name: 'Platform' });
  const send = (method: string, path: string, body?: object): Promise<ApiResponse> =>
    api.request(method, path, { token, ...(body && { body }) });
  return { engine, api, token: String(token), project: String(project.id), send };
};

describe('the name history checker', () => {
  const called = (
    action: NameCall['action'],
    [workspace, name]: readonly [workspace: string | undefined, name?: string],
    [invokedAt, completedAt]: readonly [number, number],
    status: number,
  ): NameCall => ({
    action,
    invokedAt,
    completedAt,
    status,
    ...(workspace && { workspace }),
    ...(name && { name }),
  });

  it('accepts a name that passes from one workspace to the next', () => {
    const calls = [
      called('create', ['one', 'alpha'], [0, 1], 201),
      called('create', [undefined, 'alpha'], [2, 3], 422),
      called('rename', ['one', 'bravo'], [4, 7], 200),
      called('create', ['two', 'alpha'], [5, 6], 201),
      called('rename', ['one', 'alpha'], [8, 9], 422),
      called('delete', ['two'], [10, 11], 503),
      called('rename', ['one', 'alpha'], [12, 13], 200),
    ];
    expect(checkNames(calls)).toEqual([]);
  });

  it('reports two workspaces created with the same name', () => {
    const calls = [
      called('create', ['one', 'alpha'], [0, 1], 201),
      called('create', ['two', 'alpha'], [2, 3], 201),
      called('delete', ['one'], [4, 5], 204),
    ];
    expect(checkNames(calls)).toEqual(['one and two were both called alpha from 3']);
  });

  it('reports a workspace that is renamed to a name in use', () => {
    const calls = [
      called('create', ['one', 'alpha'], [0, 1], 201),
      called('create', ['two', 'bravo'], [0, 1], 201),
      called('rename', ['two', 'alpha'], [2, 3], 200),
    ];
    expect(checkNames(calls)).toEqual(['one and two were both called alpha from 3']);
  });

  it('reports a rejected name that no workspace can have had', () => {
    const calls = [
      called('create', ['one', 'alpha'], [0, 1], 201),
      called('delete', ['one'], [2, 3], 204),
      called('create', [undefined, 'alpha'], [4, 5], 422),
    ];
    expect(checkNames(calls)).toEqual(['create at 4 was rejected alpha, which nobody can have had']);
  });
});

describe('concurrent clients that use the same names, with lost and rejected writes', () => {
  const LANES = 8;
  const CALLS = scaled(400);
  const SEED = 7;
  const names = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot'];

  const proxy = createFaultProxy(SEED, {});
  let running: Awaited<ReturnType<typeof start>>;
  let stopProxy: () => Promise<void>;
  beforeAll(async () => {
    running = await start(async (endpoint) => {
      const started = await proxy.engineProxy(endpoint);
      stopProxy = started.stop;
      return started.endpoint;
    });
  });
  afterAll(async () => {
    await stopProxy();
    await running.api.stop();
    await running.engine.stop();
  });

  it('never gives one name to two workspaces', async () => {
    const { engine, api, project, send } = running;
    const random = createSeededRandom(SEED);
    const pick = <T>(of: readonly T[]): T | undefined => of[Math.floor(random() * of.length)];
    const known: string[] = [];
    const calls: NameCall[] = [];

    const once = async (): Promise<void> => {
      const name = pick(names) ?? '';
      const chance = random();
      const workspace = chance < 0.4 ? undefined : pick(known);
      const description = random() < 0.3 ? LONG : 'short';
      const invokedAt = performance.now();
      const note = (call: Pick<NameCall, 'action' | 'workspace' | 'name'>, { status }: ApiResponse) =>
        calls.push({ ...call, invokedAt, completedAt: performance.now(), status });
      if (workspace === undefined) {
        const reply = await send('POST', '/organizations/acme/workspaces', document({ name, description }));
        const id = reply.status === 201 ? String(reply.body.data.id) : undefined;
        if (id !== undefined) known.push(id);
        note({ action: 'create', name, ...(id !== undefined && { workspace: id }) }, reply);
      } else if (chance < 0.7) {
        const reply = await send('PATCH', `/workspaces/${workspace}`, document({ name, description }));
        note({ action: 'rename', workspace, name }, reply);
      } else if (chance < 0.8) {
        note({ action: 'move', workspace }, await send('PATCH', `/workspaces/${workspace}`, document({}, project)));
      } else {
        const reply =
          chance < 0.9
            ? await send('POST', `/workspaces/${workspace}/actions/safe-delete`)
            : await send('DELETE', `/workspaces/${workspace}`);
        if (reply.status === 204) known.splice(known.indexOf(workspace), 1);
        note({ action: 'delete', workspace }, reply);
      }
    };

    const faults = { lost: 0.05, throttled: 0.05, conflicting: 0.05, delayed: 0.05, delayMillis: 40 };
    proxy.setPlan({ TransactWriteItems: faults, UpdateItem: faults });
    let left = CALLS;
    await Promise.all(
      Array.from({ length: LANES }, async () => {
        while (left-- > 0) await once();
      }),
    );
    proxy.setPlan({});

    const responses = Map.groupBy(calls, ({ action, status }) => `${action} ${status}`);
    const counts = Object.fromEntries(
      [...responses].map(([response, { length }]) => [response, length] as const).sort(),
    );
    console.log(`${calls.length} calls: ${JSON.stringify(counts)}; faults: ${JSON.stringify(proxy.counts)}`);
    const strange = calls.filter(({ status }) => ![200, 201, 204, 404, 422, 503].includes(status));
    expect(strange).toEqual([]);
    expect(checkNames(calls)).toEqual([]);

    // The race was one: names were won and lost, and writes came to harm in every way.
    for (const response of ['create 201', 'create 422', 'rename 200', 'rename 422', 'delete 204'])
      expect(counts[response] ?? 0, response).toBeGreaterThan(0);
    for (const fault of ['lost', 'throttled', 'conflicting'] as const)
      expect(proxy.counts[fault], fault).toBeGreaterThan(0);

    await expectUniqueNames(engine);
    expect(await api.admin('check-table')).toMatchObject({ findingCount: 0, findings: [], closing: [] });

    const list = await send('GET', '/organizations/acme/workspaces?page[size]=100&sort=name');
    const listed = list.body.data.map((it: { id: string; attributes: { name: string } }) => [
      it.attributes.name,
      it.id,
    ]);
    const stored = live(await itemsOf(engine)).map(({ id, name }) => [String(name), id]);
    expect(listed).toEqual(stored.sort());
    for (const name of names) {
      const shown = await send('GET', `/organizations/acme/workspaces/${name}`);
      const owner = stored.find(([other]) => other === name)?.[1];
      expect([shown.status, shown.body.data?.id], name).toEqual(owner === undefined ? [404, undefined] : [200, owner]);
    }
  });
});

describe('a process that ends between any two of its calls', () => {
  const crashPoints: string[] = [];
  let proxy: CrashProxy;
  let running: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    running = await start(async (endpoint) => {
      proxy = await startCrashProxy(endpoint);
      return proxy.endpoint;
    });
  });
  afterAll(async () => {
    console.log(`Crash points per operation: ${crashPoints.join(', ')}`);
    await proxy.stop();
    await running.api.stop();
    await running.engine.stop();
  });

  let serial = 0;
  const create = async (attributes: object = {}): Promise<{ id: string; name: string }> => {
    serial += 1;
    const name = `crash-${serial}`;
    const { status, body } = await running.send(
      'POST',
      '/organizations/acme/workspaces',
      document({ name, ...attributes }),
    );
    expect(status).toBe(201);
    return { id: body.data.id, name };
  };

  type Send = (of: typeof running, workspace: { id: string; name: string }) => Promise<ApiResponse>;
  interface InterruptedOperation {
    readonly what: string;
    readonly attributes?: object;
    readonly send: Send;
    /** Status codes that the client may receive when it retries. */
    readonly again: readonly number[];
  }
  const operations: InterruptedOperation[] = [
    {
      what: 'creating a workspace',
      send: ({ send }, { name }) => send('POST', '/organizations/acme/workspaces', document({ name: `${name}-new` })),
      again: [201, 422],
    },
    {
      what: 'creating a workspace with a long description',
      send: ({ send }, { name }) =>
        send('POST', '/organizations/acme/workspaces', document({ name: `${name}-new`, description: LONG })),
      again: [201, 422],
    },
    {
      what: 'renaming a workspace',
      send: ({ send }, { id, name }) => send('PATCH', `/workspaces/${id}`, document({ name: `${name}-renamed` })),
      again: [200],
    },
    {
      what: 'renaming a workspace and setting a long description',
      send: ({ send }, { id, name }) =>
        send('PATCH', `/workspaces/${id}`, document({ name: `${name}-renamed`, description: LONG })),
      again: [200],
    },
    {
      what: 'renaming a workspace and replacing a long description with a short one',
      attributes: { description: LONG },
      send: ({ send }, { id, name }) =>
        send('PATCH', `/workspaces/${id}`, document({ name: `${name}-renamed`, description: 'short' })),
      again: [200],
    },
    {
      what: 'moving a workspace to another project',
      send: ({ send, project }, { id }) => send('PATCH', `/workspaces/${id}`, document({}, project)),
      again: [200],
    },
    {
      what: 'moving a workspace by name with a new name and a long description',
      send: ({ send, project }, { name }) =>
        send(
          'PATCH',
          `/organizations/acme/workspaces/${name}`,
          document({ name: `${name}-moved`, description: LONG }, project),
        ),
      again: [200, 404],
    },
    {
      what: 'safe-deleting a workspace',
      send: ({ send }, { id }) => send('POST', `/workspaces/${id}/actions/safe-delete`),
      again: [204, 404],
    },
    {
      what: 'safe-deleting a workspace with a long description by name',
      attributes: { description: LONG },
      send: ({ send }, { name }) => send('POST', `/organizations/acme/workspaces/${name}/actions/safe-delete`),
      again: [204, 404],
    },
    {
      what: 'force-deleting a workspace',
      attributes: { description: LONG },
      send: ({ send }, { id }) => send('DELETE', `/workspaces/${id}`),
      again: [204, 404],
    },
    {
      what: 'locking a workspace',
      send: ({ send }, { id }) => send('POST', `/workspaces/${id}/actions/lock`),
      again: [200, 409],
    },
  ];

  it.each(operations)(
    'leaves a consistent table after it crashes while $what',
    async ({ what, attributes, send, again }) => {
      let crashes = 0;
      for (let calls = 0; ; calls++) {
        const workspace = await create(attributes);
        const hasCrashed = await proxy.crashAfter(calls, () => send(running, workspace));
        await expectUniqueNames(running.engine);
        expect(await running.api.admin('check-table'), `after ${calls} calls`).toMatchObject({
          findingCount: 0,
          findings: [],
          closing: [],
        });
        if (!hasCrashed) break;
        crashes += 1;
        expect(again, `after ${calls} calls`).toContain((await send(running, workspace)).status);
      }
      crashPoints.push(`${what} ${crashes}`);
      // Every operation reads the caller, then writes.
      expect(crashes).toBeGreaterThanOrEqual(3);
    },
  );
});
