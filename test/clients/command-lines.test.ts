import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCommandLine } from '../support/clients/command-line.ts';
import { findCommand, installedPrograms } from '../support/clients/programs.ts';
import { type SecureService, startSecureService } from '../support/clients/secure-service.ts';
import { codeBlocks } from '../support/docs/pages.ts';
import { createRunnerEventSender } from '../support/local/running-service.ts';
import { removedAfterwards } from '../support/local/small-assembly.ts';

/**
 * The command lines of Terraform and OpenTofu against the whole service, over HTTPS and with nothing but their built-in
 * resources: the clients that everything here is for.
 */
const commandLines = installedPrograms().filter(
  ({ name }) => ['terraform', 'tofu'].includes(name) && findCommand('openssl') !== undefined,
);
if (commandLines.length === 0) console.warn('Skipped: terraform or openssl is not installed on this computer');

// A file needs a test, also where everything is skipped.
it.skipIf(commandLines.length === 0)('a command line is installed', () => {
  expect(commandLines.map(({ path }) => existsSync(path))).not.toContain(false);
});

describe.each(commandLines)('the command line $name $version', (program) => {
  const { version } = program;
  const folder = removedAfterwards();
  let secure: SecureService;
  let service: SecureService['service'];
  beforeAll(async () => {
    secure = await startSecureService(folder);
    ({ service } = secure);
  });
  afterAll(() => secure?.stop());

  const api = async (method: string, path: string, body?: object) => {
    const response = await fetch(service.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/vnd.api+json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // biome-ignore lint/suspicious/noExplicitAny: documents of every shape.
    return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as any };
  };
  const workspace = async (name: string) => (await api('GET', `/organizations/demo/workspaces/${name}`)).body.data;

  const open = (name: string, configuration: string) => secure.open(program, join(folder, name), configuration);
  const cloud = (workspaces: string) => `
terraform {
  cloud {
    hostname     = "${secure.host}"
    organization = "demo"
    workspaces {
      ${workspaces}
    }
  }
}`;
  const remoteState = (name: string) => `
data "terraform_remote_state" "of" {
  backend = "remote"
  config = {
    hostname     = "${secure.host}"
    organization = "demo"
    workspaces   = { name = "${name}" }
  }
}`;
  const resources = (text: string, count = 2) => `
resource "terraform_data" "one" {
  count = ${count}
  input = "${text} \${count.index}"
}
output "names" { value = terraform_data.one[*].output }
output "secret" {
  value     = "hidden ${text}"
  sensitive = true
}`;

  it('creates a workspace, applies, shows outputs, pulls and pushes its state, and destroys', async () => {
    const main = cloud('name = "network"');
    const terraform = open('network', main + resources('first'));
    await terraform.succeed('init');
    expect(await workspace('network')).toMatchObject({ attributes: { 'terraform-version': version } });
    expect(await terraform.succeed('plan')).toContain('2 to add');

    expect(await terraform.succeed('apply', '-auto-approve')).toContain('2 added');
    expect(await workspace('network')).toMatchObject({ attributes: { locked: false, 'resource-count': 2 } });
    expect(JSON.parse(await terraform.succeed('output', '-json'))).toMatchObject({
      names: { value: ['first 0', 'first 1'], sensitive: false },
      secret: { value: 'hidden first', sensitive: true },
    });
    expect((await terraform.succeed('output', '-raw', 'secret')).trim()).toBe('hidden first');

    terraform.write(main + resources('second', 3));
    expect(await terraform.succeed('apply', '-auto-approve')).toContain('1 added, 2 changed');
    const pulled = JSON.parse(await terraform.succeed('state', 'pull'));
    expect(pulled.outputs.names.value).toEqual(['second 0', 'second 1', 'second 2']);
    expect(await terraform.succeed('state', 'list')).toContain('terraform_data.one[2]');
    await terraform.succeed('state', 'rm', 'terraform_data.one[2]');
    expect(await workspace('network')).toMatchObject({ attributes: { 'resource-count': 2 } });

    const file = join(terraform.folder, 'pushed.tfstate');
    writeFileSync(file, JSON.stringify({ ...pulled, serial: pulled.serial + 5 }));
    await terraform.succeed('state', 'push', file);
    // The command line itself counts on from the serial that it is given.
    expect(JSON.parse(await terraform.succeed('state', 'pull')).serial).toBeGreaterThanOrEqual(pulled.serial + 5);
    expect((await api('POST', '/organizations/demo/workspaces/network/actions/safe-delete')).status).toBe(409);
    expect(await terraform.succeed('destroy', '-auto-approve')).toContain('3 destroyed');
    expect((await api('POST', '/organizations/demo/workspaces/network/actions/safe-delete')).status).toBe(204);
  });

  it('rejects other clients while a workspace is locked, and force-unlocks it', async () => {
    const terraform = open('locked', cloud('name = "locked"') + resources('x'));
    await terraform.succeed('init');
    const { id } = await workspace('locked');
    expect((await api('POST', `/workspaces/${id}/actions/lock`, { reason: 'freeze' })).status).toBe(200);
    const rejected = await terraform.run(['apply', '-auto-approve']);
    expect(rejected.code).toBe(1);
    expect(rejected.output).toMatch(/workspace already locked/);
    expect(await terraform.run(['force-unlock', '-force', 'demo/other'])).toMatchObject({ code: 1 });
    expect(await terraform.succeed('force-unlock', '-force', 'demo/locked')).toContain('successfully unlocked');
    expect(await terraform.succeed('apply', '-auto-approve')).toContain('2 added');
  });

  it('reads the outputs of another workspace with terraform_remote_state', async () => {
    const source = open('source', cloud('name = "source"') + resources('shared'));
    await source.succeed('init');
    await source.succeed('apply', '-auto-approve');
    const reader = open(
      'reader',
      `${cloud('name = "reader"')}
${remoteState('source')}
output "read" { value = data.terraform_remote_state.of.outputs.names }`,
    );
    await reader.succeed('init');
    await reader.succeed('apply', '-auto-approve');
    expect(JSON.parse(await reader.succeed('output', '-json', 'read'))).toEqual(['shared 0', 'shared 1']);
  });

  it('reads with a run token only the states that are shared with the workspace of the run', async () => {
    const producer = open('producer', cloud('name = "producer"') + resources('made'));
    await producer.succeed('init');
    await producer.succeed('apply', '-auto-approve');
    const { id: from } = await workspace('producer');
    const { body } = await api('POST', '/organizations/demo/workspaces', {
      data: { type: 'workspaces', attributes: { name: 'consumer' } },
    });
    const { id } = body.data;

    const minted = await service.functions.invoke('holdfast-admin', '{"command":"new-run-token"}');
    const { token, sha256 } = JSON.parse(minted.kind === 'succeeded' ? minted.payload : '{}');
    const at = new Date().toISOString();
    const run = {
      id: 'run-2222222222222222',
      status: 'planning',
      at,
      'created-at': at,
      'plan-only': false,
      'token-sha256': sha256,
    };
    await createRunnerEventSender(service)('run.updated', { organization: 'demo', workspace: id, run });
    await expect.poll(async () => (await workspace('consumer')).attributes.locked, { interval: 200 }).toBe(true);

    const reader = secure.open(
      program,
      join(folder, 'run'),
      `${remoteState('producer')}
output "read" { value = data.terraform_remote_state.of.outputs.names }`,
      '',
      token,
    );
    await reader.succeed('init');
    expect(await reader.run(['apply', '-auto-approve'])).toEqual({
      code: 1,
      output: expect.stringMatching(/Unable to find remote state|currently no state|not found/),
    });
    const consumers = `/workspaces/${from}/relationships/remote-state-consumers`;
    expect((await api('POST', consumers, { data: [{ type: 'workspaces', id }] })).status).toBe(204);
    await reader.succeed('apply', '-auto-approve');
    expect(JSON.parse(await reader.succeed('output', '-json', 'read'))).toEqual(['made 0', 'made 1']);
  });

  it('manages workspaces by tags in a separate project', async () => {
    const terraform = open('tagged', cloud('tags = ["app", "net:core"]\n project = "Shop"') + resources('tagged'));
    const input = 'shop-test\n';
    const init = await terraform.run(['init'], input);
    expect(init).toMatchObject({ code: 0 });
    expect(await workspace('shop-test')).toMatchObject({ attributes: { 'tag-names': ['app', 'net:core'] } });
    await terraform.succeed('workspace', 'new', 'shop-live');
    await terraform.succeed('apply', '-auto-approve');
    expect(await terraform.succeed('workspace', 'list')).toMatch(/\* shop-live\n\s+shop-test/);
    await terraform.succeed('workspace', 'select', 'shop-test');
    const rejected = await terraform.run(['workspace', 'delete', 'shop-live']);
    expect(rejected.code).toBe(1);
    expect(rejected.output).toMatch(/resources|not empty/i);
    await terraform.succeed('workspace', 'select', 'shop-live');
    await terraform.succeed('destroy', '-auto-approve');
    await terraform.succeed('workspace', 'select', 'shop-test');
    await terraform.succeed('workspace', 'delete', 'shop-live');
    expect((await api('GET', '/organizations/demo/workspaces/shop-live')).status).toBe(404);
  });

  it('migrates a local state to a workspace with the remote backend', async () => {
    const terraform = open('moved', resources('local'));
    await terraform.succeed('init');
    await terraform.succeed('apply', '-auto-approve');
    const before = JSON.parse(readFileSync(join(terraform.folder, 'terraform.tfstate'), 'utf8'));
    const backend = `
terraform {
  backend "remote" {
    hostname     = "${secure.host}"
    organization = "demo"
    workspaces { name = "moved" }
  }
}`;
    terraform.write(backend + resources('local'));
    await terraform.succeed('init', '-force-copy');
    // The command line makes a new lineage for it.
    const { outputs, resources: moved } = JSON.parse(await terraform.succeed('state', 'pull'));
    expect({ outputs, moved }).toEqual({ outputs: before.outputs, moved: before.resources });
    expect(await terraform.succeed('plan')).toContain('No changes');

    // Another lineage is rejected unless it is forced upon it; of the two backends only this one tells the server so.
    const file = join(terraform.folder, 'forced.tfstate');
    writeFileSync(file, JSON.stringify({ ...before, lineage: 'another' }));
    expect(await terraform.run(['state', 'push', file])).toMatchObject({ code: 1 });
    await terraform.succeed('state', 'push', '-force', file);
    expect(JSON.parse(await terraform.succeed('state', 'pull'))).toMatchObject({ lineage: 'another' });
  });

  // The configuration language of OpenTofu has no tags with values.
  it.runIf(program.name === 'terraform')('finds workspaces by key-value tags', async () => {
    const bound = open('bound', cloud('tags = { env = "dev", team = "net" }') + resources('bound'));
    expect(await bound.run(['init'], 'bound-one\n')).toMatchObject({ code: 0 });
    await bound.succeed('apply', '-auto-approve');
    const { body } = await api('GET', `/workspaces/${(await workspace('bound-one')).id}/tag-bindings`);
    const bindings = body.data.map(
      ({ attributes: { key, value } }: { attributes: Record<string, string> }) => `${key}=${value}`,
    );
    // The command line sends them in any order.
    expect(bindings.sort()).toEqual(['env=dev', 'team=net']);
    expect(await bound.succeed('workspace', 'list')).toContain('bound-one');
  });

  it('finds workspaces by name prefix', async () => {
    const prefixed = open(
      'prefixed',
      `
terraform {
  backend "remote" {
    hostname     = "${secure.host}"
    organization = "demo"
    workspaces { prefix = "px-" }
  }
}${resources('prefixed')}`,
    );
    await api('POST', '/organizations/demo/workspaces', { data: { type: 'workspaces', attributes: { name: 'px-a' } } });
    await prefixed.succeed('init');
    await prefixed.succeed('workspace', 'new', 'b');
    expect(await prefixed.succeed('workspace', 'list')).toMatch(/\s a\n\* b/);
    await prefixed.succeed('apply', '-auto-approve');
    await prefixed.succeed('refresh');
    expect(await prefixed.run(['console'], 'terraform_data.one[0].output\n')).toMatchObject({
      code: 0,
      output: expect.stringContaining('prefixed 0'),
    });
    await prefixed.succeed('destroy', '-auto-approve');
    await prefixed.succeed('workspace', 'select', 'a');
    await prefixed.succeed('workspace', 'delete', 'b');
    expect((await api('GET', '/organizations/demo/workspaces/px-b')).status).toBe(404);
  });

  it('works with the configuration of docs/getting-started.md', async () => {
    const [settings = '', configuration = ''] = codeBlocks('docs/getting-started.md', 'hcl');
    const terraform = openCommandLine(
      {
        program: program.path,
        folder: join(folder, 'readme'),
        // The service names its states by its public URL.
        environment: secure.environment,
        settings: settings.replace('http://127.0.0.1:8080', service.origin).replace('hfu_…', service.token ?? ''),
      },
      configuration + resources('as written'),
    );
    await terraform.succeed('init');
    expect(await terraform.succeed('apply', '-auto-approve')).toContain('2 added');
  });
});
