import { cachePerValue } from './intern-pool.ts';
import type { RowTest, SearchTarget } from './row-tests.ts';
import type { Reading, Selection } from './selection.ts';

/** Creates the test whether a caller may read a row; undefined if the caller may read every row. */
export const readTest = (
  { rows: { columns, pools }, projects }: SearchTarget,
  reading: Reading,
): RowTest | undefined => {
  if (reading.everything) return undefined;
  const byProject = cachePerValue(pools.project, (id) => {
    const project = projects.get(id);
    return project !== undefined && reading.project(project);
  });
  const byGrants = cachePerValue(pools.access, reading.grants);
  const { project, access } = columns;
  return (slot) => byProject(project[slot] as number) || byGrants(access[slot] as number);
};

/** Creates the tests for rows that are included or excluded by id. */
export const idTests = ({ rows }: SearchTarget, { among, except }: Pick<Selection, 'among' | 'except'>): RowTest[] => {
  const wanted = new Uint8Array(among === undefined ? 0 : rows.end());
  for (const id of among ?? []) {
    const slot = rows.slotOf(id);
    if (slot !== undefined) wanted[slot] = 1;
  }
  const unwanted = except === undefined ? undefined : rows.slotOf(except);
  return [
    ...(among === undefined ? [] : [(slot: number) => wanted[slot] === 1]),
    ...(unwanted === undefined ? [] : [(slot: number) => slot !== unwanted]),
  ];
};
