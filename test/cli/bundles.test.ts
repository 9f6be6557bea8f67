import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { published, publishedFiles } from '../../shared/bundle/publish.ts';
import { type RecordType, recordTypes } from '../../shared/bundle/types.ts';
import { type CliBed, type CliOptions, startCliBed } from '../support/cli/cli-bed.ts';
import { fillOrganization, importedFrom, secretValues } from '../support/cli/filled-organization.ts';
import {
  changeLines,
  changeManifest,
  filesOf,
  forgeries,
  recordsPath,
  sumAgain,
} from '../support/cli/forged-bundle.ts';

let bed: CliBed;
let folder: string;
beforeAll(async () => {
  bed = await startCliBed();
  folder = mkdtempSync(join(tmpdir(), 'holdfast-bundles-'));
  await fillOrganization(bed);
  expect(await run(['export', 'acme', '--out', 'whole'])).toMatchObject({ code: 0 });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await bed.stop();
});

const run = (argv: readonly string[], options: CliOptions = {}) => bed.run(argv, { cwd: folder, ...options });
const inFolder = (...path: readonly string[]): string => join(folder, ...path);

/** Reads the records of a type. */
// biome-ignore lint/suspicious/noExplicitAny: records of all types.
const records = (bundle: string, type: RecordType): readonly any[] =>
  readFileSync(recordsPath(inFolder(bundle), type), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** Files below the folder of the tests that are not part of a complete bundle. */
const leftovers = (): readonly string[] => readdirSync(folder).filter((name) => name.includes('.part'));

const isTimestamp = (text: string): boolean => /^\d{4}-\d{2}-\d{2}T/.test(text) && !Number.isNaN(Date.parse(text));

const reads = (method: string | undefined): boolean => method === undefined || method === 'GET';

describe('a bundle of a filled organization', () => {
  test('contains records of every type, and nothing is withheld', () => {
    const empty = recordTypes.filter((type) => records('whole', type).length === 0);
    expect(empty).toEqual(['withheld']);
  });

  test('is verified without a service or a token', async () => {
    const { code, stdout, routes } = await run(['bundle', 'verify', 'whole', '--json'], {
      env: { HOLDFAST_TOKEN: undefined, HOLDFAST_URL: undefined },
      fetch: () => Promise.reject(new Error('no network')),
    });
    expect({ code, routes }).toEqual({ code: 0, routes: [] });
    expect(JSON.parse(stdout)).toMatchObject({ status: 'whole', organization: 'acme', workspaces: 3, missing: [] });
  });

  test('is verified by sha256sum', () => {
    const output = execFileSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: inFolder('whole'), encoding: 'utf8' });
    expect(output.trim().split('\n')).toHaveLength(filesOf(inFolder('whole')).length - 1);
  });

  test('does not differ when it is exported again, except for bundle.json and its checksum', async () => {
    expect((await run(['export', 'acme', '--out', 'again'])).code).toBe(0);
    expect(filesOf(inFolder('again'))).toEqual(filesOf(inFolder('whole')));
    const differing = filesOf(inFolder('whole')).filter(
      (path) => !readFileSync(inFolder('whole', path)).equals(readFileSync(inFolder('again', path))),
    );
    expect(differing.filter((path) => path !== 'bundle.json')).toEqual(['SHA256SUMS']);
    const others = (bundle: string): readonly string[] =>
      readFileSync(inFolder(bundle, 'SHA256SUMS'), 'utf8')
        .split('\n')
        .filter((line) => !line.endsWith('  bundle.json'));
    expect(others('again')).toEqual(others('whole'));
  });

  test('names other records, never their ids, outside of origin', () => {
    for (const type of recordTypes) {
      for (const { origin: _, ...record } of records('whole', type)) {
        expect(JSON.stringify(record), type).not.toMatch(
          /"(?:ws|prj|team|user|ou|apool|sshkey|oc|ot|varset|var|wi|sv|tws|tprj|rtk)-[1-9A-HJ-NP-Za-km-z]{16}"/,
        );
      }
    }
  });

  test('names the source of imported workspaces and state versions in their origin', () => {
    for (const type of ['workspaces', 'state-versions'] as const) {
      const sources = records('whole', type).map(({ origin, workspace, name = workspace }) => [
        name,
        origin['imported-from'],
      ]);
      expect(sources.filter(([, source]) => source !== undefined)).toEqual([
        ['dns', expect.objectContaining(importedFrom)],
      ]);
    }
  });

  test('contains the bytes of each state version, also of a serial that occurs twice', async () => {
    const versions = records('whole', 'state-versions').filter(({ workspace }) => workspace === 'network');
    expect(versions.map(({ serial, 'is-current': isCurrent }) => [serial, isCurrent])).toEqual([
      [1, false],
      [2, false],
      [3, false],
      [1, true],
    ]);
    for (const { origin, sha256 } of versions) {
      const { stdout } = await run(['state', 'pull', 'network', origin.id]);
      expect(readFileSync(inFolder('whole/states/sha256', sha256), 'utf8')).toBe(stdout);
    }
  });

  test('lists sensitive values as needed, and contains none of them, nor keys and tokens', () => {
    const needed = [...records('whole', 'variables'), ...records('whole', 'variable-set-variables')]
      .filter(({ needs }) => needs === 'value')
      .map(({ key, value }) => [key, value]);
    expect(needed).toEqual([
      ['DB_PASSWORD', null],
      ['API_KEY', null],
    ]);
    for (const path of filesOf(inFolder('whole')).filter((file) => !file.startsWith('states/'))) {
      const text = readFileSync(inFolder('whole', path), 'utf8');
      expect([...secretValues, bed.owner].filter((secret) => text.includes(secret))).toEqual([]);
    }
  });

  test('can be read by its owner only', () => {
    const paths = readdirSync(inFolder('whole'), { recursive: true }) as string[];
    const modes = paths.map((path) => statSync(inFolder('whole', path)).mode & 0o777);
    expect(new Set(modes)).toEqual(new Set([0o600, 0o700]));
    expect(statSync(inFolder('whole')).mode & 0o777).toBe(0o700);
  });

  test('is printed file by file', async () => {
    expect(JSON.parse((await run(['bundle', 'show', 'whole'])).stdout)).toMatchObject({ format: 'holdfast-bundle' });
    expect((await run(['bundle', 'show', 'whole', 'projects'])).stdout).toBe(
      readFileSync(recordsPath(inFolder('whole'), 'projects'), 'utf8'),
    );
    const [{ sha256 }] = records('whole', 'state-versions');
    const { stdout } = await run(['bundle', 'show', 'whole', `states/sha256/${sha256}`]);
    expect(createHash('sha256').update(stdout).digest('hex')).toBe(sha256);
    expect((await run(['bundle', 'show', 'whole', '../whole/bundle.json'])).code).toBe(3);
  });
});

