import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createOrganizationFixture,
  ORGANIZATION,
  type OrganizationFixture,
  type Workspace,
} from '../../support/api/organization-fixture.ts';
import { NOT_FOUND, UNAUTHORIZED } from '../../support/models/arbitraries/arbitraries-checks.ts';

/** Access that is granted and revoked, and locks of users and teams. */
let fixture: OrganizationFixture;
let home: string;
let workspace: Workspace;

beforeAll(async () => {
  fixture = await createOrganizationFixture();
  home = await createProject('Home');
});
afterAll(() => fixture.api.stop());
beforeEach(async () => {
  workspace = await fixture.createWorkspace({}, inProject(home));
});

const organization = ORGANIZATION;
let createdCount = 0;
const createProject = async (name: string): Promise<string> =>
  (await fixture.admin('create-project', { organization, name })).project.id;
const inProject = (id: string) => ({ project: { data: { type: 'projects', id } } });

/** Creates a user in a new team, and returns both names and a token. */
const createMember = async (permissions: readonly string[] = []) => {
  const [team, username] = [`team-${++createdCount}`, `user-${createdCount}`];
  await fixture.admin('create-team', { organization, name: team, permissions });
  await fixture.admin('create-user', { username, email: `${username}@example.com` });
  await fixture.admin('add-member', { organization, team, username });
  return { team, username, token: await userToken(username) };
};
const userToken = async (username: string): Promise<string> =>
  (await fixture.admin('create-token', { kind: 'user', username })).token;
const teamToken = async (team: string): Promise<string> =>
  (await fixture.admin('create-token', { kind: 'team', organization, team })).token;
const grant = (team: string, on: { workspace?: string; project?: string }, access: string, more: object = {}) =>
  fixture.admin('grant-access', { organization, team, ...on, access, ...more });
const act = (token: string, action: string, body?: object) =>
  fixture.api.request('POST', `/workspaces/${workspace.id}/actions/${action}`, { token, body });
const show = (token: string) => fixture.api.request('GET', `/workspaces/${workspace.id}`, { token });
const patch = (token: string, attributes?: object, relationships?: object) =>
  fixture.api.request('PATCH', `/workspaces/${workspace.id}`, {
    token,
    body: { data: { type: 'workspaces', ...(attributes && { attributes }), ...(relationships && { relationships }) } },
  });

describe('revoked access', () => {
  it.each<[name: string, take: (member: { team: string; username: string }) => Promise<unknown>]>([
    ['a grant', ({ team }) => fixture.admin('revoke-access', { organization, team, workspace: workspace.id })],
    ['a membership', ({ team, username }) => fixture.admin('remove-member', { organization, team, username })],
  ])('takes effect at once after the removal of %s', async (_, take) => {
    const member = await createMember();
    await grant(member.team, { workspace: workspace.id }, 'write');
    expect((await show(member.token)).status).toBe(200);
    await take(member);
    expect(await show(member.token)).toMatchObject({ status: 404, body: NOT_FOUND });
    expect(await act(member.token, 'lock')).toMatchObject({ status: 404, body: NOT_FOUND });
  });

  it("takes effect at once for a revoked token, while the user's other token keeps working", async () => {
    const { username } = await createMember(['read-workspaces']);
    const [first, second] = [
      await fixture.admin('create-token', { kind: 'user', username }),
      await fixture.admin('create-token', { kind: 'user', username }),
    ];
    await fixture.admin('revoke-token', { id: first.id });
    expect(await show(first.token)).toMatchObject({ status: 401, body: UNAUTHORIZED });
    expect((await show(second.token)).status).toBe(200);
  });

  it('takes effect at once for an organization permission of a team, while its grants stay in effect', async () => {
    const { team, token } = await createMember(['manage-workspaces']);
    await grant(team, { workspace: workspace.id }, 'read');
    expect((await patch(token, { description: 'x' })).status).toBe(200);
    await fixture.admin('update-team', { organization, name: team, permissions: [] });
    expect((await patch(token, { description: 'y' })).status).toBe(404);
    expect((await show(token)).status).toBe(200);
  });

  it('is replaced by the latest grant of the team', async () => {
    const { team, token } = await createMember();
    for (const [access, status] of [
      ['admin', 200],
      ['read', 404],
      ['write', 404],
    ] as const) {
      await grant(team, { workspace: workspace.id }, access);
      expect((await patch(token, { description: access })).status).toBe(status);
    }
  });

  it('leaves the lock of the caller, which only an admin can force-unlock', async () => {
    const { team, token } = await createMember();
    await grant(team, { workspace: workspace.id }, 'write');
    expect((await act(token, 'lock')).status).toBe(200);
    await fixture.admin('revoke-access', { organization, team, workspace: workspace.id });
    expect((await act(token, 'unlock')).status).toBe(404);
    expect((await act(fixture.owner, 'unlock')).status).toBe(409);
    expect((await act(fixture.owner, 'force-unlock')).status).toBe(200);
  });
});

