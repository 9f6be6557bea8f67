import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';

let bed: CliBed;
beforeAll(async () => {
  bed = await startCliBed();
});
afterAll(() => bed.stop());

const run = (...argv: readonly string[]) => bed.run(argv);
const json = (...argv: readonly string[]) => bed.json(argv);

let count = 0;
const newName = (): string => `name-${++count}`;

/** Creates a resource, and returns its row. */
const create = (noun: string, ...flags: readonly string[]) => json(noun, 'create', newName(), ...flags);

/** Calls the service, after another caller has run a command before the first request with a method. */
const afterChange = (method: string, ...argv: readonly string[]): typeof fetch => {
  let isChanged = false;
  return async (input, init) => {
    if (init?.method === method && !isChanged) {
      isChanged = true;
      await json(...argv);
    }
    return bed.fetch(input, init);
  };
};

/** Calls the service, and loses the response to the first request with a method. */
const losingResponse = (method: string): typeof fetch => {
  let isLost = false;
  return async (input, init) => {
    const response = await bed.fetch(input, init);
    if (init?.method !== method || isLost) return response;
    isLost = true;
    throw new TypeError('fetch failed');
  };
};

const connection = ['--service-provider', 'github', '--http-url', 'https://github.com'] as const;

test('finds a resource by its whole name or its id, also if another name contains it', async () => {
  const name = newName();
  const { id } = await json('project', 'create', name);
  await json('project', 'create', `${name}-2`);
  expect(await json('project', 'show', name)).toMatchObject({ id, name });
  expect(await json('project', 'show', id)).toMatchObject({ id, name });
  const { code, stderr } = await run('project', 'show', name.slice(0, 4));
  expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('There is no project "name"') });
});

test('does not apply an edit if somebody else has changed the resource since it was read', async () => {
  const { name } = await create('project');
  const fetch = afterChange('PATCH', 'project', 'edit', name, '--description', 'theirs');
  const { code, stderr } = await bed.run(['project', 'edit', name, '--description', 'mine'], { fetch });
  expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('has changed since it was read') });
  expect(await json('project', 'show', name)).toMatchObject({ description: 'theirs' });
});

test('applies an edit once if its response is lost', async () => {
  const { name } = await create('team');
  const edited = newName();
  const { code } = await bed.run(['team', 'edit', name, '--name', edited], { fetch: losingResponse('PATCH') });
  expect(code).toBe(0);
  expect(await json('team', 'show', edited)).toMatchObject({ name: edited });
});

test('removes values of settings, and rejects a setting that is both set and unset', async () => {
  const { name } = await create('project', '--description', 'text', '--default-deletion-protection', 'true');
  const edit = ['project', 'edit', name, '--unset', 'description'];
  expect((await run(...edit, '--description', 'other')).code).toBe(2);
  expect(await json(...edit, '--unset', 'default-deletion-protection')).toMatchObject({
    description: null,
    'default-deletion-protection': false,
    'setting-overwrites': { 'default-deletion-protection': false },
  });
});

test('rejects an edit that names no setting, and sends nothing', async () => {
  const { code, routes, stderr } = await run('agent-pool', 'edit', 'build');
  expect({ code, routes }).toEqual({ code: 2, routes: [] });
  expect(stderr).toContain('--organization-scoped');
});

test('deletes those of several projects that have no workspaces, and ends with 7', async () => {
  const [used, unused] = [await create('project'), await create('project')];
  await bed.createWorkspace({}, { project: { data: { type: 'projects', id: used.id } } });
  expect((await run('project', 'delete', used.name, '--yes')).code).toBe(5);
  expect(await run('project', 'delete', used.name, unused.name, '--yes')).toMatchObject({
    code: 7,
    stderr: expect.stringContaining(`Deleted the project ${unused.name}.`),
  });
  expect((await run('project', 'show', used.name)).code).toBe(0);
  expect((await run('project', 'show', unused.name)).code).toBe(3);
});

