import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompressSync, constants } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleCommandLine } from '../../infra/build/cli.ts';
import { limits } from '../../shared/domain/limits.ts';
import { bundledOnce } from '../support/setup/build-once.ts';

/** Largest size of the command line, in kilobytes, compressed with Brotli. */
const BUDGET_KILOBYTES = 500;

const root = join(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

let file: string;
beforeAll(async () => {
  const { bundles } = await bundledOnce();
  file = join(bundles.documentation.directory, 'cli/holdfast.mjs');
});

const run = (program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  promisify(execFile)(program, args, { cwd: root, env: { ...process.env, ...env } });

/** Finds a Node that is too old for the command line. */
const findOldNode = (): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'node'))
    .find((program) => {
      try {
        const text = execFileSync(program, ['--print', 'process.versions.node'], { encoding: 'utf8' });
        const [major = 0, minor = 0] = text.split('.').map(Number);
        return major < 22 || (major === 22 && minor < 12);
      } catch {
        return false;
      }
    });

describe('the built command line', () => {
  it(`has at most ${BUDGET_KILOBYTES} KB, and fits uncompressed into a response`, () => {
    const content = readFileSync(file);
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    expect(brotliCompressSync(content, { params }).length).toBeLessThanOrEqual(1_000 * BUDGET_KILOBYTES);
    expect(JSON.stringify(content.toString()).length).toBeLessThan(limits.responseBody);
  });

  it('is one executable file with a checksum, and the same again from the same sources', async () => {
    const content = readFileSync(file, 'utf8');
    expect(statSync(file).mode & 0o777).toBe(0o755);
    expect(content).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(content).not.toContain(root);
    const checksum = createHash('sha256').update(content).digest('hex');
    expect(readFileSync(`${file}.sha256`, 'utf8')).toBe(`${checksum}  holdfast.mjs\n`);
    expect((await bundleCommandLine()).code === content).toBe(true);
  });

  it('has the licenses of the packages in it', async () => {
    const content = readFileSync(file, 'utf8');
    const { parts } = await bundleCommandLine();
    const modules = [...parts.values()].flat().filter((path) => path.startsWith('node_modules/'));
    const names = new Set(modules.map((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]));
    expect(names).toContain('commander');
    for (const name of names) expect(content).toMatch(new RegExp(`^(.*, )?${name} \\d+\\.\\d+\\.\\d+(, .*)?:$`, 'm'));
    expect(content).toContain('Permission is hereby granted');
  });

  it('prints the version of the repository', async () => {
    expect((await run(file, ['--version'])).stdout).toBe(`${version}\n`);
  });

  it('has the same help as the sources', async () => {
    const { stdout } = await run(file, ['--help']);
    expect(stdout).toContain('Exit codes:');
    expect((await run(join(root, 'infra/cli/main.ts'), ['--help'])).stdout).toBe(stdout);
  });

  it('parses no other code before it prints its version, and no AWS client before a command needs one', async () => {
    const { parts } = await bundleCommandLine();
    expect(parts.get('infra/cli/main.ts')).toEqual(['infra/cli/package.json', 'infra/cli/main.ts']);
    const commands = parts.get('infra/cli/process.ts') ?? [];
    expect(commands).toContain('node_modules/commander/lib/command.js');
    expect(commands.filter((path) => /node_modules\/@(aws|smithy)/.test(path))).toEqual([]);
  });

  it('has each class in one part only, so that instanceof works', async () => {
    const { parts } = await bundleCommandLine();
    const all = [...parts.values()].flat();
    const repeated = all.filter((path, index) => all.indexOf(path) !== index && !path.startsWith('node_modules/'));
    const hasClass = (path: string): boolean => /^(export )?class /m.test(readFileSync(join(root, path), 'utf8'));
    expect(repeated.filter(hasClass)).toEqual([]);
  });

  const oldNode = findOldNode();
  it.skipIf(oldNode === undefined)('says in one sentence that a version of Node is too old', async () => {
    const failure = await run(oldNode ?? '', [file, 'ws', 'list']).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^holdfast needs Node 22\.12 or newer, and this is Node [\d.]+\.\n$/),
    });
  });
});

it('npx holdfast runs in a clone without a request to a registry', async () => {
  let requests = 0;
  const registry = createServer((_, response) => {
    requests += 1;
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  try {
    const address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
    const { stdout } = await run('npx', ['holdfast', '--version'], { npm_config_registry: address });
    expect(stdout).toBe(`${version}\n`);
    expect(requests).toBe(0);
  } finally {
    registry.close();
  }
});
