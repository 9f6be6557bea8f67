import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { seedWorkspaces } from '../../support/api/seed-workspaces.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type IndexProxy, startIndexProxy } from '../../support/faults/index-proxy.ts';

/** Thousands of remote state consumers, and an index that lags behind the table. */
let engine: TestEngine;
let proxy: IndexProxy;
let api: Api;
let owner: string;
/** Token of a team that can read one project and is admin of the workspace under test. */
let reader: string;
let subject: string;
let seeded: readonly Workspace[];
let hidden: string;

const organization = 'acme';
const MIB = 1024 * 1024;

/** Number of workspaces. A body can name seven times as many. */
const COUNT = 3_000;

const toBody = (ids: readonly string[]): string =>
  JSON.stringify({ data: ids.map((id) => ({ type: 'workspaces', id })) });
/** Repeats the ids as often as a body of the maximum size allows. */
const repeated = (ids: readonly string[]): string[] => {
  const each = toBody(ids.slice(0, 2)).length - toBody(ids.slice(0, 1)).length;
  return Array.from(
    { length: Math.floor((MIB - toBody([]).length) / each) },
    (_, index) => ids[index % ids.length] as string,
  );
};

const create = async (name: string, project?: string): Promise<string> =>
  (
    await api.request('POST', `/organizations/${organization}/workspaces`, {
      token: owner,
      body: {
        data: {
          type: 'workspaces',
          attributes: { name },
          ...(project && { relationships: { project: { data: { type: 'projects', id: project } } } }),
        },
      },
    })
  ).body.data.id;

beforeAll(async () => {
  engine = await startEngine();
  proxy = await startIndexProxy(engine);
  api = await startApi({ engine, endpoint: proxy.endpoint });
  ({ token: owner } = await api.admin('create-organization', { name: organization, email: 'ada@example.com' }));
  const home: string = (await api.admin('create-project', { organization, name: 'Home' })).project.id;
  const elsewhere: string = (await api.admin('create-project', { organization, name: 'Elsewhere' })).project.id;
  subject = await create('subject', home);
  hidden = await create('hidden', elsewhere);
  await api.admin('create-team', { organization, name: 'readers' });
  await api.admin('grant-access', { organization, team: 'readers', project: 'Home', access: 'read' });
  await api.admin('grant-access', { organization, team: 'readers', workspace: subject, access: 'admin' });
  ({ token: reader } = await api.admin('create-token', { kind: 'team', organization, team: 'readers' }));
  const seeds = Array.from({ length: COUNT }, (_, index) => ({
    organization,
    project: home,
    name: `w-${String(index).padStart(6, '0')}`,
  }));
  seeded = await seedWorkspaces(engine, seeds, { named: false });
});
afterAll(async () => {
  await api.stop();
  await proxy.stop();
  await engine.stop();
});

const path = () => `/workspaces/${subject}/relationships/remote-state-consumers`;
const send = (method: string, ids: readonly string[], token = owner): Promise<ApiResponse> =>
  api.request(method, path(), { token, body: toBody(ids) });
const list = (query = '', token = owner) => api.request('GET', path() + query, { token });
const getTotal = async (token = owner): Promise<number> => (await list('', token)).body.meta.pagination['total-count'];
const getIds = ({ body }: ApiResponse): string[] => body.data.map(({ id }: { id: string }) => id);
const all = () => seeded.map(({ id }) => id);

describe('remote state consumers in a request of the maximum size', () => {
  it('are replaced in one step and listed page by page', async () => {
    const ids = repeated(all());
    expect(ids.length).toBeGreaterThan(20_000);
    expect((await send('PATCH', ids)).status).toBe(204);
    expect(await getTotal()).toBe(COUNT);
    expect(await getTotal(reader)).toBe(COUNT);
    expect(getIds(await list('?page[size]=100'))).toEqual(all().slice(0, 100));
    expect(getIds(await list(`?page[size]=100&page[number]=${COUNT / 100}`, reader))).toEqual(all().slice(-100));
  });

  it('are added and removed', async () => {
    expect((await send('DELETE', all().slice(0, 2_000), reader)).status).toBe(204);
    expect(await getTotal()).toBe(COUNT - 2_000);
    expect((await send('POST', repeated(all().slice(100)), reader)).status).toBe(204);
    expect(await getTotal()).toBe(COUNT - 100);
    expect(getIds(await list('?page[size]=2'))).toEqual(all().slice(100, 102));
    expect((await send('DELETE', all())).status).toBe(204);
    expect(await getTotal()).toBe(0);
  });

  it('are rejected as a whole with a pointer to the one that is invalid', async () => {
    for (const [id, token] of [
      [hidden, reader],
      [subject, owner],
      ['ws-1111111111111111', owner],
      ['x', owner],
    ] as const) {
      const ids = all();
      ids[2_345] = id;
      const reply = await send('POST', ids, token);
      expect(reply.status).toBe(422);
      expect(reply.body.errors[0].source).toEqual({ pointer: '/data/2345/id' });
    }
    expect(await getTotal()).toBe(0);
  });
});

describe('remote state consumers while the index lags behind the table', () => {
  it('can be added and listed before the index has them', async () => {
    await list();
    await proxy.freeze();
    const fresh = [await create('fresh-1'), await create('fresh-2')];
    const ids = [...all().slice(0, 150), ...fresh];
    expect((await send('PATCH', ids)).status).toBe(204);
    expect(await getTotal()).toBe(ids.length);
    // Sorted by name: `fresh` comes before `w`.
    expect(getIds(await list('?page[size]=3'))).toEqual([...fresh, ...all().slice(0, 1)]);
    proxy.thaw();
  });

  it('are not listed when deleted, and are listed with current attributes when changed', async () => {
    await list();
    await proxy.freeze();
    const [changed = ''] = all();
    const fresh = await create('doomed');
    await send('PATCH', [fresh, changed]);
    await list();
    await api.request('DELETE', `/workspaces/${fresh}`, { token: owner });
    await api.request('PATCH', `/workspaces/${changed}`, {
      token: owner,
      body: { data: { type: 'workspaces', attributes: { description: 'changed' } } },
    });
    const reply = await list();
    expect(getIds(reply)).toEqual([changed]);
    expect(reply.body.data[0].attributes.description).toBe('changed');
    proxy.thaw();
  });

  it('cannot be listed or added by a revoked grant that the index still has', async () => {
    const secret = await create('secret');
    await api.admin('grant-access', { organization, team: 'readers', workspace: secret, access: 'read' });
    await send('PATCH', [secret]);
    expect(getIds(await list('', reader))).toEqual([secret]);
    await proxy.freeze();
    await api.admin('revoke-access', { organization, team: 'readers', workspace: secret });
    expect(getIds(await list('', reader))).toEqual([]);
    expect((await send('POST', [secret], reader)).status).toBe(422);
    proxy.thaw();
  });
});
