import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDirectory } from '../../../shared/store/directory/directory-reader.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import type { Item } from '../../../shared/store/dynamodb/item.ts';
import { keys, listPartition } from '../../../shared/store/dynamodb/keys.ts';
import { listRows } from '../../../shared/store/items/index-partitions.ts';
import { openListIndexes } from '../../../shared/store/list-index/list-index-store.ts';
import { openReshard } from '../../../shared/store/list-index/reshard.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { type Seed, seedWorkspaces } from '../../support/api/seed-workspaces.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type IndexProxy, startIndexProxy } from '../../support/faults/index-proxy.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Resharding the list index of an organization under concurrent reads and writes. */
let engine: TestEngine;
let proxy: IndexProxy;
let behind: Database;
beforeAll(async () => {
  engine = await startEngine();
  proxy = await startIndexProxy(engine);
  behind = engine.open({ client: { ...engine.client, endpoint: proxy.endpoint } });
});
afterAll(async () => {
  await proxy.stop();
  await engine.stop();
});
afterEach(() => {
  proxy.thaw();
  proxy.beforeQueries(1, undefined);
});

let organizations = 0;
const HOUR = 3_600_000;
const createFixture = async (count: number) => {
  const { admin, check, directory } = openAdmin(engine.database);
  const name = `spread-${++organizations}`;
  await admin('create-organization', { name, email: 'ada@example.com' });
  const { project } = await admin('create-project', { organization: name, name: 'platform' });
  const seeds = Array.from(
    { length: count },
    (_, index): Seed => ({
      organization: name,
      project: project.id,
      name: `w-${index}`,
      listedAt: Date.now() - HOUR + index,
    }),
  );
  const workspaces = await seedWorkspaces(engine, seeds);
  const organization = async () =>
    (await openDirectory(engine.database, Date.now).organizations.find(name, true)) as never as {
      readonly name: string;
      readonly externalId: string;
      readonly shards: number;
      readonly spreadAt?: number;
    };
  return { name, admin, check, table: directory.table, workspaces, organization, project: project.id as string };
};
const partitionsIn = (rows: readonly Item[]) => new Map(rows.map(({ id, l }) => [String(id), String(l)]));
const plenty = () => Number.POSITIVE_INFINITY;

