import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openAdminDependencies } from '../../../functions/admin/dependencies.ts';
import { grantAccess } from '../../../shared/domain/transitions/relationships/change-team-access.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { openCleanup } from '../../../shared/store/cleanup/cleanup-queue.ts';
import { keys } from '../../../shared/store/dynamodb/keys.ts';
import type { ApiResponse } from '../../support/api/api.ts';
import { createSshKey } from '../../support/api/create-ssh-key.ts';
import { noBlobs } from '../../support/api/no-blob-storage.ts';
import {
  createOrganizationFixture,
  ORGANIZATION,
  type OrganizationFixture,
  type Workspace,
} from '../../support/api/organization-fixture.ts';
import { buildState, readUploadUrl, stateVersionBody, upload } from '../../support/api/states.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { type HookProxy, startHookProxy } from '../../support/faults/hook-proxy.ts';
import { followHistory } from '../../support/history/history-follower.ts';
import { nextMillisecond } from '../../support/setup/next-millisecond.ts';

/** Deleted workspaces over HTTP: list, show, restore and permanent deletion (docs/reference/deletion.md). */
let fixture: OrganizationFixture;
let engine: TestEngine;
let proxy: HookProxy;
const organization = ORGANIZATION;
const DAY = 86_400_000;
const base = `/organizations/${organization}`;

beforeAll(async () => {
  engine = await startEngine();
  proxy = await startHookProxy(engine.endpoint);
  fixture = await createOrganizationFixture({ deletedWorkspaceDays: 14, engine, endpoint: proxy.endpoint });
});
afterAll(async () => {
  await fixture.api.stop();
  await proxy.stop();
  await engine.stop();
});

const send = (method: string, path: string, body?: object, token = fixture.owner): Promise<ApiResponse> =>
  fixture.api.request(method, path, { token, ...(body && { body }) });
const attributes = (type: string, given: object) => ({ data: { type, attributes: given } });
const named = (name: string) => attributes('workspaces', { name });

/** Runs the cleanup as it would run after some milliseconds. */
const cleanUp = async (after = 0): Promise<void> => {
  const clock = () => Date.now() + after;
  const { removal } = openAdminDependencies(engine.database, clock);
  const { due, finish } = openCleanup(engine.database, removal, { updateWorkspaces: async () => {} }, noBlobs, clock);
  for await (const key of due(Date.now() + after)) await finish(key);
};
const expectHealthy = async (): Promise<void> => {
  expect((await fixture.admin('check-table', {})).findings).toEqual([]);
};

const remove = async ({ id }: Pick<Workspace, 'id'>): Promise<void> => {
  expect((await send('DELETE', `/workspaces/${id}`)).status).toBe(204);
};
const restore = ({ id }: Pick<Workspace, 'id'>, body?: object, token?: string) =>
  send('POST', `/deleted-workspaces/${id}/actions/restore`, body, token);
const purge = ({ id }: Pick<Workspace, 'id'>, token?: string) =>
  send('DELETE', `/deleted-workspaces/${id}`, undefined, token);
const list = async (token?: string): Promise<string[]> => {
  const { status, body } = await send('GET', `${base}/deleted-workspaces?page[size]=100`, undefined, token);
  expect(status).toBe(200);
  expect(body.meta.pagination['total-count']).toBe(body.data.length);
  return body.data.map(({ id }: Workspace) => id);
};
const listedNames = async (): Promise<string[]> =>
  (await send('GET', `${base}/workspaces?page[size]=100`)).body.data.map(
    (workspace: { attributes: Workspace }) => workspace.attributes.name,
  );
const createProject = async (name: string): Promise<string> =>
  (await send('POST', `${base}/projects`, attributes('projects', { name }))).body.data.id;
const inProject = (id: string) => ({ project: { data: { type: 'projects', id } } });

/** Creates a user whose team has the given access, and returns a token. */
let members = 0;
const member = async (...grants: readonly object[]): Promise<string> => {
  const name = `member-${++members}`;
  await fixture.admin('create-team', { organization, name });
  await fixture.admin('create-user', { username: name, email: `${name}@example.com` });
  await fixture.admin('add-member', { organization, team: name, username: name });
  for (const grant of grants) await fixture.admin('grant-access', { organization, team: name, ...grant });
  return (await fixture.admin('create-token', { kind: 'user', username: name })).token;
};

