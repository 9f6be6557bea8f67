import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
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

describe('login --device', () => {
  /** Decides about the login as a person in a browser, with the code that the command prints. */
  const decide = async (code: string, decision: string, token = bed.owner): Promise<void> => {
    const body = { user_code: code, decision };
    const { status } = await bed.api.request('POST', '/oauth2/device/decision', { token, body });
    expect(status).toBe(200);
  };
  /** Runs the command. `act` stands for what happens during a wait, and gets the number of the wait and the code. */
  const loginByDevice = async (
    act: (wait: number, code: string) => Promise<unknown>,
    args: readonly string[] = [],
    options: CliOptions = {},
  ) => {
    const waits: number[] = [];
    let code = '';
    const result = await run(['login', HOST, '--device', ...args], {
      fetch: async (input, init) => {
        const response = await bed.fetch(input, init);
        if (String(input).endsWith('/oauth2/device'))
          code = ((await response.clone().json()) as { readonly user_code?: string }).user_code ?? '';
        return response;
      },
      wait: async (milliseconds) => {
        waits.push(milliseconds);
        await act(waits.length, code);
      },
      ...options,
    });
    return { ...result, waits, shown: code };
  };

  test('prints the address and the code, waits, and stores the token where terraform looks for it', async () => {
    const { code, stdout, stderr, waits, shown } = await loginByDevice(
      async (wait, typed) => wait === 2 && decide(typed, 'allow'),
    );
    expect({ code, stdout, waits }, stderr).toEqual({ code: 0, stdout: '', waits: [5_000, 5_000] });
    expect(shown).toMatch(/^[A-Z]{4}-[A-Z]{4}$/);
    expect(stderr).toBe(
      `Open http://holdfast.test/app/device in any browser, and type the code ${shown}. It is valid for 10 minutes.\n` +
        `Storing the token in ${join(user.home, CREDENTIALS)}, as plain text that only you can read (mode 600). terraform and tofu use it, too.\n` +
        `Signed in to ${HOST} as ada.\n`,
    );
    const { credentials } = JSON.parse(readFileSync(join(user.home, CREDENTIALS), 'utf8'));
    expect(credentials[HOST].token).toMatch(/^hfu_/);
    expect(stderr).not.toContain(credentials[HOST].token);
    const status = await run(['auth', 'status', '--json=subject,token-description']);
    expect(JSON.parse(status.stdout)).toEqual({ subject: 'ada', 'token-description': 'device login' });
  });

  test('shows the code to people also where a program reads the result', async () => {
    const { code, stdout, stderr, shown } = await loginByDevice(async (_, typed) => decide(typed, 'allow'), ['--json']);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(`type the code ${shown}.`);
    expect(JSON.parse(stdout)).toMatchObject({ host: HOST, subject: 'ada', kind: 'user' });
  });

  test('waits five seconds longer after slow_down', async () => {
    let polls = 0;
    const slow: typeof fetch = async (input, init) => {
      const isPoll = String(input).endsWith('/oauth2/token');
      if (isPoll) polls += 1;
      const errors = ['slow_down', 'authorization_pending', 'access_denied'];
      return isPoll ? Response.json({ error: errors[polls - 1] }, { status: 400 }) : bed.fetch(input, init);
    };
    const { code, waits } = await loginByDevice(async () => undefined, [], { fetch: slow });
    expect({ code, waits }).toEqual({ code: 4, waits: [5_000, 10_000, 10_000] });
  });

  test('ends with 4 when the person denies it, and stores nothing', async () => {
    const { code, stderr } = await loginByDevice(async (_, typed) => decide(typed, 'deny'));
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('The login was denied.') });
    expect(existsSync(join(user.home, CREDENTIALS))).toBe(false);
  });

  test('ends with 8 when nobody decides in time', async () => {
    const { code, stdout, stderr } = await loginByDevice(
      async () => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_000 }),
      ['--json'],
    );
    vi.useRealTimers();
    expect({ code, stdout }).toEqual({ code: 8, stdout: '' });
    expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      code: 'timedOut',
      detail: 'Nobody has allowed the login in time. Nothing was stored.',
    });
    expect(existsSync(join(user.home, CREDENTIALS))).toBe(false);
  });

  test('ends with 130 on Ctrl-C while it waits', async () => {
    const abort = new AbortController();
    const { code, waits } = await loginByDevice(
      async () => {
        abort.abort();
        throw abort.signal.reason;
      },
      [],
      { signal: abort.signal },
    );
    expect({ code, waits }).toEqual({ code: 130, waits: [5_000] });
  });

  test('ends with 6 and the reason where the service does not offer it', async () => {
    const { code, stderr } = await loginByDevice(async () => undefined, [], {
      fetch: async () =>
        Response.json({ error: 'unauthorized_client', error_description: 'It is not offered.' }, { status: 400 }),
    });
    expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining('It is not offered.') });
  });

  test('sends no token that is stored already, and shows its first request with --curl', async () => {
    await login();
    const headers: (string | null)[] = [];
    await loginByDevice(async (_, typed) => decide(typed, 'allow'), [], {
      fetch: async (input, init) => {
        if (String(input).includes('/oauth2/')) headers.push(new Headers(init?.headers).get('authorization'));
        return Response.json({ error: 'access_denied' }, { status: 400 });
      },
    });
    expect(headers).toEqual([null]);
    const { code, stdout } = await run(['login', HOST, '--device', '--curl']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `curl -sS -g -X POST \\\n  'https://${HOST}/oauth2/device' \\\n  -d 'client_id=terraform-cli'\n`,
    });
  });

  test('excludes --token-stdin', async () => {
    const { code, routes } = await run(['login', HOST, '--device', '--token-stdin']);
    expect({ code, routes }).toEqual({ code: 2, routes: [] });
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
