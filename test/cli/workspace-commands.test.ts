import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ORGANIZATION } from '../support/api/organization-fixture.ts';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';
import { configurationEvent, runEvent } from '../support/events/run-events.ts';

let bed: CliBed;
beforeAll(async () => {
  bed = await startCliBed({ deletedWorkspaceDays: 30 });
  await bed.admin('create-project', { organization: ORGANIZATION, name: 'Platform' });
});
afterAll(() => bed.stop());

const flatTags = (...names: readonly string[]) => ({
  tags: { data: names.map((name) => ({ type: 'tags', attributes: { name } })) },
});

describe('ws list', () => {
  const names = async (...flags: readonly string[]) =>
    (await bed.json(['ws', 'list', ...flags])).map(({ name }: { name: string }) => name);

  test('finds workspaces by each filter of the service', async () => {
    const { name } = await bed.createWorkspace(
      {
        'execution-mode': 'local',
        'infra-version': '1.5.7',
        'deletion-protection': true,
        'imported-from': { host: 'states', id: 'env:/prod/net' },
      },
      flatTags('listed'),
    );
    await bed.createWorkspace({}, flatTags('listed', 'unlisted'));
    await bed.run(['ws', 'tag', 'add', name, 'env=listed']);
    await bed.run(['ws', 'edit', name, '--project', 'Platform']);
    await bed.run(['lock', name]);
    const { 'locked-by': holder, 'locked-by-id': holderId } = await bed.json(['ws', 'show', name]);
    const matching = [
      ['--search', name.toUpperCase()],
      ['--name', `${name.slice(0, -1)}*${name.slice(-1)}`],
      ['--project', 'Platform'],
      ['--tag', 'listed', '--without-tag', 'unlisted'],
      ['--tag', 'env=listed'],
      ['--locked', 'true'],
      ['--locked-by', holder],
      ['--locked-by', holderId],
      ['--execution-mode', 'local'],
      ['--infra-version', '1.5.7'],
      ['--deletion-protection', 'true'],
      ['--imported-from', 'states'],
      ['--imported-from', 'states/env:/prod/net'],
      ['--imported-from', '/env:/prod/net'],
    ];
    for (const flags of matching) expect(await names(...flags), flags.join(' ')).toEqual([name]);
    for (const flags of [
      ['--locked-by', 'nobody'],
      ['--locked', 'false', '--locked-by', holder],
      ['--tag', 'env=other'],
      ['--run-status', 'applied'],
      ['--imported-from', 'states/prod/net'],
    ]) {
      expect(await names(...flags), flags.join(' ')).toEqual([]);
    }
  });

  test.each([
    ['--tag', ''],
    ['--tag', 'env='],
    ['--search', ''],
    ['--project', ''],
  ])('rejects %s "%s" and does not list all workspaces', async (flag, value) => {
    const { code, stdout, routes } = await bed.run(['ws', 'list', flag, value]);
    expect({ code, stdout, routes }).toEqual({ code: 2, stdout: '', routes: [] });
  });

  test('ends with --limit without a request of the next page', async () => {
    const { stdout, routes } = await bed.run(['ws', 'list', '--limit', '1']);
    expect(stdout.split('\n')).toHaveLength(2);
    expect(routes).toEqual(['workspaces.list']);
  });

  test('ends with 3 for an unknown project', async () => {
    const { code, stderr } = await bed.run(['ws', 'list', '--project', 'Nowhere']);
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('"Nowhere"') });
  });
});

describe('names from standard input', () => {
  test('let one command change the workspaces that another one lists', async () => {
    const [first, second, other] = await Promise.all([
      bed.createWorkspace({}, flatTags('piped')),
      bed.createWorkspace({}, flatTags('piped')),
      bed.createWorkspace(),
    ]);
    const { stdout } = await bed.run(['ws', 'list', '--tag', 'piped']);
    const { code, stderr } = await bed.run(['ws', 'edit', '-', '--infra-version', '1.9.8'], { stdin: stdout });
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(`Changed ${first.name}: infra-version `);
    for (const [workspace, changed] of [
      [first, true],
      [second, true],
      [other, false],
    ] as const) {
      const { 'infra-version': version } = await bed.show(workspace);
      expect(version === '1.9.8').toBe(changed);
    }
  });

  test('change nothing if there are none', async () => {
    const { code, stdout, routes } = await bed.run(['ws', 'edit', '-', '--description', 'x', '--json'], { stdin: '' });
    expect({ code, stdout, routes }).toEqual({ code: 0, stdout: '[]\n', routes: [] });
  });

  test.each([
    ['are JSON', ['-'], { stdin: '[\n{"name":"network"}\n]\n' }],
    ['are typed at a terminal', ['-'], { isTerminal: true }],
    ['accompany a name', ['network', '-'], { stdin: 'dns\n' }],
  ])('are rejected if they %s', async (_, args, options) => {
    const { code, routes } = await bed.run(['ws', 'edit', ...args, '--description', 'x'], options);
    expect({ code, routes }).toEqual({ code: 2, routes: [] });
  });
});

