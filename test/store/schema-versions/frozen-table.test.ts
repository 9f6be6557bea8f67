import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lock } from '../../../shared/domain/transitions/locks/lock.ts';
import { forceUnlock, unlock } from '../../../shared/domain/transitions/locks/unlock.ts';
import type { RequestContext } from '../../../shared/domain/transitions/transition.ts';
import { forceDelete } from '../../../shared/domain/transitions/workspaces/delete-workspace.ts';
import { update } from '../../../shared/domain/transitions/workspaces/update-workspace.ts';
import { isAlive, type Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { checkTable } from '../../../shared/store/consistency-check/check-table.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import {
  type ItemSchemas,
  type ItemType,
  itemSchemas,
  type Migration,
  toCurrentVersion,
} from '../../../shared/store/dynamodb/item-schemas.ts';
import { type Item, keys } from '../../../shared/store/dynamodb/keys.ts';
import { openRunReports } from '../../../shared/store/runs/run-reports.ts';
import { openStateVersionChanges } from '../../../shared/store/state-versions/state-version-changes.ts';
import { openStore, withListIndexes } from '../../../shared/store/store.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { configurationContext } from '../../support/api/new-workspace.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { storedIn } from '../../support/engine/stored-in.ts';
import { runId, runReport } from '../../support/models/run-model.ts';
import { PREVIOUS, readFrozenTable, readPreviousSchemas } from '../../support/upgrade/frozen-table.ts';
import { proveUpgrade } from '../../support/upgrade/upgrade-proof.ts';

/**
 * The upgrade promise: a release reads and changes a table that an earlier release wrote. The file holds a table with
 * items of every type, as `npm run freeze:table` wrote it with that release. It is never changed; where
 * the form of items changes, the table of the new version is stored next to it.
 */
const frozen = readFrozenTable();

/** Keeps the attribute `was` of a later version, so that a converted item differs from a stored one. */
const marking: Migration = {
  up: (item) => ({ ...item, was: 1 }),
  down: ({ was: _, ...item }) => item,
};
/** The types whose items are updated in place. */
const updated: readonly ItemType[] = [
  ...(['workspace', 'organization', 'project', 'team', 'user', 'state-version'] as const),
  ...(['token', 'variable-id', 'consumers', 'run'] as const),
];
const withMigration = (version: number): ItemSchemas => ({
  ...itemSchemas,
  ...Object.fromEntries(updated.map((type) => [type, { version, migrations: [marking] }])),
});
const nextRelease = withMigration(2);
const releaseBefore = withMigration(1);

let engine: TestEngine;
let database: Database;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

const openFrozen = async (schemas: ItemSchemas, items = frozen): Promise<void> => {
  const tableName = await engine.createTable();
  const plain = engine.open({ tableName });
  for (const item of items) {
    await plain.write({ kind: 'put', key: { pk: String(item['pk']), sk: String(item['sk']) }, item });
  }
  database = engine.open({ tableName, schemas });
};

const organization = 'acme';
const idOf = (type: string, name: string): string =>
  String(frozen.find((item) => item['ty'] === type && item['name'] === name)?.['id']);
const network = idOf('workspace', 'network-1');
const platform = idOf('project', 'Platform');
const ann = String(frozen.find(({ ty }) => ty === 'user')?.['id']);

/** Checks the table as the release before the next one reads it, which is what it reads after a rollback. */
const check = async () => {
  const stored = new Map<string, Item>();
  for await (const item of scanItems(database))
    stored.set(`${item['pk']} ${item['sk']}`, toCurrentVersion(item, releaseBefore));
  const { items, findings } = await checkTable(database, { stored: storedIn(stored), restart: true });
  return { items, findings };
};

/** Sorts attributes, shows binary values in hexadecimal, and leaves out the mark of the next release. */
const readable = (_: string, value: unknown): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { was, ...attributes } = value as Item;
  return Object.fromEntries(Object.entries(attributes).sort(([one], [other]) => (one < other ? -1 : 1)));
};

/** All that the store's readers return of the table. */
const readAll = async () => {
  const store = withListIndexes(openStore(database), database);
  const found = await store.organizations.find(organization, true);
  const workspaces = await store.workspaces.findAll(
    ['network-1', 'reader'].map((name) => ({ id: idOf('workspace', name), hasLongText: name === 'reader' })),
    true,
  );
  const workspace = workspaces.find(({ id }) => id === network) as Workspace;
  const versions = await store.stateVersions.list(network, { from: 0, to: 9 });
  const listIndex = await store.listIndexes.open(found as NonNullable<typeof found>);
  return {
    organization: found,
    project: await store.projects.find(platform, true),
    team: await store.teams.find(idOf('team', 'devs'), true),
    user: await store.users.find(ann, true),
    memberships: [...(await store.identities.findMemberships(ann, true))].map(([name, { teams }]) => [name, teams]),
    tokens: await store.tokens.listOf({ kind: 'team', id: idOf('team', 'devs') }),
    releases: (await store.releases.find()).includes('99.0.0'),
    workspaces: workspaces.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    claim: await store.workspaces.findClaim(organization, 'network-1'),
    variables: await store.variables.list(network),
    consumers: await store.consumers.find(workspace),
    runs: (await store.runs.list(workspace, { from: 0, to: 9 })).runs,
    configurationVersion: await store.configurationVersions.find(network, String(workspace.configurationVersion?.id)),
    stateVersions: versions,
    outputs: (await Promise.all(versions.map(store.stateVersions.readOutputs))).map((outputs) => outputs.length),
    rows: listIndex.byName().map(({ id, name, project, runStatus }) => ({ id, name, project, runStatus })),
  };
};

