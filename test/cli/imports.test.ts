import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../infra/cli/import/evaluate.ts';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';
import { fillOrganization, runAll } from '../support/cli/filled-organization.ts';
import { waitForReleases } from '../support/cli/wait.ts';

/** Imports of bundles into another service (docs/operate/import.md). */
let source: CliBed;
let target: CliBed;

beforeAll(async () => {
  source = await startCliBed();
  await fillOrganization(source);
  await source.json(['export', 'acme', '--out', 'acme']);
  target = await startCliBed();
});
afterAll(async () => {
  expect((await target.api.admin('check-table')).findings).toEqual([]);
  await source.stop();
  await target.stop();
});

const bundle = (): string => `bundle:${join(source.home, 'acme')}`;

/** Enters secrets, and accepts what the plan cannot carry. */
const prepare = (bed: CliBed, folder: string, secrets: object): void => {
  writeFileSync(join(bed.home, folder, 'secrets.json'), JSON.stringify(secrets));
};

const secrets = {
  'variables/network/env/DB_PASSWORD': { value: 'new-password' },
  'variable-set-variables/credentials/env/API_KEY': { env: 'NEW_API_KEY' },
  'ssh-keys/deploy': { value: 'NEW-PRIVATE-KEY' },
  'vcs-connections/hub': { value: 'NEW-TOKEN' },
};

const env = { NEW_API_KEY: 'new-api-key' };

describe('an import of a bundle', () => {
  it('plans, runs and proves everything, and a second run writes nothing', async () => {
    await target.json(['import', 'init', bundle(), 'move']);
    const first = await target.json(['import', 'plan', 'move']);
    expect(first).toMatchObject({ conflict: 0, cannot: 0, problems: 0 });
    prepare(target, 'move', secrets);
    const result = await target.run(['import', 'run', 'move', '--json'], { env, wait: waitForReleases });
    expect(result.stderr).toBe('');
    expect(result.code).toBe(0);
    const again = await target.run(['import', 'run', 'move', '--json'], { env, wait: waitForReleases });
    expect(again.code).toBe(0);
    expect(again.routes.filter((route) => !/\.(list|show)/.test(route))).toEqual([]);
    const verified = await target.json(['import', 'verify', 'move', '--deep']);
    expect(verified.downloaded).toBe(verified.counts['state-versions'].same);
    await target.json(['export', 'acme', '--out', 'copy']);
    const folder = (bed: CliBed, name: string) => join(bed.home, name, 'organizations', 'acme');
    const withoutOrigin = (text: string) =>
      text.split('\n').map((line) => (line === '' ? '' : JSON.stringify({ ...JSON.parse(line), origin: undefined })));
    for (const file of readdirSync(folder(source, 'acme'))) {
      const read = (bed: CliBed, name: string) => withoutOrigin(readFileSync(join(folder(bed, name), file), 'utf8'));
      expect(read(target, 'copy'), file).toEqual(read(source, 'acme'));
    }
    expect(readdirSync(join(target.home, 'copy/states/sha256'))).toEqual(
      readdirSync(join(source.home, 'acme/states/sha256')),
    );
  });
});

describe('the inventory of an import', () => {
  it('is required by each phase, and read again by init', async () => {
    const folder = join(target.home, 'interrupted');
    await target.json(['import', 'init', bundle(), 'interrupted']);
    rmSync(join(folder, 'inventory'), { recursive: true });
    for (const phase of ['plan', 'run', 'verify']) {
      const { code, stderr, routes } = await target.run(['import', phase, 'interrupted']);
      expect({ code, routes }).toEqual({ code: 2, routes: [] });
      expect(stderr).toContain('holdfast import init');
    }
    await target.json(['import', 'init', bundle(), 'interrupted']);
    expect(await target.json(['import', 'plan', 'interrupted'])).toMatchObject({ conflict: 0 });
  });
});

