import type { ListIndexContents } from './contents.ts';
import { cachePerValue } from './intern-pool.ts';
import { idTests, readTest } from './matching.ts';
import { createNameSearch } from './name-search.ts';
import { createOrder, type MaintainedOrder } from './order.ts';
import type { DeletedRow, ProjectRow, RestorableRow, Row } from './row.ts';
import { createRows } from './rows.ts';
import type { FilterContext, Found, Order, Selection } from './selection.ts';

/**
 * In-memory index of the workspaces of an organization. It decides which workspaces are on a page of a list, their order,
 * and the totals. The workspaces of the page are then read from the table. See the README of this folder.
 */
export interface ListIndex {
  readonly size: () => number;
  /** Applies a row from the index of the table. A row that is not newer than the known one is ignored (INDEX-3). */
  readonly apply: (row: Row | DeletedRow) => void;
  readonly applyProject: (row: ProjectRow) => void;
  /** Removes the locks whose leases have expired at a time, in milliseconds (LOCK-20). */
  readonly expireLocks: (now: number) => void;
  /** Returns a project. Deleted projects are included, because workspaces may still refer to them. */
  readonly project: (id: string) => ProjectRow | undefined;
  /** Returns all projects that are not deleted. */
  readonly projects: () => readonly ProjectRow[];
  /** Counts the workspaces of a project. */
  readonly workspacesIn: (project: string) => number;
  readonly row: (id: string) => Row | undefined;
  /** Tells whether the index has received a row or a tombstone of the workspace. */
  readonly knows: (id: string) => boolean;
  /** Tells whether a workspace or a project is already known as of that change time, or a later one. */
  readonly isUpToDate: (id: string, listedAt: number) => boolean;
  /** Returns the deleted workspaces that can be restored at a time, in milliseconds; the last deleted one first. */
  readonly restorable: (at: number) => readonly RestorableRow[];
  /** Counts the workspaces that have each flat tag. */
  readonly tagUses: () => ReadonlyMap<string, number>;
  /** Returns, for each of these flat tags, the earliest time at which a workspace that has the tag received it. */
  readonly tagTimes: (tags: readonly string[]) => ReadonlyMap<string, number>;
  /**
   * Returns all rows ordered by name. It creates an object for each row, whereas `select` does so for one page. Two rows
   * can have the same name for a moment, after a name was given up and taken again.
   */
  readonly byName: () => readonly Row[];
  /** Filters, sorts and counts the rows, and returns a page of them. */
  readonly select: (selection: Selection) => Found;
  /** Returns the complete contents, for a snapshot. */
  readonly contents: () => ListIndexContents;
}

/** The slots of all matching rows in order, and the number of rows for each status of the current run. */
interface Matches {
  readonly slots: Uint32Array;
  readonly runStatuses: ReadonlyMap<string, number>;
}
/** Number of cached results. Each takes up to 400 KB in an organization of 100,000 workspaces. */
const CACHED_LISTS = 8;

const NO_CONTEXT: FilterContext = { organization: { defaultExecutionMode: 'remote' }, releases: [] };

const compareTexts = (a: string, b: string): number => Number(a > b) - Number(a < b);

/**
 * Creates a list index.
 * @param contents initial contents, whose arrays are used without a copy.
 * @example
 * const listIndex = createListIndex();
 * for (const workspace of workspaces) listIndex.apply(rowFromWorkspace(workspace));
 * const reading = { everything: true, project: () => true, grants: () => true };
 * const { count, rows } = listIndex.select({ reading, order: 'name', direction: 'ascending', from: 0, to: 20 });
 */
