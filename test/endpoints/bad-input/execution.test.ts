import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Reply } from '../../support/api/api.ts';
import {
  type Attributes,
  attributesOf,
  type Bench,
  expectInvalid,
  ORGANIZATION,
  openBench,
  type Workspace,
} from '../../support/matrix/matrix-bench.ts';

/**
 * Where runs are executed: the mode, its deprecated form, the agent pool, and what of it a workspace keeps for itself.
 * `setting-overwrites`: true, the workspace keeps its own value; false, it inherits.
 */
let bench: Bench;
let pool: string;
let otherPool: string;

beforeAll(async () => {
  bench = await openBench();
  ({ id: pool } = (await bench.admin('create-agent-pool', { organization: ORGANIZATION, name: 'pool' })).agentPool);
  ({ id: otherPool } = (
    await bench.admin('create-agent-pool', { organization: ORGANIZATION, name: 'other' })
  ).agentPool);
});
afterAll(() => bench.api.stop());

/** Attributes that speak of a pool before there is one. */
type Given = (pool: string) => object;

interface Expected {
  readonly mode: 'remote' | 'local' | 'agent';
  readonly pool?: boolean;
  readonly overwrites: readonly [executionMode: boolean, agentPool: boolean];
}

const expectExecution = (reply: Reply, { mode, pool: hasPool = false, overwrites }: Expected, id = pool): void => {
  expect(attributesOf(reply)).toMatchObject({
    'execution-mode': mode,
    operations: mode !== 'local',
    'agent-pool-id': hasPool ? id : null,
    'setting-overwrites': { 'execution-mode': overwrites[0], 'agent-pool': overwrites[1] },
  });
  expect(reply.body.data.relationships['agent-pool']).toEqual({ data: hasPool ? { type: 'agent-pools', id } : null });
};

describe('what is accepted, at creation and by an update', () => {
  it.each<[name: string, Given, Expected]>([
    ['nothing: it inherits', () => ({}), { mode: 'remote', overwrites: [false, false] }],
    ['remote', () => ({ 'execution-mode': 'remote' }), { mode: 'remote', overwrites: [true, false] }],
    ['local', () => ({ 'execution-mode': 'local' }), { mode: 'local', overwrites: [true, false] }],
    ['operations', () => ({ operations: true }), { mode: 'remote', overwrites: [true, false] }],
    ['no operations', () => ({ operations: false }), { mode: 'local', overwrites: [true, false] }],
    [
      'agent with a pool',
      (id) => ({ 'execution-mode': 'agent', 'agent-pool-id': id }),
      { mode: 'agent', pool: true, overwrites: [true, true] },
    ],
    [
      'local and no pool, as null',
      () => ({ 'execution-mode': 'local', 'agent-pool-id': null }),
      { mode: 'local', overwrites: [true, false] },
    ],
    [
      'local and no pool, as an empty text',
      () => ({ 'execution-mode': 'local', 'agent-pool-id': '' }),
      { mode: 'local', overwrites: [true, false] },
    ],
    ['no pool alone', () => ({ 'agent-pool-id': '' }), { mode: 'remote', overwrites: [false, false] }],
    [
      'overwrites that inherit everything',
      () => ({ 'setting-overwrites': { 'execution-mode': false, 'agent-pool': false } }),
      { mode: 'remote', overwrites: [false, false] },
    ],
    ['overwrites of nothing', () => ({ 'setting-overwrites': {} }), { mode: 'remote', overwrites: [false, false] }],
    ['no overwrites', () => ({ 'setting-overwrites': null }), { mode: 'remote', overwrites: [false, false] }],
    [
      'overwrites that nobody knows',
      () => ({ 'setting-overwrites': { 'auto-apply': true } }),
      { mode: 'remote', overwrites: [false, false] },
    ],
    [
      'an own mode, said twice',
      () => ({ 'setting-overwrites': { 'execution-mode': true }, 'execution-mode': 'local' }),
      { mode: 'local', overwrites: [true, false] },
    ],
    [
      'an own mode, said by its deprecated form',
      () => ({ 'setting-overwrites': { 'execution-mode': true }, operations: false }),
      { mode: 'local', overwrites: [true, false] },
    ],
    [
      'an explicit mode beside overwrites that inherit: it wins',
      () => ({ 'setting-overwrites': { 'execution-mode': false }, 'execution-mode': 'local' }),
      { mode: 'local', overwrites: [true, false] },
    ],
    [
      'explicit operations beside overwrites that inherit: they win',
      () => ({ 'setting-overwrites': { 'execution-mode': false, 'agent-pool': false }, operations: false }),
      { mode: 'local', overwrites: [true, false] },
    ],
    [
      'an explicit pool beside overwrites that inherit: it wins',
      (id) => ({
        'setting-overwrites': { 'execution-mode': false, 'agent-pool': false },
        'execution-mode': 'agent',
        'agent-pool-id': id,
      }),
      { mode: 'agent', pool: true, overwrites: [true, true] },
    ],
  ])('%s', async (_, given, expected) => {
    for (const reply of await bench.bothWays(given(pool))) expectExecution(reply, expected);
  });
});