describe('a token that may only read', () => {
  it('is found by the plan, and creates nothing', async () => {
    const bed = await startCliBed();
    await bed.json(['team', 'create', 'readers', '--read-workspaces', 'true', '--read-projects', 'true']);
    const { token } = await bed.json(['token', 'create', '--team', 'readers']);
    await bed.json(['import', 'init', bundle(), 'limited']);
    const env = { HOLDFAST_TOKEN: token };
    await bed.json(['import', 'plan', 'limited'], { env });
    const { problems } = JSON.parse(readFileSync(join(bed.home, 'limited', 'plan.json'), 'utf8'));
    expect(problems).toContainEqual(
      expect.objectContaining({ type: 'workspaces', name: 'network', result: 'cannot', reason: 'permission' }),
    );
    const run = await bed.run(['import', 'run', 'limited'], { env });
    expect(run.code).toBe(7);
    expect(run.routes.filter((route) => !/\.(list|show)/.test(route))).toEqual([]);
    expect(await bed.json(['ws', 'list'])).toEqual([]);
    await bed.stop();
  });
});

describe('a token that may not change what the target has', () => {
  let bed: CliBed;
  beforeAll(async () => {
    bed = await startCliBed();
    await runAll(bed, [
      'project create Platform',
      'team create readers --visibility organization --read-workspaces true --read-projects true',
      'tag-key create environment',
      'agent-pool create build',
      'varset create credentials',
      'varset var set credentials region < elsewhere',
      'ws create network --project Platform',
      'var set network region < elsewhere',
      'ws create dns',
    ]);
    await bed.json(['import', 'init', bundle(), 'limited']);
  });
  afterAll(() => bed.stop());

  const plan = async (token: string) => {
    await bed.json(['import', 'plan', 'limited'], { env: { HOLDFAST_TOKEN: token } });
    const items: Item[] = readFileSync(join(bed.home, 'limited/plan.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    return items;
  };

  it('a missing right is found by the plan for each object that differs, of every type', async () => {
    const { token } = await bed.json(['token', 'create', '--team', 'readers']);
    const items = (await plan(token)).filter(({ result }) => result !== 'same');
    expect(items.filter(({ result, reason }) => result !== 'cannot' || reason !== 'permission')).toEqual([]);
    const changed = (type: string, name: string) => items.find((item) => item.type === type && item.name === name);
    const detail = 'The token may not change it at the target.';
    expect(changed('organization', 'acme')).toMatchObject({ reason: 'permission', detail });
    expect(changed('projects', 'Platform')).toMatchObject({ reason: 'permission', detail });
    expect(changed('workspaces', 'network')).toMatchObject({ reason: 'permission', detail });
    expect(changed('variables', 'network/infra/region')).toMatchObject({ reason: 'permission', detail });
  });

  it('carries what it may write, and leaves out the rest once that is accepted', async () => {
    await runAll(bed, [
      'team create writers --visibility organization',
      'team access grant writers --workspace network --access write',
    ]);
    const { token } = await bed.json(['token', 'create', '--team', 'writers']);
    const items = await plan(token);
    const resultsOf = (type: string) =>
      new Set(items.flatMap((item) => (item.type === type && item.workspace === 'network' ? [item.result] : [])));
    expect(resultsOf('workspaces')).toEqual(new Set(['cannot']));
    expect(resultsOf('variables')).toEqual(new Set(['conflict', 'waiting']));
    expect(resultsOf('state-versions')).toEqual(new Set(['create']));
    const file = join(bed.home, 'limited/plan.json');
    const found = JSON.parse(readFileSync(file, 'utf8'));
    for (const problem of found.problems)
      problem.accept = problem.result !== 'conflict' || problem.type === 'variables';
    writeFileSync(file, JSON.stringify(found));
    const env = { HOLDFAST_TOKEN: token };
    const run = await bed.run(['import', 'run', 'limited', '--json'], { env, wait: waitForReleases });
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
    expect(new Set(run.routes.filter((route) => !/\.(list|show|lock|unlock)/.test(route)))).toEqual(
      new Set(['workspace-variables.update', 'state-versions.create']),
    );
    expect(await bed.json(['var', 'list', 'network'])).toMatchObject([{ key: 'region', value: 'eu-central-1' }]);
    expect((await bed.run(['state', 'pull', 'network'])).stdout).toBe(
      (await source.run(['state', 'pull', 'network'])).stdout,
    );
  });
});
