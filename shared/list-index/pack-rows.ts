import {
  type ColumnOf,
  type ColumnValues,
  forEachColumn,
  numberColumns,
  pooledColumns,
  textColumns,
} from './columns.ts';
import { type ColumnArrays, growTo, type NumberArray, type PackedRows, type PooledValues } from './contents.ts';
import type { InternPool } from './intern-pool.ts';
import type { ColumnPools, Pools } from './pools.ts';

/** Assigns consecutive numbers to values of a pool, in the order in which they are requested. */
const renumbering = <T>(pool: InternPool<T>) => {
  const numbers = new Map<number, number>();
  const values: T[] = [];
  return {
    values,
    number: (before: number): number => {
      const known = numbers.get(before);
      if (known !== undefined) return known;
      numbers.set(before, values.length);
      return values.push(pool.value(before)) - 1;
    },
  };
};

/** The rows of a list index, with the times of the tags of rows whose tags have different times. */
interface StoredRows {
  readonly columns: Readonly<ColumnArrays>;
  readonly pools: Pools;
  readonly mixedTagTimes: ReadonlyMap<number, readonly number[]>;
}

/** Packs the rows in these slots, in this order. */
export const packRows = ({ columns, pools, mixedTagTimes }: StoredRows, order: ArrayLike<number>): PackedRows => {
  const columnPools: ColumnPools = pools;
  const pick = <N extends NumberArray>(column: N): N => {
    const picked = growTo(new (column.constructor as new () => N)(), order.length).subarray(0, order.length) as N;
    for (let place = 0; place < order.length; place++) picked[place] = column[order[place] as number] as number;
    return picked;
  };
  /** Returns a column with positions among the values that are still in use, and these values. */
  const repool = <T>(pool: InternPool<T>, column: Uint32Array) => {
    const renumber = renumbering(pool);
    const positions = Uint32Array.from(order, (slot) => renumber.number(column[slot] as number));
    return { positions, values: renumber.values };
  };
  const repoolColumn = <C extends ColumnOf<'pooled'>>(column: C) =>
    repool<ColumnValues[C]>(columnPools[column], columns[column]);
  const packed = forEachColumn(pooledColumns, repoolColumn);
  const sets = repool(pools.labelSets, columns.labels);
  const renumberLabels = renumbering(pools.labels);
  const labelSets = sets.values.map((set) => set.map(renumberLabels.number));
  return {
    ...forEachColumn(textColumns, (column) => Array.from(order, (slot) => columns[column][slot] as string)),
    ...forEachColumn(numberColumns, (column) => pick(columns[column])),
    ...forEachColumn(pooledColumns, (column) => packed[column].positions),
    taggedAt: pick(columns.taggedAt),
    labels: sets.positions,
    flags: pick(columns.flags),
    tagTimes: Array.from(order, (slot, place) => [place, mixedTagTimes.get(slot)] as const).flatMap(([place, times]) =>
      times === undefined ? [] : [[place, times] as const],
    ),
    pools: {
      ...(forEachColumn(pooledColumns, (column) => packed[column].values) as PooledValues),
      labels: renumberLabels.values,
      labelSets,
    },
  };
};
