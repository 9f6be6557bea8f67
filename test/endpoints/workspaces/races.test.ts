import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, startApi } from '../../support/api/api.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type HookProxy, startHookProxy } from '../../support/faults/hook-proxy.ts';

/** What happens when somebody else gets ahead between a request's reads and its write. */
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
  const made = await api.request('POST', base, { token: owner, body: document({ name, ...attributes }) });
  const { id, relationships } = made.body.data;
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

describe('an update while the workspace is moved', () => {
  it('does not move it back for a caller who may not move, though it names the old project', async () => {
    const id = await create('moved-back');
    proxy.beforeNext('UpdateItem', () => patch(id, owner, {}, elsewhere));
    const updated = await patch(id, admin, { description: 'mine' }, home);
    expect(updated.status).toBe(403);
    expect((await show(id)).data.relationships.project.data.id).toBe(elsewhere);
  });

  it('survives beside the move, and is answered with what the new project passes on', async () => {
    const id = await create('moved-beside');
    proxy.beforeNext('UpdateItem', () => patch(id, owner, {}, elsewhere));
    const updated = await patch(id, owner, { description: 'mine' });
    expect(updated.status).toBe(200);
    expect(updated.body.data.attributes).toMatchObject({ description: 'mine', 'execution-mode': 'local' });
    expect(await show(id)).toEqual(updated.body);
  });
});

describe('a lock while the workspace is changed', () => {
  it('answers the workspace as it is with the lock, in every attribute', async () => {
    const id = await create('changed-beside', { description: 'old' });
    proxy.beforeNext('UpdateItem', () =>
      patch(id, owner, { description: 'new', 'infra-version': '~> 1.5.0' }, elsewhere),
    );
    const locked = await api.request('POST', `/workspaces/${id}/actions/lock`, { token: owner });
    expect(locked.status).toBe(200);
    expect(locked.body.data.attributes).toMatchObject({ description: 'new', 'infra-version-resolved': '1.5.7' });
    expect(await show(id)).toEqual(locked.body);
  });

  it('answers a description that grew long meanwhile', async () => {
    const id = await create('grown', { description: 'old' });
    const description = 'x'.repeat(900);
    proxy.beforeNext('UpdateItem', () => patch(id, owner, { description }));
    const locked = await api.request('POST', `/workspaces/${id}/actions/lock`, { token: owner });
    expect(locked.body.data.attributes.description).toBe(description);
    expect(await show(id)).toEqual(locked.body);
  });
});

describe('what is asked of a workspace by name', () => {
  it.each([
    ['deleting', (name: string) => api.request('POST', `${base}/${name}/actions/safe-delete`, { token: owner })],
    [
      'renaming',
      (name: string) =>
        api.request('PATCH', `${base}/${name}`, { token: owner, body: document({ name: `${name}-2` }) }),
    ],
  ])('is not done to it under another: %s', async (what, ask) => {
    const id = await create(`${what}-by-name`);
    proxy.beforeNext('TransactWriteItems', () => patch(id, owner, { name: `${what}-renamed` }));
    expect((await ask(`${what}-by-name`)).status).toBe(404);
    expect((await show(id)).data.attributes.name).toBe(`${what}-renamed`);
  });
});

describe('an agent pool of its own', () => {
  it('outlasts a time in which the inherited mode has no use for it', async () => {
    const { agentPool } = await api.admin('create-agent-pool', { organization, name: 'own' });
    await api.admin('update-organization', {
      name: organization,
      defaultExecutionMode: 'agent',
      defaultAgentPool: 'own',
    });
    const { agentPool: other } = await api.admin('create-agent-pool', { organization, name: 'other' });
    const id = await create('pooled', { 'agent-pool-id': other.id });
    await api.admin('update-organization', { name: organization, defaultExecutionMode: 'remote' });
    await patch(id, owner, { description: 'unrelated' });
    await api.admin('update-organization', { name: organization, defaultExecutionMode: 'agent' });
    expect((await show(id)).data.attributes['agent-pool-id']).toBe(other.id);
    expect(agentPool.id).not.toBe(other.id);
    await api.admin('update-organization', { name: organization, defaultExecutionMode: 'remote' });
  });
});

describe('a grant', () => {
  it('goes to the workspace of that id, not to one that is named like it', async () => {
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

describe('a destroy run in the far future', () => {
  it.each(['2286-11-20T17:46:40Z', '9999-12-31T23:59:59-23:59', '1969-12-31T23:59:59Z'])(
    'is refused for %s',
    async (at) => {
      const id = await create(`far-${at.slice(0, 4)}`);
      const refused = await patch(id, owner, { 'auto-destroy-at': at });
      expect(refused.status).toBe(422);
      expect(refused.body.errors[0].source.pointer).toBe('/data/attributes/auto-destroy-at');
    },
  );

  it('is taken up to the last moment that can be stored', async () => {
    const id = await create('far-enough');
    const taken = await patch(id, owner, { 'auto-destroy-at': '2286-11-20T17:46:39Z' });
    expect(taken.body.data.attributes['auto-destroy-at']).toBe('2286-11-20T17:46:39.000Z');
  });
});