describe('lock of a workspace', () => {
  it('can be released with any token of the user who holds it', async () => {
    const { team, username, token } = await createMember();
    await grant(team, { workspace: workspace.id }, 'write');
    expect((await act(token, 'lock')).body.data.relationships['locked-by']).toEqual({
      data: { type: 'users', id: expect.stringMatching(/^user-/) },
      links: { related: expect.stringMatching(/^\/api\/v2\/users\/user-/) },
    });
    expect((await act(await userToken(username), 'unlock')).status).toBe(200);
  });

  it('can be released with any token of the team that holds it, but not by its members', async () => {
    const { team, token } = await createMember();
    await grant(team, { workspace: workspace.id }, 'write');
    const [first, second] = [await teamToken(team), await teamToken(team)];
    const locked = await act(first, 'lock');
    expect(locked.body.data.relationships['locked-by']).toEqual({
      data: { type: 'teams', id: expect.stringMatching(/^team-/) },
      links: { related: expect.stringMatching(/^\/api\/v2\/teams\/team-/) },
    });
    const rejected = await act(token, 'unlock');
    expect(rejected.status).toBe(409);
    expect(rejected.body.errors[0].detail).toMatch(/is locked by Team /);
    expect((await act(second, 'unlock')).status).toBe(200);
  });

  it("cannot be released with a token of the user's team", async () => {
    const { team, username, token } = await createMember();
    await grant(team, { workspace: workspace.id }, 'write');
    await act(token, 'lock');
    const rejected = await act(await teamToken(team), 'unlock');
    expect(rejected.status).toBe(409);
    expect(rejected.body.errors[0].detail).toContain(`is locked by User ${username}`);
    expect((await act(token, 'unlock')).status).toBe(200);
  });

  it('is reported in errors with the words that clients match', async () => {
    const detail = async (action: string) => (await act(fixture.owner, action)).body.errors[0];
    const conflict = { status: '409', title: 'conflict' };
    const unlocked = await detail('unlock');
    expect(unlocked).toMatchObject(conflict);
    expect(unlocked.detail).not.toMatch(/is locked by (Run|Team|User)/);
    expect(await detail('force-unlock')).toMatchObject(conflict);
    await act(fixture.owner, 'lock');
    expect(await detail('lock')).toMatchObject(conflict);
    expect(await detail('safe-delete')).toMatchObject({ ...conflict, detail: expect.stringContaining('locked') });
  });

  it('does not prevent an owner from force-deleting the workspace', async () => {
    await act(fixture.owner, 'lock');
    const reply = await fixture.api.request('DELETE', `/workspaces/${workspace.id}`, { token: fixture.owner });
    expect(reply.status).toBe(204);
  });
});

