import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiResponse } from '../../support/api/api.ts';
import {
  type Attributes,
  createOrganizationFixture,
  expectInvalid,
  ORGANIZATION,
  type OrganizationFixture,
  readAttributes,
  type Workspace,
} from '../../support/api/organization-fixture.ts';

/**
 * Execution mode, its deprecated form, agent pool and setting overwrites. When an overwrite is true, the workspace has
 * its
 * own value. When it is false, the workspace inherits the value.
 */
let fixture: OrganizationFixture;
let pool: string;
let otherPool: string;

beforeAll(async () => {
  fixture = await createOrganizationFixture();
  ({ id: pool } = (await fixture.admin('create-agent-pool', { organization: ORGANIZATION, name: 'pool' })).agentPool);
  ({ id: otherPool } = (
    await fixture.admin('create-agent-pool', { organization: ORGANIZATION, name: 'other' })
  ).agentPool);
});
afterAll(() => fixture.api.stop());

/** Builds attributes that need the id of the pool. */
type Given = (pool: string) => object;

interface Expected {
  readonly mode: 'remote' | 'local' | 'agent';
  readonly pool?: boolean;
  readonly overwrites: readonly [executionMode: boolean, agentPool: boolean];
}

const expectExecution = (
  reply: ApiResponse,
  { mode, pool: hasPool = false, overwrites }: Expected,
  id = pool,
): void => {
  expect(readAttributes(reply)).toMatchObject({
    'execution-mode': mode,
    operations: mode !== 'local',
    'agent-pool-id': hasPool ? id : null,
    'setting-overwrites': { 'execution-mode': overwrites[0], 'agent-pool': overwrites[1] },
  });
  expect(reply.body.data.relationships['agent-pool']).toEqual({ data: hasPool ? { type: 'agent-pools', id } : null });
};

describe('valid execution settings of a create or update request', () => {
  it.each<[name: string, Given, Expected]>([
    ['no attributes, so that it inherits everything', () => ({}), { mode: 'remote', overwrites: [false, false] }],
    ['remote', () => ({ 'execution-mode': 'remote' }), { mode: 'remote', overwrites: [true, false] }],
    ['local', () => ({ 'execution-mode': 'local' }), { mode: 'local', overwrites: [true, false] }],
    ['operations enabled', () => ({ operations: true }), { mode: 'remote', overwrites: [true, false] }],
    ['operations disabled', () => ({ operations: false }), { mode: 'local', overwrites: [true, false] }],
    [
      'agent with a pool',
      (id) => ({ 'execution-mode': 'agent', 'agent-pool-id': id }),
      { mode: 'agent', pool: true, overwrites: [true, true] },
    ],
    [
      'local mode and a null pool',
      () => ({ 'execution-mode': 'local', 'agent-pool-id': null }),
      { mode: 'local', overwrites: [true, false] },
    ],
    [
      'local mode and an empty pool id',
      () => ({ 'execution-mode': 'local', 'agent-pool-id': '' }),
      { mode: 'local', overwrites: [true, false] },
    ],
    ['only an empty pool id', () => ({ 'agent-pool-id': '' }), { mode: 'remote', overwrites: [false, false] }],
    [
      'overwrites that inherit everything',
      () => ({ 'setting-overwrites': { 'execution-mode': false, 'agent-pool': false } }),
      { mode: 'remote', overwrites: [false, false] },
    ],
    ['empty overwrites', () => ({ 'setting-overwrites': {} }), { mode: 'remote', overwrites: [false, false] }],
    ['null overwrites', () => ({ 'setting-overwrites': null }), { mode: 'remote', overwrites: [false, false] }],
    [
      'unknown overwrites',
      () => ({ 'setting-overwrites': { 'auto-apply': true } }),
      { mode: 'remote', overwrites: [false, false] },
    ],
    [
      'an overwrite together with a mode',
      () => ({ 'setting-overwrites': { 'execution-mode': true }, 'execution-mode': 'local' }),
      { mode: 'local', overwrites: [true, false] },
    ],
    [
      'an overwrite together with the deprecated form of the mode',
      () => ({ 'setting-overwrites': { 'execution-mode': true }, operations: false }),
      { mode: 'local', overwrites: [true, false] },
    ],
    [
      'an overwrite that ignores the mode of the same request',
      () => ({ 'setting-overwrites': { 'execution-mode': false }, 'execution-mode': 'local' }),
      { mode: 'remote', overwrites: [false, false] },
    ],
    [
      'overwrites that ignore the operations of the same request',
      () => ({ 'setting-overwrites': { 'execution-mode': false, 'agent-pool': false }, operations: false }),
      { mode: 'remote', overwrites: [false, false] },
    ],
    [
      'overwrites that ignore the mode and the pool of the same request',
      (id) => ({
        'setting-overwrites': { 'execution-mode': false, 'agent-pool': false },
        'execution-mode': 'agent',
        'agent-pool-id': id,
      }),
      { mode: 'remote', overwrites: [false, false] },
    ],
    [
      'overwrites that ignore an unknown pool of the same request',
      () => ({
        'setting-overwrites': { 'execution-mode': false, 'agent-pool': false },
        'agent-pool-id': 'apool-1111111111111111',
      }),
      { mode: 'remote', overwrites: [false, false] },
    ],
    [
      'overwrites of both with a mode that has no pool',
      () => ({
        'setting-overwrites': { 'execution-mode': true, 'agent-pool': true },
        'execution-mode': 'local',
        'agent-pool-id': '',
      }),
      { mode: 'local', overwrites: [true, true] },
    ],
  ])('are accepted with %s', async (_, given, expected) => {
    for (const reply of await fixture.createAndUpdate(given(pool))) expectExecution(reply, expected);
  });
});