describe('resharding an organization', () => {
  it('moves every row to its partition without a change record', async () => {
    const { name, admin, workspaces, organization, check } = await createFixture(60);
    const before = await engine.database.getAll(workspaces.map(({ id }) => keys.workspace(id)));
    expect(await admin('reshard-organization', { organization: name, shards: '16' })).toMatchObject({
      shards: 16,
      left: 0,
    });
    expect(await organization()).toMatchObject({ shards: 16 });
    expect((await organization()).spreadAt).toBeUndefined();
    const lying = partitionsIn(await listRows(engine.database, name));
    for (const { id } of workspaces) expect(lying.get(id)).toBe(listPartition.workspacesOf(name, id, 16));
    expect(lying.size).toBe(60 + 2);
    const after = await engine.database.getAll(workspaces.map(({ id }) => keys.workspace(id)));
    const rest = (items: readonly Item[]) =>
      items.map(({ l, lk, ...others }) => others).sort((a, b) => (String(a['pk']) < String(b['pk']) ? -1 : 1));
    expect(rest(after)).toEqual(rest(before));
    expect(await admin('reshard-organization', { organization: name, shards: '16' })).toEqual({
      shards: 16,
      moved: 0,
      left: 0,
    });
    expect((await check()).findings).toEqual([]);
  });

  it('rejects fewer shards, and shard counts that are not powers of two', async () => {
    const { name, admin } = await createFixture(1);
    await admin('reshard-organization', { organization: name, shards: '8' });
    expect((await admin('reshard-organization', { organization: name, shards: '16' }))['shards']).toBe(16);
    expect((await admin('reshard-organization', { organization: name, shards: '8' }))['errors'][0]).toMatchObject({
      status: '422',
    });
    expect((await admin('reshard-organization', { organization: name, shards: '12' }))['errors'][0]).toMatchObject({
      status: '422',
    });
    expect((await admin('reshard-organization', { organization: 'nowhere', shards: '8' }))['errors'][0]).toMatchObject({
      status: '404',
    });
  });

  it('stops at the time limit, reports what is left, and continues from there', async () => {
    const { name, table, workspaces, check } = await createFixture(60);
    const spread = openReshard(table, 0);
    let calls = 0;
    const counted: Database['write'] = (...given) => {
      calls++;
      return engine.database.write(...given);
    };
    const writing: Database = { ...engine.database, write: (...given) => counted(...given) };
    const cut = openReshard({ ...table, database: writing }, 0);
    // How many rows have another partition is random, as their ids are.
    const misplaced = (await listRows(engine.database, name)).filter(
      ({ id, l }) => listPartition.workspacesOf(name, String(id), 16) !== l,
    );
    const first = await cut(name, 16, () => (calls > 8 ? 0 : 60_000));
    expect(first.left).toBe(misplaced.length - first.moved);
    expect(first.moved).toBeGreaterThan(0);
    // A row that is still to be moved is no finding. After the end of the reshard it is one.
    expect((await check()).findings.filter(({ key }) => workspaces.some(({ id }) => key.includes(id)))).toEqual([]);
    const second = await spread(name, 16, plenty);
    expect(second).toMatchObject({ moved: first.left, left: 0 });
  });

  it('waits until no request can still use the previous shard count', async () => {
    const { name, table, organization } = await createFixture(20);
    const early = await openReshard(table, 60_000)(name, 8, () => 10_050);
    expect(early).toMatchObject({ moved: 0 });
    expect(early.left).toBeGreaterThan(0);
    expect((await organization()).shards).toBe(8);
  });

  it('is checked by check-table, which reports a row in a wrong partition', async () => {
    const { name, admin, workspaces, check } = await createFixture(20);
    await admin('reshard-organization', { organization: name, shards: '8' });
    const { id } = workspaces.find(
      (one) => listPartition.workspacesOf(name, one.id, 8) !== listPartition.workspacesOf(name, one.id, 4),
    ) as never as { id: string };
    const lay = (of: number) =>
      engine.database.write({
        kind: 'update',
        key: keys.workspace(id),
        UpdateExpression: 'SET l = :l',
        ExpressionAttributeValues: { ':l': listPartition.workspacesOf(name, id, of) },
      });
    await lay(4);
    const problem = 'it is in the wrong partition of the list index';
    const found = async () => (await check()).findings.filter(({ key }) => key.includes(id)).map((one) => one.problem);
    expect(await found()).toEqual([problem]);
    expect(await admin('reshard-organization', { organization: name, shards: '8' })).toEqual({
      shards: 8,
      moved: 1,
      left: 0,
    });
    expect(await found()).toEqual([]);
  });
});

