import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createOrganizationFixture,
  expectInvalid,
  ORGANIZATION,
  type OrganizationFixture,
  readAttributes,
} from '../../support/api/organization-fixture.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';

/** Versions of the infrastructure tool, and attributes that depend on the deployed edition. */
let engine: TestEngine;
let selfHosted: OrganizationFixture;
let administered: OrganizationFixture;
let hosted: OrganizationFixture;

beforeAll(async () => {
  engine = await startEngine();
  // One engine for all APIs, because the SDK reads its endpoint from the environment only once.
  const table = async () => ({ engine: { ...engine, tableName: await engine.createTable() } });
  selfHosted = await createOrganizationFixture({ engine });
  administered = await createOrganizationFixture({ ...(await table()), globalRemoteState: true });
  hosted = await createOrganizationFixture(
    { ...(await table()), edition: 'hosted', globalRemoteState: true },
    { plan: 'plus' },
  );
});
afterAll(async () => {
  await Promise.all([selfHosted, administered, hosted].map(({ api }) => api.stop()));
  await engine.stop();
});

/** The newest release of a new installation. */
const NEWEST = '1.16.5';

describe('infra-version', () => {
  it.each([
    ['1.5.7', '1.5.7'],
    ['0.15.4', '0.15.4'],
    ['latest', NEWEST],
    ['~> 1.5.0', '1.5.7'],
    ['~> 1.5', NEWEST],
    ['~>0.12.0', '0.12.31'],
    ['>= 1.3.0, < 1.4.0', '1.3.10'],
    ['> 1.0, != 1.16.5, < 1.17', '1.16.4'],
    ['= 1.1.1', '1.1.1'],
    ['99.0.0', '99.0.0'],
    ['1.10.7', '1.10.7'],
    ['1.12.0-alpha1', '1.12.0-alpha1'],
    ['<= 0.11', '0.11.0'],
  ])('stores %s unchanged and resolves it to %s', async (version, resolved) => {
    for (const attribute of ['infra-version', 'terraform-version']) {
      for (const reply of await selfHosted.createAndUpdate({ [attribute]: version })) {
        expect(readAttributes(reply)).toMatchObject({
          'infra-version': version,
          'terraform-version': version,
          'infra-version-resolved': resolved,
        });
      }
    }
  });

  it.each([
    'nonsense',
    'v1.5.7',
    '1.5.x',
    '^1.5.0',
    '1.5.7 || 1.6.0',
    '1.5.7.1',
    '= 99.0.0',
    '~> 99.0',
    '> 1.5, < 1.5',
    '>= 1.5 <',
    ',',
    'LATEST',
    '1.5.7+build',
    `${'1'.repeat(200)}.0.0`,
  ])('rejects %s with 422', async (version) => {
    for (const attribute of ['infra-version', 'terraform-version']) {
      for (const reply of await selfHosted.createAndUpdate({ [attribute]: version })) {
        expectInvalid(reply, attribute, /is not a valid version/);
        const [tool] = attribute.split('-');
        expect(reply.body.errors[0].detail).toMatch(new RegExp(`^${tool} version `, 'i'));
      }
    }
  });

  it('is limited to 255 characters', async () => {
    for (const reply of await selfHosted.createAndUpdate({ 'infra-version': `>= 1.0,${' '.repeat(240)}<= 1.1.1` })) {
      expect(readAttributes(reply)['infra-version-resolved']).toBe('1.1.1');
    }
    for (const reply of await selfHosted.createAndUpdate({ 'infra-version': '1'.repeat(256) })) {
      expectInvalid(reply, 'infra-version', /too long/);
    }
  });

  it('may be given with its deprecated name when both values agree', async () => {
    const agreeing = { 'infra-version': '1.5.7', 'terraform-version': '1.5.7' };
    for (const reply of await selfHosted.createAndUpdate(agreeing))
      expect(readAttributes(reply)).toMatchObject(agreeing);
    for (const reply of await selfHosted.createAndUpdate({ ...agreeing, 'terraform-version': '1.5.6' })) {
      expectInvalid(reply, 'infra-version');
    }
  });

  it('is fixed to the newest release when omitted on creation, while constraints follow new releases', async () => {
    const fixed = await selfHosted.createWorkspace();
    const latest = await selfHosted.createWorkspace({ 'infra-version': 'latest' });
    const constrained = await selfHosted.createWorkspace({ 'infra-version': '~> 1.16.0' });
    const open = await selfHosted.createWorkspace({ 'infra-version': '>= 1.5' });
    const exact = await selfHosted.createWorkspace({ 'infra-version': '1.5.7' });
    await selfHosted.admin('create-release', { version: '1.16.9' });
    await selfHosted.admin('create-release', { version: '1.17.0-rc1' });
    // Running functions cache releases for up to a minute. A new API reads them at once.
    const later = await createOrganizationFixture({ engine });
    expect(await later.show(fixed)).toMatchObject({ 'infra-version': NEWEST, 'infra-version-resolved': NEWEST });
    expect(await later.show(latest)).toMatchObject({ 'infra-version': 'latest', 'infra-version-resolved': '1.16.9' });
    expect((await later.show(constrained))['infra-version-resolved']).toBe('1.16.9');
    expect((await later.show(open))['infra-version-resolved']).toBe('1.16.9');
    expect((await later.show(exact))['infra-version-resolved']).toBe('1.5.7');
    expect(readAttributes(await later.create())['infra-version']).toBe('1.16.9');
    // A removed release is chosen for no constraint. Workspaces that name it keep it.
    await later.admin('delete-release', { version: '1.5.7' });
    const afterwards = await createOrganizationFixture({ engine });
    expect((await afterwards.show(exact))['infra-version-resolved']).toBe('1.5.7');
    expectInvalid(await afterwards.create({ 'infra-version': '= 1.5.7' }), 'infra-version');
  });
});

