import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createOrganizationFixture,
  ORGANIZATION,
  type OrganizationFixture,
  type Workspace,
} from '../../support/api/organization-fixture.ts';
import { startEngine } from '../../support/engine/engine.ts';
import { startHookProxy } from '../../support/faults/hook-proxy.ts';

/** Deletion protection over HTTP (docs/reference/deletion.md). */
let fixture: OrganizationFixture;
const organization = ORGANIZATION;

beforeAll(async () => {
  fixture = await createOrganizationFixture();
});
afterAll(() => fixture.api.stop());

const send = (method: string, path: string, body?: object, token = fixture.owner) =>
  fixture.api.request(method, path, { token, ...(body && { body }) });
const remove = (path: string) => send('DELETE', path);
const byName = ({ name }: Workspace): string => `/organizations/${organization}/workspaces/${name}`;
const inProject = (id: string) => ({ project: { data: { type: 'projects', id } } });
const attributes = (type: string, given: object) => ({ data: { type, attributes: given } });

let count = 0;
const createProject = async (given: object = {}): Promise<string> => {
  const name = `Project ${++count}`;
  const { body } = await send(
    'POST',
    `/organizations/${organization}/projects`,
    attributes('projects', { name, ...given }),
  );
  return body.data.id;
};
const updateProject = (id: string, given: object, token?: string) =>
  send('PATCH', `/projects/${id}`, attributes('projects', given), token);
const setDefault = (given: boolean) =>
  send(
    'PATCH',
    `/organizations/${organization}`,
    attributes('organizations', { 'default-deletion-protection': given }),
  );

/** Creates a user whose team has access to projects, and returns a token. */
const member = async (grants: Readonly<Record<string, object>>): Promise<string> => {
  const name = `member-${++count}`;
  await fixture.admin('create-team', { organization, name });
  await fixture.admin('create-user', { username: name, email: `${name}@example.com` });
  await fixture.admin('add-member', { organization, team: name, username: name });
  for (const [project, grant] of Object.entries(grants)) {
    await fixture.admin('grant-access', { organization, team: name, project, ...grant });
  }
  return (await fixture.admin('create-token', { kind: 'user', username: name })).token;
};

const PROTECTED = /deletion protection.*setting deletion-protection to false/;

/** Asserts that all four deletions are 409 with a detail that explains how to lift the protection. */
const expectProtected = async (workspace: Workspace): Promise<void> => {
  for (const path of [`/workspaces/${workspace.id}`, byName(workspace)]) {
    for (const reply of [await remove(path), await send('POST', `${path}/actions/safe-delete`)]) {
      expect(reply.status, path).toBe(409);
      const [{ title, detail }] = reply.body.errors;
      expect(title).toBe('conflict');
      expect(detail).toMatch(PROTECTED);
      expect(detail).not.toMatch(/locked|being processed/);
    }
  }
};

/** Returns the effective protection, and whether it is the workspace's own. */
const protection = async (workspace: Workspace): Promise<readonly boolean[]> => {
  const shown = await fixture.show(workspace);
  return [shown['deletion-protection'], shown['setting-overwrites']['deletion-protection']];
};

describe('deletion-protection of a workspace', () => {
  it('rejects every deletion until it is lifted', async () => {
    const workspace = await fixture.createWorkspace({ 'deletion-protection': true });
    expect(await protection(workspace)).toEqual([true, true]);
    await expectProtected(workspace);
    await fixture.update(workspace, { 'deletion-protection': false });
    expect((await send('POST', `/workspaces/${workspace.id}/actions/safe-delete`)).status).toBe(204);
  });

  it('is reported before the lock', async () => {
    const workspace = await fixture.createWorkspace({ 'deletion-protection': true });
    await send('POST', `/workspaces/${workspace.id}/actions/lock`);
    await expectProtected(workspace);
  });

  it('does not change when a request has neither the attribute nor the overwrite', async () => {
    const workspace = await fixture.createWorkspace({ 'deletion-protection': true });
    await fixture.update(workspace, { 'setting-overwrites': { 'execution-mode': false, 'agent-pool': false } });
    expect(await protection(workspace)).toEqual([true, true]);
  });

  it('is inherited again, and a value is ignored, when the overwrite is false', async () => {
    const workspace = await fixture.createWorkspace({ 'deletion-protection': true });
    const inherits = { 'setting-overwrites': { 'deletion-protection': false }, 'deletion-protection': true };
    await fixture.update(workspace, inherits);
    expect(await protection(workspace)).toEqual([false, false]);
    expect((await remove(`/workspaces/${workspace.id}`)).status).toBe(204);
  });

  it('accepts the overwrite true with a stored or a given value', async () => {
    const workspace = await fixture.createWorkspace({
      'setting-overwrites': { 'deletion-protection': true },
      'deletion-protection': true,
    });
    await fixture.update(workspace, { 'setting-overwrites': { 'deletion-protection': true } });
    expect(await protection(workspace)).toEqual([true, true]);
  });
});

