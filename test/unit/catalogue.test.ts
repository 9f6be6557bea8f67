import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { readFilter, readOrder } from '../../functions/workspace-list/query.ts';
import { createCatalogue, type Row } from '../../shared/domain/catalogue.ts';
import {
  expectedRows,
  type ModelRow,
  modelProject,
  modelQuery,
  modelRow,
  ROW_TEAMS,
  spell,
} from '../support/list-model.ts';

/** What an index may bring: rows in any order, old ones again, tombstones. */
const change = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  name: fc.constantFrom('alpha', 'bravo', 'charlie', 'delta'),
  listedAt: fc.nat({ max: 50 }),
  gone: fc.boolean(),
});
const rowOf = ({ id, name, listedAt, gone }: Pick<Row, 'id' | 'name' | 'listedAt' | 'gone'>): Row => ({
  id,
  name,
  listedAt,
  gone,
  project: 'prj',
  access: {},
  tags: [],
  runStatus: null,
  runAt: null,
  latestChangeAt: 0,
  hasVariables: false,
  hasLongText: false,
});

/** The plain meaning: the newest row of each id, unless it is gone; what is gone stays gone. */
const model = (rows: readonly Row[]): Row[] => {
  const gone = new Set(rows.filter((row) => row.gone).map(({ id }) => id));
  const newest = new Map<string, Row>();
  for (const row of rows.filter(({ id }) => !gone.has(id))) {
    if (row.listedAt > (newest.get(row.id)?.listedAt ?? -1)) newest.set(row.id, row);
  }
  return [...newest.values()].sort((a, b) => (`${a.name} ${a.id}` < `${b.name} ${b.id}` ? -1 : 1));
};

describe('a catalogue', () => {
  test.prop([fc.array(change, { maxLength: 200 }), fc.nat({ max: 100 })])(
    'holds the newest row of each workspace, by name, however its changes come in batches',
    (changes, batch) => {
      const catalogue = createCatalogue();
      const rows = changes.map(rowOf);
      for (const [index, row] of rows.entries()) {
        catalogue.apply(row);
        if (index % (batch + 1) === 0) catalogue.byName();
      }
      expect(catalogue.byName()).toEqual(model(rows));
      expect(catalogue.size()).toBe(model(rows).length);
    },
  );

  test.prop([fc.array(change, { maxLength: 30 })])('learns nothing from rows that it has seen', (changes) => {
    const rows = changes.map((row) => rowOf({ ...row, gone: false }));
    const catalogue = createCatalogue();
    for (const row of [...rows, ...rows.toReversed()]) catalogue.apply(row);
    expect(catalogue.byName()).toEqual(model(rows));
  });
});

const PROJECTS = ['prj-1', 'prj-2', 'prj-3'];
const stored = (tags: ModelRow['tags']): Row['tags'] =>
  Object.entries(tags).map(([key, value]) => ({ key, ...(value !== null && { value }), at: 1 }));
const granted = (teams: readonly string[]) => Object.fromEntries(teams.map((team) => [team, 'read' as const]));

describe('a selection', () => {
  test.prop(
    [
      fc.array(modelRow(PROJECTS), { maxLength: 40 }),
      fc.tuple(...PROJECTS.map(modelProject)),
      fc.array(modelQuery(PROJECTS), { minLength: 1, maxLength: 8 }),
      fc.option(fc.subarray(ROW_TEAMS), { nil: undefined }),
      fc.infiniteStream(fc.nat({ max: 9 })),
    ],
    { numRuns: 3_000 },
  )(
    'finds what the plain model finds, in its order, however the rows came to be what they are',
    (models, projects, queries, teams, chances) => {
      const catalogue = createCatalogue();
      for (const { id, bindings, teams: access } of projects) {
        catalogue.applyProject({
          id,
          name: id,
          organization: 'acme',
          access: granted(access),
          defaultExecutionMode: null,
          defaultAgentPool: null,
          bindings: stored(bindings),
          listedAt: 1,
        });
      }
      const rows = models.map((model, index) => ({ ...model, id: `ws-${(index * 7) % models.length}-${index}` }));
      const reading = {
        everything: teams === undefined,
        project: ({ access }: { access: object }) => (teams ?? []).some((team) => team in access),
        grants: (access: object) => (teams ?? []).some((team) => team in access),
      };
      const alive: ModelRow[] = [];
      const check = (): void => {
        for (const query of queries) {
          const parameters = new URLSearchParams(spell(query));
          const found = catalogue.select({ reading, filter: readFilter(parameters), ...readOrder(parameters) });
          const expected = expectedRows(alive, projects, query, teams).map(({ id }) => id);
          expect(found.count).toBe(expected.length);
          expect(found.rows(0, found.count).map(({ id }) => id)).toEqual(expected);
          expect(found.rows(2, 5).map(({ id }) => id)).toEqual(expected.slice(2, 5));
        }
      };
      for (const [index, { teams: access, tags, ...model }] of rows.entries()) {
        const row: Row = {
          ...model,
          access: granted(access),
          tags: stored(tags),
          hasVariables: false,
          hasLongText: false,
          listedAt: 10,
          gone: false,
        };
        const chance = chances.next().value;
        // As something else first, which lists have seen; or gone in the end.
        if (chance === 0) {
          const other = rows[(index + 1) % rows.length] as ModelRow;
          catalogue.apply({ ...row, name: other.name, latestChangeAt: other.latestChangeAt, tags: [], listedAt: 9 });
          catalogue.select({ reading, order: 'latestChangeAt', direction: 'ascending' });
        }
        catalogue.apply(row);
        if (chance === 1) catalogue.apply({ ...row, listedAt: 11, gone: true });
        else alive.push(rows[index] as ModelRow);
        if (chance === 2) check();
      }
      check();
    },
  );
});