describe('an export', () => {
  test('does not replace anything, and sends nothing then', async () => {
    const { code, routes, stderr } = await run(['export', 'acme', '--out', 'whole']);
    expect({ code, routes, stderr }).toEqual({
      code: 2,
      routes: [],
      stderr: expect.stringContaining('exists already'),
    });
  });

  test('of some workspaces is partial, and names what refers to others', async () => {
    expect((await run(['export', 'acme', '--out', 'core', '--tag', 'core', '--states', 'current'])).code).toBe(0);
    expect(records('core', 'workspaces').map(({ name }) => name)).toEqual(['network']);
    expect(records('core', 'state-versions').map(({ serial, position }) => [serial, position])).toEqual([[1, 1]]);
    expect(records('core', 'withheld')).toMatchObject([
      { type: 'agent-pools', name: 'build', reason: 'not-included' },
      {
        type: 'remote-state-consumers',
        name: 'network',
        reason: 'not-included',
        detail: expect.stringContaining('2 of 2'),
      },
    ]);
    const { code, stderr } = await run(['bundle', 'verify', 'core']);
    expect({ code, stderr }).toEqual({ code: 7, stderr: expect.stringContaining('partial') });
    const accepted = await run(['bundle', 'verify', 'core', '--partial', '--json']);
    expect(JSON.parse(accepted.stdout)).toMatchObject({
      status: 'partial',
      missing: ['2 withheld (see withheld.jsonl)', '--states current', '--tag core'],
    });
  });

  test('without states contains none', async () => {
    expect((await run(['export', 'acme', '--out', 'settings', '--states', 'none'])).code).toBe(0);
    expect(records('settings', 'state-versions')).toEqual([]);
    expect(readdirSync(inFolder('settings/states/sha256'))).toEqual([]);
    expect((await run(['bundle', 'verify', 'settings'])).code).toBe(7);
  });

  test('by a member with few rights is partial and names what is withheld', async () => {
    await bed.admin('create-user', { username: 'grace', email: 'grace@example.com' });
    const { token } = await bed.admin('create-token', { kind: 'user', username: 'grace' });
    const { code, stderr } = await run(['export', 'acme', '--out', 'limited'], { env: { HOLDFAST_TOKEN: token } });
    expect({ code, stderr }).toEqual({ code: 7, stderr: expect.stringContaining('withheld') });
    expect(records('limited', 'workspaces').map(({ name }) => name)).toEqual(['network']);
    const withheld = records('limited', 'withheld').filter(({ reason }) => reason === 'not-permitted');
    expect(withheld.map(({ type, name }) => `${type} ${name}`)).toEqual([
      'memberships acme',
      'projects acme',
      'state-versions network',
      'teams acme',
      'variable-sets acme',
      'workload-identities acme',
      'workload-identities acme',
      'workspaces acme',
    ]);
    expect(JSON.parse((await run(['bundle', 'verify', 'limited', '--partial', '--json'])).stdout)).toMatchObject({
      status: 'partial',
      caller: 'grace',
    });
  });

  test('contains each workspace as it once was, and names those that change with each reading', async () => {
    /** Number of changes of each workspace during the export. */
    const changes = [0, 1, 2, Number.POSITIVE_INFINITY];
    const workspaces = await Promise.all(changes.map(() => bed.createWorkspace()));
    const made = workspaces.map(() => 0);
    /** Changes a workspace each time after it was read, and before its lists are. */
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await bed.fetch(input, init);
      const index = workspaces.findIndex(({ id }) => new URL(String(input)).pathname.endsWith(`/workspaces/${id}`));
      const [name = '', round = 0] = [workspaces[index]?.name, (made[index] ?? 0) + 1];
      if (round > (changes[index] ?? 0)) return response;
      made[index] = round;
      const { code: edited } = await run(['ws', 'edit', name, '--description', String(round)]);
      const { code: set } = await run(['var', 'set', name, 'round', '--category', 'env'], { stdin: String(round) });
      expect([edited, set]).toEqual([0, 0]);
      return response;
    };
    const { code } = await run(['export', 'acme', '--out', 'meanwhile'], { fetch });
    const names = workspaces.map(({ name }) => name);
    expect({ code, withheld: records('meanwhile', 'withheld') }).toMatchObject({
      code: 7,
      withheld: [{ type: 'workspaces', name: names.at(-1), reason: 'changing' }],
    });
    const exported = new Map(records('meanwhile', 'workspaces').map(({ name, description }) => [name, description]));
    const values = new Map(records('meanwhile', 'variables').map(({ workspace, value }) => [workspace, value]));
    expect(names.slice(0, -1).map((name) => [exported.get(name), values.get(name)])).toEqual([
      [null, undefined],
      ['1', '1'],
      ['2', '2'],
    ]);
    expect((await run(['bundle', 'verify', 'meanwhile', '--partial'])).code).toBe(0);
    for (const name of names) await run(['ws', 'edit', name, '--deletion-protection', 'false']);
    await run(['ws', 'delete', ...names, '--yes']);
  });

  test('leaves nothing after Ctrl-C in the middle of it', async () => {
    const interruption = new AbortController();
    const fetch: typeof globalThis.fetch = (input, init) => {
      if (String(input).endsWith('/download')) interruption.abort();
      return interruption.signal.aborted ? Promise.reject(interruption.signal.reason) : bed.fetch(input, init);
    };
    const { code } = await run(['export', 'acme', '--out', 'interrupted'], { fetch, signal: interruption.signal });
    expect({ code, left: leftovers(), exists: existsSync(inFolder('interrupted')) }).toEqual({
      code: 130,
      left: [],
      exists: false,
    });
  });

  test('leaves nothing if a state differs from its MD5', async () => {
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await bed.fetch(input, init);
      return String(input).endsWith('/download') ? new Response((await response.text()).replace('4', '5')) : response;
    };
    const { code, stderr } = await run(['export', 'acme', '--out', 'altered'], { fetch });
    expect({ code, left: leftovers() }, stderr).toEqual({ code: 1, left: [] });
    expect(stderr).toContain('MD5');
  });

  test('waits as long as a busy service says, and loses nothing', async () => {
    let requests = 0;
    const waits: number[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      requests += 1;
      if (requests > 3 && requests % 7 === 0) {
        return Response.json(
          { errors: [{ status: '429', title: 'busy' }] },
          { status: 429, headers: { 'retry-after': '30' } },
        );
      }
      if (requests % 11 === 0 && reads(init?.method)) throw new TypeError('fetch failed');
      return bed.fetch(input, init);
    };
    const wait = async (milliseconds: number) => void waits.push(milliseconds);
    expect((await run(['export', 'acme', '--out', 'busy'], { fetch, wait })).code).toBe(0);
    expect(waits).toContain(30_000);
    expect(records('busy', 'state-versions')).toEqual(records('whole', 'state-versions'));
  });
});