describe('what is refused, at creation and by an update', () => {
  const needless = /Agent pool must not be specified unless using 'agent' execution mode/;
  const needed = /Agent pool must be specified when using 'agent' execution mode/;
  it.each<[name: string, Given, pointer: string, detail: RegExp]>([
    [
      'the mode beside its deprecated form',
      () => ({ operations: true, 'execution-mode': 'remote' }),
      'operations',
      /^Operations is deprecated and cannot be specified when execution mode is used/,
    ],
    [
      'both, even when they say different things',
      () => ({ operations: false, 'execution-mode': 'remote' }),
      'operations',
      /deprecated/,
    ],
    ['a pool with remote', (id) => ({ 'execution-mode': 'remote', 'agent-pool-id': id }), 'agent-pool-id', needless],
    ['a pool with local', (id) => ({ 'execution-mode': 'local', 'agent-pool-id': id }), 'agent-pool-id', needless],
    ['a pool with operations', (id) => ({ operations: true, 'agent-pool-id': id }), 'agent-pool-id', needless],
    ['a pool without operations', (id) => ({ operations: false, 'agent-pool-id': id }), 'agent-pool-id', needless],
    ['a pool where remote is inherited', (id) => ({ 'agent-pool-id': id }), 'agent-pool-id', needless],
    ['agent without a pool', () => ({ 'execution-mode': 'agent' }), 'agent-pool-id', needed],
    ['agent with no pool', () => ({ 'execution-mode': 'agent', 'agent-pool-id': null }), 'agent-pool-id', needed],
    ['agent with an empty pool', () => ({ 'execution-mode': 'agent', 'agent-pool-id': '' }), 'agent-pool-id', needed],
    [
      'a pool that is none',
      () => ({ 'execution-mode': 'agent', 'agent-pool-id': 'apool-1111111111111111' }),
      'agent-pool-id',
      /^Agent pool /,
    ],
    [
      'a pool that is something else',
      () => ({ 'execution-mode': 'agent', 'agent-pool-id': 'prj-1111111111111111' }),
      'agent-pool-id',
      /^Agent pool /,
    ],
    [
      'an own mode that is not given',
      () => ({ 'setting-overwrites': { 'execution-mode': true } }),
      'execution-mode',
      /must be given/,
    ],
    [
      'overwrites that differ',
      () => ({ 'setting-overwrites': { 'execution-mode': true, 'agent-pool': false }, 'execution-mode': 'local' }),
      'setting-overwrites',
      /^If agent-pool and execution-mode are both included in setting-overwrites, their values must be the same\.$/,
    ],
    [
      'overwrites that differ the other way',
      () => ({ 'setting-overwrites': { 'execution-mode': false, 'agent-pool': true } }),
      'setting-overwrites',
      /their values must be the same/,
    ],
  ])('%s', async (_, given, pointer, detail) => {
    for (const reply of await bench.bothWays(given(pool))) expectInvalid(reply, pointer, detail);
  });
});

