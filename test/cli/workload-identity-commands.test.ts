import { afterAll, beforeAll, expect, test } from 'vitest';
import { startIssuer, type TestIssuer } from '../support/api/issuer.ts';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';

const AUDIENCE = 'https://pipelines.example.com';

let bed: CliBed;
let issuer: TestIssuer;
beforeAll(async () => {
  bed = await startCliBed();
  issuer = await startIssuer(AUDIENCE);
});
afterAll(async () => {
  await issuer.stop();
  await bed.stop();
});

const run = (...argv: readonly string[]) => bed.run(['workload-identity', ...argv]);
const json = (...argv: readonly string[]) => bed.json(['workload-identity', ...argv]);

let count = 0;
const newName = (): string => `name-${++count}`;

/** Creates a workload identity with a team of its own, and returns its row. */
const create = async (...flags: readonly string[]) => {
  const team = newName();
  await bed.json(['team', 'create', team]);
  return json('create', newName(), '--team', team, ...flags);
};

const gitlab = ['--issuer', 'https://gitlab.com', '--equals', '/project_id=1'] as const;

test('combines the values of one claim to one condition, and keeps patterns apart', async () => {
  const created = await create(
    ...gitlab,
    ...['--matches', '/ref_path=refs/heads/*', '--equals', '/project_id=2', '--equals', '/sub=a=b'],
  );
  expect(created).toMatchObject({
    conditions: [
      { claim: '/project_id', equals: ['1', '2'] },
      { claim: '/sub', equals: ['a=b'] },
      { claim: '/ref_path', matches: 'refs/heads/*' },
    ],
    requires: ['/project_id is 1 or 2', '/sub is a=b', '/ref_path matches refs/heads/*'],
    'project-ids': null,
    'workspace-ids': null,
  });
});

test('limits the tokens to projects and workspaces by name, and replaces one list without the other', async () => {
  const [first, second] = [await bed.createWorkspace(), await bed.createWorkspace()];
  const project = (await bed.json(['project', 'show', 'Default Project'])).id;
  const { name } = await create(...gitlab, '--workspaces', first.name, '--projects', 'Default Project');
  expect(await json('show', name)).toMatchObject({ 'project-ids': [project], 'workspace-ids': [first.id] });
  await json('edit', name, '--workspaces', second.name);
  expect(await json('show', name)).toMatchObject({ 'project-ids': [project], 'workspace-ids': [second.id] });
  await json('edit', name, '--unset', 'projects');
  expect(await json('show', name)).toMatchObject({ 'project-ids': [], 'workspace-ids': [second.id] });
  const { code, stderr } = await run('edit', name, '--unset', 'workspaces');
  expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining('needs a project or a workspace') });
});

test('changes only the settings that are named', async () => {
  const { name, ...before } = await create(...gitlab);
  expect(await json('edit', name, '--enabled', 'false', '--lifetime-minutes', '30')).toEqual({
    ...before,
    name,
    enabled: false,
    'lifetime-minutes': 30,
  });
});

test('explains a condition that has no claim, before any request', async () => {
  const { name } = await create(...gitlab);
  for (const condition of ['project_id=1', '/project_id', '/project_id=']) {
    const { code, stderr, routes } = await run('edit', name, '--equals', condition);
    expect({ code, routes }).toEqual({ code: 2, routes: [] });
    expect(stderr).toContain('A claim is a JSON pointer such as /repository_id.');
  }
});

test('shows why the service rejects conditions that anybody could meet', async () => {
  const { name } = await create(...gitlab);
  const { code, stderr } = await run('edit', name, '--matches', '/project_path=acme/*');
  expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining('Everybody can get a token of GitLab') });
});

test('tests an identity token from standard input, which no output repeats', async () => {
  const { name } = await create('--issuer', issuer.url, '--audience', AUDIENCE, '--equals', '/sub=repo:acme/network');
  const check = async (token: string) => bed.run(['workload-identity', 'test', name], { stdin: `${token}\n` });
  const good = await issuer.sign();
  const accepted = await check(good);
  expect(accepted).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('exchange\ttrue\tan accepted token\taccepted\n'),
  });
  const refused = await check(await issuer.sign({ sub: 'repo:acme/other' }));
  expect(refused.code).toBe(7);
  expect(refused.stdout).toContain('/sub\tfalse\trepo:acme/network\trepo:acme/other\n');
  expect(accepted.stdout + accepted.stderr).not.toContain(good);
  const shown = await bed.run(['workload-identity', 'test', name, '--curl'], { stdin: good });
  expect(shown.stdout + shown.stderr).not.toContain(good);
  expect(await check(' ')).toMatchObject({ code: 2, stderr: expect.stringContaining('The identity token is empty.') });
});