describe('global-remote-state', () => {
  it.each<[name: string, fixture: () => OrganizationFixture, byDefault: boolean]>([
    ['false by default', () => selfHosted, false],
    ['true by default when self-hosted administrators have configured it', () => administered, true],
    ['false by default on the hosted edition, even if configured otherwise', () => hosted, false],
  ])('is %s, and an explicit value is kept', async (_, fixture, byDefault) => {
    expect(readAttributes(await fixture().create())['global-remote-state']).toBe(byDefault);
    const inProject = readAttributes(await fixture().create({ 'project-remote-state': true }));
    expect(inProject).toMatchObject({ 'global-remote-state': false, 'project-remote-state': true });
    for (const chosen of [true, false]) {
      const workspace = await fixture().createWorkspace({ 'global-remote-state': chosen });
      expect(await fixture().show(workspace)).toMatchObject({ 'global-remote-state': chosen });
      // The default applies to new workspaces only.
      const updated = readAttributes(await fixture().update(workspace, { description: 'x' }));
      expect(updated['global-remote-state']).toBe(chosen);
    }
  });
});

describe('assessments-enabled on the self-hosted edition', () => {
  it('is not part of responses', async () => {
    expect(readAttributes(await selfHosted.create())).not.toHaveProperty('assessments-enabled');
  });

  it('rejects true with 422', async () => {
    for (const reply of await selfHosted.createAndUpdate({ 'assessments-enabled': true })) {
      expectInvalid(reply, 'assessments-enabled', /^Assessments enabled /);
    }
  });

  it.each([false, null])('accepts %s, which changes nothing', async (enabled) => {
    for (const reply of await selfHosted.createAndUpdate({ 'assessments-enabled': enabled })) {
      expect(readAttributes(reply)).not.toHaveProperty('assessments-enabled');
    }
  });
});

