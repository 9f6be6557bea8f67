import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { type Api, startApi } from '../../support/api/api.ts';

/** Filters of the workspace list that concern locks and effective values, as requests change both. */
let api: Api;
let token: string;

beforeAll(async () => {
  api = await startApi();
  ({ token } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
});
afterEach(() => vi.useRealTimers());
afterAll(() => api.stop());

const send = async (method: string, path: string, body?: object) => {
  const { status, body: document } = await api.request(method, path, { token, ...(body && { body }) });
  expect(status, JSON.stringify(document)).toBeLessThan(300);
  return document;
};
const create = async (name: string, attributes: object = {}): Promise<string> => {
  const body = { data: { type: 'workspaces', attributes: { name, ...attributes } } };
  return (await send('POST', '/organizations/acme/workspaces', body)).data.id;
};
const list = async (query: string): Promise<string[]> =>
  (await send('GET', `/organizations/acme/workspaces?${query}`)).data.map(
    ({ attributes }: { attributes: { name: string } }) => attributes.name,
  );
const update = (id: string, attributes: object) =>
  send('PATCH', `/workspaces/${id}`, { data: { type: 'workspaces', attributes } });

it('filters by the effective execution mode and deletion protection, own or inherited', async () => {
  const inheriting = await create('mode-inherited');
  const own = await create('mode-own', { 'execution-mode': 'local', 'deletion-protection': true });
  const modes = (query: string) => list(`search[name]=mode-&${query}`);
  expect(await modes('filter[execution-mode]=local')).toEqual(['mode-own']);
  expect(await modes('filter[execution-mode]=remote')).toEqual(['mode-inherited']);
  expect(await modes('filter[deletion-protection]=true')).toEqual(['mode-own']);
  const defaults = { 'default-execution-mode': 'local', 'default-deletion-protection': true };
  await send('PATCH', '/organizations/acme', { data: { type: 'organizations', attributes: defaults } });
  expect(await modes('filter[execution-mode]=local')).toEqual(['mode-inherited', 'mode-own']);
  expect(await modes('filter[deletion-protection]=false')).toEqual([]);
  await update(inheriting, { 'execution-mode': 'remote', 'deletion-protection': false });
  await update(own, { 'setting-overwrites': { 'execution-mode': false, 'deletion-protection': false } });
  expect(await modes('filter[execution-mode]=local')).toEqual(['mode-own']);
  expect(await modes('filter[deletion-protection]=false')).toEqual(['mode-inherited']);
});

it('filters by the version of the infrastructure tool, as it is given, as it resolves, and by constraints', async () => {
  await create('version-exact', { 'infra-version': '1.5.7' });
  const changing = await create('version-constraint', { 'infra-version': '~> 1.5.0' });
  expect(await list('filter[infra-version]=1.5.7')).toEqual(['version-constraint', 'version-exact']);
  expect(await list('filter[terraform-version]=~> 1.5.0')).toEqual(['version-constraint', 'version-exact']);
  expect(await list('filter[infra-version]=%3E 1.5, < 1.6.0')).toEqual(['version-constraint', 'version-exact']);
  expect(await list('filter[infra-version]=< 1.5.7')).toEqual([]);
  expect(await list('filter[infra-version]=< 1.x')).toEqual([]);
  await update(changing, { 'infra-version': 'latest' });
  expect(await list('filter[infra-version]=1.5.7')).toEqual(['version-exact']);
  expect(await list('filter[infra-version]=latest')).toEqual(['version-constraint']);
});

it('filters by lock and holder, and sorts by the time of the lock, until the lease expires', async () => {
  const ids: string[] = [];
  for (const name of ['lock-a', 'lock-b', 'lock-c']) ids.push(await create(name));
  await send('POST', `/workspaces/${ids[1]}/actions/lock`);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_000 });
  const locked = await send('POST', `/workspaces/${ids[0]}/actions/lock`, { 'lease-seconds': 60 });
  const holder = locked.data.relationships['locked-by'].data.id;
  expect(await list('search[name]=lock-&sort=locked-at')).toEqual(['lock-b', 'lock-a', 'lock-c']);
  expect(await list('search[name]=lock-&sort=-locked-at')).toEqual(['lock-a', 'lock-b', 'lock-c']);
  expect(await list(`filter[locked-by][id]=${holder}`)).toEqual(['lock-a', 'lock-b']);
  expect(await list('search[name]=lock-&filter[locked]=false')).toEqual(['lock-c']);
  vi.setSystemTime(Date.now() + 61_000);
  expect(await list('filter[locked]=true')).toEqual(['lock-b']);
  expect((await list('search[name]=lock-&sort=-locked-at'))[0]).toBe('lock-b');
  await send('POST', `/workspaces/${ids[1]}/actions/unlock`);
  expect(await list('filter[locked]=true')).toEqual([]);
});