describe('a deleted workspace', () => {
  it('is restored with its id, settings, tags, variables and long text, and without its lock', async () => {
    const description = 'long '.repeat(180);
    const workspace = await fixture.createWorkspace({ name: 'whole', description, 'auto-apply': true });
    const path = `/workspaces/${workspace.id}`;
    await send('POST', `${path}/relationships/tags`, { data: [{ type: 'tags', attributes: { name: 'core' } }] });
    const variable = { key: 'region', value: 'eu-1', category: 'env' };
    await send('POST', `${path}/vars`, attributes('vars', variable));
    const { 'updated-at': _, ...before } = await fixture.show(workspace);
    await send('POST', `${path}/actions/lock`);
    await remove(workspace);

    expect(await list()).toEqual([workspace.id]);
    expect(await listedNames()).not.toContain('whole');
    for (const gone of [path, `${path}/vars`, `${base}/workspaces/whole`])
      expect((await send('GET', gone)).status).toBe(404);
    await cleanUp(13 * DAY);
    await expectHealthy();

    const restored = await restore(workspace);
    expect(restored.status).toBe(200);
    expect(restored.body.meta).toEqual({ dropped: [] });
    const { 'updated-at': __, ...after } = restored.body.data.attributes;
    expect(after).toEqual(before);
    expect(await fixture.show(workspace)).toEqual(restored.body.data.attributes);
    expect((await send('GET', `${path}/vars`)).body.data[0].attributes).toMatchObject(variable);
    expect(await listedNames()).toContain('whole');
    expect(await list()).toEqual([]);
    expect((await restore(workspace)).status).toBe(404);
    expect((await send('POST', `${path}/actions/lock`)).status).toBe(200);
    await cleanUp(15 * DAY);
    expect((await send('GET', `${path}/vars`)).body.data).toHaveLength(1);
    await expectHealthy();
  });

  it('shows its name, its deletion and the end of its time', async () => {
    const workspace = await fixture.createWorkspace({ name: 'shown' });
    const started = Date.now();
    await remove(workspace);
    const { status, body } = await send('GET', `/deleted-workspaces/${workspace.id}`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      id: workspace.id,
      type: 'deleted-workspaces',
      attributes: { name: 'shown', 'resource-count': 0, permissions: { 'can-restore': true, 'can-destroy': true } },
      relationships: { organization: { data: { id: organization } } },
    });
    const { 'deleted-at': at, 'restorable-until': until } = body.data.attributes;
    expect(Date.parse(at)).toBeGreaterThanOrEqual(started);
    expect(Date.parse(until) - Date.parse(at)).toBe(14 * DAY);
    await purge(workspace);
  });

  it('shows who deleted it, except for a team that the caller may not see', async () => {
    const permissions = { 'manage-workspaces': true };
    const team = async (name: string, visibility: string): Promise<string> => {
      const given = { name, visibility, 'organization-access': permissions };
      return (await send('POST', `${base}/teams`, attributes('teams', given))).body.data.id;
    };
    const id = await team('removers', 'secret');
    const { body: created } = await send('POST', `/teams/${id}/authentication-token`);
    const workspace = await fixture.createWorkspace({ name: 'by-a-team' });
    const byTeam = created.data.attributes.token;
    expect((await send('DELETE', `/workspaces/${workspace.id}`, undefined, byTeam)).status).toBe(403);
    await send('POST', `/workspaces/${workspace.id}/actions/safe-delete`, undefined, byTeam);
    const deletedBy = async (token?: string) => {
      const shown = await send('GET', `/deleted-workspaces/${workspace.id}`, undefined, token);
      const listed = await send('GET', `${base}/deleted-workspaces`, undefined, token);
      expect(listed.body.data[0].attributes['deleted-by']).toEqual(shown.body.data.attributes['deleted-by']);
      return shown.body.data.attributes['deleted-by'];
    };
    expect(await deletedBy()).toEqual({ kind: 'team', id, name: 'removers' });
    expect(await deletedBy(byTeam)).toEqual({ kind: 'team', id, name: 'removers' });
    const other = await team('others', 'organization');
    const { body: token } = await send('POST', `/teams/${other}/authentication-token`);
    expect(await deletedBy(token.data.attributes.token)).toEqual({ kind: 'team', id: null, name: null });
    await purge(workspace);
  });

  it('releases its name at once, and is restored under another one if that is taken', async () => {
    const workspace = await fixture.createWorkspace({ name: 'taken' });
    await remove(workspace);
    const other = await fixture.createWorkspace({ name: 'taken' });
    const rejected = await restore(workspace);
    expect(rejected.status).toBe(422);
    expect(rejected.body.errors[0]).toMatchObject({
      detail: 'Name has already been taken',
      source: { pointer: '/data/attributes/name' },
    });
    expect((await restore(workspace, named('not a name'))).status).toBe(422);
    const restored = await restore(workspace, named('taken-restored'));
    expect(restored.body.data.attributes.name).toBe('taken-restored');
    expect((await send('GET', `${base}/workspaces/taken`)).body.data.id).toBe(other.id);
    expect((await send('GET', `${base}/workspaces/taken-restored`)).body.data.id).toBe(workspace.id);
    await expectHealthy();
  });

  it('is removed with everything in it when its time is over', async () => {
    const workspace = await fixture.createWorkspace({ name: 'expired', description: 'long '.repeat(180) });
    await send(
      'POST',
      `/workspaces/${workspace.id}/vars`,
      attributes('vars', { key: 'a', value: 'b', category: 'env' }),
    );
    await remove(workspace);
    await cleanUp(14 * DAY + 1000);
    expect((await restore(workspace)).status).toBe(404);
    expect((await send('GET', `/deleted-workspaces/${workspace.id}`)).status).toBe(404);
    expect(await list()).toEqual([]);
    const items = await fixture.api.engine.database.query({ partition: `WS#${workspace.id}`, consistent: true });
    expect(items.map(({ sk, chg }) => [sk, (chg as { type: string }).type])).toEqual([['W', 'workspace.purged']]);
    await expectHealthy();
  });

  it('keeps a state that is uploaded while it is deleted, and has it when it is restored', async () => {
    const workspace = await fixture.createWorkspace();
    const path = `/workspaces/${workspace.id}`;
    const current = async () => (await send('GET', `${path}/current-state-version`)).body.data;
    const push = async (serial: number) => {
      const content = buildState({ serial, resources: serial });
      const body = stateVersionBody(content, { serial, 'json-state-outputs': 'e30=' });
      const created = await send('POST', `${path}/state-versions`, body);
      const uploadAll = async () => {
        expect(await upload(readUploadUrl(created), content)).toBe(200);
        expect(await upload(created.body.data.attributes['hosted-json-state-upload-url'], Buffer.from('{}'))).toBe(200);
      };
      return { id: created.body.data.id, uploadAll };
    };
    await send('POST', `${path}/actions/lock`);
    const first = await push(1);
    await first.uploadAll();
    await fixture.api.deliverUploads();
    expect((await current()).id).toBe(first.id);
    const second = await push(2);
    await remove(workspace);
    await second.uploadAll();
    await fixture.api.deliverUploads();

    const restored = await restore(workspace);
    expect(restored.body.data.relationships['current-state-version'].data.id).toBe(second.id);
    const { attributes: shown } = await current();
    expect(shown).toMatchObject({ serial: 2, status: 'finalized' });
    for (const url of ['hosted-state-download-url', 'hosted-json-state-download-url']) {
      const location = new URL(shown[url]).pathname;
      expect((await send('GET', location)).status, url).toBe(307);
    }
    await expectHealthy();
  });

  it('keeps its remote state consumers, although they were replaced shortly before its deletion', async () => {
    const [workspace, consumer] = [await fixture.createWorkspace(), await fixture.createWorkspace()];
    const path = `/workspaces/${workspace.id}/relationships/remote-state-consumers`;
    expect((await send('PATCH', path, { data: [{ type: 'workspaces', id: consumer.id }] })).status).toBe(204);
    await remove(workspace);
    await cleanUp(DAY);
    await expectHealthy();
    await restore(workspace);
    const { status, body } = await send('GET', path);
    expect(status).toBe(200);
    expect(body.data.map(({ id }: Workspace) => id)).toEqual([consumer.id]);
    await expectHealthy();
  });

  it('leaves no secret in the table or in the bucket after it was purged', async () => {
    const { api } = fixture;
    const history = await followHistory(api);
    const workspace = await fixture.createWorkspace();
    const path = `/workspaces/${workspace.id}`;
    const secret = { key: 'token', value: 'purged-secret', category: 'env', sensitive: true };
    const { body } = await send('POST', `${path}/vars`, attributes('vars', secret));
    await send('PATCH', `${path}/vars/${body.data.id}`, attributes('vars', { value: 'purged-second-secret' }));
    const { sealed } = (await engine.database.get(keys.variable(workspace.id, 'env', 'token'))) ?? {};
    const ciphertext = Buffer.from(sealed as Uint8Array).toString('base64');
    const dump = async (): Promise<string> => {
      await history.record();
      const stored: unknown[] = [...api.bucket.objects().values()].map(String);
      for await (const item of scanItems(engine.database)) {
        const readable = (it: unknown) => (it instanceof Uint8Array ? Buffer.from(it).toString('base64') : it);
        stored.push(Object.values(item).map(readable));
      }
      return JSON.stringify(stored);
    };
    await remove(workspace);
    expect(await dump()).toContain(ciphertext);
    await purge(workspace);
    await cleanUp();
    const left = await dump();
    expect(left).toContain(body.data.id);
    for (const hidden of [ciphertext, 'purged-secret', 'purged-second-secret']) expect(left).not.toContain(hidden);
  });

  it('is deleted permanently by an owner, and by nobody else', async () => {
    const workspace = await fixture.createWorkspace({ name: 'purged' });
    const admin = await member({ project: 'Default Project', access: 'admin' });
    await remove(workspace);
    expect(await list(admin)).toEqual([workspace.id]);
    expect((await purge(workspace, admin)).status).toBe(403);
    expect((await purge(workspace)).status).toBe(204);
    expect((await purge(workspace)).status).toBe(404);
    expect((await restore(workspace)).status).toBe(404);
    expect(await list()).toEqual([]);
    await cleanUp();
    await expectHealthy();
  });
});

