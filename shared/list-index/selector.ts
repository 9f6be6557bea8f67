import { cachePerValue } from './intern-pool.ts';
import type { MaintainedOrder } from './order.ts';
import type { RowTest, SearchTarget } from './row-tests.ts';
import type { FilterContext, Found, Order, Reading, Selection } from './selection.ts';

/** The parts of a list index that a selection reads. */
interface Selected extends SearchTarget {
  readonly orders: Readonly<Record<Order, MaintainedOrder>>;
}

/** The slots of all matching rows in order, and the number of rows for each status of the current run. */
interface Matches {
  readonly slots: Uint32Array;
  readonly runStatuses: ReadonlyMap<string, number>;
}

/** Number of cached results. Each takes up to 400 KB in an organization of 100,000 workspaces. */
const CACHED_LISTS = 8;

const NO_CONTEXT: FilterContext = { organization: { defaultExecutionMode: 'remote' }, releases: [] };

/** Creates the test whether a caller may read a row; undefined if the caller may read every row. */
const readTest = ({ rows: { columns, pools }, projects }: SearchTarget, reading: Reading): RowTest | undefined => {
  if (reading.everything) return undefined;
  const byProject = cachePerValue(pools.project, (id) => {
    const project = projects.get(id);
    return project !== undefined && reading.project(project);
  });
  const byGrants = cachePerValue(pools.access, reading.grants);
  const { project, access } = columns;
  return (slot) => byProject(project[slot] as number) || byGrants(access[slot] as number);
};

/** Creates the test whether a row is in a scope. */
const scopeTest = ({ rows }: SearchTarget, { projects, workspaces }: NonNullable<Reading['scope']>): RowTest => {
  const byProject = cachePerValue(rows.pools.project, (id) => projects.includes(id));
  const slots = new Set(workspaces.map((id) => rows.slotOf(id)));
  const { project } = rows.columns;
  return (slot) => slots.has(slot) || byProject(project[slot] as number);
};

/** Creates the tests whether a caller may read a row. */
export const readTests = (searched: SearchTarget, reading: Reading): RowTest[] => [
  ...(reading.scope === undefined ? [] : [scopeTest(searched, reading.scope)]),
  ...[readTest(searched, reading) ?? []].flat(),
];

/** Creates the tests for rows that are included or excluded by id. */
const idTests = ({ rows }: SearchTarget, { among, except }: Pick<Selection, 'among' | 'except'>): RowTest[] => {
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

/** Finds the slots of all rows that match a selection. */
const match = (
  selected: Selected,
  { reading, filter, context = NO_CONTEXT, among, except, order, direction }: Selection,
): Matches => {
  const { rows, orders } = selected;
  const { columns, pools } = rows;
  const passing = [
    idTests(selected, { among, except }),
    readTests(selected, reading),
    filter?.tests(selected, context) ?? [],
  ].flat();
  const slots = new Uint32Array(rows.size());
  const statuses = new Uint32Array(pools.runStatus.end());
  let count = 0;
  orders[order].visit(direction, (slot) => {
    for (const passes of passing) if (!passes(slot)) return;
    slots[count++] = slot;
    const status = columns.runStatus[slot] as number;
    statuses[status] = (statuses[status] as number) + 1;
  });
  const runStatuses = new Map<string, number>();
  for (const [number, many] of statuses.entries()) {
    const status = many > 0 ? pools.runStatus.value(number) : null;
    if (status !== null) runStatuses.set(status, many);
  }
  return { slots: slots.slice(0, count), runStatuses };
};

/** Creates the selection of pages. `forget` drops the cached results after a change. */
export const createSelector = (selected: Selected) => {
  /** Cached results since the last change, the most recently used last. Clients request one list page by page. */
  const matches = new Map<string, Matches>();
  const cacheMatches = (key: string, found: Matches): void => {
    matches.delete(key);
    matches.set(key, found);
    const [oldest] = matches.keys();
    if (matches.size > CACHED_LISTS && oldest !== undefined) matches.delete(oldest);
  };

  return {
    forget: (): void => matches.clear(),

    select: (selection: Selection): Found => {
      const { reading, filter, context, among, except, order, direction, from, to } = selection;
      // Results are shared among callers who may read everything.
      const isShared = reading.everything && among === undefined && except === undefined;
      const key = isShared ? JSON.stringify([order, direction, filter?.key, context]) : undefined;
      const { slots, runStatuses } = (key !== undefined && matches.get(key)) || match(selected, selection);
      if (key !== undefined) cacheMatches(key, { slots, runStatuses });
      return { count: slots.length, runStatuses, rows: [...slots.subarray(from, to)].map(selected.rows.row) };
    },
  };
};

export type Selector = ReturnType<typeof createSelector>;
