import type { Tags } from '../domain/tags/tag.ts';
import {
  type ColumnOf,
  type ColumnValues,
  columns as definitions,
  flagColumns,
  forEachColumn,
  numberColumns,
  type PooledValue,
  pooledColumns,
  textColumns,
} from './columns.ts';
import {
  type ColumnArrays,
  emptyRows,
  type NumberArray,
  numberArrayNames,
  type PackedRows,
  type PooledValues,
  type TagLabel,
} from './contents.ts';
import { createInternPool, type InternPool } from './intern-pool.ts';
import type { Row } from './row.ts';

/** Copies numbers into a larger array: at least `length`, and half as large again, so that it seldom has to grow. */
export const growTo = <N extends NumberArray>(numbers: N, length: number): N => {
  const Kind = numbers.constructor as new (length: number) => N;
  const larger = new Kind(Math.max(length, Math.ceil(numbers.length * 1.5), 64));
  larger.set(numbers);
  return larger;
};

type PooledColumn = ColumnOf<'pooled'>;

/** The pools of the columns of repeated values. */
export type ColumnPools = { readonly [C in PooledColumn]: InternPool<ColumnValues[C]> };

/** All pools. */
export type Pools = ColumnPools & {
  readonly labels: InternPool<TagLabel>;
  /** The tags of a row: numbers of labels, in the order of the tags. */
  readonly labelSets: InternPool<readonly number[]>;
};

/**
 * The rows of a list index as columns. They take less memory than objects, and filters read them without creating
 * objects. Each row has a slot. The slot of a removed row is used again.
 */
export interface Rows {
  /** The columns by slot. The name in a free slot is empty. */
  readonly columns: Readonly<ColumnArrays>;
  readonly pools: Pools;
  readonly size: () => number;
  /** Returns the number of slots, free ones included. */
  readonly end: () => number;
  readonly slotOf: (id: string) => number | undefined;
  /** Returns the row in a slot as an object. */
  readonly row: (slot: number) => Row;
  /** Returns the time of the tag at a position of a row's tags. */
  readonly tagTime: (slot: number, index: number) => number;
  /** Stores a row. @returns its slot. */
  readonly put: (row: Row) => number;
  readonly remove: (slot: number) => void;
  /** Packs the rows in these slots, in this order. */
  readonly contents: (slots: ArrayLike<number>) => PackedRows;
}

/** Keys of tags cannot contain it. */
const LABEL_SEPARATOR = '\n';

/** Key functions of the pools of tags: equal keys mean equal values. */
export const tagKeys = {
  labels: ({ key, value }: TagLabel) => (value === undefined ? key : key + LABEL_SEPARATOR + value),
  labelSets: (set: readonly number[]) => set.join(),
} as const;

/** The bit of each flag. */
const flagBits = forEachColumn(flagColumns, (name) => 1 << flagColumns.indexOf(name));
/** The form of null in columns of numbers. */
const NULL = Number.POSITIVE_INFINITY;

/** Counts how often each number below `end` occurs. */
const occurrences = (numbers: Iterable<number>, end: number): Uint32Array => {
  const counts = new Uint32Array(end);
  for (const number of numbers) counts[number] = (counts[number] as number) + 1;
  return counts;
};

/**
 * Creates the columns of a list index.
 * @param contents initial rows. The arrays are used without a copy.
 */
