import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { sourceKey } from '../../../shared/domain/imported-from.ts';
import { flagColumns } from '../../../shared/list-index/columns.ts';
import { filters, readFilter } from '../../../shared/list-index/filters.ts';
import type { InternPool } from '../../../shared/list-index/intern-pool.ts';
import { createListIndex } from '../../../shared/list-index/list-index.ts';
import { readOrder } from '../../../shared/list-index/query-values.ts';
import type { DeletedRow, ProjectRow, Row } from '../../../shared/list-index/row.ts';
import { flagTest } from '../../../shared/list-index/row-tests.ts';
import { createRows } from '../../../shared/list-index/rows.ts';
import type { Reading } from '../../../shared/list-index/selection.ts';
import {
  expectedRows,
  MODEL_CONTEXT,
  type ModelProject,
  type ModelRow,
  modelProject,
  modelQuery,
  modelRow,
  ROW_TEAMS,
  spell,
} from '../../support/models/lists/list-model.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Changes that a query of the index may return: rows in any order, old rows, tombstones. */
const change = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  name: fc.constantFrom('alpha', 'bravo', 'charlie', 'delta'),
  listedAt: fc.nat({ max: 50 }),
  isDeleted: fc.boolean(),
});
const rowOf = ({ id, name, listedAt, isDeleted }: Pick<Row, 'id' | 'name' | 'listedAt' | 'isDeleted'>): Row => ({
  id,
  name,
  listedAt,
  isDeleted,
  project: 'prj',
  access: {},
  tags: [],
  runStatus: null,
  runAt: null,
  createdAt: 0,
  latestChangeAt: 0,
  lockedAt: null,
  lockExpiresAt: null,
  lockedBy: null,
  executionMode: null,
  infraVersion: '1.9.8',
  deletionProtection: null,
  importedFrom: null,
  hasVariables: false,
  hasLongText: false,
});

const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

/** The plain meaning: the newest row of each id, unless it is a deletion. Of a row and a deletion at one time, the deletion counts. */
const model = (rows: readonly Row[]): Row[] => {
  const newest = new Map<string, Row>();
  for (const row of rows) {
    const known = newest.get(row.id);
    const isNewer = known === undefined || row.listedAt > known.listedAt;
    if (isNewer || (row.listedAt === known.listedAt && row.isDeleted)) newest.set(row.id, row);
  }
  return [...newest.values()]
    .filter(({ isDeleted }) => !isDeleted)
    .sort((a, b) => (`${a.name} ${a.id}` < `${b.name} ${b.id}` ? -1 : 1));
};

describe('a list index', () => {
  test.prop([fc.array(change, { maxLength: 200 }), fc.nat({ max: 100 })])(
    'contains the newest row of each workspace, sorted by name, for every batching of changes',
    (changes, batch) => {
      const listIndex = createListIndex();
      const rows = changes.map(rowOf);
      for (const [index, row] of rows.entries()) {
        listIndex.apply(row);
        if (index % (batch + 1) === 0) listIndex.byName();
      }
      expect(listIndex.byName()).toEqual(model(rows));
      expect(listIndex.size()).toBe(model(rows).length);
    },
  );

  test.prop([fc.array(change, { maxLength: 30 })])('does not change when it reads rows again', (changes) => {
    const rows = changes.map((row) => rowOf({ ...row, isDeleted: false }));
    const listIndex = createListIndex();
    for (const row of [...rows, ...rows.toReversed()]) listIndex.apply(row);
    expect(listIndex.byName()).toEqual(model(rows));
  });
});