describe('move of a workspace to another project', () => {
  const expectedError = (status: string, title: string) => ({ errors: [expect.objectContaining({ status, title })] });

  it.each([
    ['read', 403],
    ['write', 403],
    ['maintain', 403],
    ['admin', 200],
  ])('requires admin access to both projects: %s access to the new project returns %i', async (access, status) => {
    const target = await createProject(`Target ${++createdCount}`);
    const { team, token } = await createMember();
    await grant(team, { project: home }, 'admin');
    await grant(team, { project: target }, access);
    const reply = await patch(token, undefined, inProject(target));
    expect(reply.status).toBe(status);
    if (status === 403) expect(reply.body).toEqual(expectedError('403', 'forbidden'));
    else expect(reply.body.data.relationships.project.data.id).toBe(target);
  });

  it('replaces the access of the old project by that of the new project', async () => {
    const target = await createProject(`Target ${++createdCount}`);
    const [oldMember, newMember] = [await createMember(), await createMember()];
    await grant(oldMember.team, { project: home }, 'read');
    await grant(newMember.team, { project: target }, 'read');
    await patch(fixture.owner, undefined, inProject(target));
    expect((await show(oldMember.token)).status).toBe(404);
    expect((await show(newMember.token)).status).toBe(200);
  });

  it('is rejected completely together with settings that the caller may not change', async () => {
    const target = await createProject(`Target ${++createdCount}`);
    const { team, token } = await createMember();
    await grant(team, { project: home }, 'custom', { move: true });
    await grant(team, { project: target }, 'admin');
    const before = await fixture.show(workspace);
    expect((await patch(token, { description: 'moved' }, inProject(target))).status).toBe(404);
    expect(await fixture.show(workspace)).toEqual(before);
    expect((await patch(token, undefined, inProject(target))).status).toBe(200);
  });

  it('is rejected completely together with invalid settings or a name that is taken', async () => {
    const target = await createProject(`Target ${++createdCount}`);
    const taken = await fixture.createWorkspace();
    for (const attributes of [{ name: taken.name }, { 'execution-mode': 'agent' }, { 'auto-apply': 'yes' }]) {
      expect((await patch(fixture.owner, attributes, inProject(target))).status).toBe(422);
      expect((await show(fixture.owner)).body.data.relationships.project.data.id).toBe(home);
    }
    const renamed = await patch(fixture.owner, { name: `moved-${createdCount}` }, inProject(target));
    expect(renamed.status).toBe(200);
    const found = await fixture.api.request('GET', `/organizations/${ORGANIZATION}/workspaces/moved-${createdCount}`, {
      token: fixture.owner,
    });
    expect(found.body).toEqual(renamed.body);
  });

  it('requires the same permission as any update when the project stays the same', async () => {
    const { team, token } = await createMember();
    await grant(team, { workspace: workspace.id }, 'admin');
    expect((await patch(token, undefined, inProject(home))).status).toBe(200);
    await grant(team, { workspace: workspace.id }, 'write');
    expect((await patch(token, undefined, inProject(home))).status).toBe(404);
  });
});

describe('error for a caller with read access', () => {
  it.each([
    ['lock', 'POST', '/actions/lock', 404],
    ['unlock', 'POST', '/actions/unlock', 404],
    ['force-unlock', 'POST', '/actions/force-unlock', 404],
    ['safe-delete', 'POST', '/actions/safe-delete', 404],
    ['force-delete', 'DELETE', '', 403],
    ['update', 'PATCH', '', 404],
  ])('names the missing permission for %s', async (_, method, path, status) => {
    const { team, token } = await createMember();
    const body = method === 'PATCH' ? { data: { type: 'workspaces', attributes: { description: 'x' } } } : undefined;
    const sendRequest = () => fixture.api.request(method, `/workspaces/${workspace.id}${path}`, { token, body });
    expect(await sendRequest()).toMatchObject({ status: 404, body: NOT_FOUND });
    await grant(team, { workspace: workspace.id }, 'read');
    const reply = await sendRequest();
    expect(reply.status).toBe(status);
    expect(reply.body.errors).toEqual([
      {
        status: String(status),
        title: status === 403 ? 'forbidden' : 'not found',
        detail: expect.stringMatching(/(permission|access)/),
      },
    ]);
  });
});
