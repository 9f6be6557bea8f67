import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { buildState, inlineStateVersionBody } from '../support/api/states.ts';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';
import { createStates } from '../support/cli/samples/states.ts';

let bed: CliBed;
let folder: string;
beforeAll(async () => {
  bed = await startCliBed();
  folder = mkdtempSync(join(tmpdir(), 'holdfast-states-'));
});
afterEach(() => vi.useRealTimers());
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await bed.stop();
});

const state = (argv: readonly string[], options?: Parameters<CliBed['run']>[1]) =>
  bed.run(['state', ...argv], { cwd: folder, ...options });

const isLocked = async (name: string): Promise<boolean> => (await bed.json(['ws', 'show', name])).locked;

/** Sends requests to the service, and changes or loses some of its responses. */
const withResponses =
  (change: (response: Response, url: string, method: string) => Response | Promise<Response>): typeof fetch =>
  async (input, init) =>
    change(await bed.fetch(input, init), String(input), init?.method ?? 'GET');

test('downloads the state of yesterday to a file that only the user can read', async () => {
  const { name } = await createStates(bed, 1);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 86_400_000 });
  expect((await state(['push', name], { stdin: buildState({ serial: 2 }).toString() })).code).toBe(0);
  const { code, stdout, stderr } = await state(['pull', name, '1d', '--output', 'yesterday.tfstate']);
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: '' });
  const file = join(folder, 'yesterday.tfstate');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ serial: 1 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse((await state(['pull', name])).stdout)).toMatchObject({ serial: 2 });
  expect((await state(['pull', name, '9d'])).code).toBe(3);
});

test('lists the state versions that were imported from an id', async () => {
  const { id, name } = await bed.createWorkspace();
  await bed.run(['lock', name]);
  for (const [index, source] of ['sv-one', 'sv-two'].entries()) {
    const attributes = { serial: index + 1, 'imported-from': { host: 'app.terraform.io', id: source } };
    const body = inlineStateVersionBody(buildState({ serial: index + 1 }), attributes);
    expect((await bed.api.request('POST', `/workspaces/${id}/state-versions`, { token: bed.owner, body })).status).toBe(
      201,
    );
  }
  const found = await bed.json(['state', 'list', name, '--imported-from', 'sv-one']);
  expect(found).toMatchObject([{ serial: 1, 'imported-from': { host: 'app.terraform.io', id: 'sv-one' } }]);
});

test('leaves the former file and no other one if a download is not complete', async () => {
  const { name } = await createStates(bed, 1);
  writeFileSync(join(folder, 'kept.tfstate'), 'former');
  const before = readdirSync(folder);
  const fetch = withResponses(async (response, url) =>
    url.endsWith('/download') ? new Response((await response.text()).slice(0, -10)) : response,
  );
  const { code, stderr } = await state(['pull', name, '--output', 'kept.tfstate'], { fetch });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('not complete') });
  expect(readFileSync(join(folder, 'kept.tfstate'), 'utf8')).toBe('former');
  expect(readdirSync(folder)).toEqual(before);
});

test('does not replace a device by a file', async () => {
  const { name } = await createStates(bed, 1);
  expect((await state(['pull', name, '--output', '/dev/null'])).code).toBe(2);
});

test.each([
  ['a truncated state', buildState({ serial: 9 }).toString().slice(0, -5)],
  ['nothing', ''],
  ['other JSON', '{"data":[]}'],
])('rejects %s before anything is requested', async (_, stdin) => {
  const { code, routes } = await state(['push', 'any'], { stdin });
  expect({ code, routes }).toEqual({ code: 2, routes: [] });
});

test('explains an older serial, and releases the lock that it has taken', async () => {
  const { name } = await createStates(bed, 3);
  const { code, stderr } = await state(['push', name], { stdin: buildState({ serial: 2 }).toString() });
  expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('lower than 3') });
  expect(stderr).toContain('Pull the current state');
  expect(await isLocked(name)).toBe(false);
});

test('pushes under a lock that the caller holds, and keeps it', async () => {
  const { name } = await createStates(bed, 1);
  await bed.run(['lock', name]);
  const fetch: typeof globalThis.fetch = async (...request) => {
    await bed.api.deliverUploads();
    return bed.fetch(...request);
  };
  const { code, stderr } = await state(['push', name], { stdin: buildState({ serial: 2 }).toString(), fetch });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Pushed serial 2') });
  expect(await isLocked(name)).toBe(true);
});

