import { createOrder, type MaintainedOrder } from './order.ts';
import type { Rows } from './rows.ts';
import type { Order } from './selection.ts';

/** The sort keys of a row. */
export type SortKeys = Readonly<Record<Order, string | number>>;

export type SortOrders = ReturnType<typeof createSortOrders>;

/** Compares two texts by their UTF-16 code units. */
export const compareTexts = (a: string, b: string): number => Number(a > b) - Number(a < b);

/** Creates the sort orders of rows that are ordered by name. */
export const createSortOrders = ({ columns, end }: Pick<Rows, 'columns' | 'end'>) => {
  interface Sorting {
    readonly isLast?: (slot: number) => boolean;
    /** Whether the initial rows are already in this order. */
    readonly isSorted?: true;
  }
  const orderBy = (compare: (a: number, b: number) => number, { isLast, isSorted }: Sorting = {}): MaintainedOrder => {
    const slots = Uint32Array.from({ length: end() }, (_, slot) => slot);
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
  const name = (slot: number): string => columns.name[slot] as string;
  const runAt = (slot: number): number => columns.runAt[slot] as number;
  const latestChangeAt = (slot: number): number => columns.latestChangeAt[slot] as number;
  const lockedAt = (slot: number): number => columns.lockedAt[slot] as number;
  const by: Readonly<Record<Order, MaintainedOrder>> = {
    name: orderBy((a, b) => compareTexts(name(a), name(b)), { isSorted: true }),
    // Not by the difference: infinity minus infinity is NaN.
    runAt: orderBy((a, b) => Number(runAt(a) > runAt(b)) - Number(runAt(a) < runAt(b)), {
      isLast: (slot) => runAt(slot) === Number.POSITIVE_INFINITY,
    }),
    latestChangeAt: orderBy((a, b) => latestChangeAt(a) - latestChangeAt(b)),
    lockedAt: orderBy((a, b) => Number(lockedAt(a) > lockedAt(b)) - Number(lockedAt(a) < lockedAt(b)), {
      isLast: (slot) => lockedAt(slot) === Number.POSITIVE_INFINITY,
    }),
  };
  return {
    by,
    keysOf: (slot: number): SortKeys => ({
      name: name(slot),
      runAt: runAt(slot),
      latestChangeAt: latestChangeAt(slot),
      lockedAt: lockedAt(slot),
    }),
    /** Reports a change of a row to the orders in which it stands elsewhere now: most changes concern one. */
    markChanged: (slot: number, before?: SortKeys, after?: SortKeys): void => {
      for (const order of ['name', 'runAt', 'latestChangeAt', 'lockedAt'] as const) {
        if (before?.[order] !== after?.[order]) by[order].markChanged(slot);
      }
    },
  };
};
