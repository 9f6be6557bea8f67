import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type HookProxy, startHookProxy } from '../../support/faults/hook-proxy.ts';

/** A second request changes the workspace between the reads and the write of the first one. */
let engine: TestEngine;
let proxy: HookProxy;
let api: Api;
let owner: string;
let admin: string;
let elsewhere: string;
let home: string;

const organization = 'acme';
const base = `/organizations/${organization}/workspaces`;
const document = (attributes: object, project?: string) => ({
  data: {
    type: 'workspaces',
    attributes,
    ...(project && { relationships: { project: { data: { type: 'projects', id: project } } } }),
  },
});
const create = async (name: string, attributes: object = {}): Promise<string> => {
  const created = await api.request('POST', base, { token: owner, body: document({ name, ...attributes }) });
  const { id, relationships } = created.body.data;
  home = relationships.project.data.id;
  await api.admin('grant-access', { organization, team: 'admins', workspace: id, access: 'admin' });
  return id;
};
const patch = (id: string, token: string, attributes: object, project?: string) =>
  api.request('PATCH', `/workspaces/${id}`, { token, body: document(attributes, project) });
const show = async (id: string) => (await api.request('GET', `/workspaces/${id}`, { token: owner })).body;

beforeAll(async () => {
  engine = await startEngine();
  proxy = await startHookProxy(engine.endpoint);
  api = await startApi({ engine, endpoint: proxy.endpoint });
  ({ token: owner } = await api.admin('create-organization', { name: organization, email: 'ada@example.com' }));
  await api.admin('create-team', { organization, name: 'admins' });
  await api.admin('create-user', { username: 'eve', email: 'eve@example.com' });
  await api.admin('add-member', { organization, team: 'admins', username: 'eve' });
  ({ token: admin } = await api.admin('create-token', { kind: 'user', username: 'eve' }));
  const { project } = await api.admin('create-project', {
    organization,
    name: 'Elsewhere',
    defaultExecutionMode: 'local',
  });
  elsewhere = project.id;
});
afterAll(async () => {
  await api.stop();
  await proxy.stop();
  await engine.stop();
});

describe('update of a workspace that is moved concurrently', () => {
  it('returns 403 to a caller who cannot move workspaces, even if the body names the old project', async () => {
    const id = await create('moved-back');
    proxy.beforeNext('UpdateItem', () => patch(id, owner, {}, elsewhere));
    const updated = await patch(id, admin, { description: 'mine' }, home);
    expect(updated.status).toBe(403);
    expect((await show(id)).data.relationships.project.data.id).toBe(elsewhere);
  });

  it('keeps both changes and returns the settings inherited from the new project', async () => {
    const id = await create('moved-concurrently');
    proxy.beforeNext('UpdateItem', () => patch(id, owner, {}, elsewhere));
    const updated = await patch(id, owner, { description: 'mine' });
    expect(updated.status).toBe(200);
    expect(updated.body.data.attributes).toMatchObject({ description: 'mine', 'execution-mode': 'local' });
    expect(await show(id)).toEqual(updated.body);
  });
});

describe('lock of a workspace that is changed concurrently', () => {
  it('returns the changed workspace together with the lock', async () => {
    const id = await create('changed-concurrently', { description: 'old' });
    proxy.beforeNext('UpdateItem', () =>
      patch(id, owner, { description: 'new', 'infra-version': '~> 1.5.0' }, elsewhere),
    );
    const locked = await api.request('POST', `/workspaces/${id}/actions/lock`, { token: owner });
    expect(locked.status).toBe(200);
    expect(locked.body.data.attributes).toMatchObject({ description: 'new', 'infra-version-resolved': '1.5.7' });
    expect(await show(id)).toEqual(locked.body);
  });

  it('returns a description that became long in the meantime', async () => {
    const id = await create('grown', { description: 'old' });
    const description = 'x'.repeat(900);
    proxy.beforeNext('UpdateItem', () => patch(id, owner, { description }));
    const locked = await api.request('POST', `/workspaces/${id}/actions/lock`, { token: owner });
    expect(locked.body.data.attributes.description).toBe(description);
    expect(await show(id)).toEqual(locked.body);
  });
});

describe('request by name for a workspace that is renamed concurrently', () => {
  it.each([
    ['deleting', (name: string) => api.request('POST', `${base}/${name}/actions/safe-delete`, { token: owner })],
    [
      'renaming',
      (name: string) =>
        api.request('PATCH', `${base}/${name}`, { token: owner, body: document({ name: `${name}-2` }) }),
    ],
  ])('returns 404 and does not apply to the renamed workspace: %s', async (action, send) => {
    const id = await create(`${action}-by-name`);
    proxy.beforeNext('TransactWriteItems', () => patch(id, owner, { name: `${action}-renamed` }));
    expect((await send(`${action}-by-name`)).status).toBe(404);
    expect((await show(id)).data.attributes.name).toBe(`${action}-renamed`);
  });
});

describe('agent pool of a workspace', () => {
  it('is kept while the inherited execution mode does not use it', async () => {
    const { agentPool } = await api.admin('create-agent-pool', { organization, name: 'own' });
    // The organization loses its default pool with the mode agent, so a return to that mode names the pool again.
    const inheritAgentMode = () =>
      api.admin('update-organization', {
        name: organization,
        defaultExecutionMode: 'agent',
        defaultAgentPool: 'own',
      });
    await inheritAgentMode();
    const { agentPool: other } = await api.admin('create-agent-pool', { organization, name: 'other' });
    const id = await create('pooled', { 'agent-pool-id': other.id });
    await api.admin('update-organization', { name: organization, defaultExecutionMode: 'remote' });
    await patch(id, owner, { description: 'unrelated' });
    expect((await show(id)).data.attributes['agent-pool-id']).toBeNull();
    await inheritAgentMode();
    expect((await show(id)).data.attributes['agent-pool-id']).toBe(other.id);
    expect(agentPool.id).not.toBe(other.id);
    await api.admin('update-organization', { name: organization, defaultExecutionMode: 'remote' });
  });
});

describe('access grant', () => {
  it('applies to the workspace with the given id, not to one whose name equals that id', async () => {
    const id = await create('genuine');
    const decoy = await create(id);
    await api.admin('create-team', { organization, name: 'readers' });
    const { workspace } = await api.admin('grant-access', {
      organization,
      team: 'readers',
      workspace: id,
      access: 'read',
    });
    expect(workspace).toBe(id);
    expect(decoy).not.toBe(id);
  });
});

describe('auto-destroy-at', () => {
  it.each(['2286-11-20T17:46:40Z', '9999-12-31T23:59:59-23:59', '1969-12-31T23:59:59Z'])(
    'rejects the date %s, which is outside the range that can be stored',
    async (at) => {
      const id = await create(`far-${at.slice(0, 4)}`);
      const rejected = await patch(id, owner, { 'auto-destroy-at': at });
      expect(rejected.status).toBe(422);
      expect(rejected.body.errors[0].source.pointer).toBe('/data/attributes/auto-destroy-at');
    },
  );

  it('accepts the last date that can be stored', async () => {
    const id = await create('far-enough');
    const taken = await patch(id, owner, { 'auto-destroy-at': '2286-11-20T17:46:39Z' });
    expect(taken.body.data.attributes['auto-destroy-at']).toBe('2286-11-20T17:46:39.000Z');
  });
});
