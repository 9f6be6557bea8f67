import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ContextBed, createContextBed } from '../support/cli/context-bed.ts';
import { openCommandLine } from '../support/clients/command-line.ts';
import { installedPrograms } from '../support/clients/programs.ts';
import { collectInventory, downloadAll } from '../support/import/inventory.ts';
import { BUCKET, type S3Bed, startS3Bed } from '../support/import/s3-bed.ts';

const programs = installedPrograms().filter(({ name }) => name === 'terraform' || name === 'tofu');

let bed: S3Bed;
beforeAll(async () => {
  bed = await startS3Bed();
});
afterAll(() => bed.stop());
beforeEach(() => bed.clear());

const KEY = 'network/terraform.tfstate';
const PROD = `env:/prod/${KEY}`;

const configuration = (locks: string, value: number): string => `terraform {
  backend "s3" {
    bucket = "${BUCKET}"
    key    = "${KEY}"
    region = "eu-west-1"
    ${locks}
    endpoints = {
      s3       = "${bed.endpoints.s3}"
      dynamodb = "${bed.endpoints.dynamodb}"
    }
    use_path_style              = true
    skip_credentials_validation = true
    skip_requesting_account_id  = true
    skip_metadata_api_check     = true
    skip_region_validation      = true
    skip_s3_checksum            = true
  }
}
resource "terraform_data" "item" {
  input = ${value}
}
`;

describe.each(programs)('the bucket of $name $version', ({ path }) => {
  let user: ContextBed;
  beforeEach(() => {
    user = createContextBed();
    return () => user.remove();
  });

  const environment = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  /** Applies a configuration twice in the default workspace, and once in that of the name `prod`. */
  const fill = async (locks: string) => {
    const line = openCommandLine(
      { program: path, folder: user.folder, settings: '', environment },
      configuration(locks, 1),
    );
    await line.succeed('init');
    await line.succeed('apply', '-auto-approve');
    line.write(configuration(locks, 2));
    await line.succeed('apply', '-auto-approve');
    await line.succeed('workspace', 'new', 'prod');
    await line.succeed('apply', '-auto-approve');
    return line;
  };

  const backends = () =>
    ({
      'lock files': { locks: 'use_lockfile = true', address: `s3://${BUCKET}` },
      'a table of locks': {
        locks: `dynamodb_table = "${bed.table}"`,
        address: `s3://${BUCKET}?dynamodb_table=${bed.table}`,
      },
    }) as const;
  const kinds = ['lock files', 'a table of locks'] as const;

  it('is imported with all of its versions, byte for byte', async () => {
    const line = await fill('use_lockfile = true');
    const source = await bed.open();
    const { workspaces, versions, notCarried } = await collectInventory(source);
    expect(workspaces.toSorted()).toEqual(['network', 'network-prod']);
    expect(notCarried).toEqual([]);
    const serials = versions.filter(({ workspace }) => workspace === 'network').map(({ position }) => position);
    expect(serials).toEqual([1, 2]);
    const current = versions.find(({ workspace, position }) => workspace === 'network' && position === 2);
    if (current === undefined) throw new Error('There are two versions.');
    expect(await downloadAll(source, current)).toBe(await bed.read(KEY));
    await line.succeed('workspace', 'select', 'default');
    expect(JSON.parse(await line.succeed('state', 'pull'))).toMatchObject({
      serial: current.serial,
      lineage: current.lineage,
    });
  });

  it.each(kinds)('cannot be written to while the import holds its lock, with %s', async (kind) => {
    const { locks, address } = backends()[kind];
    const line = await fill(locks);
    const source = await bed.open(address);
    await source.locks?.acquire('network-prod', 'import imp-1');
    const before = await bed.read(PROD);
    line.write(configuration(locks, 3));
    const refused = await line.run(['apply', '-auto-approve']);
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('import imp-1');
    expect(await bed.read(PROD)).toBe(before);
    await source.locks?.release('network-prod', 'import imp-1');
    await line.succeed('apply', '-auto-approve');
  });

  it.each(kinds)('is not imported while a run holds a lock, with %s', async (kind) => {
    const { locks, address } = backends()[kind];
    const line = await fill(locks);
    line.write(configuration(locks, 3));
    // It holds the lock until its question is answered.
    const apply = spawn(path, ['apply', '-no-color'], {
      cwd: user.folder,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: process.env['PATH'], HOME: user.folder, TF_CLI_CONFIG_FILE: '/dev/null', ...environment },
    });
    const ended = once(apply, 'exit');
    try {
      const isLocked = async () =>
        (await bed.keys()).includes(`${PROD}.tflock`) || (await bed.readItem(`${BUCKET}/${PROD}`)) !== undefined;
      await expect.poll(isLocked).toBe(true);
      const source = await bed.open(address);
      await expect(collectInventory(source)).rejects.toMatchObject({
        exit: 'conflict',
        message: expect.stringContaining(PROD),
      });
      await expect(source.locks?.acquire('network-prod', 'import imp-1')).rejects.toMatchObject({ exit: 'conflict' });
    } finally {
      apply.stdin.end('no\n');
      await ended;
    }
    expect((await collectInventory(await bed.open(address))).workspaces).toHaveLength(2);
  });

  it.each(kinds)('gets a newer state back, and then plans nothing, with %s', async (kind) => {
    const { locks, address } = backends()[kind];
    const line = await fill(locks);
    const state = JSON.parse(await line.succeed('state', 'pull'));
    const source = await bed.open(address);
    await source.push('network-prod', Buffer.from(JSON.stringify({ ...state, serial: state.serial + 1 })));
    expect(JSON.parse(await line.succeed('state', 'pull')).serial).toBe(state.serial + 1);
    await line.succeed('plan', '-detailed-exitcode');
    line.write(configuration(locks, 4));
    await line.succeed('apply', '-auto-approve');
  });
});