describe('a restoration that races', () => {
  const ROUNDS = 4;

  it('with a permanent deletion: exactly one of them succeeds, and decides', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const workspace = await fixture.createWorkspace();
      await remove(workspace);
      const [restored, purged] = await Promise.all([restore(workspace), purge(workspace)]);
      expect([restored.status, purged.status].toSorted()).toEqual([restored.status === 200 ? 200 : 204, 404]);
      const shown = await send('GET', `/workspaces/${workspace.id}`);
      expect(shown.status).toBe(restored.status === 200 ? 200 : 404);
    }
    await cleanUp();
    await expectHealthy();
  });

  it('with a creation of the same name: exactly one workspace gets the name', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const name = `raced-${round}`;
      const workspace = await fixture.createWorkspace({ name });
      await remove(workspace);
      const [restored, created] = await Promise.all([restore(workspace), fixture.create({ name })]);
      expect([restored.status, created.status]).toEqual(restored.status === 200 ? [200, 422] : [422, 201]);
      const { id } = (await send('GET', `${base}/workspaces/${name}`)).body.data;
      expect(id).toBe((restored.status === 200 ? restored : created).body.data.id);
      if (restored.status !== 200) await purge(workspace);
    }
    await cleanUp();
    await expectHealthy();
  });

  it('with the cleanup at the end of the time: the cleanup removes nothing of a restored workspace', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const workspace = await fixture.createWorkspace();
      const path = `/workspaces/${workspace.id}/vars`;
      await send('POST', path, attributes('vars', { key: 'kept', value: '1', category: 'env' }));
      await remove(workspace);
      const [restored] = await Promise.all([restore(workspace), cleanUp(14 * DAY + 1000)]);
      const variables = await send('GET', path);
      expect(variables.status).toBe(restored.status);
      if (restored.status === 200) expect(variables.body.data).toHaveLength(1);
      else expect(restored.status).toBe(404);
    }
    await cleanUp();
    await expectHealthy();
  });

  /** Time after which no request that read a project before its deletion can still write, in milliseconds. */
  const SETTLED = 31_000;
  const projectOf = async ({ id }: Pick<Workspace, 'id'>): Promise<string> =>
    (await send('GET', `/workspaces/${id}`)).body.data.relationships.project.data.id;
  const removeProject = (id: string) => send('DELETE', `/projects/${id}`);

  it('with the deletion of its project: it ends in the default project, or keeps the project', async () => {
    const home = await projectOf(await fixture.createWorkspace());
    for (let round = 0; round < ROUNDS; round++) {
      const project = await createProject(`Raced project ${round}`);
      const workspace = await fixture.createWorkspace({}, inProject(project));
      await remove(workspace);
      const [restored, removed] = await Promise.all([restore(workspace), removeProject(project)]);
      expect(restored.status).toBe(200);
      expect([204, 409]).toContain(removed.status);
      await cleanUp(SETTLED);
      expect(await projectOf(workspace)).toBe(removed.status === 204 ? home : project);
    }
    await expectHealthy();
  });

  it('with a project that is deleted after it was read: the second step of the deletion moves the workspace', async () => {
    const home = await projectOf(await fixture.createWorkspace());
    const project = await createProject('Read project');
    const workspace = await fixture.createWorkspace({ name: 'read-before' }, inProject(project));
    await remove(workspace);
    proxy.beforeNext('TransactWriteItems', async () => {
      expect((await removeProject(project)).status).toBe(204);
    });
    expect((await restore(workspace)).status).toBe(200);
    await cleanUp(SETTLED);
    expect(await projectOf(workspace)).toBe(home);
    expect((await send('GET', `${base}/workspaces/read-before`)).body.data.id).toBe(workspace.id);
    await expectHealthy();
  });

  it('with a project whose deletion has begun: it is restored into the default project', async () => {
    const home = await projectOf(await fixture.createWorkspace());
    const project = await createProject('Closing project');
    const workspace = await fixture.createWorkspace({}, inProject(project));
    await remove(workspace);
    proxy.beforeNext('DeleteItem', async () => {
      const { status, body } = await restore(workspace);
      expect(status).toBe(200);
      expect(body.meta.dropped).toEqual([{ type: 'projects', id: project }]);
    });
    expect((await removeProject(project)).status).toBe(204);
    expect(await projectOf(workspace)).toBe(home);
    await cleanUp(SETTLED);
    expect(await projectOf(workspace)).toBe(home);
    await expectHealthy();
  });

  it('with its own late attempt: that has no effect on a workspace that was deleted again', async () => {
    const workspace = await fixture.createWorkspace({ name: 'late' });
    await remove(workspace);
    const held = proxy.holdNext('TransactWriteItems');
    expect((await restore(workspace)).status).toBe(200);
    await remove(workspace);
    await held.arrive();
    expect((await send('GET', `/workspaces/${workspace.id}`)).status).toBe(404);
    expect((await purge(workspace)).status).toBe(204);
    await held.arrive();
    expect((await send('GET', `/workspaces/${workspace.id}`)).status).toBe(404);
    await cleanUp();
    await expectHealthy();
  });
});