describe('invalid execution settings of a create or update request', () => {
  const notAllowed = /Agent pool must not be specified unless using 'agent' execution mode/;
  const required = /Agent pool must be specified when using 'agent' execution mode/;
  it.each<[name: string, Given, pointer: string, detail: RegExp]>([
    [
      'the mode and its deprecated form',
      () => ({ operations: true, 'execution-mode': 'remote' }),
      'operations',
      /^Operations is deprecated and cannot be specified when execution mode is used/,
    ],
    [
      'the mode and its deprecated form with different values',
      () => ({ operations: false, 'execution-mode': 'remote' }),
      'operations',
      /deprecated/,
    ],
    [
      'a pool in remote mode',
      (id) => ({ 'execution-mode': 'remote', 'agent-pool-id': id }),
      'agent-pool-id',
      notAllowed,
    ],
    ['a pool in local mode', (id) => ({ 'execution-mode': 'local', 'agent-pool-id': id }), 'agent-pool-id', notAllowed],
    ['a pool and operations enabled', (id) => ({ operations: true, 'agent-pool-id': id }), 'agent-pool-id', notAllowed],
    [
      'a pool and operations disabled',
      (id) => ({ operations: false, 'agent-pool-id': id }),
      'agent-pool-id',
      notAllowed,
    ],
    ['a pool while remote mode is inherited', (id) => ({ 'agent-pool-id': id }), 'agent-pool-id', notAllowed],
    ['agent mode without a pool', () => ({ 'execution-mode': 'agent' }), 'agent-pool-id', required],
    [
      'agent mode and a null pool',
      () => ({ 'execution-mode': 'agent', 'agent-pool-id': null }),
      'agent-pool-id',
      required,
    ],
    [
      'agent mode and an empty pool id',
      () => ({ 'execution-mode': 'agent', 'agent-pool-id': '' }),
      'agent-pool-id',
      required,
    ],
    [
      'an unknown pool',
      () => ({ 'execution-mode': 'agent', 'agent-pool-id': 'apool-1111111111111111' }),
      'agent-pool-id',
      /^Agent pool /,
    ],
    [
      'the id of another kind of resource',
      () => ({ 'execution-mode': 'agent', 'agent-pool-id': 'prj-1111111111111111' }),
      'agent-pool-id',
      /^Agent pool /,
    ],
    [
      'an overwrite without a mode',
      () => ({ 'setting-overwrites': { 'execution-mode': true } }),
      'execution-mode',
      /must be given/,
    ],
    [
      'an overwrite of the mode only',
      () => ({ 'setting-overwrites': { 'execution-mode': true, 'agent-pool': false }, 'execution-mode': 'local' }),
      'setting-overwrites',
      /^If agent-pool and execution-mode are both included in setting-overwrites, their values must be the same\.$/,
    ],
    [
      'an overwrite of the pool only',
      () => ({ 'setting-overwrites': { 'execution-mode': false, 'agent-pool': true } }),
      'setting-overwrites',
      /their values must be the same/,
    ],
  ])('are rejected with %s', async (_, given, pointer, detail) => {
    for (const reply of await fixture.createAndUpdate(given(pool))) expectInvalid(reply, pointer, detail);
  });
});

