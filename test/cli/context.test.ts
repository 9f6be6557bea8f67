import { chmodSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findStorage, findToken, forgetToken, storeToken } from '../../infra/cli/context/credentials.ts';
import { updateJsonFile } from '../../infra/cli/context/files.ts';
import { writeSettings } from '../../infra/cli/context/settings.ts';
import type { Io } from '../../infra/cli/io.ts';
import { type ContextBed, createContextBed } from '../support/cli/context-bed.ts';

let bed: ContextBed;
beforeEach(() => {
  bed = createContextBed();
});
afterEach(() => bed.remove());

const HOST = 'holdfast.example.com';
const CREDENTIALS = '.terraform.d/credentials.tfrc.json';
const cloud = (hostname = HOST): string => `terraform {
  cloud {
    hostname     = "${hostname}"
    organization = "acme"
    workspaces { name = "network" }
  }
}
`;

describe('the address', () => {
  test('follows from --url, HOLDFAST_URL, the cloud block, the last login and a local service, in this order', async () => {
    bed.writeFolder('.holdfast/local.json', { baseUrl: 'http://localhost:3000', token: 'hfu_local' });
    expect(await bed.open().address()).toMatchObject({
      origin: 'http://localhost:3000',
      source: '.holdfast/local.json',
    });
    await writeSettings(bed.io(), { url: 'https://login.example.com' });
    expect(await bed.open().address()).toMatchObject({
      origin: 'https://login.example.com',
      source: join(bed.home, '.config/holdfast/config.json'),
    });
    bed.writeFolder('main.tf', cloud());
    expect(await bed.open().address()).toEqual({ host: HOST, origin: `https://${HOST}`, source: 'main.tf' });
    const env = { HOLDFAST_URL: 'https://env.example.com/api/v2/' };
    expect(await bed.open(env).address()).toMatchObject({ origin: 'https://env.example.com', source: 'HOLDFAST_URL' });
    expect(await bed.open(env, { url: 'flag.example.com' }).address()).toMatchObject({
      origin: 'https://flag.example.com',
      source: '--url',
    });
  });

  test('is missing with the next step where nothing names it', async () => {
    await expect(bed.open().address()).rejects.toMatchObject({
      exit: 'usage',
      details: { hint: expect.stringContaining('holdfast login') },
    });
  });

  test.each([
    'http://holdfast.example.com',
    'http://10.0.0.1',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
  ])('rejects %s, because a token is sent over HTTPS only', async (url) => {
    await expect(bed.open({}, { url }).address()).rejects.toMatchObject({ exit: 'usage' });
  });

  test('follows the host block of terraform for the name of a host, but not for a URL', async () => {
    const services = `host "${HOST}" {\n  services = {\n    "tfe.v2" = "http://127.0.0.1:18080/api/v2/"\n  }\n}\n`;
    bed.writeHome('.terraformrc', services);
    bed.writeFolder('main.tf', cloud());
    expect(await bed.open().address()).toEqual({ host: HOST, origin: 'http://127.0.0.1:18080', source: 'main.tf' });
    const url = `https://${HOST}`;
    expect(await bed.open({}, { url }).address()).toMatchObject({ origin: url });
  });

  test('ignores a local.json that names another computer', async () => {
    bed.writeFolder('.holdfast/local.json', { baseUrl: 'https://evil.example.com', token: 'hfu_x' });
    await expect(bed.open().address()).rejects.toMatchObject({ exit: 'usage' });
  });
});