test('removes tags of a project, keeps the others, and loses none that is added at the same time', async () => {
  const { name } = await create('project');
  await json('project', 'tag', 'add', name, 'env=prod', 'team=core', 'tier=1');
  expect(await json('project', 'tag', 'remove', name, 'env', 'missing')).toMatchObject([{ key: 'env', value: 'prod' }]);
  const fetch = afterChange('PATCH', 'project', 'tag', 'add', name, 'cost=42');
  expect((await bed.run(['project', 'tag', 'remove', name, 'tier'], { fetch })).code).toBe(5);
  expect((await json('project', 'show', name)).tags.toSorted()).toEqual(['cost=42', 'team=core', 'tier=1']);
  expect(await json('project', 'list', '--tag', 'cost=42')).toMatchObject([{ name }]);
  expect((await run('project', 'tag', 'add', name, 'flat')).code).toBe(2);
});

test('changes the permissions of a team that are named, and keeps the others', async () => {
  const { name } = await create('team', '--manage-teams', 'true', '--read-workspaces', 'true');
  const { 'organization-access': access } = await json('team', 'edit', name, '--read-workspaces', 'false');
  expect(access).toMatchObject({ 'manage-teams': true, 'read-workspaces': false, 'manage-workspaces': false });
});

test('grants custom access to a workspace, changes it, and revokes it', async () => {
  const { name: team } = await create('team');
  const { name: workspace } = await bed.createWorkspace();
  const grant = ['team', 'access', 'grant', team, '--workspace', workspace];
  expect(await json(...grant, '--runs', 'plan', '--variables', 'read', '--locking', 'true')).toMatchObject({
    team,
    workspace,
    project: null,
    access: 'custom',
    runs: 'plan',
    variables: 'read',
    'workspace-locking': true,
  });
  expect(await json(...grant, '--state-versions', 'read')).toMatchObject({ runs: 'plan', 'state-versions': 'read' });
  expect(await json(...grant, '--access', 'admin')).toMatchObject({ access: 'admin' });
  const revoke = ['team', 'access', 'revoke', team, '--workspace', workspace];
  expect((await run(...revoke)).code).toBe(0);
  expect((await run(...revoke)).code).toBe(3);
});

test('grants custom access to a project, and lists all access of a team', async () => {
  const { name: team } = await create('team');
  const { name: project } = await create('project');
  const { name: workspace } = await bed.createWorkspace();
  const grant = ['team', 'access', 'grant', team, '--project', project];
  expect(await json(...grant, '--settings', 'update', '--create', 'true', '--locking', 'true')).toMatchObject({
    team,
    workspace: null,
    project,
    access: 'custom',
    'project-access': { settings: 'update' },
    'workspace-access': { create: true, locking: true },
  });
  await json('team', 'access', 'grant', team, '--workspace', workspace, '--access', 'read');
  expect(await json('team', 'access', 'list', '--team', team)).toMatchObject([
    { team, workspace, project: null, access: 'read' },
    { team, workspace: null, project, access: 'custom' },
  ]);
});

test.each([
  ['no workspace or project', ['--access', 'read']],
  ['both a workspace and a project', ['--workspace', 'a', '--project', 'b', '--access', 'read']],
  ['an unknown level', ['--workspace', 'a', '--access', 'everything']],
])('rejects a grant with %s, and sends nothing', async (_, flags) => {
  const { code, routes } = await run('team', 'access', 'grant', 'builders', ...flags);
  expect({ code, routes }).toEqual({ code: 2, routes: [] });
});

test.each([
  ['no access', []],
  ['a level of projects', ['--access', 'maintain']],
  ['a part of projects', ['--settings', 'read']],
])('rejects a grant for a workspace with %s, and changes nothing', async (_, flags) => {
  const { name: team } = await create('team');
  const { name } = await bed.createWorkspace();
  expect((await run('team', 'access', 'grant', team, '--workspace', name, ...flags)).code).toBe(2);
  expect(await json('team', 'access', 'list', '--team', team)).toEqual([]);
});