const tag = fc.record({
  key: fc.constantFrom('a', 'b', 'c', 'a=b', 'constructor', '__proto__'),
  value: fc.option(fc.constantFrom('', 'b', '=b', 'x'), { nil: undefined }),
  at: fc.nat({ max: 3 }),
});
const fullRow = fc
  .record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
    name: fc.constantFrom('alpha', 'Alpha', 'bravo'),
    project: fc.constantFrom('prj-1', 'prj-2'),
    access: fc.dictionary(fc.constantFrom('team-a', 'team-b'), fc.constantFrom('read', 'admin')),
    tags: fc.uniqueArray(tag, { selector: ({ key }) => key, maxLength: 4 }),
    runStatus: fc.option(fc.constantFrom('applied', 'errored')),
    runAt: fc.option(fc.nat()),
    createdAt: fc.nat(),
    latestChangeAt: fc.nat(),
    lockedAt: fc.option(fc.nat()),
    lockExpiresAt: fc.option(fc.nat()),
    lockedBy: fc.option(fc.constantFrom('user-a', 'run-b')),
    executionMode: fc.option(fc.constantFrom('remote', 'agent')),
    infraVersion: fc.option(fc.constantFrom('latest', '1.9.8')),
    deletionProtection: fc.option(fc.boolean()),
    importedFrom: fc.option(fc.constantFrom('key-1', 'key-2')),
    hasVariables: fc.boolean(),
    hasLongText: fc.boolean(),
    isDeleted: fc.boolean(),
  })
  .map(
    ({ tags, ...row }): Omit<Row, 'listedAt'> => ({
      ...row,
      access: { ...row.access } as Row['access'],
      tags: tags.map(({ key, value, at }) => ({ key, ...(value !== undefined && { value }), at })),
    }),
  );

describe('the rows of a list index', () => {
  test.prop([fc.array(fullRow, { minLength: 400, maxLength: 500 })], bounded(10))(
    'need no more memory after many changes: unused values are removed',
    (changes) => {
      const rows = createRows();
      for (const [index, change] of changes.entries()) {
        const tags = [...(index % 2 ? change.tags : []), { key: `unique-${index >> 2}`, at: index }];
        const slot = rows.put({ ...change, project: `prj-${index}`, tags, listedAt: index });
        if (change.isDeleted) rows.remove(slot);
      }
      const { project, labels, labelSets, access } = rows.pools;
      expect(rows.end()).toBeLessThanOrEqual(8);
      for (const pool of [project, labelSets, access]) expect(pool.end()).toBeLessThanOrEqual(8);
      expect(labels.end()).toBeLessThanOrEqual(9 * 5);
    },
  );
});

describe('a removed row of a list index', () => {
  test.prop([fullRow], bounded(50))('leaves no value in any pool', (row) => {
    const rows = createRows();
    rows.remove(rows.put({ ...row, listedAt: 0 }));
    for (const [name, pool] of Object.entries(rows.pools) as [string, InternPool<unknown>][]) {
      for (let number = 0; number < pool.end(); number++) expect(pool.holders(pool.value(number)), name).toBe(0);
    }
  });
});

describe('the test of a flag in a list index', () => {
  test.prop([fullRow], bounded(50))('accepts a row exactly if the flag of the row has the value', (row) => {
    const rows = createRows();
    const slot = rows.put({ ...row, listedAt: 0 });
    for (const flag of flagColumns) {
      expect(flagTest(rows, flag, true)(slot), flag).toBe(row[flag]);
      expect(flagTest(rows, flag, false)(slot), flag).toBe(!row[flag]);
    }
  });
});

describe('the row of a workspace in a list index', () => {
  test.prop([fc.array(fullRow, { maxLength: 60 })], bounded(400))(
    'equals the last change, and tags are counted correctly when slots and words are reused',
    (changes) => {
      const listIndex = createListIndex();
      const alive = new Map<string, Row>();
      for (const [index, change] of changes.entries()) {
        const row = { ...change, listedAt: index };
        listIndex.apply(row);
        if (row.isDeleted) alive.delete(row.id);
        else alive.set(row.id, row);
      }
      for (const { id } of changes) expect(listIndex.row(id)).toEqual(alive.get(id));

      const uses = new Map<string, number[]>();
      for (const { tags } of alive.values()) {
        for (const { key, value, at } of tags) {
          if (value === undefined) uses.set(key, [...(uses.get(key) ?? []), at]);
        }
      }
      expect(listIndex.tagUses()).toEqual(new Map([...uses].map(([key, times]) => [key, times.length])));
      expect(listIndex.tagTimes([...uses.keys(), 'nowhere'])).toEqual(
        new Map([...uses].map(([key, times]) => [key, Math.min(...times)])),
      );
    },
  );
});