describe('the cloud block', () => {
  const sources = {
    'main.tofu': cloud(),
    'main.tf.json': { terraform: { cloud: { hostname: HOST, organization: 'acme', workspaces: { name: 'network' } } } },
    'main.tofu.json': {
      terraform: [{ cloud: [{ hostname: HOST, organization: 'acme', workspaces: [{ name: 'network' }] }] }],
    },
    'backend.tf': cloud().replace('cloud {', 'backend "remote" {'),
    'two.tf': `terraform {\n  required_version = ">= 1.0"\n}\n${cloud()}`,
    'tricky.tf': `/* terraform { cloud { hostname = "no" } } */
# cloud {
locals {
  text = <<-EOT
    terraform { cloud { hostname = "evil.example.com" } }
    "not closed \${upper("}")}
    EOT
  quoted = "terraform { cloud { \${join("\\"", ["}", "{"])} } } // cloud {"
  object = { for key, value in var.all : key => "\${value["}"]}" if value != null }
  choice = var.is ? { cloud = 1 } : { cloud = [2] }
}
resource "a" "b" {
  count = length(
    var.cloud
  )
}
${cloud()}`,
  };

  test.each(Object.entries(sources))(
    'names the service, the organization and the workspace in %s',
    async (name, content) => {
      bed.writeFolder(name, content);
      const context = bed.open();
      expect(await context.address()).toMatchObject({ host: HOST, source: name });
      expect(await context.organization()).toBe('acme');
      expect(await context.workspace()).toBe('network');
    },
  );

  test('is completed by TF_CLOUD_HOSTNAME, TF_CLOUD_ORGANIZATION and TF_WORKSPACE', async () => {
    const env = { TF_CLOUD_HOSTNAME: HOST, TF_CLOUD_ORGANIZATION: 'acme', TF_WORKSPACE: 'network' };
    bed.writeFolder('main.tf', 'terraform {\n  cloud {}\n}\n');
    const context = bed.open(env);
    expect(await context.address()).toMatchObject({ host: HOST, source: 'TF_CLOUD_HOSTNAME' });
    expect([await context.organization(), await context.workspace()]).toEqual(['acme', 'network']);
    bed.writeFolder('main.tf', cloud('block.example.com').replace('acme', 'block'));
    expect(await bed.open(env).organization()).toBe('block');
  });

  test('names the selected workspace where it has a prefix', async () => {
    bed.writeFolder('main.tf', cloud().replace('cloud {', 'backend "remote" {').replace('name =', 'prefix ='));
    bed.writeFolder('.terraform/environment', '-blue\n');
    expect(await bed.open().workspace()).toBe('network-blue');
  });

  test('ignores values with expressions', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of HCL.
    bed.writeFolder('main.tf', cloud('${var.host}'));
    await expect(bed.open().address()).rejects.toMatchObject({ exit: 'usage' });
    expect(await bed.open({ HOLDFAST_URL: HOST }).organization()).toBe('acme');
  });

  test('is an error where its file has no end, so that no other service is used', async () => {
    await writeSettings(bed.io(), { url: 'https://login.example.com' });
    bed.writeFolder('main.tf', cloud().slice(0, -3));
    await expect(bed.open().address()).rejects.toThrow('main.tf cannot be read');
    expect(await bed.open({}, { url: HOST }).address()).toMatchObject({ host: HOST });
  });

  test('gives its organization and its workspace to no other service', async () => {
    bed.writeFolder('main.tf', cloud());
    const context = bed.open({}, { url: 'https://other.example.com' });
    expect(await context.organization()).toBeUndefined();
    await expect(context.workspace()).rejects.toThrow('The workspace of this folder is one of holdfast.example.com');
  });
});

describe('the organization', () => {
  test('follows from --org, HOLDFAST_ORG, the cloud block, the last login and a local service, in this order', async () => {
    bed.writeFolder('.holdfast/local.json', { baseUrl: 'http://localhost:3000', organization: 'local' });
    expect(await bed.open().organization()).toBe('local');
    await writeSettings(bed.io(), { url: `https://${HOST}`, organization: 'last' });
    expect(await bed.open().organization()).toBe('last');
    bed.writeFolder('main.tf', cloud());
    expect(await bed.open().organization()).toBe('acme');
    expect(await bed.open({ HOLDFAST_ORG: 'env' }).organization()).toBe('env');
    expect(await bed.open({ HOLDFAST_ORG: 'env' }, { org: 'flag' }).organization()).toBe('flag');
  });
});

