import { growTo } from './contents.ts';
import type { Direction } from './selection.ts';

/** A sort order of the rows that is kept up to date: changed rows are merged into it when it is read next. */
export interface MaintainedOrder {
  /** Reports that the row in `slot` was added or removed, or that its sort key changed. */
  readonly markChanged: (slot: number) => void;
  /** Visits all rows. Rows with equal sort keys have the same sequence in both directions. */
  readonly visit: (direction: Direction, each: (slot: number) => void) => void;
}

interface Ordering {
  readonly compare: (a: number, b: number) => number;
  /** Breaks ties. */
  readonly compareEqual: (a: number, b: number) => number;
  /** Rows that come last in both directions, such as rows without a run. `compare` must put them last as well. */
  readonly isLast?: (slot: number) => boolean;
  readonly isAlive: (slot: number) => boolean;
}

/**
 * Creates a sort order.
 * @param order slots of the existing rows, sorted.
 */
export const createOrder = (
  { compare, compareEqual, isLast = () => false, isAlive }: Ordering,
  order = new Uint32Array(),
): MaintainedOrder => {
  let changedSlots: number[] = [];
  let isChanged = new Uint8Array();

  const compareFully = (a: number, b: number): number => compare(a, b) || compareEqual(a, b);

  /** Merges the changed rows in one pass. Changed slots are skipped at their old position. */
  const mergeChanges = (): void => {
    if (changedSlots.length === 0) return;
    const changed = Uint32Array.from(changedSlots.filter(isAlive)).sort(compareFully);
    const merged = new Uint32Array(order.length + changed.length);
    let [length, next] = [0, 0];
    for (const slot of order) {
      if (isChanged[slot] === 1) continue;
      while (next < changed.length && compareFully(changed[next] as number, slot) < 0)
        merged[length++] = changed[next++] as number;
      merged[length++] = slot;
    }
    merged.set(changed.subarray(next), length);
    order = merged.subarray(0, length + changed.length - next);
    for (const slot of changedSlots) isChanged[slot] = 0;
    changedSlots = [];
  };

  const ascend = (from: number, to: number, each: (slot: number) => void): void => {
    for (let index = from; index < to; index++) each(order[index] as number);
  };

  return {
    markChanged: (slot) => {
      if (slot >= isChanged.length) isChanged = growTo(isChanged, slot + 1);
      if (isChanged[slot] === 1) return;
      isChanged[slot] = 1;
      changedSlots.push(slot);
    },
    visit: (direction, each) => {
      mergeChanges();
      if (direction === 'ascending') return ascend(0, order.length, each);
      let last = order.length;
      while (last > 0 && isLast(order[last - 1] as number)) last--;
      for (let end = last; end > 0; ) {
        let start = end - 1;
        while (start > 0 && compare(order[start - 1] as number, order[start] as number) === 0) start--;
        ascend(start, end, each);
        end = start;
      }
      ascend(last, order.length, each);
    },
  };
};