describe('the deleted workspaces of a list index', () => {
  const deletion = (id: string, listedAt: number, deletedAt?: number): DeletedRow => ({
    id,
    isDeleted: true,
    listedAt,
    ...(deletedAt !== undefined && { restorable: { deletedAt, purgeAt: deletedAt + 10, project: 'prj', access: {} } }),
  });

  it('are those that can be restored at a time, the last deleted one first', () => {
    const listIndex = createListIndex();
    for (const row of [deletion('a', 1, 1), deletion('b', 5, 5), deletion('c', 3, 3), deletion('d', 4)])
      listIndex.apply(row);
    const idsAt = (at: number) => listIndex.restorable(at).map(({ id }) => id);
    expect(idsAt(6)).toEqual(['b', 'c', 'a']);
    expect(idsAt(11)).toEqual(['b', 'c']);
    expect(idsAt(15)).toEqual([]);
  });

  /** Changes of one workspace in the order of the table: it exists, is deleted, or was purged. */
  const changes = fc.array(fc.constantFrom('alive', 'deleted', 'purged'), { minLength: 1, maxLength: 8 });
  test.prop([changes.chain((all) => fc.tuple(fc.constant(all), fc.array(fc.nat({ max: all.length - 1 }))))])(
    'are those whose newest row says so, whatever rows of before a deletion or a restoration arrive late',
    ([statuses, order]) => {
      const rows = statuses.map((status, at) =>
        status === 'alive'
          ? rowOf({ id: 'a', name: `name-${at}`, listedAt: at, isDeleted: false })
          : deletion('a', at, status === 'deleted' ? at : undefined),
      );
      const listIndex = createListIndex();
      const newest = rows.length - 1;
      // The newest row arrives at some time, and others arrive before and after it, or never, or repeatedly.
      for (const at of [...order, newest, ...order.toReversed()]) listIndex.apply(rows[at] as Row | DeletedRow);
      expect(idsOf(listIndex.restorable(newest))).toEqual(statuses[newest] === 'deleted' ? ['a'] : []);
      expect(listIndex.byName().map(({ name }) => name)).toEqual(
        statuses[newest] === 'alive' ? [`name-${newest}`] : [],
      );
    },
  );

  it('leave it when a later row restores or purges them, but not by an older row', () => {
    const listIndex = createListIndex();
    for (const id of ['a', 'b', 'c']) listIndex.apply(deletion(id, 2, 2));
    listIndex.apply(rowOf({ id: 'a', name: 'alpha', listedAt: 3, isDeleted: false }));
    listIndex.apply(deletion('b', 3));
    listIndex.apply(rowOf({ id: 'c', name: 'charlie', listedAt: 1, isDeleted: false }));
    expect(listIndex.restorable(2).map(({ id }) => id)).toEqual(['c']);
    expect(listIndex.byName().map(({ id }) => id)).toEqual(['a']);
  });
});

describe('a lock under a lease in a list index', () => {
  it('is removed from filters and orders when it has expired, and returns when a renewal is read', () => {
    const listIndex = createListIndex();
    const leased = { lockedAt: 1, lockExpiresAt: 100, lockedBy: 'user-a' };
    const lock = (id: string, of: Partial<Row>, listedAt = 1) =>
      listIndex.apply({ ...rowOf({ id, name: id, listedAt, isDeleted: false }), ...of });
    lock('free', {});
    lock('leased', leased);
    lock('locked', { lockedAt: 2, lockedBy: 'user-a' });
    const find = (query: string) => {
      const parameters = new URLSearchParams(query);
      const filter = readFilter(parameters);
      const reading = { everything: true, project: () => true, grants: () => true };
      return idsOf(listIndex.select({ reading, filter, ...readOrder(parameters), from: 0, to: 9 }).rows);
    };
    listIndex.expireLocks(100);
    expect(find('filter[locked]=true')).toEqual(['leased', 'locked']);
    expect(find('sort=-locked-at')).toEqual(['locked', 'leased', 'free']);
    listIndex.expireLocks(101);
    expect(find('filter[locked]=true')).toEqual(['locked']);
    expect(find('filter[locked]=false&sort=locked-at')).toEqual(['free', 'leased']);
    expect(find('filter[locked-by][id]=user-a')).toEqual(['locked']);
    expect(find('sort=-locked-at')).toEqual(['locked', 'free', 'leased']);
    lock('leased', { ...leased, lockExpiresAt: 200 }, 2);
    listIndex.expireLocks(101);
    expect(find('sort=locked-at')).toEqual(['leased', 'locked', 'free']);
  });
});