describe('the token', () => {
  const url = `https://${HOST}`;
  const tokenOf = async (env: Record<string, string> = {}) => {
    const { token, tokenSource } = await bed.open(env, { url }).service();
    return [token, tokenSource];
  };

  test('is HOLDFAST_TOKEN as the only source', async () => {
    expect(await tokenOf({ HOLDFAST_TOKEN: 'hfu_1\n' })).toEqual(['hfu_1', 'HOLDFAST_TOKEN']);
  });

  test.each([
    ['holdfast.example.com', 'TF_TOKEN_holdfast_example_com'],
    ['holdfast.example.com', 'TF_TOKEN_HOLDFAST.example.com'],
    ['my-host.example.com:8443', 'TF_TOKEN_my__host_example_com:8443'],
    ['café.example.com', 'TF_TOKEN_xn____caf__dma_example_com'],
    ['café.example.com', 'TF_TOKEN_café.example.com'],
  ])('of %s is the variable %s as the only source', async (host, name) => {
    const { token, tokenSource } = await bed.open({ [name]: 'hfu_1' }, { url: `https://${host}` }).service();
    expect([token, tokenSource]).toEqual(['hfu_1', name]);
  });

  test.each([
    ['.terraformrc', `credentials "${HOST}" { token = "hfu_1" } # mine\n`],
    ['.terraformrc', { credentials: { [HOST]: { token: 'hfu_1' } } }],
    ['.tofurc', `credentials "HOLDFAST.example.com:443" {\n  token = "hfu_1"\n}\n`],
    [CREDENTIALS, { credentials: { [HOST]: { token: 'hfu_1' } } }],
    ['.terraform.d/more.tfrc', `credentials "${HOST}" {\n  token = "hfu_1"\n}\n`],
  ])('is in %s as the only source', async (name, content) => {
    const path = bed.writeHome(name, content);
    expect(await tokenOf()).toEqual(['hfu_1', path]);
  });

  test('is in the file that TF_CLI_CONFIG_FILE names as the only source', async () => {
    const path = bed.writeFolder('cli.tfrc', `credentials "${HOST}" {\n  token = "hfu_1"\n}\n`);
    bed.writeHome('.terraformrc', `credentials "${HOST}" {\n  token = "hfu_2"\n}\n`);
    expect(await tokenOf({ TF_CLI_CONFIG_FILE: 'cli.tfrc' })).toEqual(['hfu_1', path]);
  });

  test('is in the folder of tofu below XDG_CONFIG_HOME as the only source', async () => {
    const path = bed.writeHome('xdg/opentofu/credentials.tfrc.json', { credentials: { [HOST]: { token: 'hfu_1' } } });
    const env = { XDG_CONFIG_HOME: join(bed.home, 'xdg') };
    expect(await tokenOf(env)).toEqual(['hfu_1', path]);
    expect(await findStorage(bed.io(env), HOST)).toEqual({ kind: 'file', path });
  });

  test('is in the credentials helper of terraform as the only source, and its arguments have no token', async () => {
    const { store } = bed.installHelper();
    const storage = await findStorage(bed.io(), HOST);
    await storeToken(bed.io(), storage, HOST, 'hfu_secret');
    expect(await tokenOf()).toEqual(['hfu_secret', 'the credentials helper vault']);
    await forgetToken(bed.io(), storage, HOST);
    await expect(tokenOf()).rejects.toMatchObject({ exit: 'notAuthenticated' });
    const calls = `--team store ${HOST}\n--team get ${HOST}\n--team forget ${HOST}\n--team get ${HOST}\n`;
    expect(readFileSync(join(store, 'calls'), 'utf8')).toBe(calls);
  });

  test('is in local.json of the local service, and not sent to another one', async () => {
    bed.writeFolder('.holdfast/local.json', { baseUrl: 'http://localhost:3000', token: 'hfu_local' });
    expect(await bed.open().service()).toMatchObject({ token: 'hfu_local', tokenSource: '.holdfast/local.json' });
    await expect(bed.open({}, { url: 'http://localhost:3001' }).service()).rejects.toMatchObject({
      exit: 'notAuthenticated',
    });
  });

  test('follows from HOLDFAST_TOKEN, TF_TOKEN_, the files and the helper, in this order', async () => {
    const { store } = bed.installHelper();
    await storeToken(bed.io(), { kind: 'helper', helper: { name: 'vault', args: ['--team'] } }, HOST, 'hfu_helper');
    expect(await tokenOf()).toEqual(['hfu_helper', 'the credentials helper vault']);
    bed.writeHome(CREDENTIALS, { credentials: { [HOST]: { token: 'hfu_file' } } });
    expect((await tokenOf())[0]).toBe('hfu_file');
    const variable = { TF_TOKEN_holdfast_example_com: 'hfu_variable' };
    expect((await tokenOf(variable))[0]).toBe('hfu_variable');
    expect((await tokenOf({ ...variable, HOLDFAST_TOKEN: 'hfu_env' }))[0]).toBe('hfu_env');
    expect(readdirSync(store)).toContain('calls');
  });

  test.each([
    ['a cloud block', {}, undefined],
    [
      '--url, if HOLDFAST_URL names another host',
      { HOLDFAST_URL: 'https://mine.example.com' },
      'https://evil.example.com',
    ],
    ['a cloud block, if the last login was to another host', {}, undefined],
  ])('HOLDFAST_TOKEN is not sent to the host of %s', async (title, env, flag) => {
    bed.writeFolder('main.tf', cloud('evil.example.com'));
    if (title.includes('login')) await writeSettings(bed.io(), { url: 'https://mine.example.com' });
    const context = bed.open({ HOLDFAST_TOKEN: 'hfu_1', ...env }, flag === undefined ? {} : { url: flag });
    await expect(context.service()).rejects.toMatchObject({
      exit: 'notAuthenticated',
      details: { hint: expect.stringContaining('HOLDFAST_TOKEN is only sent to') },
    });
  });

  test('HOLDFAST_TOKEN is sent to the host of the last login, also where the cloud block names it', async () => {
    await writeSettings(bed.io(), { url: `https://${HOST}` });
    expect(await bed.open({ HOLDFAST_TOKEN: 'hfu_1' }).service()).toMatchObject({ host: HOST, token: 'hfu_1' });
    bed.writeFolder('main.tf', cloud());
    expect(await bed.open({ HOLDFAST_TOKEN: 'hfu_1' }).service()).toMatchObject({ host: HOST, token: 'hfu_1' });
  });

  test('of one host is found for no other, nor for another port', async () => {
    bed.writeHome(CREDENTIALS, { credentials: { [HOST]: { token: 'hfu_1' } } });
    const env = { TF_TOKEN_holdfast_example_com: 'hfu_2' };
    for (const other of ['other.example.com', `${HOST}:8443`, `${HOST}.evil.com`, 'example.com']) {
      await expect(bed.open(env, { url: other }).service(), other).rejects.toMatchObject({ exit: 'notAuthenticated' });
    }
  });

  test('with a line break in it is an error that does not show it', async () => {
    const error = await tokenOf({ HOLDFAST_TOKEN: 'hfu_1\r\nX-Other: 1' }).catch((caught: Error) => caught);
    expect(String(error)).toContain('HOLDFAST_TOKEN is not a token');
    expect(String(error)).not.toContain('hfu_1');
  });

  test.each([
    ['.terraformrc', 'credentials "x" { token = "hfu_secret'],
    [CREDENTIALS, '{"credentials": {"x": {"token": "hfu_secret"'],
  ])('in a damaged %s is an error that names the file and no token', async (name, content) => {
    const path = bed.writeHome(name, content);
    const error = await tokenOf().catch((caught: Error) => caught);
    expect(error).toMatchObject({ exit: 'usage', message: expect.stringContaining(path) });
    expect(String(error)).not.toContain('secret');
  });

  test('fails with the message of a helper that fails, and says where a missing one belongs', async () => {
    bed.installHelper();
    const program = join(bed.home, '.terraform.d/plugins/terraform-credentials-vault');
    bed.writeHome(
      '.terraform.d/plugins/terraform-credentials-vault',
      '#!/bin/sh\necho "The vault is closed." >&2\nexit 1\n',
    );
    await expect(tokenOf()).rejects.toThrow('The credentials helper vault failed: The vault is closed.');
    chmodSync(program, 0o644);
    await expect(tokenOf()).rejects.toThrow(/failed/);
    bed.writeHome('.terraformrc', 'credentials_helper "other" {}');
    await expect(tokenOf()).rejects.toMatchObject({ details: { hint: expect.stringContaining('plugins') } });
  });
});

