import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiOnly } from '../../infra/cli/commands/api.ts';
import { groups } from '../../infra/cli/commands/index.ts';
import { routeIds } from '../../shared/routes/index.ts';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';
import { createStates } from '../support/cli/samples/states.ts';

let bed: CliBed;
let folder: string;
beforeAll(async () => {
  bed = await startCliBed();
  folder = mkdtempSync(join(tmpdir(), 'holdfast-api-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await bed.stop();
});

const api = (...args: readonly string[]) => bed.run(['api', ...args], { cwd: folder });

test('sets attributes of the type that their value has', async () => {
  const { name } = await bed.createWorkspace();
  const fields = [
    '-f',
    'auto-apply=true',
    '-f',
    'infra-version="1.9.8"',
    '-f',
    'description=a=b',
    '-f',
    'trigger-prefixes=["x"]',
  ];
  const { code, stdout, stderr } = await api(
    'patch',
    '/workspaces/{workspace_id}',
    '-p',
    `workspace=${name}`,
    ...fields,
  );
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout).data.attributes).toMatchObject({
    'auto-apply': true,
    'infra-version': '1.9.8',
    description: 'a=b',
    'trigger-prefixes': ['x'],
  });
});

test('fills in the organization of the command and resolves names to ids', async () => {
  const created = await api('POST', '/api/v2/organizations/{organization}/projects', '-f', 'name=core');
  expect(created.code, created.stderr).toBe(0);
  const { stdout } = await api('GET', 'projects/{project}', '-p', 'project=core');
  expect(JSON.parse(stdout).data.attributes.name).toBe('core');
  const owners = await api('GET', 'teams/{team_id}', '-p', 'team=owners');
  expect(JSON.parse(owners.stdout).data.attributes.name).toBe('owners');
});

test('prints all pages as one document, with included resources once', async () => {
  for (let count = 0; count < 4; count += 1) await bed.createWorkspace();
  const { stdout, routes } = await api('GET', 'organizations/acme/workspaces?include=project&page[size]=2', '--all');
  const { data, included } = JSON.parse(stdout);
  expect(routes.length).toBeGreaterThan(2);
  expect(new Set(data.map(({ id }: { id: string }) => id)).size).toBe(data.length);
  expect(data.length).toBeGreaterThan(3);
  expect(included.filter(({ type }: { type: string }) => type === 'projects')).not.toHaveLength(0);
  expect(JSON.parse((await api('GET', 'organizations/acme/ssh-keys', '--all')).stdout)).toEqual({ data: [] });
});

test('sends the body of a file, which --curl does not show', async () => {
  const { name } = await bed.createWorkspace();
  const attributes = { key: 'token', value: 'hidden-value', category: 'env', sensitive: true };
  writeFileSync(join(folder, 'variable.json'), JSON.stringify({ data: { type: 'vars', attributes } }));
  const call = ['POST', 'workspaces/{workspace}/vars', '-p', `workspace=${name}`, '--input', 'variable.json'] as const;
  const shown = await api(...call, '--curl');
  expect(shown.stdout).toContain('<value>');
  expect(shown.stdout).not.toContain('hidden-value');
  expect((await api(...call)).code).toBe(0);
  expect((await api(...call)).code, 'the key is taken').toBe(6);
});

test('prints nothing for a response without content, and the bytes of a download', async () => {
  const { name, ids } = await createStates(bed, 1);
  const { stdout } = await api('GET', `state-versions/${ids[0]}/download`);
  expect(JSON.parse(stdout)).toMatchObject({ version: 4, serial: 1 });
  expect(await api('DELETE', 'workspaces/{workspace}', '-p', `workspace=${name}`)).toMatchObject({
    code: 0,
    stdout: '',
  });
});

test.each([
  ['another host', ['GET', 'https://example.com/api/v2/ping']],
  ['another host without a scheme', ['GET', '//example.com/ping']],
  ['an unknown method', ['HEAD', 'ping']],
  ['a body of a GET request', ['GET', 'ping', '-f', 'a=b']],
  ['all pages of a write', ['POST', 'ping', '--all']],
  ['a placeholder without a value', ['GET', 'workspaces/{workspace}']],
  ['a value without a placeholder', ['GET', 'ping', '-p', 'project=core']],
  ['a field without a value', ['POST', 'ping', '-f', 'name']],
  ['a body that is not JSON', ['POST', 'ping', '--input', '-']],
])('rejects %s as wrong usage, and sends nothing', async (_, args) => {
  const { code, stdout, routes } = await api(...args);
  expect({ code, stdout, routes }).toEqual({ code: 2, stdout: '', routes: [] });
});

test('is named with a reason for exactly the routes that no other command requests', () => {
  const others = groups.flatMap(({ commands }) => commands).filter(({ name }) => name !== 'api');
  const requested = new Set(others.flatMap(({ routes }) => routes));
  expect(Object.keys(apiOnly).toSorted()).toEqual(routeIds.filter((route) => !requested.has(route)).toSorted());
});
