import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type IndexProxy, startIndexProxy } from '../../support/faults/index-proxy.ts';

/** Tags while the index that counts the other workspaces lags behind the table. */
let engine: TestEngine;
let index: IndexProxy;
let api: Api;
let token: string;
const organization = 'acme';

beforeAll(async () => {
  engine = await startEngine();
  index = await startIndexProxy(engine);
  api = await startApi({ engine, endpoint: index.endpoint });
  ({ token } = await api.admin('create-organization', { name: organization, email: 'ada@example.com' }));
});
afterEach(() => index.thaw());
afterAll(async () => {
  await api.stop();
  await index.stop();
  await engine.stop();
});

const send = (method: string, path: string, data?: unknown): Promise<ApiResponse> =>
  api.request(method, path, { token, ...(data !== undefined && { body: { data } }) });
const elements = (names: readonly string[]) => names.map((name) => ({ type: 'tags', attributes: { name } }));
const getTags = async (id: string) => (await send('GET', `/workspaces/${id}/relationships/tags`)).body.data;
const getCounts = async (id: string) =>
  Object.fromEntries(
    (await getTags(id)).map(({ attributes }: { attributes: Record<string, unknown> }) => [
      attributes['name'],
      attributes['instance-count'],
    ]),
  );
const change = (method: string, id: string, ...names: readonly string[]) =>
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

describe('tags of a workspace while the index lags behind the table', () => {
  it('are listed and counted from the workspace itself', async () => {
    const [one, two] = [await create('both', 'left'), await create('both')];
    expect(await getCounts(one)).toEqual({ both: 2, left: 1 });
    await index.freeze();
    await change('POST', one, 'new');
    await change('DELETE', one, 'left');
    expect(await getCounts(one)).toEqual({ both: 2, new: 1 });
    await change('DELETE', one, 'both');
    await change('POST', two, 'new');
    // For other workspaces, the counts are as old as the index.
    expect(await getCounts(two)).toEqual({ both: 2, new: 1 });
    index.thaw();
    expect(await getCounts(two)).toEqual({ both: 1, new: 2 });
  });

  it('are found by an id that the index does not have yet', async () => {
    const id = await create();
    await index.freeze();
    await change('POST', id, 'unheard-of');
    const [tag] = await getTags(id);
    const element = [{ type: 'tags', id: tag.id }];
    expect((await send('POST', `/workspaces/${id}/relationships/tags`, element)).status).toBe(204);
    expect((await send('DELETE', `/workspaces/${id}/relationships/tags`, element)).status).toBe(204);
    expect(await getTags(id)).toEqual([]);
  });
});

describe('DELETE /organizations/:name/tags while the index lags behind the table', () => {
  it('removes the tag from workspaces that the index still lists with it', async () => {
    const ids = [await create('doomed'), await create('doomed'), await create('doomed')];
    const [tag] = await getTags(ids[0] as string);
    await index.freeze();
    await send('DELETE', `/workspaces/${ids[2]}`);
    const erase = () => send('DELETE', `/organizations/${organization}/tags`, [{ type: 'tags', id: tag.id }]);
    expect((await erase()).status).toBe(204);
    expect((await erase()).status).toBe(204);
    for (const id of ids.slice(0, 2)) expect(await getTags(id)).toEqual([]);
    index.thaw();
    expect((await send('GET', `/organizations/${organization}/tags?q=doomed`)).body.data).toEqual([]);
  });

  it('removes the tag from workspaces that receive it during the deletion', async () => {
    const [one, two] = [await create('late'), await create()];
    const [tag] = await getTags(one);
    // The organization has four shards, so queries 1 to 4 find one workspace and the next ones find the other.
    let queries = 0;
    let adding: Promise<ApiResponse> | undefined;
    index.beforeQueries(1, async () => {
      queries += 1;
      if (queries > 4) {
        adding ??= change('POST', two, 'late');
        await adding;
      }
    });
    const reply = await send('DELETE', `/organizations/${organization}/tags`, [{ type: 'tags', id: tag.id }]);
    index.beforeQueries(1, undefined);
    expect(reply.status).toBe(204);
    expect(queries).toBeGreaterThan(5);
    expect([await getTags(one), await getTags(two)]).toEqual([[], []]);
  });
});