describe('what a restored workspace refers to', () => {
  it('is dropped and named if it was deleted meanwhile, and a deleted project becomes the default project', async () => {
    const project = await createProject('Doomed project');
    const { agentPool } = await fixture.admin('create-agent-pool', { organization, name: 'doomed pool' });
    const key = await createSshKey(fixture.api, fixture.owner, organization, 'doomed key');
    const { team } = await fixture.admin('create-team', { organization, name: 'doomed-team' });
    const workspace = await fixture.createWorkspace(
      { name: 'referring', 'execution-mode': 'agent', 'agent-pool-id': agentPool.id },
      inProject(project),
    );
    await send('PATCH', `/workspaces/${workspace.id}/relationships/ssh-key`, attributes('workspaces', { id: key.id }));
    await fixture.admin('grant-access', { organization, team: 'doomed-team', workspace: 'referring', access: 'write' });
    await remove(workspace);
    for (const path of [
      `/projects/${project}`,
      `/agent-pools/${agentPool.id}`,
      `/ssh-keys/${key.id}`,
      `/teams/${team.id}`,
    ]) {
      expect((await send('DELETE', path)).status, path).toBe(204);
    }
    const { status, body } = await restore(workspace);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(
      body.meta.dropped.toSorted((a: { type: string }, b: { type: string }) => (a.type < b.type ? -1 : 1)),
    ).toEqual([
      { type: 'agent-pools', id: agentPool.id },
      { type: 'projects', id: project },
      { type: 'ssh-keys', id: key.id },
      { type: 'teams', id: team.id },
    ]);
    expect(body.data.attributes).toMatchObject({ 'execution-mode': 'remote', 'agent-pool-id': null });
    expect(body.data.relationships['ssh-key']).toEqual({ data: null });
    expect(body.data.relationships.project.data.id).not.toBe(project);
  });

  it('is dropped even if it is more access of deleted teams than one transaction can remove', async () => {
    const workspace = await fixture.createWorkspace();
    const { workspaces } = openAdminDependencies(engine.database, Date.now);
    const teams = Array.from({ length: 101 }, () => `team-${base58(16)}`);
    let granted = await workspaces.find(workspace.id);
    for (const team of teams) {
      const by = { id: base58(16), principal: { kind: 'user', id: 'user-x', name: 'x' } } as const;
      if (granted !== undefined) granted = await workspaces.apply(granted, grantAccess(team, 'read'), by);
    }
    await remove(workspace);
    const { status, body } = await restore(workspace);
    expect(status).toBe(200);
    const dropped: string[] = body.meta.dropped.map(({ id }: { id: string }) => id);
    expect(dropped.toSorted()).toEqual(teams.toSorted());
    expect((await workspaces.find(workspace.id))?.access).toEqual({});
    await expectHealthy();
  });

  it('does not request a destroy run that was due while the workspace was deleted', async () => {
    const hour = 3_600_000;
    const at = new Date(Date.now() + hour).toISOString();
    const workspace = await fixture.createWorkspace({ name: 'ephemeral', 'auto-destroy-at': at });
    await remove(workspace);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * hour });
    onTestFinished(() => void vi.useRealTimers());
    const { body } = await restore(workspace);
    expect(body.meta.dropped).toEqual([{ type: 'attributes', id: 'auto-destroy-at' }]);
    expect(body.data.attributes['auto-destroy-at']).toBeNull();
  });
});