describe('execution settings of an existing workspace', () => {
  const agent = () => fixture.createWorkspace({ 'execution-mode': 'agent', 'agent-pool-id': pool });

  it('are kept by an unrelated update', async () => {
    const reply = await fixture.update(await agent(), { description: 'Changed' });
    expectExecution(reply, { mode: 'agent', pool: true, overwrites: [true, true] });
  });

  it('keep the pool when agent mode is set again', async () => {
    const reply = await fixture.update(await agent(), { 'execution-mode': 'agent' });
    expectExecution(reply, { mode: 'agent', pool: true, overwrites: [true, true] });
  });

  it('accept another pool', async () => {
    const reply = await fixture.update(await agent(), { 'agent-pool-id': otherPool });
    expectExecution(reply, { mode: 'agent', pool: true, overwrites: [true, true] }, otherPool);
  });

  it('reject clearing the pool in agent mode', async () => {
    for (const none of [null, '']) {
      expectInvalid(
        await fixture.update(await agent(), { 'agent-pool-id': none }),
        'agent-pool-id',
        /must be specified/,
      );
    }
  });

  it.each([{ 'execution-mode': 'remote' }, { 'execution-mode': 'local' }, { operations: true }, { operations: false }])(
    'lose the pool permanently when updated with %j',
    async (change) => {
      const workspace = await agent();
      const changed = readAttributes(await fixture.update(workspace, change));
      expect(changed['agent-pool-id']).toBeNull();
      expectInvalid(
        await fixture.update(workspace, { 'execution-mode': 'agent' }),
        'agent-pool-id',
        /must be specified/,
      );
    },
  );

  it('lose their own value permanently when they inherit again', async () => {
    const workspace = await fixture.createWorkspace({ 'execution-mode': 'local' });
    const overwrites = (executionMode: boolean) => ({ 'setting-overwrites': { 'execution-mode': executionMode } });
    expectExecution(await fixture.update(workspace, overwrites(false)), { mode: 'remote', overwrites: [false, false] });
    expectInvalid(await fixture.update(workspace, overwrites(true)), 'execution-mode', /must be given/);
  });

  it('accept a true overwrite when the workspace has its own mode', async () => {
    const workspace = await fixture.createWorkspace({ 'execution-mode': 'local' });
    const reply = await fixture.update(workspace, { 'setting-overwrites': { 'execution-mode': true } });
    expectExecution(reply, { mode: 'local', overwrites: [true, false] });
  });

  it('inherit everything again after agent mode', async () => {
    const reply = await fixture.update(await agent(), {
      'setting-overwrites': { 'execution-mode': false, 'agent-pool': false },
    });
    expectExecution(reply, { mode: 'remote', overwrites: [false, false] });
  });
});

