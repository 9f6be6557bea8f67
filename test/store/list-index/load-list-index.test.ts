import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unavailable } from '../../../shared/domain/errors.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { keys, sortableTime } from '../../../shared/store/dynamodb/keys.ts';
import { openListIndexes } from '../../../shared/store/list-index/list-index-store.ts';
import type { Listed } from '../../../shared/store/list-index/read-list-index.ts';
import { seedWorkspaces } from '../../support/api/seed-workspaces.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { type IndexProxy, startIndexProxy } from '../../support/faults/index-proxy.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Loading a list index completely, then refreshing it with the changes. */
let engine: TestEngine;
let proxy: IndexProxy;
let database: Database;
const project = 'prj-1111111111111111';
const NOW = 1_750_000_000_000;

beforeAll(async () => {
  engine = await startEngine();
  proxy = await startIndexProxy(engine);
  database = engine.open({ client: { ...engine.client, endpoint: proxy.endpoint } });
});
afterAll(async () => {
  await proxy.stop();
  await engine.stop();
});

/** Opens the list index of an organization without snapshots. */
const listed = (name: string, shards: number): Listed => ({ name, shards, externalId: `org-${name}` });
let organizations = 0;
const seed = (times: readonly number[], shards: number): Promise<Workspace[]> => {
  const organization = `organization-${++organizations}`;
  const seeds = times.map((listedAt, index) => ({ organization, project, name: `w-${index}`, listedAt }));
  return seedWorkspaces(engine, seeds, { shards, named: false });
};
/** Renames the workspace, which moves its row in the index. */
const rename = async ({ id }: Workspace, name: string, at: number): Promise<void> => {
  await engine.database.write({
    kind: 'update',
    key: keys.workspace(id),
    UpdateExpression: 'SET #name = :name, #lk = :lk',
    ExpressionAttributeNames: { '#name': 'name', '#lk': 'lk' },
    ExpressionAttributeValues: { ':name': name, ':lk': sortableTime(at) },
  });
};

interface PageRead {
  readonly partition: string;
  readonly rows: number;
  readonly isWhole: boolean;
}
/** Wraps the database, and collects the pages that are read. */
const recordPages = (): { readonly recording: Database; readonly takePages: () => PageRead[] } => {
  const pages: PageRead[] = [];
  const record = (items: readonly unknown[], { partition, only }: Parameters<Database['page']>[0]): void => {
    pages.push({ partition, rows: items.length, isWhole: only === undefined });
  };
  const recording: Database = {
    ...database,
    page: async (options, start) => {
      const page = await database.page(options, start);
      record(page.items, options);
      return page;
    },
    pages: async function* (options) {
      for await (const items of database.pages(options)) {
        record(items, options);
        yield items;
      }
    },
  };
  return { recording, takePages: () => pages.splice(0) };
};
const countRows = (pages: readonly PageRead[]): number => pages.reduce((sum, { rows }) => sum + rows, 0);
const namesOf = (workspaces: readonly { readonly name: string }[]) => workspaces.map(({ name }) => name).sort();

/** Times spread over years, within an hour, at one moment, and from a clock that is ahead. */
const times = fc.oneof(
  fc.array(fc.integer({ min: 0, max: NOW }), { maxLength: 60 }),
  fc.array(fc.integer({ min: NOW - 3_600_000, max: NOW }), { maxLength: 60 }),
  fc.array(fc.constantFrom(NOW - 5, NOW - 4), { maxLength: 60 }),
  fc.array(fc.integer({ min: NOW - 10, max: NOW + 10_000 }), { maxLength: 60 }),
);