describe('access to deleted workspaces', () => {
  it('responds with 401 to a user while the organization accepts no tokens of users', async () => {
    const workspace = await fixture.createWorkspace();
    await remove(workspace);
    const { team } = await fixture.admin('update-team', { organization, name: 'owners' });
    const { token } = (await send('POST', `/teams/${team.id}/authentication-token`)).body.data.attributes;
    const enable = (isEnabled: boolean) =>
      send('PATCH', base, attributes('organizations', { 'user-tokens-enabled': isEnabled }), token);
    await enable(false);
    for (const reply of [
      await send('GET', `/deleted-workspaces/${workspace.id}`),
      await restore(workspace),
      await purge(workspace),
    ])
      expect(reply.status).toBe(401);
    expect((await restore(workspace, undefined, token)).status).toBe(200);
    await enable(true);
  });

  it('needs the rights to delete the workspace and to create in its project', async () => {
    const project = await createProject('Guarded project');
    const workspace = await fixture.createWorkspace({ name: 'guarded' }, inProject(project));
    const access = { project: 'Guarded project', access: 'custom' };
    const both = await member({ ...access, delete: true, create: true });
    const onlyDeletes = await member({ ...access, delete: true });
    const onlyCreates = await member({ ...access, create: true });
    await remove(workspace);
    for (const token of [onlyDeletes, onlyCreates]) {
      expect(await list(token)).toEqual([]);
      expect((await send('GET', `/deleted-workspaces/${workspace.id}`, undefined, token)).status).toBe(404);
      expect((await restore(workspace, undefined, token)).status).toBe(404);
      expect((await purge(workspace, token)).status).toBe(404);
    }
    expect(await list(both)).toEqual([workspace.id]);
    expect((await restore(workspace, undefined, both)).status).toBe(200);
  });
});

