import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { createFaultProxy, type FaultProxy } from '../../support/faults/fault-proxy.ts';
import { createSeededRandom } from '../../support/models/seeded-random.ts';

/**
 * Concurrent changes of tags, with lost responses, throttled and conflicting writes between the store and the engine.
 */
let engine: TestEngine;
let faults: FaultProxy;
let stopProxy: () => Promise<void>;
let api: Api;
let token: string;
const organization = 'acme';
const FAULTS = { UpdateItem: { lost: 0.05, throttled: 0.05, conflicting: 0.05, delayed: 0.3, delayMillis: 20 } };

beforeAll(async () => {
  engine = await startEngine();
  faults = createFaultProxy(20_261_121);
  const proxy = await faults.engineProxy(engine.endpoint);
  stopProxy = proxy.stop;
  api = await startApi({ engine, endpoint: proxy.endpoint });
  ({ token } = await api.admin('create-organization', { name: organization, email: 'ada@example.com' }));
});
afterAll(async () => {
  faults.setPlan({});
  expect((await api.admin('check-table')).findings).toEqual([]);
  console.info(`Races of tags: faults injected ${JSON.stringify(faults.counts)}`);
  await api.stop();
  await stopProxy();
  await engine.stop();
});

const send = (method: string, path: string, data?: unknown): Promise<ApiResponse> =>
  api.request(method, path, { token, ...(data !== undefined && { body: { data } }) });
const elements = (names: readonly string[]) => names.map((name) => ({ type: 'tags', attributes: { name } }));
const change = (method: 'POST' | 'DELETE', id: string, ...names: readonly string[]) =>
  send(method, `/workspaces/${id}/relationships/tags`, elements(names));
let createdCount = 0;
const create = async (...names: readonly string[]): Promise<string> => {
  const { body } = await send('POST', `/organizations/${organization}/workspaces`, {
    type: 'workspaces',
    attributes: { name: `w-${++createdCount}` },
    relationships: { tags: { data: elements(names) } },
  });
  return body.data.id;
};
const getTagNames = async (id: string): Promise<readonly string[]> =>
  (await send('GET', `/workspaces/${id}`)).body.data.attributes['tag-names'];
const instances = async (id: string, name: string): Promise<number | undefined> => {
  const { body } = await send('GET', `/workspaces/${id}/relationships/tags?name=${name}`);
  return body.data[0]?.attributes['instance-count'];
};
const many = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
const spread = (tag: string, workspaces: readonly string[]) =>
  send(
    'POST',
    `/tags/${tag}/relationships/workspaces`,
    workspaces.map((id) => ({ type: 'workspaces', id })),
  );
const withFaults = async <T>(work: () => Promise<T>): Promise<T> => {
  faults.setPlan(FAULTS);
  return work().finally(() => faults.setPlan({}));
};

describe('concurrent tag changes of one workspace', () => {
  it.each([1, 2, 3])(
    'apply each request completely or not at all and never exceed 40 tags (round %i)',
    async (round) => {
      const id = await create(...many(4, 'first'));
      const requests = many(10, `r${round}`).map((prefix) => many(6, prefix));
      const statuses = await withFaults(() =>
        Promise.all(requests.map(async (names) => (await change('POST', id, ...names)).status)),
      );
      const names = await getTagNames(id);
      expect(names.length).toBeLessThanOrEqual(40);
      expect(new Set(names).size).toBe(names.length);
      for (const [index, wanted] of requests.entries()) {
        const present = wanted.filter((name) => names.includes(name));
        expect([0, wanted.length]).toContain(present.length);
        if (statuses[index] === 204) expect(present).toEqual(wanted);
        if (statuses[index] === 422) expect(present).toEqual([]);
        expect([204, 422, 503]).toContain(statuses[index]);
      }
      expect(statuses.filter((status) => status === 204).length).toBeGreaterThan(0);
    },
  );

  it('keep all changes of tags, bindings, settings and the lock', async () => {
    const id = await create('gone');
    // As many as a write has attempts: each is rejected at most once for each of the others.
    const requests: readonly (() => Promise<ApiResponse>)[] = [
      ...many(2, 'tag').map((name) => () => change('POST', id, name)),
      () => change('DELETE', id, 'gone'),
      () => send('PATCH', `/workspaces/${id}/tag-bindings`, [{ attributes: { key: 'env', value: 'prod' } }]),
      () => send('PATCH', `/workspaces/${id}`, { type: 'workspaces', attributes: { description: 'changed' } }),
      () => send('POST', `/workspaces/${id}/actions/lock`),
    ];
    const replies = await Promise.all(requests.map((request) => request()));
    expect(replies.map(({ status }) => status)).toEqual([204, 204, 204, 200, 200, 200]);
    const { attributes } = (await send('GET', `/workspaces/${id}`)).body.data;
    expect([...attributes['tag-names']].sort()).toEqual(many(2, 'tag'));
    expect(attributes).toMatchObject({ description: 'changed', locked: true });
    const { body } = await send('GET', `/workspaces/${id}/tag-bindings`);
    expect(body.data.some((binding: { attributes: { key: string } }) => binding.attributes.key === 'env')).toBe(true);
  });
});

