import { grown } from './rows.ts';
import type { Direction } from './selection.ts';

/** The rows of a list index in an order that is kept: what changed is merged in when the order is next asked for. */
export interface KeptOrder {
  /** Row `slot` came, went, or changed what it is sorted by. */
  readonly touch: (slot: number) => void;
  /** Goes through the rows; what is equal comes in the same sequence both ways. */
  readonly visit: (direction: Direction, each: (slot: number) => void) => void;
}

interface OrderBy {
  readonly compare: (a: number, b: number) => number;
  /** What decides where `compare` does not. */
  readonly compareEqual: (a: number, b: number) => number;
  /** What comes last both ways; nothing, where absent. `compare` puts it last too. */
  readonly isLast?: (slot: number) => boolean;
  readonly isAlive: (slot: number) => boolean;
}

/** @param order of the rows that are there already. */
export const createOrder = (
  { compare, compareEqual, isLast = () => false, isAlive }: OrderBy,
  order = new Uint32Array(),
): KeptOrder => {
  let touched: number[] = [];
  let isTouched = new Uint8Array();

  const fully = (a: number, b: number): number => compare(a, b) || compareEqual(a, b);

  /** One pass over both: a slot that was touched stands where it stood no longer, whatever it holds by now. */
  const settle = (): void => {
    if (touched.length === 0) return;
    const changed = Uint32Array.from(touched.filter(isAlive)).sort(fully);
    const merged = new Uint32Array(order.length + changed.length);
    let [length, next] = [0, 0];
    for (const slot of order) {
      if (isTouched[slot] === 1) continue;
      while (next < changed.length && fully(changed[next] as number, slot) < 0)
        merged[length++] = changed[next++] as number;
      merged[length++] = slot;
    }
    merged.set(changed.subarray(next), length);
    order = merged.subarray(0, length + changed.length - next);
    for (const slot of touched) isTouched[slot] = 0;
    touched = [];
  };

  const ascend = (from: number, to: number, each: (slot: number) => void): void => {
    for (let index = from; index < to; index++) each(order[index] as number);
  };

  return {
    touch: (slot) => {
      if (slot >= isTouched.length) isTouched = grown(isTouched, slot + 1);
      if (isTouched[slot] === 1) return;
      isTouched[slot] = 1;
      touched.push(slot);
    },
    visit: (direction, each) => {
      settle();
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