describe('loading the list index', () => {
  it('returns every row once, whatever the times of the rows and the page limits', async () => {
    await fc.assert(
      fc.asyncProperty(times, fc.constantFrom(1, 2, 7, 100), fc.constantFrom(1, 3), async (at, limit, shards) => {
        const seeded = await seed(at, shards);
        proxy.limit(limit);
        const listIndex = await openListIndexes(database, () => NOW).open(
          listed(`organization-${organizations}`, shards),
        );
        expect(namesOf(listIndex.byName())).toEqual(namesOf(seeded));
      }),
      bounded(12),
    );
  });

  it('misses no row that changes during the load and moves into a range that was already read', async () => {
    const seeded = await seed(
      Array.from({ length: 300 }, (_, index) => NOW - 1_000_000_000 + 10 * index),
      2,
    );
    const changed = new Map(seeded.map(({ id, name }) => [id, name]));
    let turn = 0;
    proxy.limit(3);
    // All rows are old, so the recent range is read early. A row that was not read yet moves there.
    proxy.beforeQueries(1, async () => {
      const workspace = seeded[149 - turn];
      if (workspace === undefined || turn++ === 100) return proxy.beforeQueries(1, undefined);
      changed.set(workspace.id, `changed-${turn}`);
      await rename(workspace, `changed-${turn}`, NOW - 500 + turn);
    });
    const listIndexes = openListIndexes(database, () => NOW);
    const listIndex = await listIndexes.open(listed(`organization-${organizations}`, 2));
    proxy.beforeQueries(1, undefined);
    expect(turn).toBeGreaterThan(5);
    expect(listIndex.size()).toBe(seeded.length);
    await listIndexes.refresh(`organization-${organizations}`);
    expect(namesOf(listIndex.byName())).toEqual([...changed.values()].sort());
  });
});

describe('a load with a throttled page', () => {
  it('retries the page, and fails only after repeated throttling', async () => {
    const seeded = await seed(
      Array.from({ length: 6 }, () => NOW - 60_000),
      2,
    );
    proxy.limit(undefined);
    const organization = `organization-${organizations}`;
    const openRejected = (times: number) => {
      let left = times;
      const rejecting: Database = {
        ...database,
        page: async (options, start) => {
          if (left-- > 0) throw unavailable('throttled');
          return database.page(options, start);
        },
      };
      return openListIndexes(rejecting, () => NOW).open(listed(organization, 2));
    };
    expect((await openRejected(3)).size()).toBe(seeded.length);
    await expect(openRejected(10)).rejects.toThrow('throttled');
  });
});