describe('a list of deleted workspaces', () => {
  it('has pages, the last deleted workspace first', async () => {
    const workspaces: Workspace[] = [];
    for (let index = 0; index < 5; index++) {
      workspaces.push(await fixture.createWorkspace());
      await remove(workspaces[index] as Workspace);
      await nextMillisecond();
    }
    const expected = workspaces.map(({ id }) => id).toReversed();
    const page = async (number: number) =>
      (await send('GET', `${base}/deleted-workspaces?page[size]=2&page[number]=${number}`)).body;
    const [first, second, third] = [await page(1), await page(2), await page(3)];
    const ids = [first, second, third].flatMap(({ data }) => data.map(({ id }: Workspace) => id));
    expect(ids).toEqual(expected);
    expect(first.meta.pagination).toMatchObject({ 'total-count': 5, 'total-pages': 3, 'next-page': 2 });
    for (const workspace of workspaces) expect((await purge(workspace)).status).toBe(204);
    expect(await page(1)).toMatchObject({ data: [], meta: { 'restorable-days': 14 } });
  });
});

describe('an organization with deleted workspaces', () => {
  it('can be deleted after they were purged', async () => {
    const { token } = await fixture.admin('create-organization', { name: 'leaving', email: 'eve@example.com' });
    const { body } = await send('POST', '/organizations/leaving/workspaces', named('kept'), token);
    await send('DELETE', `/workspaces/${body.data.id}`, undefined, token);
    const rejected = await send('DELETE', '/organizations/leaving', undefined, token);
    expect(rejected.status).toBe(409);
    expect(rejected.body.errors[0].detail).toContain('1 deleted workspace');
    expect((await purge(body.data, token)).status).toBe(204);
    expect((await send('DELETE', '/organizations/leaving', undefined, token)).status).toBe(204);
  });
});