describe('ws create and ws edit', () => {
  test('set every setting that a flag names, and unset those that can be empty or inherited', async () => {
    const settings = {
      description: 'A "quoted" text',
      'infra-version': '~> 1.9.0',
      'execution-mode': 'local',
      'working-directory': 'environments/prod',
      'deletion-protection': true,
      'global-remote-state': true,
      'auto-apply': true,
      'auto-apply-run-trigger': true,
      'allow-destroy-plan': false,
      'queue-all-runs': true,
      'speculative-enabled': false,
      'structured-run-output-enabled': false,
      'trigger-patterns': ['modules/**/*', 'environments/**/*'],
      'auto-destroy-activity-duration': '14d',
    };
    const flags = Object.entries(settings).flatMap(([name, value]) =>
      [value].flat().flatMap((one) => [`--${name}`, String(one)]),
    );
    const created = await bed.json([
      'ws',
      'create',
      'created',
      '--project',
      'Platform',
      '--tag',
      'core',
      '--tag',
      'env=prod',
      ...flags,
    ]);
    expect(created).toMatchObject({ name: 'created', ...settings, project: 'Platform', tags: ['core', 'env=prod'] });
    expect(await bed.json(['ws', 'show', 'created'])).toMatchObject({
      ...settings,
      project: 'Platform',
      tags: ['core', 'env=prod'],
    });
    const { name } = await bed.createWorkspace();
    await bed.json(['ws', 'edit', name, ...flags]);
    expect(await bed.json(['ws', 'show', name])).toMatchObject(settings);

    const names = [
      'description',
      'working-directory',
      'trigger-patterns',
      'auto-destroy-activity-duration',
      'execution-mode',
      'deletion-protection',
    ];
    await bed.json(['ws', 'edit', name, ...names.flatMap((unset) => ['--unset', unset])]);
    expect(await bed.json(['ws', 'show', name])).toMatchObject({
      description: null,
      'working-directory': null,
      'trigger-patterns': [],
      'auto-destroy-activity-duration': null,
      'execution-mode': 'remote',
      'deletion-protection': false,
      'setting-overwrites': { 'execution-mode': false, 'deletion-protection': false },
    });
  });

  test('report with --dry-run what the edit then changes, and change nothing', async () => {
    const { id, name } = await bed.createWorkspace();
    const edit = [
      'ws',
      'edit',
      name,
      '--name',
      `${name}-new`,
      '--project',
      'Platform',
      '--deletion-protection',
      'true',
    ];
    const before = await bed.show({ id, name });
    const [preview] = await bed.json([...edit, '--dry-run']);
    expect(await bed.show({ id, name })).toEqual(before);
    const [edited] = await bed.json(edit);
    expect(preview).toEqual({ ...edited, 'dry-run': true });
    expect(edited).toMatchObject({
      name,
      outcome: 'changed',
      changes: {
        name: { old: name, new: `${name}-new` },
        project: { old: 'Default Project', new: 'Platform' },
        'deletion-protection': { old: false, new: true },
      },
    });
    const { stderr } = await bed.run(['ws', 'edit', id, '--deletion-protection', 'true']);
    expect(stderr).toBe(`${name}-new is unchanged.\n`);
  });

  test('end with the exit code of the edit if the dry run would be rejected', async () => {
    const [{ name }, { name: taken }] = [await bed.createWorkspace(), await bed.createWorkspace()];
    for (const flags of [[], ['--dry-run']]) {
      const { code, stderr } = await bed.run(['ws', 'edit', name, '--name', taken, ...flags]);
      expect({ code, stderr }).toEqual({ code: 6, stderr: 'Error: --name: Name has already been taken\n' });
    }
  });

  test('name the flag that the service rejects, also inside of an object', async () => {
    const { name } = await bed.createWorkspace();
    for (const flags of [
      ['--infra-version', 'newest'],
      ['--working-directory', '/etc'],
      ['--vcs-repo-oauth-token-id', 'ot-unknown', '--vcs-repo-identifier', 'acme/infrastructure'],
    ]) {
      const { code, stderr } = await bed.run(['ws', 'edit', name, ...flags]);
      expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining(`Error: ${flags[0]}: `) });
    }
  });

  test('change nothing and end with 5 if somebody else changes the workspace in the meantime', async () => {
    const workspace = await bed.createWorkspace();
    const fetch: typeof globalThis.fetch = async (url, init) => {
      if (init?.method === 'PATCH') await bed.update(workspace, { description: 'of somebody else' });
      return bed.fetch(url, init);
    };
    const { code, stderr } = await bed.run(['ws', 'edit', workspace.name, '--auto-apply', 'true'], { fetch });
    expect(code, stderr).toBe(5);
    expect(await bed.show(workspace)).toMatchObject({ description: 'of somebody else', 'auto-apply': false });
  });

  test('go on after a workspace that does not exist, and end with 7', async () => {
    const [first, last] = [await bed.createWorkspace(), await bed.createWorkspace()];
    const { code, stderr } = await bed.run(['ws', 'edit', first.name, 'missing', last.name, '--auto-apply', 'true']);
    const sentence = 'Error: There is no workspace "missing" in acme, or you may not see it.\n';
    expect({ code, stderr }).toMatchObject({ code: 7, stderr: expect.stringContaining(sentence) });
    for (const workspace of [first, last]) expect(await bed.show(workspace)).toMatchObject({ 'auto-apply': true });
  });

  test.each([
    ['without a setting', ['network']],
    ['with one name for several', ['network', 'dns', '--name', 'core']],
    ['with a setting that is both set and unset', ['network', '--description', 'x', '--unset', 'description']],
    ['with a repository that is changed and removed', ['network', '--vcs-repo-branch', 'x', '--unset', 'vcs-repo']],
    ['with an empty name', ['', '--description', 'x']],
  ])('end with 2 %s, and send nothing', async (_, args) => {
    const { code, routes } = await bed.run(['ws', 'edit', ...args]);
    expect({ code, routes }).toEqual({ code: 2, routes: [] });
  });

  test('show control characters of stored texts as escapes', async () => {
    const { name } = await bed.createWorkspace({ description: 'red \u001b[31m' });
    const { stderr } = await bed.run(['ws', 'edit', name, '--unset', 'description']);
    expect(stderr).toBe(`Changed ${name}: description red \\u001b[31m -> none.\n`);
  });
});