describe('the store', () => {
  const store = async (token: string): Promise<void> =>
    storeToken(bed.io(), await findStorage(bed.io(), HOST), HOST, token);
  const read = () => JSON.parse(readFileSync(join(bed.home, CREDENTIALS), 'utf8'));

  test('writes a file that only the user can read, without a temporary file left', async () => {
    await store('hfu_1');
    expect(statSync(join(bed.home, CREDENTIALS)).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(bed.home, '.terraform.d'))).toEqual(['credentials.tfrc.json']);
    expect(read()).toEqual({ credentials: { [HOST]: { token: 'hfu_1' } } });
  });

  test('keeps other entries and unknown members of a file of terraform login', async () => {
    const other = { token: 'hfu_other', unknown: [1] };
    bed.writeHome(CREDENTIALS, {
      version: 2,
      credentials: { 'other.example.com': other, 'HOLDFAST.example.com': { token: 'hfu_0' } },
    });
    chmodSync(join(bed.home, CREDENTIALS), 0o644);
    await store('hfu_1');
    expect(read()).toEqual({ version: 2, credentials: { 'other.example.com': other, [HOST]: { token: 'hfu_1' } } });
    expect(statSync(join(bed.home, CREDENTIALS)).mode & 0o777).toBe(0o600);
    await forgetToken(bed.io(), await findStorage(bed.io(), HOST), HOST);
    expect(read()).toEqual({ version: 2, credentials: { 'other.example.com': other } });
  });

  test.each(['{"credentials": ', '[]', '{"credentials": []}', '{"credentials": "x"}'])(
    'does not overwrite the damaged file %s',
    async (content) => {
      bed.writeHome(CREDENTIALS, content);
      await expect(store('hfu_1')).rejects.toThrow(/damaged/);
      expect(readFileSync(join(bed.home, CREDENTIALS), 'utf8')).toBe(content);
    },
  );

  test('does not change a token that the user has written to another file', async () => {
    bed.writeHome('.terraformrc', `credentials "${HOST}" { token = "hfu_1" }`);
    await expect(store('hfu_2')).rejects.toMatchObject({
      exit: 'usage',
      message: expect.stringContaining('.terraformrc'),
    });
  });

  test('writes the name of a host as terraform accepts it', async () => {
    const host = 'xn--caf-dma.example.com:8443';
    await storeToken(bed.io(), await findStorage(bed.io(), host), host, 'hfu_1');
    expect(Object.keys(read().credentials)).toEqual(['café.example.com:8443']);
    expect(await findToken(bed.io(), host)).toMatchObject({ token: 'hfu_1' });
  });

  test('keeps the tokens of all logins at the same time, also after a login that has crashed', async () => {
    utimesSync(bed.writeHome(`${CREDENTIALS}.crashed.lock`, ''), 1, 1);
    const hosts = Array.from({ length: 8 }, (_, index) => `holdfast-${index}.example.com`);
    const wait: Io['wait'] = (pause) => new Promise((resolve) => setTimeout(resolve, pause / 10));
    const io = { ...bed.io(), wait };
    await Promise.all(hosts.map(async (host) => storeToken(io, await findStorage(io, host), host, `token-of-${host}`)));
    expect(Object.keys(read().credentials).sort()).toEqual(hosts);
    expect(readdirSync(join(bed.home, '.terraform.d'))).toEqual(['credentials.tfrc.json']);
  });

  test('leaves the old content if it cannot write, and deletes what a crash has left', async () => {
    const path = bed.writeHome(CREDENTIALS, '{}');
    const crashed = bed.writeHome(`${CREDENTIALS}.crashed.part`, '{"credentials":{"x":{"token":"hfu_left"}}}');
    utimesSync(crashed, 1, 1);
    const recent = bed.writeHome(`${CREDENTIALS}.recent.part`, '');
    await store('hfu_1');
    expect(readdirSync(join(bed.home, '.terraform.d'))).toEqual([
      'credentials.tfrc.json',
      'credentials.tfrc.json.recent.part',
    ]);
    expect(statSync(recent).isFile()).toBe(true);
    await expect(updateJsonFile(bed.io(), join(path, 'below'), () => ({}))).rejects.toMatchObject({ exit: 'failed' });
    expect(read()).toMatchObject({ credentials: { [HOST]: { token: 'hfu_1' } } });
  });
});
