import { wildcard } from '../domain/wildcard.ts';
import type { TagLabel } from './contents.ts';
import { cachePerValue } from './intern-pool.ts';
import type { NameSearch } from './name-search.ts';
import type { ProjectRow } from './row.ts';
import type { Rows } from './rows.ts';
import type { Filter, Reading, Selection } from './selection.ts';

/** A condition on the row in a slot. */
type RowTest = (slot: number) => boolean;

interface SearchTarget {
  readonly rows: Rows;
  readonly names: NameSearch;
  readonly projects: ReadonlyMap<string, ProjectRow>;
}

/** Creates the test whether a caller may read a row; undefined if the caller may read every row. */
export const readTest = (
  { rows: { columns, pools }, projects }: SearchTarget,
  reading: Reading,
): RowTest | undefined => {
  if (reading.everything) return undefined;
  const byProject = cachePerValue(pools.projects, (id) => {
    const project = projects.get(id);
    return project !== undefined && reading.project(project);
  });
  const byGrants = cachePerValue(pools.accesses, reading.grants);
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

/** Creates one test for each part of a filter that is not empty. A row has to pass all of them. */
export const filterTests = (searched: SearchTarget, filter: Filter): RowTest[] => {
  const { columns, pools } = searched.rows;
  const { project, runStatus } = columns;
  const wanted = cachePerValue(pools.projects, (id) => filter.projects.every((one) => one === id));
  const inStatus = cachePerValue(pools.runStatuses, (status) => status !== null && filter.runStatuses.includes(status));
  return [
    ...(filter.projects.length > 0 ? [(slot: number) => wanted(project[slot] as number)] : []),
    ...(filter.runStatuses.length > 0 ? [(slot: number) => inStatus(runStatus[slot] as number)] : []),
    ...ownTags(searched, filter),
    ...filter.tagged.map((one) => tagInForce(searched, one)),
    ...filter.names.map((part) => nameContains(searched, part.toLowerCase())),
    ...filter.wildcards.map((pattern) => nameMatches(searched, pattern.toLowerCase())),
  ];
};

/** Creates the test for tags of the workspace itself: names of flat tags and keys of bindings. */
const ownTags = ({ rows: { columns, pools } }: SearchTarget, { tags, excludedTags }: Filter): RowTest[] => {
  if (tags.length + excludedTags.length === 0) return [];
  const { labels } = columns;
  const fits = cachePerValue(pools.labelSets, (set) => {
    const keys = new Set(set.map((label) => pools.labels.value(label).key));
    return tags.every((tag) => keys.has(tag)) && !excludedTags.some((tag) => keys.has(tag));
  });
  return [(slot) => fits(labels[slot] as number)];
};

/** Results of comparing a tag with the required one: another key, another value, or a match. */
const OTHER_KEY = 0;
const OTHER_VALUE = 1;
const MATCH = 2;

/** Creates the test for an effective tag: the tag of the workspace itself, else the binding of its project (TAG-18). */
const tagInForce = ({ rows: { columns, pools }, projects }: SearchTarget, wanted: TagLabel): RowTest => {
  const { labels, project } = columns;
  const compare = ({ key, value }: TagLabel): number =>
    key !== wanted.key ? OTHER_KEY : wanted.value === undefined || wanted.value === value ? MATCH : OTHER_VALUE;
  const ofLabel = cachePerValue(pools.labels, compare);
  // A set contains a key at most once, so at most one tag has the required key.
  const own = cachePerValue(pools.labelSets, (set) => Math.max(OTHER_KEY, ...set.map(ofLabel)));
  const inherited = cachePerValue(pools.projects, (id) =>
    (projects.get(id)?.bindings ?? []).some((binding) => compare(binding) === MATCH),
  );
  return (slot) => {
    const found = own(labels[slot] as number);
    return found === OTHER_KEY ? inherited(project[slot] as number) : found === MATCH;
  };
};

const nameContains = ({ rows, names }: SearchTarget, part: string): RowTest => {
  const found = new Uint8Array(rows.end());
  names.search(part, (slot) => {
    found[slot] = 1;
  });
  return (slot) => found[slot] === 1;
};

const nameMatches = (searched: SearchTarget, pattern: string): RowTest => {
  const fits = wildcard(pattern);
  const literal = pattern.split('*').reduce((longest, part) => (part.length > longest.length ? part : longest));
  const isCandidate = literal === '' ? () => true : nameContains(searched, literal);
  return (slot) => isCandidate(slot) && fits(searched.names.lower(slot));
};