test('reports an upload that the service does not read in time', async () => {
  const { name } = await createStates(bed, 1);
  await bed.run(['lock', name]);
  const { code } = await state(['push', name], { stdin: buildState({ serial: 2 }).toString() });
  expect(code).toBe(8);
});

test('names the holder of the lock of somebody else and pushes nothing', async () => {
  const { name } = await createStates(bed, 1);
  await bed.admin('create-user', { username: 'grace', email: 'grace@example.com' });
  await bed.admin('add-member', { organization: 'acme', team: 'owners', username: 'grace' });
  const other = await bed.admin('create-token', { kind: 'user', username: 'grace' });
  await bed.run(['lock', name, '--reason', 'migrating'], { env: { HOLDFAST_TOKEN: other.token } });
  const { code, stderr } = await state(['push', name], { stdin: buildState({ serial: 2 }).toString() });
  expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('locked by User') });
});

test('pushes once if the response with the upload URL is lost', async () => {
  const { name } = await createStates(bed, 1);
  let lost = 0;
  const fetch = withResponses((response, url, method) => {
    if (method === 'POST' && url.endsWith('/state-versions') && lost++ === 0) throw new TypeError('fetch failed');
    return response;
  });
  const { code, stderr } = await state(['push', name], { stdin: buildState({ serial: 2 }).toString(), fetch });
  expect({ code }, stderr).toEqual({ code: 0 });
  const versions: readonly { serial: number; status: string }[] = await bed.json(['state', 'list', name]);
  expect(versions.filter(({ status }) => status === 'finalized').map(({ serial }) => serial)).toEqual([2, 1]);
  expect(await isLocked(name)).toBe(false);
});

test('says that the workspace stays locked if the upload fails', async () => {
  const { name } = await createStates(bed, 1);
  const fetch: typeof globalThis.fetch = async (input, init) =>
    init?.method === 'PUT' ? new Response('', { status: 403 }) : bed.fetch(input, init);
  const { code, stderr } = await state(['push', name], { stdin: buildState({ serial: 2 }).toString(), fetch });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`holdfast unlock ${name}`) });
  expect(stderr).not.toContain('X-Amz-Signature');
});

test('prints a sensitive output only on request, and a list as JSON', async () => {
  const { name } = await createStates(bed, 1);
  expect((await state(['outputs', name])).stdout).not.toContain('top-secret');
  const refused = await state(['output', name, 'token']);
  expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--sensitive') });
  expect((await state(['output', name, 'token', '--sensitive'])).stdout).toBe('top-secret\n');
  expect((await state(['output', name, 'url'])).stdout).toBe('https://shop.example.com\n');
  expect((await state(['output', name, 'zones'])).stdout).toBe('["a","b"]\n');
  expect((await state(['output', name, 'none'])).code).toBe(3);
});

test('compares resources and outputs without their values', async () => {
  const { id, name } = await bed.createWorkspace();
  await bed.run(['lock', name]);
  for (const [serial, value] of [
    [1, 'secret-1'],
    [2, 'secret-2'],
  ] as const) {
    const content = buildState({ serial, resources: serial, outputs: { url: { value, type: 'string' } } });
    const body = inlineStateVersionBody(content, { serial });
    expect((await bed.api.request('POST', `/workspaces/${id}/state-versions`, { token: bed.owner, body })).status).toBe(
      201,
    );
  }
  const different = await state(['diff', name, '--json']);
  expect(different.code).toBe(7);
  expect(JSON.parse(different.stdout)).toEqual([
    { address: 'output.url', change: 'changed', attributes: ['value'] },
    { address: 'terraform_data.r1', change: 'added', attributes: [] },
  ]);
  expect(different.stdout).not.toContain('secret-');
  expect(await state(['diff', name, '2', '2', '--json'])).toMatchObject({ code: 0, stdout: '[]\n' });
});

test('rolls back to an older serial, and rejects a version of another workspace', async () => {
  const [{ name }, other] = [await createStates(bed, 2), await createStates(bed, 1)];
  expect((await state(['rollback', name, '1', '--yes'])).code).toBe(0);
  expect(await bed.json(['state', 'show', name])).toMatchObject({ serial: 1, current: true });
  expect(await isLocked(name)).toBe(false);
  const { code, routes } = await state(['rollback', name, other.ids[0] ?? '', '--yes']);
  expect({ code, routes }).toEqual({ code: 3, routes: ['workspaces.show-by-name', 'state-versions.show'] });
});