describe('the projects of a list index', () => {
  const project = (id: string, listedAt: number, isDeleted = false): ProjectRow => ({
    ...projectRow({ id, bindings: {}, defaultExecutionMode: null, defaultDeletionProtection: null, teams: [] }),
    listedAt,
    isDeleted,
  });
  const ids = (listIndex: ReturnType<typeof createListIndex>) => listIndex.projects().map(({ id }) => id);

  it('are the projects that are not deleted, for every order of changes', () => {
    const listIndex = createListIndex();
    listIndex.applyProject(project('prj-1', 2));
    listIndex.applyProject(project('prj-2', 5, true));
    listIndex.applyProject(project('prj-2', 4));
    expect(ids(listIndex)).toEqual(['prj-1']);
    listIndex.applyProject(project('prj-1', 3, true));
    expect(ids(listIndex)).toEqual([]);
    expect(listIndex.project('prj-1')).toMatchObject({ isDeleted: true });
    // Opened again, because it turned out to be in use.
    listIndex.applyProject(project('prj-1', 4));
    expect(ids(listIndex)).toEqual(['prj-1']);
  });

  it('have the correct number of workspaces', () => {
    const listIndex = createListIndex();
    const put = (id: string, to: string, listedAt: number, isDeleted = false) =>
      listIndex.apply({ ...rowOf({ id, name: id, listedAt, isDeleted }), project: to });
    const counts = () => ['prj-1', 'prj-2'].map(listIndex.workspacesIn);
    put('ws-1', 'prj-1', 1);
    put('ws-2', 'prj-1', 1);
    expect(counts()).toEqual([2, 0]);
    put('ws-1', 'prj-2', 2);
    expect(counts()).toEqual([1, 1]);
    put('ws-2', 'prj-1', 3, true);
    expect(counts()).toEqual([0, 1]);
  });
});

const PROJECTS = ['prj-1', 'prj-2', 'prj-3'];
const stored = (tags: ModelRow['tags']): Row['tags'] =>
  Object.entries(tags).map(([key, value]) => ({ key, ...(value !== null && { value }), at: 1 }));
const granted = (teams: readonly string[]) => Object.fromEntries(teams.map((team) => [team, 'read' as const]));

const projectRow = ({ id, bindings, teams, ...defaults }: ModelProject): ProjectRow => ({
  id,
  ...defaults,
  name: id,
  organization: 'acme',
  isDeleted: false,
  access: granted(teams),
  bindings: stored(bindings),
  defaultAgentPool: null,
  listedAt: 1,
});
const modelledRow = ({ teams, tags, importedFrom, ...model }: ModelRow, listedAt = 10): Row => ({
  ...model,
  importedFrom: importedFrom && sourceKey(importedFrom),
  access: granted(teams),
  tags: stored(tags),
  lockExpiresAt: null,
  hasVariables: false,
  hasLongText: false,
  listedAt,
  isDeleted: false,
});
const readingOf = (teams: readonly string[] | undefined): Reading => ({
  everything: teams === undefined,
  project: ({ access }) => (teams ?? []).some((team) => team in access),
  grants: (access) => (teams ?? []).some((team) => team in access),
});
describe('the queries of the plain model', () => {
  it('contain every filter of lists', () => {
    const spelt = fc.sample(modelQuery(['prj-1']), { numRuns: 300, seed: 1 }).map((query) => spell(query, false));
    expect(Object.keys(filters).filter((name) => !spelt.some((query) => query.includes(name)))).toEqual([]);
  });
});