describe('listing an organization during a reshard', () => {
  const step = fc.constantFrom('create', 'create-late', 'rename', 'delete', 'list', 'load');

  it('misses no workspace and lists no deleted one, in any interleaving', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 14 }),
        fc.constantFrom(8, 16),
        fc.nat({ max: 12 }),
        async (steps, shards, crashAfter) => {
          const { name, table, workspaces, organization, project, check } = await createFixture(12);
          const now = Date.now;
          const listIndexes = openListIndexes(behind, now);
          const alive = new Map(workspaces.map(({ id, name: of }) => [id, of]));
          const list = async (by = listIndexes): Promise<void> => {
            // Started writes take some time to finish.
            const listIndex = await by.open(await organization());
            expect(
              listIndex
                .byName()
                .map((row) => [row.id, row.name])
                .sort(),
            ).toEqual([...alive].sort());
          };
          await list();
          const old = (await organization()).shards;
          const left = [...steps];
          let made = 0;
          const change = async (id: string, values: Item): Promise<void> => {
            const { lk } = (await engine.database.get(keys.workspace(id), true)) as Item;
            const entries = Object.entries({ ...values, lk: String(Math.max(Date.now(), Number(lk) + 1)) });
            await engine.database.write({
              kind: 'update',
              key: keys.workspace(id),
              UpdateExpression: `SET ${entries.map((_, at) => `#${at} = :${at}`).join(', ')}`,
              ConditionExpression: 'lk = :known',
              ExpressionAttributeNames: Object.fromEntries(entries.map(([attribute], at) => [`#${at}`, attribute])),
              ExpressionAttributeValues: {
                ...Object.fromEntries(entries.map(([, value], at) => [`:${at}`, value])),
                ':known': lk,
              },
            });
          };
          const actNow = async (what: (typeof steps)[number], isSettled: boolean): Promise<void> => {
            const [id = ''] = [...alive.keys()].slice(made % Math.max(1, alive.size));
            if (what === 'list') return list();
            if (what === 'load') return list(openListIndexes(behind, now));
            made++;
            if (what === 'create' || what === 'create-late') {
              // A writer that read the previous shard count uses it until the settling time has passed.
              const lay = what === 'create-late' && !isSettled ? old : (await organization()).shards;
              const seed = { organization: name, project, name: `made-${made}`, listedAt: Date.now() };
              const [workspace] = await seedWorkspaces(engine, [seed], { shards: lay });
              if (workspace !== undefined) alive.set(workspace.id, workspace.name);
            } else if (id !== '') {
              const values = what === 'rename' ? { name: `renamed-${made}` } : { gone: Date.now(), ttl: 9_999_999_999 };
              await change(id, values).catch((error: Error) => {
                if (error.name !== 'ConditionFailed') throw error;
              });
              const image = (await engine.database.get(keys.workspace(id), true)) as Item;
              if (image['gone'] !== undefined) alive.delete(id);
              else alive.set(id, String(image['name']));
            }
          };

          // Steps run one after the other, because the test tracks the expected rows. The moves run concurrently.
          let last: Promise<void> = Promise.resolve();
          const act = (...given: Parameters<typeof actNow>): Promise<void> => {
            last = last.then(() => actNow(...given));
            return last;
          };

          // Changes after the shard count was raised and before any row was moved.
          let writes = 0;
          const racingDatabase: Database = {
            ...engine.database,
            write: async (...given) => {
              const written = await engine.database.write(...given);
              if (++writes === crashAfter) throw new Error('crash');
              const next = left.shift();
              if (next !== undefined) await act(next, true);
              return written;
            },
            transact: async (...given) => {
              await engine.database.transact(...given);
              await act(left.shift() ?? 'list', false);
            },
          };
          await openReshard({ ...table, database: racingDatabase }, 0)(name, shards, plenty).catch((error: Error) => {
            expect(error.message).toBe('crash');
          });
          await list();
          for (const what of left) await act(what, true);
          expect((await openReshard(table, 0)(name, shards, plenty)).left).toBe(0);
          await list();
          await list(openListIndexes(behind, now));
          const lying = partitionsIn(await listRows(engine.database, name));
          for (const [id, l] of lying) expect(l).toBe(listPartition.workspacesOf(name, id, shards));
          expect((await check()).findings.filter(({ problem }) => problem.includes('partition'))).toEqual([]);
        },
      ),
      bounded(3),
    );
  });

  it('finds rows that move during the read into a partition that was already read', async () => {
    const { name, workspaces, organization, table } = await createFixture(40);
    await openReshard(table, 60_000)(name, 16, () => 10_050);
    const listed = await organization();
    expect(listed.spreadAt).toBeDefined();
    let moved = 0;
    proxy.beforeQueries(1, async () => {
      proxy.beforeQueries(1, undefined);
      await new Promise((resolve) => setTimeout(resolve, 30));
      moved = (await openReshard(table, 0)(name, 16, plenty)).moved;
    });
    // All rows move while one query is in flight and the others have returned.
    const listIndex = await openListIndexes(behind, Date.now).open(listed);
    expect(moved).toBeGreaterThan(0);
    expect(listIndex.size()).toBe(workspaces.length);
    for (const { id } of workspaces) expect(listIndex.row(id)).toBeDefined();
  });
});
