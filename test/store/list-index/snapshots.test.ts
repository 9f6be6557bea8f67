import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import type { ListIndex } from '../../../shared/list-index/list-index.ts';
import { decodeSnapshot, encodeSnapshot, type Snapshot } from '../../../shared/list-index/snapshot.ts';
import { pack, unpack } from '../../../shared/list-index-snapshots/packing.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { keys, listPartition, sortableTime } from '../../../shared/store/dynamodb/keys.ts';
import { openListIndexes } from '../../../shared/store/list-index/list-index-store.ts';
import { type Listed, readListIndex } from '../../../shared/store/list-index/read-list-index.ts';
import { seedWorkspaces } from '../../support/api/seed-workspaces.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type IndexProxy, startIndexProxy } from '../../support/faults/index-proxy.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Rows of an instance that starts from a snapshot, with changes during and after the snapshot. */
const SHARDS = 2;
const NOW = 1_750_000_000_000;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const PROJECTS = ['prj-1111111111111111', 'prj-2222222222222222'] as const;

let engine: TestEngine;
let proxy: IndexProxy;
let database: Database;
beforeAll(async () => {
  engine = await startEngine();
  proxy = await startIndexProxy(engine);
  database = engine.open({ client: { ...engine.client, endpoint: proxy.endpoint } });
});
afterAll(async () => {
  await proxy.stop();
  await engine.stop();
});

/** One change of a workspace or a project, chosen by `which`. */
const change = fc.record({
  which: fc.nat({ max: 5 }),
  what: fc.constantFrom('rename', 'tag', 'run', 'grant', 'move', 'delete', 'project') as fc.Arbitrary<
    'rename' | 'tag' | 'run' | 'grant' | 'move' | 'delete' | 'project'
  >,
});
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

let organizations = 0;
const createFixture = async () => {
  const name = `organization-${++organizations}`;
  const listed: Listed = { name, externalId: `org-${name}`, shards: SHARDS };
  let now = NOW - DAY;
  const workspaces: Workspace[] = await seedWorkspaces(
    engine,
    Array.from({ length: 6 }, (_, index) => ({
      organization: name,
      project: PROJECTS[0],
      name: `w-${index}`,
      listedAt: now + index,
    })),
    { shards: SHARDS, named: false },
  );
  const put = async (key: { pk: string; sk: string }, id: string, values: Record<string, unknown>): Promise<void> => {
    now += 1;
    const all = { ...values, l: listPartition.workspacesOf(name, id, SHARDS), lk: sortableTime(now) };
    const entries = Object.entries(all);
    await engine.database.write({
      kind: 'update',
      key,
      UpdateExpression: `SET ${entries.map((_, index) => `#${index} = :${index}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(entries.map(([attribute], index) => [`#${index}`, attribute])),
      ExpressionAttributeValues: Object.fromEntries(entries.map(([, value], index) => [`:${index}`, value])),
    });
  };
  const make = async ({ which, what }: Change): Promise<void> => {
    const { id } = workspaces[which] as Workspace;
    if (what === 'project') {
      const project = PROJECTS[which % 2] as string;
      const shown = { ty: 'project', id: project, org: name, name: `Project ${now}`, acc: {}, tags: [] };
      // Each run uses its own keys, because all runs share one table.
      const key = { pk: `${keys.project(project).pk}#${name}`, sk: 'P' };
      return put(key, project, { ...shown, defaults: { mode: null, pool: null }, ...(which > 3 && { gone: now }) });
    }
    const changes = {
      rename: { name: `renamed-${now}` },
      tag: {
        tags: [{ key: `tag-${which}`, at: now }, ...(which > 2 ? [{ key: 'env', value: 'prod', at: now - 1 }] : [])],
      },
      run: { rs: which > 2 ? 'applied' : 'errored', ra: now },
      grant: { acc: { [`team-${which}`]: 'read' } },
      move: { prj: PROJECTS[1] },
      delete: { gone: now },
    };
    return put(keys.workspace(id), id, changes[what]);
  };
  return {
    listed,
    make,
    makeAll: async (changes: readonly Change[]): Promise<void> => {
      for (const one of changes) await make(one);
    },
    at: () => now,
    passTo: (time: number) => {
      now = Math.max(now, time);
    },
  };
};

const reading = { everything: true, project: () => true, grants: () => true };
const contentsOf = (listIndex: ListIndex) => ({
  rows: listIndex.byName(),
  projects: PROJECTS.map((id) => [listIndex.project(id), listIndex.workspacesIn(id)]),
  uses: [...listIndex.tagUses()].sort(),
  times: [...listIndex.tagTimes(['env', ...[0, 1, 2, 3, 4, 5].map((which) => `tag-${which}`)])].sort(),
  lists: (['name', 'runAt', 'latestChangeAt'] as const).map((order) =>
    listIndex.select({ reading, order, direction: 'descending', from: 0, to: 10 }),
  ),
});

/** The snapshot as it is read from the bucket. */
const take = async (listed: Listed, at: number): Promise<Snapshot> => {
  const listIndex = await readListIndex(database, listed, at);
  const whose = { organization: listed.name, externalId: listed.externalId, at };
  const bytes = await unpack(Buffer.from(await pack(encodeSnapshot({ ...whose, contents: listIndex.contents() }))));
  return decodeSnapshot(bytes ?? new Uint8Array()) as Snapshot;
};
const snapshotsOf = (snapshot: Snapshot | undefined) => {
  const requested: string[] = [];
  return { requested, read: async () => snapshot, request: async (name: string) => void requested.push(name) };
};