export const createRows = (contents: PackedRows = emptyRows()): Rows => {
  const slots = new Map(contents.id.map((id, slot) => [id, slot]));
  const free: number[] = [];
  const mixedTagTimes = new Map(contents.tagTimes);
  const { pools: values, tagTimes: _, ...columns } = contents;
  const createPool = <T>(keyOf: (value: T) => string, of: readonly T[], held: Iterable<number>): InternPool<T> =>
    createInternPool(keyOf, { values: of, holders: occurrences(held, of.length) });
  const createColumnPool = <C extends PooledColumn>(column: C): InternPool<ColumnValues[C]> => {
    const { keyOf } = definitions[column] as PooledValue<ColumnValues[C]>;
    const pooledValues: PooledValues = values;
    return createPool(keyOf, pooledValues[column], columns[column]);
  };
  const columnPools = forEachColumn(pooledColumns, createColumnPool) as ColumnPools;
  const pools: Pools = {
    ...columnPools,
    labels: createPool(tagKeys.labels, values.labels, values.labelSets.flat()),
    labelSets: createPool(tagKeys.labelSets, values.labelSets, columns.labels),
  };

  const ensureCapacity = (length: number): void => {
    if (length <= columns.flags.length) return;
    for (const name of numberArrayNames) Object.assign(columns, { [name]: growTo(columns[name], length) });
  };

  const takeLabels = (tags: Tags): number => {
    const labels = tags.map(
      ({ key, value }) => pools.labels.take(value === undefined ? { key } : { key, value }).number,
    );
    const { number, isNew } = pools.labelSets.take(labels);
    // A set holds each of its labels once, regardless of the number of rows that have the set.
    if (!isNew) for (const label of labels) pools.labels.release(label);
    return number;
  };

  const releaseAll = (slot: number): void => {
    pools.project.release(columns.project[slot] as number);
    pools.access.release(columns.access[slot] as number);
    pools.runStatus.release(columns.runStatus[slot] as number);
    pools.lockedBy.release(columns.lockedBy[slot] as number);
    pools.executionMode.release(columns.executionMode[slot] as number);
    pools.infraVersion.release(columns.infraVersion[slot] as number);
    pools.deletionProtection.release(columns.deletionProtection[slot] as number);
    const set = columns.labels[slot] as number;
    const labels = pools.labelSets.value(set);
    if (pools.labelSets.release(set)) for (const label of labels) pools.labels.release(label);
    mixedTagTimes.delete(slot);
  };

  const tagTime = (slot: number, index: number): number =>
    (mixedTagTimes.get(slot)?.[index] ?? columns.taggedAt[slot]) as number;

  return {
    columns,
    pools,
    tagTime,
    size: () => slots.size,
    end: () => columns.id.length,
    slotOf: (id) => slots.get(id),

    // `row`, `put` and `releaseAll` name the columns, because loops over them take more processor time.
    row: (slot) => {
      const runAt = columns.runAt[slot] as number;
      const lockedAt = columns.lockedAt[slot] as number;
      const lockExpiresAt = columns.lockExpiresAt[slot] as number;
      const flags = columns.flags[slot] as number;
      return {
        id: columns.id[slot] as string,
        name: columns.name[slot] as string,
        project: pools.project.value(columns.project[slot] as number),
        access: pools.access.value(columns.access[slot] as number),
        tags: pools.labelSets
          .value(columns.labels[slot] as number)
          .map((label, index) => ({ ...pools.labels.value(label), at: tagTime(slot, index) })),
        runStatus: pools.runStatus.value(columns.runStatus[slot] as number),
        runAt: runAt === NULL ? null : runAt,
        lockedAt: lockedAt === NULL ? null : lockedAt,
        lockExpiresAt: lockExpiresAt === NULL ? null : lockExpiresAt,
        lockedBy: pools.lockedBy.value(columns.lockedBy[slot] as number),
        executionMode: pools.executionMode.value(columns.executionMode[slot] as number),
        infraVersion: pools.infraVersion.value(columns.infraVersion[slot] as number),
        deletionProtection: pools.deletionProtection.value(columns.deletionProtection[slot] as number),
        latestChangeAt: columns.latestChangeAt[slot] as number,
        hasVariables: (flags & flagBits.hasVariables) !== 0,
        hasLongText: (flags & flagBits.hasLongText) !== 0,
        listedAt: columns.listedAt[slot] as number,
        gone: false,
      };
    },

    put: (row) => {
      const known = slots.get(row.id);
      const slot = known ?? free.pop() ?? columns.id.length;
      ensureCapacity(slot + 1);
      if (known !== undefined) releaseAll(slot);
      slots.set(row.id, slot);
      columns.id[slot] = row.id;
      columns.name[slot] = row.name;
      columns.listedAt[slot] = row.listedAt;
      columns.latestChangeAt[slot] = row.latestChangeAt;
      columns.runAt[slot] = row.runAt ?? NULL;
      columns.lockedAt[slot] = row.lockedAt ?? NULL;
      columns.lockExpiresAt[slot] = row.lockExpiresAt ?? NULL;
      columns.project[slot] = pools.project.take(row.project).number;
      columns.access[slot] = pools.access.take(row.access).number;
      columns.runStatus[slot] = pools.runStatus.take(row.runStatus).number;
      columns.lockedBy[slot] = pools.lockedBy.take(row.lockedBy).number;
      columns.executionMode[slot] = pools.executionMode.take(row.executionMode).number;
      columns.infraVersion[slot] = pools.infraVersion.take(row.infraVersion).number;
      columns.deletionProtection[slot] = pools.deletionProtection.take(row.deletionProtection).number;
      columns.flags[slot] =
        (row.hasVariables ? flagBits.hasVariables : 0) | (row.hasLongText ? flagBits.hasLongText : 0);
      columns.labels[slot] = takeLabels(row.tags);
      const [first] = row.tags;
      const together = row.tags.every(({ at }) => at === first?.at);
      columns.taggedAt[slot] = together ? (first?.at ?? Number.NaN) : Number.NaN;
      if (!together)
        mixedTagTimes.set(
          slot,
          row.tags.map(({ at }) => at),
        );
      return slot;
    },

    remove: (slot) => {
      releaseAll(slot);
      slots.delete(columns.id[slot] as string);
      for (const column of textColumns) columns[column][slot] = '';
      free.push(slot);
    },

    contents: (order) => {
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
      const repoolColumn = <C extends PooledColumn>(column: C) =>
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
        tagTimes: Array.from(order, (slot, place) => [place, mixedTagTimes.get(slot)] as const).flatMap(
          ([place, times]) => (times === undefined ? [] : [[place, times] as const]),
        ),
        pools: {
          ...(forEachColumn(pooledColumns, (column) => packed[column].values) as PooledValues),
          labels: renumberLabels.values,
          labelSets,
        },
      };
    },
  };
};

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
