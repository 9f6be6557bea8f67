import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type CliBed, type CliOptions, type CliResult, startCliBed } from '../support/cli/cli-bed.ts';
import { type ContextBed, createContextBed } from '../support/cli/context-bed.ts';

let bed: CliBed;
let user: ContextBed;
beforeAll(async () => {
  bed = await startCliBed();
});
afterAll(() => bed.stop());
beforeEach(() => {
  user = createContextBed();
});
afterEach(() => user.remove());

const HOST = 'holdfast.test';
const CREDENTIALS = '.terraform.d/credentials.tfrc.json';

/** Runs a command in the home and the folder of the user, without an environment that names a service. */
const run = (argv: readonly string[], { env = {}, ...options }: CliOptions = {}): Promise<CliResult> =>
  bed.run(argv, {
    env: { HOME: user.home, HOLDFAST_URL: undefined, HOLDFAST_ORG: undefined, HOLDFAST_TOKEN: undefined, ...env },
    cwd: user.folder,
    ...options,
  });

const login = (token = bed.owner, args: readonly string[] = [], options: CliOptions = {}): Promise<CliResult> =>
  run(['login', HOST, '--token-stdin', ...args], { stdin: `${token}\n`, ...options });

describe('login', () => {
  test('checks and stores the token, so that later commands need nothing else, until logout', async () => {
    const path = join(user.home, CREDENTIALS);
    const { code, stdout, stderr } = await login(bed.owner, ['--org', 'acme']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toBe(
      `Storing the token in ${path}, as plain text that only you can read (mode 600). terraform and tofu use it, too.\n` +
        `Signed in to ${HOST} as ada.\n`,
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(user.home, '.config/holdfast/config.json'), 'utf8'))).toEqual({
      url: `https://${HOST}`,
      organization: 'acme',
    });
    expect((await run(['whoami'])).stdout).toMatch(/^ada\tuser\t/);
    const status = await run(['auth', 'status', '--json=host,organization,token-source,storage']);
    expect(JSON.parse(status.stdout)).toEqual({
      host: HOST,
      organization: 'acme',
      'token-source': path,
      storage: 'plain text, mode 600',
    });
    const end = await run(['logout']);
    expect(end).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`Deleted the token for ${HOST} from ${path}.`),
    });
    expect(readFileSync(path, 'utf8')).not.toContain(bed.owner);
    expect(await run(['whoami'])).toMatchObject({ code: 2, stderr: expect.stringContaining('No service is named.') });
  });

  test('stores nothing if the service rejects the token', async () => {
    const { code, stderr } = await login(`hfu_${'1'.repeat(44)}`);
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: expect.stringContaining(`${HOST} rejects the token from standard input.`),
    });
    expect([existsSync(join(user.home, CREDENTIALS)), existsSync(join(user.home, '.config'))]).toEqual([false, false]);
  });

  test('stores nothing if the organization does not exist', async () => {
    expect((await login(bed.owner, ['--org', 'none'])).code).toBe(3);
    expect(existsSync(join(user.home, CREDENTIALS))).toBe(false);
  });

  test.each([
    ['', 'Standard input is not a token'],
    ['two words', 'Standard input is not a token'],
    ['x'.repeat(5_000), 'more than 4096 bytes'],
  ])('rejects the input %j as a token and sends nothing', async (token, message) => {
    const { code, stderr, routes } = await login(token);
    expect({ code, routes }).toEqual({ code: 2, routes: [] });
    expect(stderr).toContain(message);
  });

  test('ends with 2 and the next step where nobody can type the token', async () => {
    const { code, stderr } = await run(['login', HOST]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--token-stdin') });
  });

  test('keeps the credentials helper of terraform as the place of tokens', async () => {
    const { store } = user.installHelper();
    const { stderr } = await login();
    expect(stderr).toContain('Storing the token in the credentials helper vault.');
    expect(JSON.parse(readFileSync(join(store, HOST), 'utf8'))).toEqual({ token: bed.owner });
    expect(existsSync(join(user.home, CREDENTIALS))).toBe(false);
    expect((await run(['whoami'])).code).toBe(0);
    expect((await run(['logout'])).stderr).toContain('from the credentials helper vault');
    expect(existsSync(join(store, HOST))).toBe(false);
  });

  test('does not overwrite a damaged credentials file', async () => {
    user.writeHome(CREDENTIALS, '{"credentials": ');
    const { code, stderr } = await login();
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('is damaged') });
    expect(readFileSync(join(user.home, CREDENTIALS), 'utf8')).toBe('{"credentials": ');
  });

  test('reports what precedes the stored token', async () => {
    const env = { HOLDFAST_URL: `https://${HOST}`, HOLDFAST_TOKEN: 'hfu_other' };
    expect((await login(bed.owner, [], { env })).stderr).toContain('HOLDFAST_TOKEN has another token');
    user.writeFolder('main.tf', 'terraform {\n  cloud {\n    hostname = "other.example.com"\n  }\n}\n');
    expect((await login()).stderr).toContain('Here, main.tf names other.example.com');
    const file = { TF_CLI_CONFIG_FILE: '/dev/null' };
    expect((await login(bed.owner, [], { env: file })).stderr).toContain('terraform does not read this file');
  });

  test('uses the address that terraform is configured to use for the host, also later', async () => {
    user.writeHome('.terraformrc', `host "tfe.test" {\n  services = { "tfe.v2" = "https://${HOST}/api/v2/" }\n}\n`);
    const { code } = await run(['login', 'tfe.test', '--token-stdin'], { stdin: bed.owner });
    expect(code).toBe(0);
    const { stdout } = await run(['auth', 'status', '--json=host,url']);
    expect(JSON.parse(stdout)).toEqual({ host: 'tfe.test', url: `https://${HOST}` });
  });

  test('accepts the token of an organization, which has no account', async () => {
    const { api, owner } = bed;
    const created = await api.request('POST', '/api/v2/organizations/acme/authentication-token', { token: owner });
    const { token } = created.body.data.attributes;
    expect((await login(token)).stderr).toContain(`Signed in to ${HOST} as acme.`);
    const { stdout } = await run(['auth', 'status', '--json=subject,kind,token-id']);
    expect(JSON.parse(stdout)).toEqual({ subject: 'acme', kind: 'organization', 'token-id': null });
  });
});