describe('refreshing the list index', () => {
  it('reads only the rows that changed since the last refresh, even after many changes at once', async () => {
    const seeded = await seed(
      Array.from({ length: 500 }, () => NOW - 60_000),
      1,
    );
    const organization = `organization-${organizations}`;
    proxy.limit(undefined);
    let now = NOW;
    const { recording, takePages } = recordPages();
    const listIndexes = openListIndexes(recording, () => now);
    await listIndexes.open(listed(organization, 1));
    takePages();
    const rowsRead = async (at: number): Promise<number> => {
      now = at;
      await listIndexes.refresh(organization);
      return countRows(takePages());
    };
    expect(await rowsRead(NOW)).toBe(0);
    // The widest window covers the last quarter of an hour and is read once a minute.
    expect(await rowsRead(NOW + 60_000)).toBe(500);
    await rename(seeded[0] as Workspace, 'changed', NOW + 61_000);
    expect(await rowsRead(NOW + 61_000)).toBe(1);
    expect(await rowsRead(NOW + 20 * 60_000)).toBe(500);
    expect(await rowsRead(NOW + 40 * 60_000)).toBe(0);
    expect((await listIndexes.open(listed(organization, 1))).row(seeded[0]?.id ?? '')?.name).toBe('changed');
  });

  it('reads only the keys of many known rows, and loads those that are new, including late ones', async () => {
    const organization = `organization-${organizations + 1}`;
    await seed(
      Array.from({ length: 500 }, () => NOW - 60 * 60_000),
      1,
    );
    let now = NOW;
    const { recording, takePages } = recordPages();
    const listIndexes = openListIndexes(recording, () => now);
    const listIndex = await listIndexes.open(listed(organization, 1));
    const refreshed = async () => {
      takePages();
      await listIndexes.refresh(organization);
      return countRows(takePages().filter(({ isWhole }) => isWhole));
    };
    const [first, second, ...others] = listIndex.byName();
    expect(await refreshed()).toBe(0);

    now += 1_000;
    for (const { id } of others.slice(0, 300)) await rename({ id } as Workspace, `changed-${id}`, now);
    expect(await refreshed()).toBe(300);
    // The rows are known and lie within every window, so none of them is read in full again.
    for (const later of [10, 500, 5_000, 20_000, 60_000]) {
      now += later;
      expect(await refreshed(), `${later} later`).toBe(0);
    }
    // One row between them in time, which is read with the rows after it, and one row after them.
    await rename(first as unknown as Workspace, 'late', NOW + 1_000);
    await rename(second as unknown as Workspace, 'new', now);
    now += 60_000;
    expect(await refreshed()).toBeGreaterThanOrEqual(2);
    expect(listIndex.row(first?.id ?? '')?.name).toBe('late');
    expect(listIndex.row(second?.id ?? '')?.name).toBe('new');
  });

  it('reads one recent page and one slice of each partition while many workspaces change', async () => {
    const shards = 2;
    const step = 500;
    const quarter = 15 * 60_000;
    const seeded = await seed(
      Array.from({ length: 4_000 }, (_, index) => NOW - Math.floor((index / 4_000) * quarter)),
      shards,
    );
    const organization = `organization-${organizations}`;
    let now = NOW;
    const { recording, takePages } = recordPages();
    const listIndexes = openListIndexes(recording, () => now);
    const listIndex = await listIndexes.open(listed(organization, shards));
    await listIndexes.refresh(organization);
    takePages();
    const others = [...seeded];
    const late = others.pop() as Workspace;
    others.reverse();
    const found: number[] = [];
    const sliced = new Set<number>();
    for (let update = 1; update <= 66_000 / step; update++) {
      now = NOW + update * step;
      for (let changes = 0; changes < 5; changes++) {
        const workspace = others.pop() as Workspace;
        await rename(workspace, `changed-${update}`, now);
      }
      // A clock that is ten minutes behind.
      if (update === 100) await rename(late, 'late', now - 600_000);
      await listIndexes.refresh(organization);
      const isFound = listIndex.row(late.id)?.name === 'late' && found.length === 0;
      if (isFound) found.push(now - NOW);
      const pages = takePages();
      for (const own of Map.groupBy(pages, ({ partition }) => partition).values()) {
        expect(own.length).toBeLessThanOrEqual(isFound ? 3 : 2);
        for (const { rows } of own) {
          expect(rows).toBeLessThanOrEqual(2 * step);
          if (own.length > 1) sliced.add(update);
        }
      }
    }
    // The widest window is due after a minute, and takes three slices next to those of the narrower ones.
    expect(found).toHaveLength(1);
    expect(found[0]).toBeGreaterThanOrEqual(60_000);
    expect(found[0]).toBeLessThan(66_000);
    expect(sliced.size).toBeGreaterThan(10);
  });

  it('reads more than a slice in fewer than 1 of 100 lists after 1,000 changes within a second', async () => {
    const seeded = await seed(
      Array.from({ length: 1_000 }, () => NOW - 60 * 60_000),
      1,
    );
    const organization = `organization-${organizations}`;
    let now = NOW;
    const { recording, takePages } = recordPages();
    const listIndexes = openListIndexes(recording, () => now);
    const listIndex = await listIndexes.open(listed(organization, 1));
    await listIndexes.refresh(organization);
    for (const [index, workspace] of seeded.entries()) await rename(workspace, `changed-${index}`, NOW + index);
    now += 1_000;
    takePages();
    const rowsOfLists: number[] = [];
    for (let list = 0; list < 1_000; list++) {
      await listIndexes.refresh(organization);
      rowsOfLists.push(countRows(takePages()));
      now += 10;
    }
    expect(rowsOfLists[0]).toBe(1_000);
    expect(namesOf(listIndex.byName()).every((name) => name.startsWith('changed'))).toBe(true);
    expect(rowsOfLists.filter((rows) => rows > 250).length).toBeLessThan(10);
  });

  it('finds rows that the index delivers late, or that a slow clock stamped, in the wider windows', async () => {
    const [workspace] = await seed([NOW - 60 * 60_000], 1);
    const organization = `organization-${organizations}`;
    let now = NOW;
    const listIndexes = openListIndexes(database, () => now);
    const nameNow = async () => (await listIndexes.open(listed(organization, 1))).byName()[0]?.name;
    await listIndexes.open(listed(organization, 1));
    for (const [late, found] of [
      [2_900, 0],
      [20_000, 5_000],
      [600_000, 60_000],
    ] as const) {
      await rename(workspace as Workspace, `late-by-${late}`, now - late);
      now += found;
      expect(await nameNow()).toBe(`late-by-${late}`);
      now += 20 * 60_000;
      await nameNow();
    }
  });

  it('finds new and late rows when the clock of the instance is set back', async () => {
    const [workspace] = await seed([NOW - 60 * 60_000], 1);
    const organization = listed(`organization-${organizations}`, 1);
    let now = NOW;
    const listIndexes = openListIndexes(database, () => now);
    const nameNow = async () => (await listIndexes.open(organization)).byName()[0]?.name;
    await listIndexes.open(organization);
    now += 3_000;
    await nameNow();
    now -= 30 * 60_000;
    await rename(workspace as Workspace, 'new', now);
    expect(await nameNow()).toBe('new');
    now += 6_000;
    await rename(workspace as Workspace, 'late', now - 4_000);
    expect(await nameNow()).toBe('late');
  });

  it('pauses for a second after a large refresh, and not after a smaller one', async () => {
    const moment = NOW - 3_600_000;
    const seeded = await seed(
      Array.from({ length: 2_100 }, () => moment),
      2,
    );
    const name = `organization-${organizations}`;
    const [first, second] = seeded as [Workspace, Workspace];
    let now = moment + 1_000;
    proxy.limit(undefined);
    const listIndexes = openListIndexes(database, () => now);
    const names = async () => namesOf((await listIndexes.open(listed(name, 2))).byName());
    await names();
    const look = async () => {
      await listIndexes.refresh(name);
      return names();
    };
    // All rows changed at that time.
    await look();
    await rename(first, 'late', now);
    now += 999;
    expect(await look()).not.toContain('late');
    now += 1;
    expect(await look()).toContain('late');
    // By then the rows are old, and few newer ones exist.
    for (let looks = 0; looks < 3; looks++) {
      now += 3_000;
      await look();
    }
    await rename(second, 'later', now);
    expect(await look()).toContain('later');
  });

  it('loses no rows when a refresh fails halfway', async () => {
    const [workspace] = await seed([NOW - 60 * 60_000], 2);
    const organization = `organization-${organizations}`;
    let now = NOW;
    let fails = false;
    const failing: Database = {
      ...database,
      pages: (options) => {
        if (fails) throw new Error('throttled');
        return database.pages(options);
      },
    };
    const listIndexes = openListIndexes(failing, () => now);
    await listIndexes.open(listed(organization, 2));
    await rename(workspace as Workspace, 'changed', now);
    fails = true;
    now += 60_000;
    await expect(listIndexes.refresh(organization)).rejects.toThrow('throttled');
    fails = false;
    expect((await listIndexes.open(listed(organization, 2))).byName()[0]?.name).toBe('changed');
  });

  it('evicts the least recently used index, and loads it again on its next use', async () => {
    const names: string[] = [];
    for (const size of [20, 20, 45]) {
      await seed(
        Array.from({ length: size }, () => NOW - 60 * 60_000),
        1,
      );
      names.push(`organization-${organizations}`);
    }
    const [first = '', second = '', large = ''] = names;
    let loads = 0;
    const counting: Database = {
      ...database,
      page: (options, start) => {
        loads++;
        return database.page(options, start);
      },
    };
    const listIndexes = openListIndexes(counting, () => NOW, { capacity: 40 });
    const loadsFor = async (organization: string): Promise<number> => {
      const before = loads;
      await listIndexes.refresh(organization);
      await listIndexes.open(listed(organization, 1));
      return loads - before;
    };
    const used = [first, second, first, second, large, large, first, large];
    const counts: number[] = [];
    for (const organization of used) counts.push(await loadsFor(organization));
    // The large index is kept alone, even above the limit.
    expect(counts).toEqual([1, 1, 0, 0, 1, 0, 1, 1]);
  });

  it('refreshes once per request, also after a request that ended early', async () => {
    const [workspace] = await seed([NOW - 60 * 60_000], 1);
    const organization = `organization-${organizations}`;
    let now = NOW;
    let updates = 0;
    const counting: Database = {
      ...database,
      pages: (options) => {
        updates++;
        return database.pages(options);
      },
    };
    const listIndexes = openListIndexes(counting, () => now);
    await listIndexes.open(listed(organization, 1));
    await listIndexes.refresh(organization);
    await listIndexes.open(listed(organization, 1));
    expect(updates).toBe(1);
    // As after a rejected request: the index was requested but not opened.
    await listIndexes.refresh(organization);
    now += 10_000;
    await rename(workspace as Workspace, 'changed', now - 1);
    expect((await listIndexes.open(listed(organization, 1))).byName()[0]?.name).toBe('changed');
    expect(updates).toBe(3);
  });
});