describe('one change after the other', () => {
  const agent = () => bench.make({ 'execution-mode': 'agent', 'agent-pool-id': pool });

  it('keeps the mode and the pool when something else is changed', async () => {
    const reply = await bench.update(await agent(), { description: 'Changed' });
    expectExecution(reply, { mode: 'agent', pool: true, overwrites: [true, true] });
  });

  it('keeps the pool when agent is said again', async () => {
    const reply = await bench.update(await agent(), { 'execution-mode': 'agent' });
    expectExecution(reply, { mode: 'agent', pool: true, overwrites: [true, true] });
  });

  it('changes the pool alone', async () => {
    const reply = await bench.update(await agent(), { 'agent-pool-id': otherPool });
    expectExecution(reply, { mode: 'agent', pool: true, overwrites: [true, true] }, otherPool);
  });

  it('does not let the pool be taken away alone', async () => {
    for (const none of [null, '']) {
      expectInvalid(await bench.update(await agent(), { 'agent-pool-id': none }), 'agent-pool-id', /must be specified/);
    }
  });

  it.each([{ 'execution-mode': 'remote' }, { 'execution-mode': 'local' }, { operations: true }, { operations: false }])(
    'drops the pool with %j, for good',
    async (change) => {
      const workspace = await agent();
      const changed = attributesOf(await bench.update(workspace, change));
      expect(changed['agent-pool-id']).toBeNull();
      expectInvalid(await bench.update(workspace, { 'execution-mode': 'agent' }), 'agent-pool-id', /must be specified/);
    },
  );

  it('drops own values when it inherits again: they do not come back', async () => {
    const workspace = await bench.make({ 'execution-mode': 'local' });
    const overwrites = (executionMode: boolean) => ({ 'setting-overwrites': { 'execution-mode': executionMode } });
    expectExecution(await bench.update(workspace, overwrites(false)), { mode: 'remote', overwrites: [false, false] });
    expectInvalid(await bench.update(workspace, overwrites(true)), 'execution-mode', /must be given/);
  });

  it('lets overwrites be true where the workspace has its own mode already', async () => {
    const workspace = await bench.make({ 'execution-mode': 'local' });
    const reply = await bench.update(workspace, { 'setting-overwrites': { 'execution-mode': true } });
    expectExecution(reply, { mode: 'local', overwrites: [true, false] });
  });

  it('inherits everything again from agent mode', async () => {
    const reply = await bench.update(await agent(), {
      'setting-overwrites': { 'execution-mode': false, 'agent-pool': false },
    });
    expectExecution(reply, { mode: 'remote', overwrites: [false, false] });
  });
});