describe('default-deletion-protection', () => {
  it('of the organization applies to workspaces and projects without their own value', async () => {
    const workspace = await fixture.createWorkspace();
    const own = await fixture.createWorkspace({ 'deletion-protection': false });
    const project = await createProject({ 'default-deletion-protection': false });
    const released = await fixture.createWorkspace({}, inProject(project));
    await setDefault(true);
    expect(await protection(workspace)).toEqual([true, false]);
    await expectProtected(workspace);
    expect((await remove(`/workspaces/${own.id}`)).status).toBe(204);
    expect((await remove(byName(released))).status).toBe(204);
    await setDefault(false);
    expect((await remove(`/workspaces/${workspace.id}`)).status).toBe(204);
  });

  it('of the project applies to its workspaces and can be inherited again', async () => {
    const project = await createProject();
    const workspace = await fixture.createWorkspace({}, inProject(project));
    const shown = async (given: object) => {
      const { body } = await updateProject(project, given);
      const { 'default-deletion-protection': value, 'setting-overwrites': own } = body.data.attributes;
      return [value, own['default-deletion-protection'], ...(await protection(workspace))];
    };
    expect(await shown({ 'default-deletion-protection': true })).toEqual([true, true, true, false]);
    await expectProtected(workspace);
    expect(await shown({ description: 'kept' })).toEqual([true, true, true, false]);
    expect(await shown({ 'default-execution-mode': 'local' })).toEqual([true, true, true, false]);
    expect(await shown({ 'setting-overwrites': { 'default-deletion-protection': true } })).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(await shown({ 'setting-overwrites': { 'default-deletion-protection': false } })).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(await shown({ 'default-deletion-protection': false })).toEqual([false, true, false, false]);
    expect(await shown({ 'default-deletion-protection': null })).toEqual([false, false, false, false]);
    expect((await remove(`/workspaces/${workspace.id}`)).status).toBe(204);
  });

  it('of a project is 422 when the overwrite is true and there is no value', async () => {
    const reply = await updateProject(await createProject(), {
      'setting-overwrites': { 'default-deletion-protection': true },
    });
    expect(reply.status).toBe(422);
    expect(reply.body.errors[0].source.pointer).toBe('/data/attributes/default-deletion-protection');
  });
});

describe('lifting the deletion protection', () => {
  it('by a move or a default needs admin access, and is a change of the workspace', async () => {
    const from = await createProject({ 'default-deletion-protection': true });
    const to = await createProject();
    const workspace = await fixture.createWorkspace({}, inProject(from));
    const access = { access: 'custom', create: true, delete: true, move: true, projectSettings: 'delete' };
    const mover = await member({ [from]: access, [to]: access });
    const moveBody = { data: { type: 'workspaces', relationships: inProject(to) } };
    const moves = [
      () => send('PATCH', `/workspaces/${workspace.id}`, moveBody, mover),
      () =>
        send(
          'POST',
          `/projects/${to}/relationships/workspaces`,
          { data: [{ type: 'workspaces', id: workspace.id }] },
          mover,
        ),
      () => updateProject(from, { 'default-deletion-protection': false }, mover),
      () => updateProject(from, { 'default-deletion-protection': null }, mover),
    ];
    for (const lift of moves) {
      const reply = await lift();
      expect(reply.status).toBe(404);
      expect(reply.body.errors[0].detail).toBe('This needs admin access.');
    }
    expect(await protection(workspace)).toEqual([true, false]);
    expect((await updateProject(from, { 'default-deletion-protection': true, description: 'x' }, mover)).status).toBe(
      200,
    );

    const admin = await member({ [from]: { access: 'admin' }, [to]: { access: 'admin' } });
    expect((await send('PATCH', `/workspaces/${workspace.id}`, moveBody, admin)).status).toBe(200);
    expect(await protection(workspace)).toEqual([false, false]);
    expect((await updateProject(from, { 'default-deletion-protection': false }, admin)).status).toBe(200);
  });
});

describe('a deletion and a default that is set at the same time', () => {
  it('is rejected if it begins after the change, although organizations are cached, and may succeed before', async () => {
    const engine = await startEngine();
    const proxy = await startHookProxy(engine.endpoint);
    const cached = await createOrganizationFixture({
      engine,
      endpoint: proxy.endpoint,
      organizationMilliseconds: 9_999,
    });
    const { api, owner } = cached;
    const send = (method: string, path: string, body?: object) =>
      api.request(method, path, { token: owner, ...(body && { body }) });
    const [before, after] = [await cached.createWorkspace(), await cached.createWorkspace()];
    // The deletion has read the organization, and is about to be written.
    proxy.beforeNext('TransactWriteItems', async () => {
      const body = attributes('organizations', { 'default-deletion-protection': true });
      expect((await send('PATCH', `/organizations/${organization}`, body)).status).toBe(200);
    });
    expect((await send('DELETE', `/workspaces/${before.id}`)).status).toBe(204);
    expect((await send('DELETE', `/workspaces/${after.id}`)).status).toBe(409);
    await api.stop();
    await proxy.stop();
    await engine.stop();
  });
});
