import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFiles } from '../../infra/cli/import/sources/files.ts';
import { openTerraform } from '../../infra/cli/import/sources/terraform.ts';
import { type ContextBed, createContextBed } from '../support/cli/context-bed.ts';
import { openCommandLine } from '../support/clients/command-line.ts';
import { installedPrograms } from '../support/clients/programs.ts';
import { collectInventory, downloadAll } from '../support/import/inventory.ts';

const programs = installedPrograms().filter(({ name }) => name === 'terraform' || name === 'tofu');

const configuration = (value: number): string => `terraform {
  backend "local" {}
}
resource "terraform_data" "item" {
  input = ${value}
}
`;

const encrypted = configuration(1).replace(
  'backend "local" {}',
  `backend "local" {}
  encryption {
    key_provider "pbkdf2" "key" {
      passphrase = "a passphrase of some length"
    }
    method "aes_gcm" "method" {
      keys = key_provider.pbkdf2.key
    }
    state {
      method = method.aes_gcm.method
    }
  }`,
);

describe.each(programs)('$name $version', ({ name, path }) => {
  let user: ContextBed;
  beforeEach(() => {
    user = createContextBed();
    // The program has its ordinary name, and no other one is found.
    mkdirSync(join(user.home, 'bin'));
    symlinkSync(path, join(user.home, 'bin', name));
  });
  afterEach(() => user.remove());

  const io = () => {
    const PATH = `${join(user.home, 'bin')}${delimiter}/usr/bin${delimiter}/bin`;
    return user.io({ PATH, TF_CLI_CONFIG_FILE: '/dev/null', CHECKPOINT_DISABLE: '1' });
  };
  const open = (text: string) => openCommandLine({ program: path, folder: user.folder, settings: '' }, text);

  /** Applies a configuration in the default workspace and in that of the name `prod`. */
  const fill = async () => {
    const line = open(configuration(1));
    await line.succeed('init');
    await line.succeed('apply', '-auto-approve');
    await line.succeed('workspace', 'new', 'prod');
    await line.succeed('apply', '-auto-approve');
    return line;
  };

  it('has its local states imported by itself, and as files, with the same lineages and serials', async () => {
    const line = await fill();
    const byProgram = await openTerraform(io(), `terraform:${user.folder}`);
    const byFiles = await openFiles(io(), `files:${user.folder}`);
    const [pulled, read] = [await collectInventory(byProgram), await collectInventory(byFiles)];
    expect(pulled.workspaces).toEqual(['folder', 'folder-prod']);
    expect(read.workspaces).toEqual(pulled.workspaces);
    const identities = ({ versions }: typeof read) => versions.map(({ serial, lineage }) => ({ serial, lineage }));
    expect(identities(read)).toEqual(identities(pulled));
    const prod = pulled.versions[1];
    if (prod === undefined) throw new Error('There are two versions.');
    expect(await downloadAll(byProgram, prod)).toBe(await line.succeed('state', 'pull'));
  });

  it('gets a newer state back, plans nothing after it, and refuses an older one', async () => {
    const line = await fill();
    const source = await openTerraform(io(), `terraform:${user.folder}`);
    const state = JSON.parse(await line.succeed('state', 'pull'));
    const next = (serial: number) => Buffer.from(JSON.stringify({ ...state, serial }));
    await source.push('folder-prod', next(state.serial + 1));
    expect(JSON.parse(await line.succeed('state', 'pull')).serial).toBe(state.serial + 1);
    await line.succeed('plan', '-detailed-exitcode');
    await expect(source.push('folder-prod', next(1))).rejects.toMatchObject({ exit: 'conflict' });
    await (await openFiles(io(), `files:${user.folder}`)).push('folder-prod', next(state.serial + 2));
    expect(JSON.parse(await line.succeed('state', 'pull')).serial).toBe(state.serial + 2);
    await line.succeed('plan', '-detailed-exitcode');
  });

  it('keeps its states from an import of files while it holds a lock', async () => {
    const line = await fill();
    const lock = join(user.folder, 'terraform.tfstate.d/prod/.terraform.tfstate.lock.info');
    line.write(configuration(2));
    // It holds the lock until its question is answered.
    const apply = spawn(path, ['apply'], { cwd: user.folder, stdio: ['pipe', 'ignore', 'ignore'] });
    try {
      await expect.poll(() => existsSync(lock) && readFileSync(lock, 'utf8')).toContain('"Who"');
      const files = await openFiles(io(), `files:${user.folder}`);
      await expect(collectInventory(files)).rejects.toMatchObject({
        exit: 'conflict',
        message: expect.stringMatching(/^Locked at the source: terraform\.tfstate\.d\/prod\/terraform\.tfstate by /),
      });
      const state = JSON.parse(readFileSync(join(user.folder, 'terraform.tfstate.d/prod/terraform.tfstate'), 'utf8'));
      const next = Buffer.from(JSON.stringify({ ...state, serial: state.serial + 1 }));
      const source = await openTerraform(io(), `terraform:${user.folder}`);
      await expect(source.push('folder-prod', next)).rejects.toMatchObject({ exit: 'conflict' });
    } finally {
      const ended = once(apply, 'exit');
      apply.stdin.end('no\n');
      await ended;
    }
  });

  it('has the default workspace alone where its backend knows no other', async () => {
    let stored: Buffer | undefined;
    const server = createServer(async (request, response) => {
      if (request.method === 'POST') stored = await buffer(request);
      response.writeHead(stored === undefined ? 404 : 200).end(stored);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/state`;
      const line = open(configuration(1).replace('"local" {}', `"http" {\n    address = "${address}"\n  }`));
      await line.succeed('init');
      await line.succeed('apply', '-auto-approve');
      const source = await openTerraform(io(), `terraform:${user.folder}`);
      const { workspaces, versions } = await collectInventory(source);
      expect(workspaces).toEqual(['folder']);
      expect(versions[0]?.lineage).toBe(JSON.parse(String(stored)).lineage);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it.runIf(name === 'tofu')(
    'has its encrypted states imported as files, as they are, and not in plain text',
    async () => {
      const line = open(encrypted);
      await line.succeed('init');
      await line.succeed('apply', '-auto-approve');
      const stored = readFileSync(join(user.folder, 'terraform.tfstate'), 'utf8');
      const { lineage, serial, encrypted_data: data } = JSON.parse(stored);
      expect(data).toEqual(expect.any(String));
      expect(await line.succeed('state', 'pull')).toContain('terraform_data');
      await expect(openTerraform(io(), `terraform:${user.folder}`)).rejects.toMatchObject({ exit: 'rejected' });
      const source = await openFiles(io(), `files:${user.folder}`);
      const [version] = (await collectInventory(source)).versions;
      expect(version).toMatchObject({ lineage, serial });
      if (version !== undefined) expect(await downloadAll(source, version)).toBe(stored);
    },
  );
});
