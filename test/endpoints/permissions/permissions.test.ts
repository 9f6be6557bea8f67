import { describe, expect, it } from 'vitest';
import { routeIds } from '../../../shared/routes/index.ts';
import { expectedCells, parseRows } from '../../support/matrix/matrix.ts';
import { callers } from '../../support/matrix/matrix-callers.ts';
import { groups } from '../../support/matrix/matrix-groups.ts';

/** Checks of the matrix itself. The files `permissions-of-*.test.ts` send the requests of every caller. */
describe('permission matrix', () => {
  it('contains every route of the route table', () => {
    const inGroups = new Set(groups.flatMap(({ columns }) => Object.values(columns).flatMap(({ routes }) => routes)));
    expect(routeIds.filter((route) => !inGroups.has(route))).toEqual([]);
  });

  it.each(groups)('has cells of $name for every caller, and no rows for unknown callers', (group) => {
    const known = new Set([...callers.flatMap(({ rows }) => rows), 'anyone']);
    expect([...parseRows(group).keys()].filter((row) => !known.has(row))).toEqual([]);
    for (const caller of callers) expectedCells(group, caller);
  });

  it.each(groups)('states for lists of $name, and only for lists, what they contain', (group) => {
    const { columns } = group;
    for (const caller of callers) {
      for (const [column, { status, shows }] of Object.entries(expectedCells(group, caller))) {
        const words = status < 300 && columns[column]?.shows ? Object.keys(columns[column].shows) : [undefined];
        expect(words, `${column} for ${caller.name}`).toContain(shows);
      }
    }
  });

  it('contains cells for every group, route and caller', () => {
    const asked = groups.map(({ columns }) => Object.values(columns).flatMap(({ routes }) => routes).length);
    const cells = asked.reduce((sum, count) => sum + count, 0) * callers.length;
    console.info(`Permission matrix: ${groups.length} groups, ${callers.length} callers, ${cells} cells`);
    expect(cells).toBeGreaterThan(0);
  });
});
