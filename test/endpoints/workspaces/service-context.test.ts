import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Api, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type CountingProxy, startCountingProxy } from '../../support/faults/counting-proxy.ts';

/**
 * A function instance caches the organization and the project of each request for a moment, and callers for some
 * seconds, so that many concurrent requests do not load one item.
 */
let engine: TestEngine;
let proxy: CountingProxy;
let api: Api;
let token: string;
let grace: string;
let project: string;
let path: string;
let time = Date.UTC(2026, 10, 21);

const pass = (milliseconds: number): void => {
  time += milliseconds;
  vi.setSystemTime(time);
};
const show = async (as = token) => (await api.request('GET', path, { token: as })).status;

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: time });
  engine = await startEngine();
  proxy = await startCountingProxy(engine.endpoint);
  api = await startApi({ engine, endpoint: proxy.endpoint, cacheSeconds: 4, organizationMilliseconds: 250 });
  const organization = 'acme';
  ({ token } = await api.admin('create-organization', { name: organization, email: 'ada@example.com' }));
  project = (await api.admin('create-project', { organization, name: 'Platform' })).project.id;
  await api.admin('create-user', { username: 'grace', email: 'grace@example.com' });
  await api.admin('create-team', { organization, name: 'readers' });
  await api.admin('add-member', { organization, team: 'readers', username: 'grace' });
  ({ token: grace } = await api.admin('create-token', { kind: 'user', username: 'grace' }));
  const created = await api.request('POST', `/organizations/${organization}/workspaces`, {
    token,
    body: {
      data: {
        type: 'workspaces',
        attributes: { name: 'network' },
        relationships: { project: { data: { type: 'projects', id: project } } },
      },
    },
  });
  path = `/workspaces/${created.body.data.id}`;
});
afterAll(async () => {
  vi.useRealTimers();
  await api.stop();
  await proxy.stop();
  await engine.stop();
});

it('second request of the same caller reads only the workspace', async () => {
  pass(60_000);
  const { count: first } = await proxy.count(show);
  const { count: second } = await proxy.count(show);
  expect([first.calls, second.calls]).toEqual([4, 1]);
  expect(second).toMatchObject({ rounds: 1, readUnits: 1 });
  pass(250);
  const { count: later } = await proxy.count(show);
  expect(later.calls).toBe(2);
});

it('grant on a project applies at once, and stops applying when the cached project expires', async () => {
  pass(60_000);
  const grant = { organization: 'acme', team: 'readers', project };
  expect(await show(grace)).toBe(404);
  await api.admin('grant-access', { ...grant, access: 'read' });
  expect(await show(grace)).toBe(200);
  await api.admin('revoke-access', grant);
  expect(await show(grace)).toBe(200);
  pass(250);
  expect(await show(grace)).toBe(404);
});

it('function that updates an organization always returns its current attributes', async () => {
  const at = '/organizations/acme';
  for (const email of ['one@example.com', 'two@example.com']) {
    const body = { data: { type: 'organizations', attributes: { email } } };
    expect((await api.request('PATCH', at, { token, body })).status).toBe(200);
    expect((await api.request('GET', at, { token })).body.data.attributes.email).toBe(email);
  }
});