describe('ws delete, ws restore and ws purge', () => {
  const remove = (...args: readonly string[]) => bed.run(['ws', 'delete', ...args]);

  test('delete a locked workspace only with --force, as their dry runs say', async () => {
    const { id, name } = await bed.createWorkspace();
    await bed.run(['lock', name]);
    for (const flags of [['--dry-run'], ['--yes']]) {
      const { code, stderr } = await remove(name, ...flags);
      expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('currently locked') });
    }
    expect((await remove(name, '--force', '--dry-run')).stderr).toBe(
      `Would delete ${name}, which manages 0 resources. It can be restored for 30 days.\n`,
    );
    expect((await bed.run(['ws', 'show', id])).code).toBe(0);
    const { code, stderr } = await remove(name, '--force', '--yes');
    expect({ code, stderr }).toEqual({ code: 0, stderr: `Deleted ${name}. It can be restored for 30 days.\n` });
    expect((await bed.run(['ws', 'show', id])).code).toBe(3);
  });

  test('name the workspace, its resources and the time for a restoration before the user types its name', async () => {
    const { id, name } = await bed.createWorkspace();
    const type = (text: string) =>
      bed.run(['ws', 'delete', name], { isTerminal: true, stdin: Readable.from([`${text}\r`]) });
    const refused = await type('other');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('"other" is not') });
    expect(refused.stderr.replaceAll(/\s+/g, ' ')).toContain(`Deletes ${name} of acme with its variables and states.`);
    expect((await bed.run(['ws', 'show', id])).code).toBe(0);
    expect(await type(name)).toMatchObject({ code: 0 });
    expect((await bed.run(['ws', 'show', id])).code).toBe(3);
  });

  test('name the workspaces that fail, and delete the others', async () => {
    const [locked, free] = [await bed.createWorkspace(), await bed.createWorkspace()];
    await bed.run(['lock', locked.name]);
    const { code, stderr } = await remove(locked.name, free.name, '--yes');
    expect({ code, stderr }).toMatchObject({ code: 7, stderr: expect.stringContaining(`Error: ${locked.name}: `) });
    expect((await bed.run(['ws', 'show', free.id])).code).toBe(3);
  });

  test('restore by a name that only one deleted workspace had, else by an id, also with another name', async () => {
    const first = await bed.createWorkspace({ name: 'twice' });
    await remove('twice', '--yes');
    const second = await bed.createWorkspace({ name: 'twice' });
    await remove('twice', '--yes');

    const { code, stderr } = await bed.run(['ws', 'restore', 'twice']);
    expect(code).toBe(2);
    for (const { id } of [first, second]) expect(stderr).toContain(id);
    expect(await bed.json(['ws', 'restore', first.id])).toMatchObject([{ id: first.id, name: 'twice', dropped: [] }]);

    const taken = await bed.run(['ws', 'restore', 'twice']);
    expect(taken).toMatchObject({ code: 6, stderr: 'Error: --name: Name has already been taken\n' });
    expect(await bed.json(['ws', 'restore', 'twice', '--name', 'twice-2'])).toMatchObject([
      { id: second.id, name: 'twice-2' },
    ]);
  });

  test('purge a workspace, so that it cannot be restored', async () => {
    const { id, name } = await bed.createWorkspace();
    await remove(name, '--yes');
    expect(await bed.json(['ws', 'purge', name, '--yes'])).toMatchObject([{ id, name }]);
    expect((await bed.run(['ws', 'restore', id])).code).toBe(3);
  });
});