test('invites an e-mail address to the organization and its teams, and removes the member', async () => {
  const { name: team } = await create('team');
  const { name: other } = await create('team');
  const email = 'Grace@example.com';
  expect(await json('member', 'invite', email, '--team', team)).toMatchObject([{ status: 'invited', teams: [team] }]);
  await json('team', 'member', 'add', other, email);
  expect((await json('member', 'show', email.toLowerCase())).teams.toSorted()).toEqual([team, other].toSorted());
  await json('team', 'member', 'remove', team, email);
  expect(await json('team', 'member', 'list', team)).toEqual([]);
  expect(await json('team', 'member', 'list', other)).toMatchObject([{ name: email, status: 'invited' }]);
  expect((await run('member', 'remove', email, '--yes')).code).toBe(0);
  expect((await run('member', 'show', email)).code).toBe(3);
});

test('adds users to a team by their usernames, and reports those that do not exist', async () => {
  const { name: team } = await create('team');
  const [{ name: owner }] = await json('member', 'list', '--status', 'active');
  const { code, stderr } = await run('team', 'member', 'add', team, 'nobody', owner);
  expect({ code, stderr }).toEqual({ code: 7, stderr: expect.stringContaining(`Added ${owner} to ${team}.`) });
  expect(await json('team', 'member', 'list', team)).toMatchObject([{ name: owner }]);
  expect(await run('member', 'remove', owner, '--yes'), 'the last owner').toMatchObject({ code: 5 });
});

test('prints a new token once, alone on standard output', async () => {
  const { code, stdout, stderr } = await run('token', 'create', '--description', 'laptop', '--expires', '30d');
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^Created the token at-\w+, which expires/),
  });
  const token = stdout.trimEnd();
  expect(token).toMatch(/^hfu_\w+$/);
  expect(stderr).not.toContain(token);
  const listed = await bed.run(['token', 'list', '--json'], { env: { HOLDFAST_TOKEN: token } });
  expect(listed.code).toBe(0);
  expect(listed.stdout).not.toContain(token);
  const row = JSON.parse(listed.stdout).find((one: { description: string | null }) => one.description === 'laptop');
  expect((Date.parse(row['expired-at']) - Date.parse(row['created-at'])) / 86_400_000).toBeCloseTo(30, 1);
  expect((await run('token', 'show', row.id)).stdout).not.toContain(token);
  await json('token', 'delete', row.id, '--yes');
  expect((await bed.run(['token', 'list'], { env: { HOLDFAST_TOKEN: token } })).code).toBe(4);
});

test.each([
  ['a time in the past', '2020-01-01', 6],
  ['a text that is no time', 'tomorrow', 2],
])('rejects a token that expires at %s', async (_, expires, expected) => {
  expect(await run('token', 'create', '--expires', expires)).toMatchObject({ code: expected, stdout: '' });
});

test('creates tokens of teams and agent pools, and lists those of all teams with their names', async () => {
  const [{ name: team }, { name: pool }] = [await create('team'), await create('agent-pool')];
  const ofTeam = await json('token', 'create', '--team', team, '--description', 'pipeline', '--expires', '2d');
  expect(ofTeam.token).toMatch(/^hft_/);
  const ofPool = await json('token', 'create', '--agent-pool', pool, '--description', 'agents');
  expect(await json('token', 'list', '--team', team)).toMatchObject([{ id: ofTeam.id, description: 'pipeline', team }]);
  expect(await json('token', 'list', '--agent-pool', pool)).toMatchObject([{ id: ofPool.id }]);
  expect(await json('token', 'list', '--all-teams', '--expiry-status', 'expiring_in_7_days')).toMatchObject([
    { id: ofTeam.id, team },
  ]);
});

test('replaces the token of an organization only after a confirmation', async () => {
  const first = await json('token', 'create', '--organization');
  const audit = await json('token', 'create', '--audit-trails');
  expect((await json('token', 'list', '--organization')).map(({ id }: { id: string }) => id)).toEqual([
    first.id,
    audit.id,
  ]);
  expect(await run('token', 'create', '--organization')).toMatchObject({ code: 2, stdout: '' });
  const isAccepted = async (token: string) =>
    (await bed.run(['org', 'show', 'acme'], { env: { HOLDFAST_TOKEN: token } })).code === 0;
  expect(await isAccepted(first.token)).toBe(true);
  const second = await json('token', 'create', '--organization', '--yes');
  expect(await isAccepted(second.token)).toBe(true);
  expect(await isAccepted(first.token)).toBe(false);
});