export const createListIndex = (contents?: ListIndexContents): ListIndex => {
  const rows = createRows(contents?.rows);
  const { columns, pools } = rows;
  /** Deleted workspaces by id. Rows that are older than their deletion are ignored; a newer one is a restoration. */
  const deleted = new Map(contents?.deleted.map((row) => [row.id, row]));
  const projects = new Map(contents?.projects.map((row) => [row.id, row]));
  const uses = new Map<string, number>();
  const nameOf = (slot: number): string => columns.name[slot] as string;
  const names = createNameSearch(nameOf, rows.end);

  interface Sorting {
    readonly isLast?: (slot: number) => boolean;
    /** Whether the initial rows are already in this order. */
    readonly isSorted?: true;
  }
  const orderBy = (compare: (a: number, b: number) => number, { isLast, isSorted }: Sorting = {}): MaintainedOrder => {
    const slots = Uint32Array.from({ length: rows.end() }, (_, slot) => slot);
    const order = createOrder(
      {
        compare,
        compareEqual: (a, b) => compareTexts(columns.id[a] as string, columns.id[b] as string),
        isAlive: (slot) => columns.id[slot] !== '',
        ...(isLast && { isLast }),
      },
      isSorted && slots,
    );
    if (!isSorted) slots.forEach(order.markChanged);
    return order;
  };
  const runAt = (slot: number): number => columns.runAt[slot] as number;
  const latestChangeAt = (slot: number): number => columns.latestChangeAt[slot] as number;
  const lockedAt = (slot: number): number => columns.lockedAt[slot] as number;
  const orders: Readonly<Record<Order, MaintainedOrder>> = {
    name: orderBy((a, b) => compareTexts(nameOf(a), nameOf(b)), { isSorted: true }),
    // Not by the difference: infinity minus infinity is NaN.
    runAt: orderBy((a, b) => Number(runAt(a) > runAt(b)) - Number(runAt(a) < runAt(b)), {
      isLast: (slot) => runAt(slot) === Number.POSITIVE_INFINITY,
    }),
    latestChangeAt: orderBy((a, b) => latestChangeAt(a) - latestChangeAt(b)),
    lockedAt: orderBy((a, b) => Number(lockedAt(a) > lockedAt(b)) - Number(lockedAt(a) < lockedAt(b)), {
      isLast: (slot) => lockedAt(slot) === Number.POSITIVE_INFINITY,
    }),
  };

  const countTags = (slot: number, by: 1 | -1): void => {
    for (const label of pools.labelSets.value(columns.labels[slot] as number)) {
      const { key, value } = pools.labels.value(label);
      if (value !== undefined) continue;
      const count = (uses.get(key) ?? 0) + by;
      if (count === 0) uses.delete(key);
      else uses.set(key, count);
    }
  };

  /** Slots of the rows whose lock has a lease. They are few, and only they change as time passes. */
  const leased = new Set<number>();
  const noteLease = (slot: number): void => {
    if (columns.lockExpiresAt[slot] === Number.POSITIVE_INFINITY) leased.delete(slot);
    else leased.add(slot);
  };

  for (let slot = 0; slot < rows.end(); slot++) {
    countTags(slot, 1);
    noteLease(slot);
  }

  const sortedBy = (slot: number) => ({
    name: nameOf(slot),
    runAt: runAt(slot),
    latestChangeAt: latestChangeAt(slot),
    lockedAt: lockedAt(slot),
  });
  type SortedBy = ReturnType<typeof sortedBy>;
  /** Updates the orders and the name search, but only those in which the row changed: most changes concern one. */
  const reindex = (slot: number, before?: SortedBy, after?: SortedBy): void => {
    if (before?.name !== after?.name) names.invalidate(slot);
    for (const order of ['name', 'runAt', 'latestChangeAt', 'lockedAt'] as const) {
      if (before?.[order] !== after?.[order]) orders[order].markChanged(slot);
    }
  };

  const put = (row: Row, known: number | undefined): void => {
    matches.clear();
    const before = known === undefined ? undefined : sortedBy(known);
    if (known !== undefined) countTags(known, -1);
    const slot = rows.put(row);
    countTags(slot, 1);
    noteLease(slot);
    reindex(slot, before, sortedBy(slot));
  };
  const remove = (slot: number): void => {
    matches.clear();
    const before = sortedBy(slot);
    countTags(slot, -1);
    rows.remove(slot);
    leased.delete(slot);
    reindex(slot, before);
  };

  /** Cached results since the last change, the most recently used last. Clients request one list page by page. */
  const matches = new Map<string, Matches>();
  const cacheMatches = (key: string, found: Matches): void => {
    matches.delete(key);
    matches.set(key, found);
    const [oldest] = matches.keys();
    if (matches.size > CACHED_LISTS && oldest !== undefined) matches.delete(oldest);
  };
  const match = ({ reading, filter, context = NO_CONTEXT, among, except, order, direction }: Selection): Matches => {
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

  return {
    size: rows.size,
    apply: (row) => {
      const known = rows.slotOf(row.id);
      const knownAt = known === undefined ? Number.NEGATIVE_INFINITY : (columns.listedAt[known] as number);
      const deletedAt = deleted.get(row.id)?.listedAt ?? Number.NEGATIVE_INFINITY;
      if (row.listedAt <= deletedAt) return;
      if (row.gone) {
        if (row.listedAt < knownAt) return;
        const { id, listedAt } = row;
        const restorable = 'restorable' in row ? row.restorable : undefined;
        deleted.set(id, { id, gone: true, listedAt, ...(restorable && { restorable }) });
        if (known !== undefined) remove(known);
      } else if (knownAt < row.listedAt) {
        deleted.delete(row.id);
        put(row, known);
      }
    },
    applyProject: (row) => {
      const known = projects.get(row.id);
      if (known !== undefined && known.listedAt >= row.listedAt) return;
      projects.set(row.id, row);
      matches.clear();
    },
    expireLocks: (now) => {
      for (const slot of leased) {
        if ((columns.lockExpiresAt[slot] as number) >= now) continue;
        put({ ...rows.row(slot), lockedAt: null, lockExpiresAt: null, lockedBy: null }, slot);
      }
    },
    project: (id) => projects.get(id),
    projects: () => [...projects.values()].filter((row) => !row.gone),
    workspacesIn: pools.project.holders,
    row: (id) => {
      const slot = rows.slotOf(id);
      return slot === undefined ? undefined : rows.row(slot);
    },
    knows: (id) => deleted.has(id) || rows.slotOf(id) !== undefined,
    isUpToDate: (id, listedAt) => {
      const slot = rows.slotOf(id);
      const known = slot === undefined ? projects.get(id)?.listedAt : columns.listedAt[slot];
      return Math.max(known ?? Number.NEGATIVE_INFINITY, deleted.get(id)?.listedAt ?? 0) >= listedAt;
    },
    restorable: (at) =>
      [...deleted.values()]
        .flatMap(({ id, listedAt, restorable }) => (restorable ? [{ id, listedAt, ...restorable }] : []))
        .filter(({ purgeAt }) => at < purgeAt)
        .sort((a, b) => b.deletedAt - a.deletedAt || compareTexts(a.id, b.id)),
    tagUses: () => uses,
    tagTimes: (tags) => {
      const wanted = new Set(tags);
      const first = new Map<string, number>();
      const placesIn = cachePerValue(pools.labelSets, (set) =>
        set.flatMap((label, index) => {
          const { key, value } = pools.labels.value(label);
          return value === undefined && wanted.has(key) ? [{ key, index }] : [];
        }),
      );
      for (let slot = 0; slot < rows.end(); slot++) {
        if (columns.id[slot] === '') continue;
        for (const { key, index } of placesIn(columns.labels[slot] as number)) {
          first.set(key, Math.min(first.get(key) ?? Number.POSITIVE_INFINITY, rows.tagTime(slot, index)));
        }
      }
      return first;
    },
    byName: () => {
      const all: Row[] = [];
      orders.name.visit('ascending', (slot) => all.push(rows.row(slot)));
      return all;
    },

    select: (selection) => {
      const { reading, filter, context, among, except, order, direction, from, to } = selection;
      // Results are shared among callers who may read everything.
      const isShared = reading.everything && among === undefined && except === undefined;
      const key = isShared ? JSON.stringify([order, direction, filter?.key, context]) : undefined;
      const { slots, runStatuses } = (key !== undefined && matches.get(key)) || match(selection);
      if (key !== undefined) cacheMatches(key, { slots, runStatuses });
      return { count: slots.length, runStatuses, rows: [...slots.subarray(from, to)].map(rows.row) };
    },

    contents: () => {
      const slots: number[] = [];
      orders.name.visit('ascending', (slot) => slots.push(slot));
      return { rows: rows.contents(slots), deleted: [...deleted.values()], projects: [...projects.values()] };
    },
  };
};
