import { wildcard } from '../domain/wildcard.ts';
import type { ColumnOf, ColumnValues } from './columns.ts';
import type { TagLabel } from './contents.ts';
import { cachePerValue } from './intern-pool.ts';
import type { NameSearch } from './name-search.ts';
import type { ColumnPools } from './pools.ts';
import type { ProjectRow } from './row.ts';
import { flagBits, type Rows } from './rows.ts';

/** A condition on the row in a slot. */
export type RowTest = (slot: number) => boolean;

/** The data of a list index that row tests read. */
export interface SearchTarget {
  readonly rows: Rows;
  readonly names: NameSearch;
  readonly projects: ReadonlyMap<string, ProjectRow>;
}

/** Creates a test of a column of repeated values. `fits` is called once for each value. */
export const valueTest = <C extends ColumnOf<'pooled'>>(
  { columns, pools }: Rows,
  column: C,
  fits: (value: ColumnValues[C]) => boolean,
): RowTest => {
  const columnPools: ColumnPools = pools;
  const cached = cachePerValue(columnPools[column], fits);
  const numbers = columns[column];
  return (slot) => cached(numbers[slot] as number);
};

/** Creates a test whether a workspace has a state, which is written by a later request than the creation. */
export const stateTest =
  ({ columns: { createdAt, latestChangeAt } }: Rows): RowTest =>
  (slot) =>
    createdAt[slot] !== latestChangeAt[slot];

/** Creates a test of a column of numbers. Rows without a number, whose column has infinity, never pass. */
export const numberTest = (
  { columns }: Rows,
  column: ColumnOf<'number'>,
  fits: (value: number) => boolean,
): RowTest => {
  const values = columns[column];
  return (slot) => {
    const value = values[slot] as number;
    return value !== Number.POSITIVE_INFINITY && fits(value);
  };
};

/** Creates a test of a flag. */
export const flagTest = ({ columns: { flags } }: Rows, column: ColumnOf<'flag'>, isSet: boolean): RowTest => {
  const wanted = isSet ? flagBits[column] : 0;
  return (slot) => ((flags[slot] as number) & flagBits[column]) === wanted;
};

/**
 * Creates a test of the effective value of a setting that workspaces inherit. Each function is called once for each value
 * or project.
 * @param inherited returns the value that a project passes on; undefined stands for a project that is not known.
 */
export const effectiveValueTest = <C extends 'executionMode' | 'deletionProtection'>(
  { rows: { columns, pools }, projects }: SearchTarget,
  column: C,
  inherited: (project: ProjectRow | undefined) => NonNullable<ColumnValues[C]>,
  fits: (value: NonNullable<ColumnValues[C]>) => boolean,
): RowTest => {
  const columnPools: ColumnPools = pools;
  const own = cachePerValue<ColumnValues[C], boolean | null>(columnPools[column], (value) =>
    value === null ? null : fits(value),
  );
  const ofProject = cachePerValue(pools.project, (id) => fits(inherited(projects.get(id))));
  const { [column]: numbers, project } = columns;
  return (slot) => own(numbers[slot] as number) ?? ofProject(project[slot] as number);
};

/** Creates a test of the names of flat tags and the keys of bindings of the workspace itself. */
export const ownTagTest = (
  { rows: { columns, pools } }: SearchTarget,
  fits: (keys: ReadonlySet<string>) => boolean,
): RowTest => {
  const cached = cachePerValue(pools.labelSets, (set) =>
    fits(new Set(set.map((label) => pools.labels.value(label).key))),
  );
  const { labels } = columns;
  return (slot) => cached(labels[slot] as number);
};

/** Results of comparing a tag with the required one: another key, another value, or a match. */
const OTHER_KEY = 0;
const OTHER_VALUE = 1;
const MATCH = 2;

/** Creates the test for an effective tag: the tag of the workspace itself, else the binding of its project (TAG-18). */
export const effectiveTagTest = ({ rows: { columns, pools }, projects }: SearchTarget, wanted: TagLabel): RowTest => {
  const { labels, project } = columns;
  const compare = ({ key, value }: TagLabel): number =>
    key !== wanted.key ? OTHER_KEY : wanted.value === undefined || wanted.value === value ? MATCH : OTHER_VALUE;
  const ofLabel = cachePerValue(pools.labels, compare);
  // A set contains a key at most once, so at most one tag has the required key.
  const own = cachePerValue(pools.labelSets, (set) => Math.max(OTHER_KEY, ...set.map(ofLabel)));
  const inherited = cachePerValue(pools.project, (id) =>
    (projects.get(id)?.bindings ?? []).some((binding) => compare(binding) === MATCH),
  );
  return (slot) => {
    const found = own(labels[slot] as number);
    return found === OTHER_KEY ? inherited(project[slot] as number) : found === MATCH;
  };
};

/** Creates the test whether the name contains a text in lower case. The case of the name is ignored. */
export const namePartTest = ({ rows, names }: SearchTarget, part: string): RowTest => {
  const found = new Uint8Array(rows.end());
  names.search(part, (slot) => {
    found[slot] = 1;
  });
  return (slot) => found[slot] === 1;
};

/** Creates the test whether the whole name matches a wildcard pattern in lower case. The case of the name is ignored. */
export const namePatternTest = (searched: SearchTarget, pattern: string): RowTest => {
  const fits = wildcard(pattern);
  const literal = pattern.split('*').reduce((longest, part) => (part.length > longest.length ? part : longest));
  const isCandidate = literal === '' ? () => true : namePartTest(searched, literal);
  return (slot) => isCandidate(slot) && fits(searched.names.lower(slot));
};