describe('auth status', () => {
  test('explains which token of which place is rejected', async () => {
    const env = { TF_TOKEN_holdfast_test: `hfu_${'1'.repeat(44)}`, HOLDFAST_URL: HOST };
    const { code, stderr, stdout } = await run(['auth', 'status', '--json'], { env });
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({
      detail: `${HOST} rejects the token from TF_TOKEN_holdfast_test. The host is named by HOLDFAST_URL.`,
      meta: { host: HOST, 'token-source': 'TF_TOKEN_holdfast_test', storage: 'environment' },
    });
    expect(stderr).not.toContain('hfu_1');
  });

  test('reports a file that others can read', async () => {
    await mkdir(join(user.home, '.terraform.d'));
    writeFileSync(join(user.home, CREDENTIALS), JSON.stringify({ credentials: { [HOST]: { token: bed.owner } } }), {
      mode: 0o644,
    });
    const { stdout } = await run(['auth', 'status', '--json=storage', '--url', HOST]);
    expect(JSON.parse(stdout)).toEqual({ storage: 'plain text, mode 644, which others can read' });
  });
});

test('only auth token prints the stored token', async () => {
  await login();
  expect((await run(['auth', 'token'])).stdout).toBe(`${bed.owner}\n`);
  for (const argv of [['auth', 'status'], ['whoami'], ['logout'], ['ws', 'list', '--curl', '--org', 'acme']]) {
    const { stdout, stderr } = await run(argv);
    expect(stdout + stderr, argv.join(' ')).not.toContain(bed.owner);
  }
});