describe('ws tag', () => {
  const tagsOf = async (name: string) =>
    (await bed.json(['ws', 'tag', 'list', name])).map(({ tag }: { tag: string }) => tag);

  test('adds and removes tags with and without values, and leaves the others', async () => {
    const { name } = await bed.createWorkspace();
    await bed.json(['ws', 'tag', 'add', name, 'core', 'keep', 'env=dev', 'team=web']);
    await bed.json(['ws', 'tag', 'add', name, 'env=prod']);
    expect(await tagsOf(name)).toEqual(['core', 'keep', 'env=prod', 'team=web']);
    const removal = ['ws', 'tag', 'remove', name, 'core', 'env', 'team=api', 'unknown'];
    expect(await bed.json(removal)).toMatchObject([{ tags: ['core', 'env=prod'] }]);
    expect(await tagsOf(name)).toEqual(['keep', 'team=web']);
    expect((await bed.run(removal)).stderr).toBe(`${name} has none of these tags.\n`);
  });

  test('lists inherited tags with their project', async () => {
    const { project } = await bed.admin('create-project', { organization: ORGANIZATION, name: 'Tagged' });
    const binding = { type: 'tag-bindings', attributes: { key: 'cost', value: '42' } };
    await bed.api.request('PATCH', `/projects/${project.id}/tag-bindings`, {
      token: bed.owner,
      body: { data: [binding] },
    });
    const { name } = await bed.createWorkspace({}, { project: { data: { id: project.id } }, ...flatTags('own') });
    expect(await bed.json(['ws', 'tag', 'list', name])).toMatchObject([
      { tag: 'own', 'inherited-from': null },
      { tag: 'cost=42', key: 'cost', value: '42', 'inherited-from': 'Tagged' },
    ]);
  });

  test('rejects a tag that would remove the value of a key', async () => {
    const { name } = await bed.createWorkspace();
    await bed.json(['ws', 'tag', 'add', name, 'env=prod']);
    expect((await bed.run(['ws', 'tag', 'add', name, 'env'])).code).toBe(6);
    expect(await tagsOf(name)).toEqual(['env=prod']);
  });

  test('tag delete takes a tag off all workspaces', async () => {
    const workspaces = [
      await bed.createWorkspace({}, flatTags('legacy')),
      await bed.createWorkspace({}, flatTags('legacy', 'legacy-2')),
    ];
    const [first, second] = workspaces.map(({ name }) => name);
    expect(await bed.json(['tag', 'delete', 'legacy', '--yes'])).toMatchObject([
      { name: 'legacy', 'instance-count': 2 },
    ]);
    expect([await tagsOf(first ?? ''), await tagsOf(second ?? '')]).toEqual([[], ['legacy-2']]);
    expect(await bed.run(['tag', 'delete', 'legacy', '--yes'])).toMatchObject({ code: 3 });
    expect(await bed.json(['tag', 'list', '--search', 'LEGACY'])).toMatchObject([{ name: 'legacy-2' }]);
    expect(await bed.json(['tag', 'list', '--search', 'legacy', '--missing-in', second ?? ''])).toEqual([]);
  });
});