describe.each([
  ['this release', itemSchemas],
  ['a release in which many items have a newer version', nextRelease],
] as const)('%s over the table of the previous release', (_, schemas) => {
  beforeEach(() => openFrozen(schemas));

  it('finds every item valid', async () => {
    expect(await check()).toEqual({ items: frozen.length, findings: [] });
  });

  it('reads every item', async () => {
    const text = JSON.stringify(await readAll(), readable, 2);
    await expect(`${text}\n`).toMatchFileSnapshot(`../../fixtures/tables/${PREVIOUS}.read.json`);
  });

  it('changes every kind of item and leaves the table valid', async () => {
    const { admin, workspaces } = openAdmin(database);
    const store = openStore(database);
    let requests = 0;
    const request = (): RequestContext => ({
      id: `upgrade-${++requests}`,
      principal: { kind: 'user', id: ann, name: 'ann' },
    });
    const find = async () => (await workspaces.find(network)) as Workspace;
    const hold = { id: 'lock-2', reason: '', at: 2 };

    const locked = await workspaces.apply(await find(), lock(request(), hold), request());
    expect(locked.lock?.id).toBe('lock-2');
    const released = await workspaces.apply(locked, unlock(request(), 3), request());
    expect(released.lock).toBeUndefined();
    const { project } = released;
    const rename = update(
      request(),
      { configuration: { name: 'network-2', description: 'short' }, from: project, to: project },
      configurationContext,
    );
    expect((await workspaces.apply(released, rename, request())).name).toBe('network-2');

    const [variable] = await store.variables.list(network);
    if (variable === undefined) throw new Error('There is no variable in the frozen table');
    await store.variables.update(await find(), variable, { ...variable, key: 'renamed', version: 'v2' }, request());
    await store.consumers.add(await find(), ['ws-1111111111111111'], request());
    await openRunReports(database, workspaces, Date.now).reportRun(
      organization,
      runReport(runId(1), 'applied', 20, { workspace: network, createdAt: 2 }),
      request(),
    );
    const newRun = runReport(runId(3), 'pending', 20, { workspace: network, createdAt: 3 });
    await openRunReports(database, workspaces, Date.now).reportRun(organization, newRun, request());
    const { runs, total } = await store.runs.list(await find(), { from: 0, to: 2 });
    expect([runs.map(({ id }) => id), total]).toEqual([[runId(3), runId(1)], 3]);
    const changes = openStateVersionChanges(database, workspaces, store.stateVersions, Date.now);
    await workspaces.apply(await find(), lock(request(), { ...hold, id: 'lock-3' }), request());
    const version = await changes.createStateVersion(
      await find(),
      {
        ...{ workspace: network, createdAt: Date.now(), serial: 9, lineage: null, md5: '0'.repeat(32) },
        ...{ status: 'pending', intermediate: false, until: Date.now() + 60_000, run: null },
        createdBy: { kind: 'user', id: ann },
      },
      request(),
      { force: false },
    );
    const content = { size: 1, object: '1', resources: 0, format: 4, terraformVersion: null, outputs: [] };
    expect(await changes.finalizeStateVersion(await find(), version, content, request())).toMatchObject({
      status: 'finalized',
    });
    await workspaces.apply(await find(), forceUnlock(request()), request());

    await admin('update-project', { organization, name: 'Platform', newName: 'Base' });
    await admin('update-team', { organization, name: 'devs', newName: 'developers' });
    await admin('update-user', { username: 'ann', email: 'ann.b@example.com' });
    await admin('revoke-token', {
      id: String((await store.tokens.listOf({ kind: 'team', id: idOf('team', 'devs') }))[0]?.id),
    });
    await admin('create-project', { organization, name: 'New' });
    expect(await check()).toMatchObject({ findings: [] });
    expect((await database.get(keys.workspace(network), true))?.['was']).toBe(schemas === nextRelease ? 1 : undefined);

    const deleted = await workspaces.apply(await find(), forceDelete(request(), Date.now()), request());
    expect(isAlive(deleted)).toBe(false);
    expect(await check()).toMatchObject({ findings: [] });
  });
});

it('proves an upgrade and the way back with items of every type', async () => {
  const { findings, added } = await proveUpgrade();
  expect(findings).toEqual([]);
  expect(added).toContain('session');
});

it('finds every item of an older release valid', async () => {
  const older = readFrozenTable('version-1');
  await openFrozen(itemSchemas, older);
  expect(await check()).toEqual({ items: older.length, findings: [] });
});

it('writes only schema versions that the previous release reads', () => {
  const reads = readPreviousSchemas();
  const known = Object.entries<{ version: number }>(itemSchemas).filter(([type]) => type in reads);
  expect(known.length).toBe(Object.keys(reads).length);
  for (const [type, { version }] of known) expect(version, type).toBeLessThanOrEqual(reads[type] ?? 0);
});
