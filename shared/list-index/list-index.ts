import type { Contents } from './contents.ts';
import { named, readable, tests } from './matching.ts';
import { createNames } from './names.ts';
import { createOrder, type KeptOrder } from './order.ts';
import { remembered } from './pool.ts';
import type { ProjectRow, Row } from './row.ts';
import { createRows } from './rows.ts';
import type { Found, Order, Selection } from './selection.ts';

/**
 * An organization's workspaces as lists need them, in memory: what a page shows is read in full, but which ones are on
 * it, in which order and how many there are in all is found here.
 */
export interface ListIndex {
  readonly size: () => number;
  /** Takes a change in; what is older than what is known is passed over. */
  readonly apply: (row: Row) => void;
  readonly applyProject: (row: ProjectRow) => void;
  /** Also one that is gone: what is still in it is shown with it. */
  readonly project: (id: string) => ProjectRow | undefined;
  /** All projects but those that are gone. */
  readonly projects: () => readonly ProjectRow[];
  /** How many workspaces are in a project. */
  readonly workspacesIn: (project: string) => number;
  readonly row: (id: string) => Row | undefined;
  /** Whether anything has been heard of a workspace: that it is there, or that it is gone. */
  readonly knows: (id: string) => boolean;
  /** Whether what an index says that was changed then is in it already, of a workspace or a project. */
  readonly isUpToDate: (id: string, listedAt: number) => boolean;
  /** How many workspaces have each flat tag. */
  readonly tagUses: () => ReadonlyMap<string, number>;
  /** When each of some flat tags first came to one of the workspaces that have it now. */
  readonly tagTimes: (tags: readonly string[]) => ReadonlyMap<string, number>;
  /** All workspaces by name, equal names (of different moments) by id. Makes every row: `select` makes those of a page. */
  readonly byName: () => readonly Row[];
  readonly select: (selection: Selection) => Found;
  /** All that it knows, for another one to begin with. */
  readonly contents: () => Contents;
}

/** The rows that a list is made of, in its order, and how many of them have a current run, by its status. */
interface Matches {
  readonly slots: Uint32Array;
  readonly runStatuses: ReadonlyMap<string, number>;
}
/** Lists whose rows are remembered: 400 KB each, of 100,000 workspaces. */
const REMEMBERED = 8;

const compareTexts = (a: string, b: string): number => Number(a > b) - Number(a < b);

