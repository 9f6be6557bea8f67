import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { createCatalogue, type Row } from '../../shared/domain/catalogue.ts';

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
