import {
  type ColumnOf,
  type ColumnValues,
  columns as definitions,
  forEachColumn,
  type PooledValue,
  pooledColumns,
} from './columns.ts';
import type { PackedRows, PooledValues, TagLabel } from './contents.ts';
import { createInternPool, type InternPool } from './intern-pool.ts';

type PooledColumn = ColumnOf<'pooled'>;

/** The pools of the columns of repeated values. */
export type ColumnPools = { readonly [C in PooledColumn]: InternPool<ColumnValues[C]> };

/** All pools. */
export type Pools = ColumnPools & {
  readonly labels: InternPool<TagLabel>;
  /** The tags of a row: numbers of labels, in the order of the tags. */
  readonly labelSets: InternPool<readonly number[]>;
};

/** Keys of tags cannot contain it. */
const LABEL_SEPARATOR = '\n';

/** Key functions of the pools of tags: equal keys mean equal values. */
export const tagKeys = {
  labels: ({ key, value }: TagLabel) => (value === undefined ? key : key + LABEL_SEPARATOR + value),
  labelSets: (set: readonly number[]) => set.join(),
} as const;

/** Counts how often each number below `end` occurs. */
const occurrences = (numbers: Iterable<number>, end: number): Uint32Array => {
  const counts = new Uint32Array(end);
  for (const number of numbers) counts[number] = (counts[number] as number) + 1;
  return counts;
};

/** Creates the pools of repeated values, with the number of the rows that hold each value. */
export const createPools = (contents: PackedRows): Pools => {
  const { pools: values } = contents;
  const createPool = <T>(keyOf: (value: T) => string, of: readonly T[], held: Iterable<number>): InternPool<T> =>
    createInternPool(keyOf, { values: of, holders: occurrences(held, of.length) });
  const createColumnPool = <C extends PooledColumn>(column: C): InternPool<ColumnValues[C]> => {
    const { keyOf } = definitions[column] as PooledValue<ColumnValues[C]>;
    const pooledValues: PooledValues = values;
    return createPool(keyOf, pooledValues[column], contents[column]);
  };
  const columnPools = forEachColumn(pooledColumns, createColumnPool) as ColumnPools;
  return {
    ...columnPools,
    labels: createPool(tagKeys.labels, values.labels, values.labelSets.flat()),
    labelSets: createPool(tagKeys.labelSets, values.labelSets, contents.labels),
  };
};