/** @param begin what it knows to begin with, and takes over. */
export const createListIndex = (begin?: Contents): ListIndex => {
  const rows = createRows(begin?.rows);
  const { columns, pools } = rows;
  /** A tombstone is the last that happens to a workspace: an older row that an index brings later changes nothing. */
  const gone = new Set(begin?.gone);
  const projects = new Map(begin?.projects.map((row) => [row.id, row]));
  const uses = new Map<string, number>();
  const nameOf = (slot: number): string => columns.name[slot] as string;
  const names = createNames(nameOf, rows.end);

  interface Sorting {
    readonly isLast?: (slot: number) => boolean;
    /** Whether what it begins with is in this order. */
    readonly isGiven?: true;
  }
  const orderBy = (compare: (a: number, b: number) => number, { isLast, isGiven }: Sorting = {}): KeptOrder => {
    const slots = Uint32Array.from({ length: rows.end() }, (_, slot) => slot);
    const order = createOrder(
      {
        compare,
        compareEqual: (a, b) => compareTexts(columns.id[a] as string, columns.id[b] as string),
        isAlive: (slot) => columns.id[slot] !== '',
        ...(isLast && { isLast }),
      },
      isGiven && slots,
    );
    if (!isGiven) slots.forEach(order.touch);
    return order;
  };
  const runAt = (slot: number): number => columns.runAt[slot] as number;
  const latestChangeAt = (slot: number): number => columns.latestChangeAt[slot] as number;
  const orders: Readonly<Record<Order, KeptOrder>> = {
    name: orderBy((a, b) => compareTexts(nameOf(a), nameOf(b)), { isGiven: true }),
    // Not by the difference, which is no number where both have no run.
    runAt: orderBy((a, b) => Number(runAt(a) > runAt(b)) - Number(runAt(a) < runAt(b)), {
      isLast: (slot) => runAt(slot) === Number.POSITIVE_INFINITY,
    }),
    latestChangeAt: orderBy((a, b) => latestChangeAt(a) - latestChangeAt(b)),
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

  for (let slot = 0; slot < rows.end(); slot++) countTags(slot, 1);

  const sortedBy = (slot: number) => ({
    name: nameOf(slot),
    runAt: runAt(slot),
    latestChangeAt: latestChangeAt(slot),
  });
  type SortedBy = ReturnType<typeof sortedBy>;
  /** Has orders and names follow a row; only those in which it changed, as most changes are of one thing. */
  const follow = (slot: number, before?: SortedBy, after?: SortedBy): void => {
    if (before?.name !== after?.name) names.touch(slot);
    for (const order of ['name', 'runAt', 'latestChangeAt'] as const) {
      if (before?.[order] !== after?.[order]) orders[order].touch(slot);
    }
  };

  const put = (row: Row, known: number | undefined): void => {
    matches.clear();
    const before = known === undefined ? undefined : sortedBy(known);
    if (known !== undefined) countTags(known, -1);
    const slot = rows.put(row);
    countTags(slot, 1);
    follow(slot, before, sortedBy(slot));
  };
  const remove = (slot: number): void => {
    matches.clear();
    const before = sortedBy(slot);
    countTags(slot, -1);
    rows.remove(slot);
    follow(slot, before);
  };

  /** What lists found since the last change, the latest last: one is asked for page by page, and over and over. */
  const matches = new Map<string, Matches>();
  const remember = (key: string, found: Matches): void => {
    matches.delete(key);
    matches.set(key, found);
    const [oldest] = matches.keys();
    if (matches.size > REMEMBERED && oldest !== undefined) matches.delete(oldest);
  };
  const match = ({ reading, filter, among, except, order, direction }: Selection): Matches => {
    const searched = { rows, names, projects };
    const passing = [
      named(searched, { among, except }),
      readable(searched, reading) ?? [],
      filter === undefined ? [] : tests(searched, filter),
    ].flat();
    const slots = new Uint32Array(rows.size());
    const statuses = new Uint32Array(pools.runStatuses.end());
    let count = 0;
    orders[order].visit(direction, (slot) => {
      for (const passes of passing) if (!passes(slot)) return;
      slots[count++] = slot;
      const status = columns.runStatus[slot] as number;
      statuses[status] = (statuses[status] as number) + 1;
    });
    const runStatuses = new Map<string, number>();
    for (const [number, many] of statuses.entries()) {
      const status = many > 0 ? pools.runStatuses.value(number) : null;
      if (status !== null) runStatuses.set(status, many);
    }
    return { slots: slots.slice(0, count), runStatuses };
  };

  return {
    size: rows.size,
    apply: (row) => {
      const known = rows.slotOf(row.id);
      if (row.gone) {
        gone.add(row.id);
        if (known !== undefined) remove(known);
      } else if (!gone.has(row.id) && (known === undefined || (columns.listedAt[known] as number) < row.listedAt)) {
        put(row, known);
      }
    },
    applyProject: (row) => {
      const known = projects.get(row.id);
      if (known !== undefined && known.listedAt >= row.listedAt) return;
      projects.set(row.id, row);
      matches.clear();
    },
    project: (id) => projects.get(id),
    projects: () => [...projects.values()].filter((row) => !row.gone),
    workspacesIn: pools.projects.holders,
    row: (id) => {
      const slot = rows.slotOf(id);
      return slot === undefined ? undefined : rows.row(slot);
    },
    knows: (id) => gone.has(id) || rows.slotOf(id) !== undefined,
    isUpToDate: (id, listedAt) => {
      const slot = rows.slotOf(id);
      const known = slot === undefined ? projects.get(id)?.listedAt : columns.listedAt[slot];
      return gone.has(id) || (known ?? Number.NEGATIVE_INFINITY) >= listedAt;
    },
    tagUses: () => uses,
    tagTimes: (tags) => {
      const wanted = new Set(tags);
      const first = new Map<string, number>();
      const placesIn = remembered(pools.labelSets, (set) =>
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
      const { reading, filter, among, except, order, direction, from, to } = selection;
      // Who may read everything finds the same: what is asked for decides.
      const isShared = reading.everything && among === undefined && except === undefined;
      const key = isShared ? JSON.stringify([order, direction, filter]) : undefined;
      const { slots, runStatuses } = (key !== undefined && matches.get(key)) || match(selection);
      if (key !== undefined) remember(key, { slots, runStatuses });
      return { count: slots.length, runStatuses, rows: [...slots.subarray(from, to)].map(rows.row) };
    },

    contents: () => {
      const slots: number[] = [];
      orders.name.visit('ascending', (slot) => slots.push(slot));
      return { rows: rows.contents(slots), gone: [...gone], projects: [...projects.values()] };
    },
  };
};