test('ws consumer changes who may read the state, also by names from standard input', async () => {
  const [producer, web, api] = [
    await bed.createWorkspace(),
    await bed.createWorkspace(),
    await bed.createWorkspace(),
  ].map(({ name }) => name) as [string, string, string];
  const list = () => bed.run(['ws', 'consumer', 'list', producer]);
  const consumers = async () =>
    (await list()).stdout
      .split('\n')
      .map((line) => line.split('\t')[0])
      .filter(Boolean)
      .sort();
  await bed.json(['ws', 'consumer', 'add', producer, web, api]);
  expect(await consumers()).toEqual([api, web].sort());
  expect(await bed.run(['ws', 'consumer', 'set', producer, '-'], { stdin: '' })).toMatchObject({ code: 2 });
  await bed.json(['ws', 'consumer', 'set', producer, api]);
  expect(await consumers()).toEqual([api]);
  expect(await bed.run(['ws', 'consumer', 'add', producer, web, 'missing'])).toMatchObject({ code: 3 });
  expect(await consumers()).toEqual([api]);
  await bed.json(['ws', 'consumer', 'remove', producer, '-'], { stdin: (await list()).stdout });
  expect(await consumers()).toEqual([]);
});

test('ws retention shows the policy of the workspace, else the default of the organization, else ends with 3', async () => {
  const { name } = await bed.createWorkspace();
  const show = ['ws', 'retention', 'show', name];
  expect(await bed.run(show)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('All state versions are kept.'),
  });
  const body = {
    data: { type: 'data-retention-policy-delete-olders', attributes: { 'delete-older-than-n-days': 365 } },
  };
  const path = `/organizations/${ORGANIZATION}/relationships/data-retention-policy`;
  await bed.api.request('POST', path, { token: bed.owner, body });
  expect(await bed.json(show)).toMatchObject({ name, days: 365, 'is-inherited': true });
  await bed.json(['ws', 'retention', 'set', name, 'forever']);
  expect(await bed.json(show)).toMatchObject({ name, days: null, 'is-inherited': false });
  await bed.json(['ws', 'retention', 'delete', name]);
  expect(await bed.json(show)).toMatchObject({ days: 365 });
  await bed.api.request('DELETE', path, { token: bed.owner });
});

test('run list finds runs by each filter of the service, with their commits', async () => {
  const workspace = await bed.createWorkspace();
  const configuration = 'cv-1111111111111111';
  const commit = { 'commit-sha': 'abcdef0123', branch: 'main', 'sender-username': 'ada' };
  await bed.api.ingest(
    'configuration-version.updated',
    configurationEvent(workspace, configuration, 'uploaded', { 'ingress-attributes': commit }),
  );
  const details = { 'configuration-version': configuration, message: 'Widen the subnet', source: 'tfe-ui' };
  const [run, other] = ['run-1111111111111111', 'run-2222222222222222'];
  await bed.api.ingest('run.updated', runEvent(workspace, run, 'applied', 5, details));
  await bed.api.ingest('run.updated', runEvent(workspace, other, 'planning', 5, { 'plan-only': true }));
  const list = async (...flags: readonly string[]) =>
    (await bed.json(['run', 'list', workspace.name, ...flags])).map(({ id }: { id: string }) => id);
  expect((await list()).sort()).toEqual([run, other]);
  expect(await list('--limit', '1')).toHaveLength(1);
  for (const flags of [
    ['--status', 'applied,errored'],
    ['--status-group', 'final'],
    ['--operation', 'plan_and_apply'],
    ['--source', 'tfe-ui'],
    ['--timeframe', '2026', '--status', 'applied'],
    ['--user', 'ada'],
    ['--commit', 'abcdef'],
    ['--search', 'subnet'],
  ]) {
    expect(await list(...flags), flags.join(' ')).toEqual([run]);
  }
  expect(await bed.json(['run', 'show', run])).toMatchObject({
    status: 'applied',
    branch: 'main',
    'commit-sha': 'abcdef0123',
  });
});