// Last, because the defaults are the whole organization's.
describe('what is inherited', () => {
  const organizationDefault = (defaultExecutionMode: string, defaultAgentPool = '') =>
    bench.admin('update-organization', { name: ORGANIZATION, defaultExecutionMode, defaultAgentPool });
  const makeProject = async (name: string, defaults: object): Promise<string> =>
    (await bench.admin('create-project', { organization: ORGANIZATION, name, ...defaults })).project.id;
  const inProject = (id: string) => ({ project: { data: { type: 'projects', id } } });
  const modeOf = async (workspace: Workspace): Promise<Attributes> => bench.show(workspace);
  const mode = (name: string, agentPool: string | null = null) => ({
    'execution-mode': name,
    operations: name !== 'local',
    'agent-pool-id': agentPool,
    'setting-overwrites': { 'execution-mode': false, 'agent-pool': false },
  });

  it("is the organization's default, as it is now, and never what the workspace keeps for itself", async () => {
    const inheriting = await bench.make();
    const own = await bench.make({ 'execution-mode': 'remote' });
    expect(await modeOf(inheriting)).toMatchObject(mode('remote'));
    await organizationDefault('local');
    expect(await modeOf(inheriting)).toMatchObject(mode('local'));
    expect(await modeOf(own)).toMatchObject({ 'execution-mode': 'remote' });
    expect(attributesOf(await bench.create())).toMatchObject(mode('local'));
    await organizationDefault('agent', 'pool');
    expect(await modeOf(inheriting)).toMatchObject(mode('agent', pool));
    expect(await modeOf(own)).toMatchObject({ 'execution-mode': 'remote', 'agent-pool-id': null });
    await organizationDefault('agent', 'other');
    expect(await modeOf(inheriting)).toMatchObject(mode('agent', otherPool));
    await organizationDefault('remote');
    expect(await modeOf(inheriting)).toMatchObject(mode('remote'));
  });

  it("is the project's default before the organization's", async () => {
    await organizationDefault('local');
    const [local, agents, none] = [
      await makeProject('Remotes', { defaultExecutionMode: 'remote' }),
      await makeProject('Agents', { defaultExecutionMode: 'agent', defaultAgentPool: 'other' }),
      await makeProject('Nothing said', {}),
    ];
    const workspace = await bench.make({}, inProject(local));
    expect(await modeOf(workspace)).toMatchObject(mode('remote'));
    await bench.update(workspace, undefined, inProject(agents));
    expect(await modeOf(workspace)).toMatchObject(mode('agent', otherPool));
    await bench.update(workspace, undefined, inProject(none));
    expect(await modeOf(workspace)).toMatchObject(mode('local'));
    await bench.admin('update-project', {
      organization: ORGANIZATION,
      name: 'Nothing said',
      defaultExecutionMode: 'agent',
      defaultAgentPool: 'pool',
    });
    expect(await modeOf(workspace)).toMatchObject(mode('agent', pool));
    await bench.admin('update-project', { organization: ORGANIZATION, name: 'Nothing said', defaultExecutionMode: '' });
    expect(await modeOf(workspace)).toMatchObject(mode('local'));
    await organizationDefault('remote');
  });

  it('satisfies agent mode without a pool, where there is a default one', async () => {
    await organizationDefault('agent', 'pool');
    const created = await bench.create({ 'execution-mode': 'agent' });
    expectExecution(created, { mode: 'agent', pool: true, overwrites: [true, false] });
    const workspace = await bench.make({ 'execution-mode': 'local' });
    const updated = await bench.update(workspace, { 'execution-mode': 'agent', 'agent-pool-id': '' });
    expectExecution(updated, { mode: 'agent', pool: true, overwrites: [true, false] });
    await organizationDefault('remote');
  });

  it('lets a workspace choose a pool alone, where agent is inherited', async () => {
    await organizationDefault('agent', 'pool');
    for (const reply of await bench.bothWays({ 'agent-pool-id': otherPool })) {
      expectExecution(reply, { mode: 'agent', pool: true, overwrites: [false, true] }, otherPool);
    }
    await organizationDefault('remote');
  });

  it.each([
    ['remote', [true, false]],
    ['local', [true, false]],
  ] as const)('refuses a pool beside an own %s, where agent is inherited', async (own, overwrites) => {
    await organizationDefault('agent', 'pool');
    for (const reply of await bench.bothWays({ 'execution-mode': own, 'agent-pool-id': otherPool })) {
      expectInvalid(reply, 'agent-pool-id', /must not be specified/);
    }
    for (const reply of await bench.bothWays({ 'execution-mode': own })) {
      expectExecution(reply, { mode: own, overwrites });
    }
    await organizationDefault('remote');
  });

  it('is what the answer of a list says as well', async () => {
    await organizationDefault('local');
    const { id } = await bench.make({ name: '000-first' });
    const { body } = await bench.api.request('GET', `/organizations/${ORGANIZATION}/workspaces?sort=name`, {
      token: bench.owner,
    });
    const row = body.data.find((resource: { id: string }) => resource.id === id);
    expect(row.attributes).toMatchObject(mode('local'));
    await organizationDefault('remote');
  });
});