describe('an instance that starts from a snapshot', () => {
  const changes = fc.array(change, { maxLength: 8 });

  it('returns the same rows as an instance that reads everything, whatever changes before, during and after the snapshot', async () => {
    await fc.assert(
      fc.asyncProperty(changes, changes, changes, fc.integer({ min: 0, max: 5 * DAY }), async (a, b, c, age) => {
        proxy.limit(2);
        const { listed, make, makeAll, at, passTo } = await createFixture();
        await makeAll(a);
        passTo(NOW);
        const left = [...b];
        // One after the other, also before queries that start together: a later write never has an earlier time.
        let made = Promise.resolve();
        proxy.beforeQueries(1, () => {
          const next = left.shift();
          if (next !== undefined) made = made.then(() => make(next));
          return made;
        });
        const snapshot = await take(listed, NOW);
        proxy.beforeQueries(1, undefined);
        await makeAll(left);
        passTo(NOW + age);
        await makeAll(c);
        const now = at() + 1;
        const contents = contentsOf(
          await openListIndexes(database, () => now, { snapshots: snapshotsOf(snapshot) }).open({
            ...listed,
            snapshotAt: NOW,
          }),
        );
        expect(contents).toEqual(contentsOf(await openListIndexes(database, () => now).open(listed)));
      }),
      bounded(12),
    );
  });

  it('reads rows that reached the index only after the snapshot was taken', async () => {
    const { listed, makeAll, at, passTo } = await createFixture();
    passTo(NOW - 10 * MINUTE);
    await proxy.freeze();
    await makeAll([
      { which: 0, what: 'delete' },
      { which: 1, what: 'rename' },
      { which: 2, what: 'project' },
    ]);
    const snapshot = await take(listed, NOW);
    proxy.thaw();
    const listIndexes = openListIndexes(database, () => at() + 2 * DAY, { snapshots: snapshotsOf(snapshot) });
    const listIndex = await listIndexes.open({ ...listed, snapshotAt: NOW });
    expect(contentsOf(listIndex)).toEqual(contentsOf(await readListIndex(database, listed, at() + 2 * DAY)));
    expect(listIndex.size()).toBe(5);
  });
});

describe('reading from the bucket', () => {
  const open = async (listed: Listed, snapshotAt: number | undefined, snapshot: Snapshot | undefined, now: number) => {
    const snapshots = snapshotsOf(snapshot);
    let reads = 0;
    const read = async () => {
      reads++;
      return snapshot;
    };
    const counting = { ...snapshots, read };
    const listIndexes = openListIndexes(database, () => now, { snapshots: counting });
    const listIndex = await listIndexes.open({ ...listed, ...(snapshotAt !== undefined && { snapshotAt }) });
    return { size: listIndex.size(), reads, requested: snapshots.requested };
  };

  it('is skipped for a small organization, and for a snapshot that is too old', async () => {
    const { listed } = await createFixture();
    const snapshot = await take(listed, NOW);
    const { name } = listed;
    expect(await open(listed, undefined, undefined, NOW)).toEqual({ size: 6, reads: 0, requested: [] });
    expect(await open(listed, NOW, snapshot, NOW + MINUTE)).toEqual({ size: 6, reads: 1, requested: [] });
    expect(await open(listed, NOW, snapshot, NOW + 2 * 60 * MINUTE)).toEqual({ size: 6, reads: 1, requested: [name] });
    expect(await open(listed, NOW, snapshot, NOW + 7 * DAY)).toEqual({ size: 6, reads: 0, requested: [name] });
  });

  it('falls back to the index when it fails, and requests a new snapshot', async () => {
    const { listed } = await createFixture();
    expect(await open(listed, NOW, undefined, NOW + MINUTE)).toEqual({ size: 6, reads: 1, requested: [listed.name] });
    // The record may name a newer time. The age is taken from the snapshot itself.
    const old = { ...(await take(listed, NOW)), at: NOW - 8 * DAY };
    expect(await open(listed, NOW, old, NOW + MINUTE)).toEqual({ size: 6, reads: 1, requested: [listed.name] });
  });
});

describe('an object in the bucket', () => {
  it('is rejected as a snapshot when any part of it differs', async () => {
    const bytes = Buffer.from(await pack(new Uint8Array(5_000).map((_, index) => (index * index) % 251)));
    expect(await unpack(bytes)).toHaveLength(5_000);
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 255 }), fc.boolean(), async (at, by, isCut) => {
        const place = at % bytes.length;
        const damaged = Buffer.from(isCut ? bytes.subarray(0, place) : bytes);
        if (!isCut) damaged[place] = (damaged[place] as number) ^ by;
        // Different bytes in the compression header may decode to the same content.
        const unpacked = await unpack(damaged);
        if (unpacked !== undefined) expect(Buffer.compare(unpacked, (await unpack(bytes)) as Uint8Array)).toBe(0);
        if (isCut) expect(unpacked).toBeUndefined();
      }),
      bounded(60),
    );
  });
});