describe('concurrent changes of one tag on many workspaces', () => {
  const WORKSPACES = 12;

  it('never count more workspaces than exist, and count exactly in the end', async () => {
    const draw = createSeededRandom(7);
    const ids = await Promise.all(many(WORKSPACES, 'w').map(() => create()));
    const watched = await create('hot');
    let isFinished = false;
    const seen: number[] = [];
    const watch = async (): Promise<void> => {
      while (!isFinished) seen.push((await instances(watched, 'hot')) ?? -1);
    };
    const work = async (id: string): Promise<void> => {
      for (let turn = 0; turn < 12; turn++) await change(draw() < 0.5 ? 'POST' : 'DELETE', id, 'hot', `own-${id}`);
    };
    const watching = watch();
    await withFaults(() => Promise.all([...ids, ...ids].map(work)));
    isFinished = true;
    await watching;
    expect(seen.length).toBeGreaterThan(5);
    for (const count of seen) {
      // The watched workspace always has the tag. At most all others have it, too.
      expect(count).toBeGreaterThanOrEqual(1);
      expect(count).toBeLessThanOrEqual(WORKSPACES + 1);
    }

    const holders = (await Promise.all(ids.map(getTagNames))).filter((names) => names.includes('hot')).length;
    expect(await instances(watched, 'hot')).toBe(holders + 1);
    const { body } = await send('GET', `/organizations/${organization}/tags?q=hot`);
    expect(body.data[0].attributes['instance-count']).toBe(holders + 1);
    await Promise.all([...ids, watched].map((id) => change('DELETE', id, 'hot')));
    expect((await send('GET', `/organizations/${organization}/tags?q=hot`)).body.data).toEqual([]);
  });

  it('remove a deleted tag from all workspaces while other tags are added', async () => {
    const ids = await Promise.all(many(WORKSPACES, 'w').map(() => create('doomed')));
    const { body } = await send('GET', `/organizations/${organization}/tags?q=doomed`);
    const erase = () => send('DELETE', `/organizations/${organization}/tags`, [{ type: 'tags', id: body.data[0].id }]);
    const others = () => Promise.all(ids.map((id) => change('POST', id, 'kept')));
    const [erased, again, added] = await withFaults(() => Promise.all([erase(), erase(), others()]));
    for (const { status } of [erased, again]) expect([204, 503]).toContain(status);
    if ([erased, again].every(({ status }) => status === 503)) expect((await erase()).status).toBe(204);
    for (const [index, id] of ids.entries()) {
      const names = await getTagNames(id);
      expect(names).not.toContain('doomed');
      if (added[index]?.status === 204) expect(names).toContain('kept');
    }
    expect((await send('GET', `/organizations/${organization}/tags?q=doomed`)).body.data).toEqual([]);
  });
});

describe('a tag that is added to many workspaces', () => {
  it('reaches 100 workspaces in one request, and more are rejected', async () => {
    const source = await create('wide');
    const { body } = await send('GET', `/workspaces/${source}/relationships/tags`);
    const targets = await Promise.all(many(100, 'target').map(() => create()));
    expect((await spread(body.data[0].id, targets)).status).toBe(204);
    expect(await instances(source, 'wide')).toBe(101);
    expect((await spread(body.data[0].id, targets)).status).toBe(204);
    expect((await spread(body.data[0].id, [...targets, source])).status).toBe(422);
  });

  it('is missing exactly on the workspaces that a 503 names, and a repeated request adds it there', async () => {
    const source = await create('partial');
    const { body } = await send('GET', `/workspaces/${source}/relationships/tags`);
    const targets = await Promise.all(many(16, 'target').map(() => create()));
    const throttled = targets.filter((_, index) => index % 3 === 0);
    faults.setPlan({ UpdateItem: { throttled: 1, among: throttled } });
    const reply = await spread(body.data[0].id, targets).finally(() => faults.setPlan({}));
    const withoutTag: string[] = [];
    for (const id of targets) if ((await getTagNames(id)).length === 0) withoutTag.push(id);
    expect(reply.status).toBe(503);
    expect(reply.body.errors[0].detail).toBe(
      `The tag was not added to these workspaces: ${withoutTag.join(', ')}. Repeat the request.`,
    );
    expect(withoutTag).toEqual(throttled);
    expect((await spread(body.data[0].id, targets)).status).toBe(204);
    expect(await instances(source, 'partial')).toBe(17);
  });
});
