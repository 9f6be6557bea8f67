import { idTests, readTest } from './matching.ts';
import type { NameSearch } from './name-search.ts';
import type { MaintainedOrder } from './order.ts';
import type { ProjectRow } from './row.ts';
import type { Rows } from './rows.ts';
import type { FilterContext, Found, Order, Selection } from './selection.ts';

/** The parts of a list index that a selection reads. */
interface Selected {
  readonly rows: Rows;
  readonly names: NameSearch;
  readonly projects: ReadonlyMap<string, ProjectRow>;
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

/** Finds the slots of all rows that match a selection. */
const match = (
  { rows, names, projects, orders }: Selected,
  { reading, filter, context = NO_CONTEXT, among, except, order, direction }: Selection,
): Matches => {
  const { columns, pools } = rows;
  const searched = { rows, names, projects };
  const passing = [
    idTests(searched, { among, except }),
    readTest(searched, reading) ?? [],
    filter?.tests(searched, context) ?? [],
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
