import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type CliBed, type CliOptions, startCliBed } from '../support/cli/cli-bed.ts';
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

/** Runs `doctor`, and returns its exit code and its findings by the names of the checks. */
const diagnose = async ({ env = {}, ...options }: CliOptions = {}) => {
  const { code, stdout } = await bed.run(['doctor', '--json'], {
    env: { HOME: user.home, ...env },
    cwd: user.folder,
    program: 'main.ts',
    ...options,
  });
  const rows: readonly Record<string, string>[] = JSON.parse(stdout);
  return {
    code,
    ...Object.fromEntries(rows.map(({ check, status, detail }) => [check, `${status}: ${detail}`])),
  } as Record<string, unknown>;
};

/** Changes the responses of the service for a path. */
const changing =
  (path: string, respond: (response: Response) => Response | Promise<Response>): typeof fetch =>
  async (input, init) => {
    const response = await bed.fetch(input, init);
    return String(input).endsWith(path) ? respond(response) : response;
  };

describe('doctor', () => {
  test('finds nothing wrong with a login that terraform shares', async () => {
    user.writeHome('.terraform.d/credentials.tfrc.json', { credentials: { 'holdfast.test': { token: bed.owner } } });
    expect(await diagnose({ env: { HOLDFAST_TOKEN: undefined } })).toEqual({
      code: 0,
      address: 'ok: https://holdfast.test, from HOLDFAST_URL.',
      response: 'ok: Status 204.',
      api: expect.stringMatching(/^ok: Version /),
      clock: expect.stringMatching(/^ok: /),
      discovery: 'ok: tfe.v2 is https://holdfast.test/api/v2/',
      token: expect.stringMatching(/^ok: ada \(user\), from .*credentials\.tfrc\.json\.$/),
      terraform: expect.stringMatching(/^ok: terraform uses the same token/),
      'command-line': 'ok: It runs from the sources of a clone.',
    });
  });

  test('warns where terraform has no token or another one', async () => {
    expect((await diagnose())['terraform']).toContain('warning: terraform has no token for holdfast.test');
    const env = { TF_TOKEN_holdfast_test: 'hfu_other' };
    expect((await diagnose({ env }))['terraform']).toBe(
      'warning: terraform uses another token, from TF_TOKEN_holdfast_test.',
    );
    const file = user.writeHome('other.tfrc', '');
    expect((await diagnose({ env: { TF_CLI_CONFIG_FILE: file } }))['terraform']).toBe(
      `warning: terraform has no token for holdfast.test. It reads ${file} only, which TF_CLI_CONFIG_FILE names.`,
    );
  });

  test.each([
    ['ENOTFOUND', 'The name holdfast.test is not found (ENOTFOUND).'],
    ['ECONNREFUSED', 'holdfast.test refuses the connection.'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS'],
  ])('explains the error %s, and checks what needs no service', async (code, text) => {
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error(), { code }) }));
    const found = await diagnose({ fetch });
    expect(Object.keys(found)).toEqual(['code', 'address', 'response', 'token', 'terraform']);
    expect(found).toMatchObject({ code: 7, token: 'ok: From HOLDFAST_TOKEN. It was not sent.' });
    expect(found['response']).toContain(text);
  });

  test('names the place of a token that the service rejects', async () => {
    const found = await diagnose({ env: { HOLDFAST_TOKEN: `hfu_${'1'.repeat(44)}` } });
    expect(found).toMatchObject({ code: 7, token: expect.stringContaining('rejects the token from HOLDFAST_TOKEN') });
    const without = await diagnose({ env: { HOLDFAST_TOKEN: undefined } });
    expect(without).toMatchObject({ code: 7, token: expect.stringContaining('failed: There is no token') });
  });

  test('reports another server, a wrong clock and a discovery without tfe.v2', async () => {
    const other = await diagnose({ fetch: changing('/ping', () => new Response('', { status: 404 })) });
    expect(other).toMatchObject({ code: 7, api: expect.stringContaining('failed: Another server responds') });
    const late = await diagnose({
      fetch: changing('/ping', ({ headers }) => {
        const date = new Date(Date.now() + 120_000).toUTCString();
        return new Response(null, { headers: { ...Object.fromEntries(headers), date } });
      }),
    });
    expect(late['clock']).toMatch(/^warning: This computer is (1m59s|2m1?s?) behind the service/);
    const hidden = await diagnose({ fetch: changing('/terraform.json', () => Response.json({})) });
    expect(hidden).toMatchObject({ code: 7, discovery: expect.stringContaining('does not name tfe.v2') });
  });

  test('compares its file with the one that the service serves', async () => {
    const program = user.writeFolder('holdfast.mjs', 'the program');
    const checksum = createHash('sha256').update('the program').digest('hex');
    const serving = (text: string) => changing('.sha256', () => new Response(text));
    const same = await diagnose({ program, fetch: serving(`${checksum}  holdfast.mjs\n`) });
    expect(same['command-line']).toBe('ok: It is the one that the service serves.');
    const other = await diagnose({ program, fetch: serving(`${'0'.repeat(64)}  holdfast.mjs\n`) });
    expect(other).toMatchObject({ code: 0, 'command-line': expect.stringContaining('warning: It is older or newer') });
    const none = await diagnose({ program, fetch: changing('.sha256', () => new Response('', { status: 404 })) });
    expect(none['command-line']).toContain('warning: The service serves no command line');
  });

  test('is a usage error with --curl, because it has no single request', async () => {
    expect(await bed.run(['doctor', '--curl'])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('open', () => {
  const console = changing('/app', () => new Response('<!doctype html>'));

  test('prints the address of the page of a workspace, and of the organization', async () => {
    const { name } = await bed.createWorkspace();
    const page = await bed.run(['open', name], { fetch: console });
    expect(page).toMatchObject({ code: 0, stdout: `https://holdfast.test/app/acme/workspaces/${name}\n` });
    expect((await bed.run(['open'], { fetch: console })).stdout).toBe('https://holdfast.test/app/acme\n');
  });

  test.runIf(process.platform === 'linux')(
    'opens a browser on a terminal with a screen, unless --print is set',
    async () => {
      const path = user.writeHome('xdg-open', `#!/bin/sh\necho "$1" >> ${user.home}/opened\n`);
      chmodSync(path, 0o755);
      writeFileSync(join(user.home, 'opened'), '');
      const options = { fetch: console, env: { PATH: `${user.home}:/usr/bin:/bin`, DISPLAY: ':0' }, isTerminal: true };
      await bed.run(['open', '--print'], options);
      await bed.run(['open'], { ...options, isTerminal: false });
      await bed.run(['open'], options);
      const opened = 'https://holdfast.test/app/acme\n';
      await vi.waitFor(() => expect(readFileSync(join(user.home, 'opened'), 'utf8')).toBe(opened), 5_000);
      const headless = await bed.run(['open'], { ...options, env: { DISPLAY: undefined } });
      expect(headless).toMatchObject({ code: 0, stderr: 'There is no browser.\n' });
    },
  );

  test('ends with 3 where the console is turned off', async () => {
    const off = await bed.run(['open'], { fetch: changing('/app', () => new Response('', { status: 404 })) });
    expect(off).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('is turned off') });
  });
});
