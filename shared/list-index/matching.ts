import { wildcard } from '../domain/wildcard.ts';
import type { Label } from './contents.ts';
import type { Names } from './names.ts';
import { remembered } from './pool.ts';
import type { ProjectRow } from './row.ts';
import type { Rows } from './rows.ts';
import type { Filter, Reading, Selection } from './selection.ts';

/** What is asked of a row, by its slot. */
type Test = (slot: number) => boolean;

interface Searched {
  readonly rows: Rows;
  readonly names: Names;
  readonly projects: ReadonlyMap<string, ProjectRow>;
}

/** Whether a caller may read a row; undefined: every one. */
export const readable = ({ rows: { columns, pools }, projects }: Searched, reading: Reading): Test | undefined => {
  if (reading.everything) return undefined;
  const byProject = remembered(pools.projects, (id) => {
    const project = projects.get(id);
    return project !== undefined && reading.project(project);
  });
  const byGrants = remembered(pools.accesses, reading.grants);
  const { project, access } = columns;
  return (slot) => byProject(project[slot] as number) || byGrants(access[slot] as number);
};

/** Whether a row is one of those that are named. */
export const named = ({ rows }: Searched, { among, except }: Pick<Selection, 'among' | 'except'>): Test[] => {
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

/** One test for each part of a filter that narrows; a row has to pass them all. */
export const tests = (searched: Searched, filter: Filter): Test[] => {
  const { columns, pools } = searched.rows;
  const { project, runStatus } = columns;
  const wanted = remembered(pools.projects, (id) => filter.projects.every((one) => one === id));
  const inStatus = remembered(pools.runStatuses, (status) => status !== null && filter.runStatuses.includes(status));
  return [
    ...(filter.projects.length > 0 ? [(slot: number) => wanted(project[slot] as number)] : []),
    ...(filter.runStatuses.length > 0 ? [(slot: number) => inStatus(runStatus[slot] as number)] : []),
    ...ownTags(searched, filter),
    ...filter.tagged.map((one) => tagInForce(searched, one)),
    ...filter.names.map((part) => nameHas(searched, part.toLowerCase())),
    ...filter.wildcards.map((pattern) => nameFits(searched, pattern.toLowerCase())),
  ];
};

/** Flat tags and keys of bindings alike, of the workspace itself. */
const ownTags = ({ rows: { columns, pools } }: Searched, { tags, excludedTags }: Filter): Test[] => {
  if (tags.length + excludedTags.length === 0) return [];
  const { labels } = columns;
  const fits = remembered(pools.labelSets, (set) => {
    const keys = new Set(set.map((label) => pools.labels.value(label).key));
    return tags.every((tag) => keys.has(tag)) && !excludedTags.some((tag) => keys.has(tag));
  });
  return [(slot) => fits(labels[slot] as number)];
};

const ABSENT = 0;
const OTHER = 1;
const FITTING = 2;

/** The binding or flat tag in force under a key is the workspace's own, else what its project passes on. */
const tagInForce = ({ rows: { columns, pools }, projects }: Searched, wanted: Label): Test => {
  const { labels, project } = columns;
  const compare = ({ key, value }: Label): number =>
    key !== wanted.key ? ABSENT : wanted.value === undefined || wanted.value === value ? FITTING : OTHER;
  const ofLabel = remembered(pools.labels, compare);
  // A key comes once in a set: the one that is not absent decides.
  const own = remembered(pools.labelSets, (set) => Math.max(ABSENT, ...set.map(ofLabel)));
  const inherited = remembered(pools.projects, (id) =>
    (projects.get(id)?.bindings ?? []).some((binding) => compare(binding) === FITTING),
  );
  return (slot) => {
    const found = own(labels[slot] as number);
    return found === ABSENT ? inherited(project[slot] as number) : found === FITTING;
  };
};

const nameHas = ({ rows, names }: Searched, part: string): Test => {
  const found = new Uint8Array(rows.end());
  names.search(part, (slot) => {
    found[slot] = 1;
  });
  return (slot) => found[slot] === 1;
};

const nameFits = (searched: Searched, pattern: string): Test => {
  const fits = wildcard(pattern);
  const literal = pattern.split('*').reduce((longest, part) => (part.length > longest.length ? part : longest));
  const isCandidate = literal === '' ? () => true : nameHas(searched, literal);
  return (slot) => isCandidate(slot) && fits(searched.names.lower(slot));
};