// These tests run last, because they change the defaults of the organization.
describe('inherited execution settings', () => {
  const organizationDefault = (defaultExecutionMode: string, defaultAgentPool = '') =>
    fixture.admin('update-organization', { name: ORGANIZATION, defaultExecutionMode, defaultAgentPool });
  const createProject = async (name: string, defaults: object): Promise<string> =>
    (await fixture.admin('create-project', { organization: ORGANIZATION, name, ...defaults })).project.id;
  const inProject = (id: string) => ({ project: { data: { type: 'projects', id } } });
  const show = async (workspace: Workspace): Promise<Attributes> => fixture.show(workspace);
  const mode = (name: string, agentPool: string | null = null) => ({
    'execution-mode': name,
    operations: name !== 'local',
    'agent-pool-id': agentPool,
    'setting-overwrites': { 'execution-mode': false, 'agent-pool': false },
  });

  it('follow the current default of the organization, unless the workspace has its own', async () => {
    const inheriting = await fixture.createWorkspace();
    const own = await fixture.createWorkspace({ 'execution-mode': 'remote' });
    expect(await show(inheriting)).toMatchObject(mode('remote'));
    await organizationDefault('local');
    expect(await show(inheriting)).toMatchObject(mode('local'));
    expect(await show(own)).toMatchObject({ 'execution-mode': 'remote' });
    expect(readAttributes(await fixture.create())).toMatchObject(mode('local'));
    await organizationDefault('agent', 'pool');
    expect(await show(inheriting)).toMatchObject(mode('agent', pool));
    expect(await show(own)).toMatchObject({ 'execution-mode': 'remote', 'agent-pool-id': null });
    await organizationDefault('agent', 'other');
    expect(await show(inheriting)).toMatchObject(mode('agent', otherPool));
    await organizationDefault('remote');
    expect(await show(inheriting)).toMatchObject(mode('remote'));
  });

  it('come from the project first, then from the organization', async () => {
    await organizationDefault('local');
    const [local, agents, none] = [
      await createProject('Remotes', { defaultExecutionMode: 'remote' }),
      await createProject('Agents', { defaultExecutionMode: 'agent', defaultAgentPool: 'other' }),
      await createProject('Nothing said', {}),
    ];
    const workspace = await fixture.createWorkspace({}, inProject(local));
    expect(await show(workspace)).toMatchObject(mode('remote'));
    await fixture.update(workspace, undefined, inProject(agents));
    expect(await show(workspace)).toMatchObject(mode('agent', otherPool));
    await fixture.update(workspace, undefined, inProject(none));
    expect(await show(workspace)).toMatchObject(mode('local'));
    await fixture.admin('update-project', {
      organization: ORGANIZATION,
      name: 'Nothing said',
      defaultExecutionMode: 'agent',
      defaultAgentPool: 'pool',
    });
    expect(await show(workspace)).toMatchObject(mode('agent', pool));
    await fixture.admin('update-project', {
      organization: ORGANIZATION,
      name: 'Nothing said',
      defaultExecutionMode: '',
    });
    expect(await show(workspace)).toMatchObject(mode('local'));
    await organizationDefault('remote');
  });

  it('allow agent mode without a pool when there is a default pool', async () => {
    await organizationDefault('agent', 'pool');
    const created = await fixture.create({ 'execution-mode': 'agent' });
    expectExecution(created, { mode: 'agent', pool: true, overwrites: [true, true] });
    const workspace = await fixture.createWorkspace({ 'execution-mode': 'local' });
    const updated = await fixture.update(workspace, { 'execution-mode': 'agent', 'agent-pool-id': '' });
    expectExecution(updated, { mode: 'agent', pool: true, overwrites: [true, true] });
    // The pool was copied, so the workspace keeps it when the default changes.
    await organizationDefault('agent', 'other');
    expect(await show(workspace)).toMatchObject({ 'execution-mode': 'agent', 'agent-pool-id': pool });
    await organizationDefault('remote');
    expect(await show(workspace)).toMatchObject({ 'execution-mode': 'agent', 'agent-pool-id': pool });
  });

  it('follow the default pool in the own agent mode when only the pool is inherited', async () => {
    await organizationDefault('agent', 'other');
    const workspace = await fixture.createWorkspace({ 'execution-mode': 'agent', 'agent-pool-id': pool });
    const inherits = { 'setting-overwrites': { 'agent-pool': false } };
    const expected = { mode: 'agent', pool: true, overwrites: [true, false] } as const;
    expectExecution(await fixture.update(workspace, inherits), expected, otherPool);
    await organizationDefault('agent', 'pool');
    expectExecution(await fixture.update(workspace, { 'execution-mode': 'agent' }), expected, pool);
    await organizationDefault('remote');
    expect(await show(workspace)).toMatchObject({ 'execution-mode': 'agent', 'agent-pool-id': otherPool });
    expectInvalid(await fixture.update(workspace, inherits), 'agent-pool-id', /must be specified/);
  });

  it('replace the own pool when the workspace inherits its mode again', async () => {
    const workspace = await fixture.createWorkspace({ 'execution-mode': 'agent', 'agent-pool-id': otherPool });
    await organizationDefault('agent', 'pool');
    expectExecution(await fixture.update(workspace, { 'setting-overwrites': { 'execution-mode': false } }), {
      mode: 'agent',
      pool: true,
      overwrites: [false, false],
    });
    await organizationDefault('remote');
  });

  it('allow choosing only a pool when agent mode is inherited', async () => {
    await organizationDefault('agent', 'pool');
    for (const reply of await fixture.createAndUpdate({ 'agent-pool-id': otherPool })) {
      expectExecution(reply, { mode: 'agent', pool: true, overwrites: [false, true] }, otherPool);
    }
    const workspace = await fixture.createWorkspace({ 'agent-pool-id': otherPool });
    const cleared = await fixture.update(workspace, { 'agent-pool-id': null });
    expectExecution(cleared, { mode: 'agent', pool: true, overwrites: [false, false] });
    const copied = await fixture.update(workspace, { 'setting-overwrites': { 'agent-pool': true } });
    expectExecution(copied, { mode: 'agent', pool: true, overwrites: [false, true] });
    await organizationDefault('remote');
  });

  it.each([
    ['remote', [true, false]],
    ['local', [true, false]],
  ] as const)('reject a pool together with the own mode %s when agent mode is inherited', async (own, overwrites) => {
    await organizationDefault('agent', 'pool');
    for (const reply of await fixture.createAndUpdate({ 'execution-mode': own, 'agent-pool-id': otherPool })) {
      expectInvalid(reply, 'agent-pool-id', /must not be specified/);
    }
    for (const reply of await fixture.createAndUpdate({ 'execution-mode': own })) {
      expectExecution(reply, { mode: own, overwrites });
    }
    await organizationDefault('remote');
  });

  it('are shown in lists as well', async () => {
    await organizationDefault('local');
    const { id } = await fixture.createWorkspace({ name: '000-first' });
    const { body } = await fixture.api.request('GET', `/organizations/${ORGANIZATION}/workspaces?sort=name`, {
      token: fixture.owner,
    });
    const row = body.data.find((resource: { id: string }) => resource.id === id);
    expect(row.attributes).toMatchObject(mode('local'));
    await organizationDefault('remote');
  });
});