describe('a selection', () => {
  test.prop(
    [
      fc.array(modelRow(PROJECTS), { maxLength: 40 }),
      fc.tuple(...PROJECTS.map(modelProject)),
      fc.array(modelQuery(PROJECTS), { minLength: 1, maxLength: 8 }),
      fc.option(fc.subarray(ROW_TEAMS), { nil: undefined }),
      fc.infiniteStream(fc.nat({ max: 9 })),
    ],
    bounded(600),
  )('returns the same workspaces in the same order as the plain model', (models, projects, queries, teams, chances) => {
    const listIndex = createListIndex();
    for (const project of projects) listIndex.applyProject(projectRow(project));
    const rows = models.map((model, index) => ({ ...model, id: `ws-${(index * 7) % models.length}-${index}` }));
    const reading = readingOf(teams);
    const alive: ModelRow[] = [];
    const check = (): void => {
      for (const query of queries) {
        const parameters = new URLSearchParams(spell(query));
        const filter = readFilter(parameters);
        const selection = { reading, filter, context: MODEL_CONTEXT, ...readOrder(parameters) };
        const expected = idsOf(expectedRows(alive, projects, query, teams));
        for (const [from, to] of [
          [0, Number.POSITIVE_INFINITY],
          [2, 5],
        ] as const) {
          const { count, rows } = listIndex.select({ ...selection, from, to });
          expect(count).toBe(expected.length);
          expect(idsOf(rows)).toEqual(expected.slice(from, to));
        }
      }
    };
    for (const [index, model] of rows.entries()) {
      const row = modelledRow(model);
      const chance = chances.next().value;
      // As something else first, which lists have seen; or gone in the end.
      if (chance === 0) {
        const other = rows[(index + 1) % rows.length] as ModelRow;
        listIndex.apply({ ...row, name: other.name, latestChangeAt: other.latestChangeAt, tags: [], listedAt: 9 });
        listIndex.select({ reading, order: 'latestChangeAt', direction: 'ascending', from: 0, to: 1 });
      }
      listIndex.apply(row);
      if (chance === 1) listIndex.apply({ ...row, listedAt: 11, isDeleted: true });
      else alive.push(rows[index] as ModelRow);
      if (chance === 2) check();
    }
    check();
  });

  it('returns the same as the plain model for thousands of workspaces that change between selections', () => {
    const [models, queries, projects] = [
      fc.sample(modelRow(PROJECTS), { numRuns: 3_000, seed: 1 }),
      fc.sample(modelQuery(PROJECTS), { numRuns: 60, seed: 2 }),
      PROJECTS.flatMap((id) => fc.sample(modelProject(id), { numRuns: 1, seed: 3 })),
    ];
    const listIndex = createListIndex();
    for (const project of projects) listIndex.applyProject(projectRow(project));
    const rows = models.map((model, index) => ({ ...model, id: `ws-${index}`, name: `${model.name}-${index % 97}` }));
    for (const row of rows) listIndex.apply(modelledRow(row));
    for (const [turn, query] of queries.entries()) {
      for (let index = turn; index < rows.length; index += 500) {
        const changed = { ...(rows[index] as ModelRow), name: `changed-${turn}-${index}`, latestChangeAt: turn };
        rows[index] = changed;
        listIndex.apply(modelledRow(changed, 11 + turn));
      }
      const parameters = new URLSearchParams(spell(query));
      const [filter, order] = [readFilter(parameters), readOrder(parameters)];
      const selection = { filter, context: MODEL_CONTEXT, ...order, from: 0, to: rows.length };
      for (const teams of [undefined, ROW_TEAMS.slice(1)]) {
        const found = listIndex.select({ ...selection, reading: readingOf(teams) });
        expect(idsOf(found.rows)).toEqual(idsOf(expectedRows(rows, projects, query, teams)));
      }
    }
  });
});