describe('assessments-enabled on the hosted edition', () => {
  it('is false by default', async () => {
    expect(readAttributes(await hosted.create())['assessments-enabled']).toBe(false);
  });

  it.each([
    {},
    { 'execution-mode': 'remote' },
    { 'infra-version': '0.15.4' },
    { 'infra-version': '~> 1.0' },
    { operations: true },
  ])('can be true together with %j', async (attributes) => {
    for (const reply of await hosted.createAndUpdate({ ...attributes, 'assessments-enabled': true })) {
      expect(readAttributes(reply)['assessments-enabled']).toBe(true);
    }
  });

  it.each([
    ['an older version', { 'infra-version': '0.15.3' }],
    ['a constraint that resolves to an older version', { 'infra-version': '< 0.15.4' }],
    ['local execution', { 'execution-mode': 'local' }],
    ['operations disabled', { operations: false }],
  ])('cannot be true together with %s', async (_, attributes) => {
    for (const reply of await hosted.createAndUpdate({ ...attributes, 'assessments-enabled': true })) {
      expectInvalid(reply, 'assessments-enabled');
    }
    for (const reply of await hosted.createAndUpdate({ ...attributes, 'assessments-enabled': false })) {
      expect(readAttributes(reply)['assessments-enabled']).toBe(false);
    }
  });

  it('cannot be true in agent execution mode', async () => {
    const { agentPool } = await hosted.admin('create-agent-pool', { organization: ORGANIZATION, name: 'pool' });
    const attributes = { 'execution-mode': 'agent', 'agent-pool-id': agentPool.id, 'assessments-enabled': true };
    for (const reply of await hosted.createAndUpdate(attributes)) expectInvalid(reply, 'assessments-enabled');
  });

  it.each(['yes', 1])('rejects %j with 422', async (value) => {
    for (const reply of await hosted.createAndUpdate({ 'assessments-enabled': value })) {
      expectInvalid(reply, 'assessments-enabled');
    }
  });

  it('requires the Plus tier', async () => {
    for (const plan of ['free', 'standard']) {
      await hosted.admin('update-organization', { name: ORGANIZATION, plan });
      for (const reply of await hosted.createAndUpdate({ 'assessments-enabled': true })) {
        expectInvalid(reply, 'assessments-enabled', /Plus/);
      }
    }
    await hosted.admin('update-organization', { name: ORGANIZATION, plan: 'plus' });
  });

  it('is true in every response when the organization enforces assessments', async () => {
    const workspace = await hosted.createWorkspace({ 'assessments-enabled': false });
    await hosted.admin('update-organization', { name: ORGANIZATION, assessmentsEnforced: true });
    expect((await hosted.show(workspace))['assessments-enabled']).toBe(true);
    expect(readAttributes(await hosted.create())['assessments-enabled']).toBe(true);
    await hosted.admin('update-organization', { name: ORGANIZATION, assessmentsEnforced: false });
    expect((await hosted.show(workspace))['assessments-enabled']).toBe(false);
  });

  it('is kept by an update of other attributes', async () => {
    const workspace = await hosted.createWorkspace({ 'assessments-enabled': true });
    expect(readAttributes(await hosted.update(workspace, { description: 'x' }))['assessments-enabled']).toBe(true);
  });
});

describe('workspace attributes of both editions', () => {
  it('differ only in those that one edition has', async () => {
    const keys = async (fixture: OrganizationFixture) => new Set(Object.keys(readAttributes(await fixture.create())));
    const [selfHostedKeys, hostedKeys] = [await keys(selfHosted), await keys(hosted)];
    expect([...hostedKeys].filter((key) => !selfHostedKeys.has(key))).toEqual(['assessments-enabled', 'hyok-enabled']);
    expect([...selfHostedKeys].filter((key) => !hostedKeys.has(key)).sort()).toEqual([
      'effective-run-data-retention-desc',
      'effective-state-version-retention-desc',
    ]);
  });
});
