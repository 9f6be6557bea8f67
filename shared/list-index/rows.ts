import type { Tags } from '../domain/tags/tag.ts';
import { flagColumns, forEachColumn, textColumns } from './columns.ts';
import { type ColumnArrays, emptyRows, growTo, numberArrayNames, type PackedRows } from './contents.ts';
import { packRows } from './pack-rows.ts';
import { createPools, type Pools } from './pools.ts';
import type { Row } from './row.ts';

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

/** The bit of each flag. */
export const flagBits = forEachColumn(flagColumns, (name) => 1 << flagColumns.indexOf(name));
/** The form of null in columns of numbers. */
const NULL = Number.POSITIVE_INFINITY;

/** Builds the row in a slot. It names the columns, as `put` and `releaseAll` do: loops over them take more processor time. */
const readRow = ({ columns, pools, tagTime }: Pick<Rows, 'columns' | 'pools' | 'tagTime'>, slot: number): Row => {
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
    importedFrom: pools.importedFrom.value(columns.importedFrom[slot] as number),
    createdAt: columns.createdAt[slot] as number,
    latestChangeAt: columns.latestChangeAt[slot] as number,
    hasVariables: (flags & flagBits.hasVariables) !== 0,
    hasLongText: (flags & flagBits.hasLongText) !== 0,
    listedAt: columns.listedAt[slot] as number,
    isDeleted: false,
  };
};

/**
 * Creates the columns of a list index.
 * @param contents initial rows. The arrays are used without a copy.
 */
export const createRows = (contents: PackedRows = emptyRows()): Rows => {
  const slots = new Map(contents.id.map((id, slot) => [id, slot]));
  const free: number[] = [];
  const { pools: _, tagTimes, ...columns } = contents;
  const mixedTagTimes = new Map(tagTimes);
  const pools = createPools(contents);

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
    pools.importedFrom.release(columns.importedFrom[slot] as number);
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

    row: (slot) => readRow({ columns, pools, tagTime }, slot),

    put: (row) => {
      const known = slots.get(row.id);
      const slot = known ?? free.pop() ?? columns.id.length;
      ensureCapacity(slot + 1);
      if (known !== undefined) releaseAll(slot);
      slots.set(row.id, slot);
      columns.id[slot] = row.id;
      columns.name[slot] = row.name;
      columns.listedAt[slot] = row.listedAt;
      columns.createdAt[slot] = row.createdAt;
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
      columns.importedFrom[slot] = pools.importedFrom.take(row.importedFrom).number;
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

    contents: (order) => packRows({ columns, pools, mixedTagTimes }, order),
  };
};