/** Copies the bundle under a new name, and changes the copy. */
const forge = (name: string, change: (bundle: string) => void): string => {
  cpSync(inFolder('whole'), inFolder(name), { recursive: true });
  change(inFolder(name));
  return name;
};

describe('a verification refuses', () => {
  test.each(forgeries)('%s', async (title, change, message) => {
    const name = forge(title.replaceAll(/[^a-z]+/g, '-'), change);
    const { code, stdout, stderr } = await run(['bundle', 'verify', name, '--partial']);
    expect({ code, stdout }, stderr).toEqual({ code: 7, stdout: '' });
    expect(stderr).toMatch(message);
  });

  test('a path that does not exist, and one of a file', async () => {
    expect((await run(['bundle', 'verify', 'nothing'])).code).toBe(3);
    expect((await run(['bundle', 'verify', 'whole/bundle.json'])).code).toBe(2);
  });
});

test('a verification accepts members and types of records that a later minor version adds', async () => {
  const name = forge('later', (bundle) => {
    changeManifest(bundle, (manifest) => ({ ...manifest, version: '1.7', 'x-more': true }));
    changeLines(bundle, 'ssh-keys', ([line = '']) => [line.replace(/}$/, ',"x-algorithm":"ed25519"}')]);
    mkdirSync(join(bundle, 'organizations/acme'), { recursive: true });
    writeFileSync(join(bundle, 'organizations/acme/x-history.jsonl'), '{"any":"thing"}\n');
    sumAgain(bundle);
  });
  expect(await run(['bundle', 'verify', name])).toMatchObject({ code: 0 });
});

test('each line of a bundle, and bundle.json, fit the published schemas', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { 'date-time': isTimestamp } });
  const compile = (name: string) => ajv.compile(JSON.parse(readFileSync(new URL(`${name}.json`, published), 'utf8')));
  expect(Object.keys(publishedFiles()).sort()).toEqual([...recordTypes, 'bundle'].map((name) => `${name}.json`).sort());
  for (const type of recordTypes) {
    const validate = compile(type);
    for (const record of [...records('whole', type), ...(type === 'withheld' ? records('core', type) : [])]) {
      expect(validate(record), ajv.errorsText(validate.errors)).toBe(true);
    }
  }
  expect(compile('bundle')(JSON.parse(readFileSync(inFolder('whole/bundle.json'), 'utf8')))).toBe(true);
});