test('names the token to delete if the response with its text is lost', async () => {
  const { code, stdout, stderr } = await bed.run(['token', 'create'], { fetch: losingResponse('POST') });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  const [, id = ''] = /holdfast token delete (at-\w+)/.exec(stderr) ?? [];
  expect((await run('token', 'delete', id, '--yes')).code).toBe(0);
});

test('says that the token in use belongs to no user where it has no own tokens', async () => {
  const { token } = await json('token', 'create', '--team', (await create('team')).name);
  const { code, stderr } = await bed.run(['token', 'create'], { env: { HOLDFAST_TOKEN: token } });
  expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('--team NAME') });
});

test.each([
  ['ssh-key', []],
  ['vcs', connection],
])('reads the secret of %s from standard input, and never prints it', async (noun, flags) => {
  const stdin = 'hidden-secret\n';
  const argv = [noun, 'create', newName(), ...flags];
  for (const flag of ['--curl', '--json']) {
    const { code, stdout, stderr } = await bed.run([...argv, flag], { stdin });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain('hidden-secret');
  }
  const rejected = await bed.run([noun, 'create', ' ', ...flags], { stdin });
  expect(rejected.code).toBe(6);
  expect(rejected.stdout + rejected.stderr).not.toContain('hidden-secret');
  const empty = await bed.run(argv, { stdin: '' });
  expect({ code: empty.code, routes: empty.routes }).toEqual({ code: 2, routes: [] });
  expect((await run(...argv, '--file', '/no/such/file')).code).toBe(2);
});

test('restricts an agent pool to workspaces and projects by their names, and lifts the restriction', async () => {
  const { name: workspace } = await bed.createWorkspace();
  const { name: project } = await create('project');
  const { name } = await create('agent-pool', '--organization-scoped', 'false', '--allowed-workspaces', workspace);
  await json('agent-pool', 'edit', name, '--allowed-projects', project);
  const show = () => json('agent-pool', 'show', name);
  expect(await show()).toMatchObject({ 'allowed-workspaces': [workspace], 'allowed-projects': [project] });
  expect(await json('agent-pool', 'list', '--for-workspace', workspace)).toContainEqual(
    expect.objectContaining({ name }),
  );
  await json('agent-pool', 'edit', name, '--unset', 'allowed-workspaces');
  expect(await show()).toMatchObject({ 'allowed-workspaces': [], 'allowed-projects': [project] });
});

test('sets the default agent pool of another organization by its name', async () => {
  await bed.admin('create-organization', { name: 'other', email: 'ada@example.com' });
  const { id } = await json('agent-pool', 'create', 'build', '--org', 'other');
  const edit = ['org', 'edit', 'other', '--default-execution-mode', 'agent', '--default-agent-pool', 'build'];
  expect(await json(...edit)).toMatchObject({ 'default-agent-pool-id': id, 'default-execution-mode': 'agent' });
});

test('limits the lifetime of new tokens, which --expires cannot exceed', async () => {
  const name = newName();
  const { token } = await bed.admin('create-organization', { name, email: 'hopper@example.com' });
  const env = { HOLDFAST_TOKEN: token, HOLDFAST_ORG: name };
  expect(await bed.json(['org', 'token-ttl', 'set', name, '--audit-trails', '1d'], { env })).toMatchObject([
    { 'token-type': 'audit_trails', 'max-ttl': '1d', 'max-ttl-ms': 86_400_000 },
  ]);
  expect((await bed.run(['token', 'create', '--audit-trails', '--expires', '2d'], { env })).code).toBe(6);
  expect((await bed.json(['token', 'create', '--audit-trails'], { env }))['expired-at']).not.toBeNull();
  expect((await bed.run(['org', 'token-ttl', 'set', name], { env })).code).toBe(2);
});

test.each([
  ['project', 'delete', '', '--yes'],
  ['org', 'delete', '', '--yes'],
  ['team', 'create', ''],
])('rejects an empty name in %s %s, and sends nothing', async (...argv) => {
  const { code, routes } = await run(...argv);
  expect({ code, routes }).toEqual({ code: 2, routes: [] });
});
