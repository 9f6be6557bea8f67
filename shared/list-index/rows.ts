import type { Grants, WorkspaceGrant } from '../domain/directory/grants.ts';
import type { Tags } from '../domain/tags/tag.ts';
import { emptyRows, type NumberColumn, type PackedRows, type TagLabel } from './contents.ts';
import { createInternPool, type InternPool } from './intern-pool.ts';
import type { Row } from './row.ts';

/** Copies a column into a larger array: at least `length`, and half as large again, so that it seldom has to grow. */
export const growTo = <N extends NumberColumn>(numbers: N, length: number): N => {
  const Kind = numbers.constructor as new (length: number) => N;
  const larger = new Kind(Math.max(length, Math.ceil(numbers.length * 1.5), 64));
  larger.set(numbers);
  return larger;
};

/** Columns by slot. Columns of repeated values contain numbers of the pools. */
interface Columns {
  readonly id: string[];
  /** Empty for a free slot. */
  readonly name: string[];
  listedAt: Float64Array<ArrayBuffer>;
  latestChangeAt: Float64Array<ArrayBuffer>;
  /** Creation of the current run; infinity without one. */
  runAt: Float64Array<ArrayBuffer>;
  /** Time of all tags of the row; NaN if they have different times, which are then kept apart. */
  taggedAt: Float64Array<ArrayBuffer>;
  project: Uint32Array<ArrayBuffer>;
  access: Uint32Array<ArrayBuffer>;
  runStatus: Uint32Array<ArrayBuffer>;
  labels: Uint32Array<ArrayBuffer>;
  flags: Uint8Array<ArrayBuffer>;
}
const HAS_VARIABLES = 1;
const HAS_LONG_TEXT = 2;

/** The pools of repeated values. */
export interface Pools {
  readonly projects: InternPool<string>;
  readonly accesses: InternPool<Grants<WorkspaceGrant>>;
  readonly runStatuses: InternPool<string | null>;
  readonly labels: InternPool<TagLabel>;
  /** The tags of a row: numbers of labels, in the order of the tags. */
  readonly labelSets: InternPool<readonly number[]>;
}

/**
 * The rows of a list index as columns. They take less memory than objects, and filters read them without creating
 * objects. Each row has a slot. The slot of a removed row is used again.
 */
export interface Rows {
  readonly columns: Readonly<Columns>;
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

/** Key functions of the pools: equal keys mean equal values. */
export const poolKeys = {
  projects: (id: string) => id,
  accesses: (access: Grants<WorkspaceGrant>) => JSON.stringify(access),
  runStatuses: (status: string | null) => status ?? '',
  labels: ({ key, value }: TagLabel) => (value === undefined ? key : key + LABEL_SEPARATOR + value),
  labelSets: (set: readonly number[]) => set.join(),
} as const;

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
  const slots = new Map(contents.ids.map((id, slot) => [id, slot]));
  const free: number[] = [];
  const mixedTagTimes = new Map(contents.tagTimes);
  const { ids: id, names: name, pools: values, tagTimes: _, ...numbers } = contents;
  const columns: Columns = { id, name, ...numbers };
  const pooled = <T>(keyOf: (value: T) => string, of: readonly T[], held: Iterable<number>): InternPool<T> =>
    createInternPool(keyOf, { values: of, holders: occurrences(held, of.length) });
  const pools: Pools = {
    projects: pooled(poolKeys.projects, values.projects, columns.project),
    accesses: pooled(poolKeys.accesses, values.accesses, columns.access),
    runStatuses: pooled(poolKeys.runStatuses, values.runStatuses, columns.runStatus),
    labels: pooled(poolKeys.labels, values.labels, values.labelSets.flat()),
    labelSets: pooled(poolKeys.labelSets, values.labelSets, columns.labels),
  };

  const ensureCapacity = (length: number): void => {
    if (length <= columns.flags.length) return;
    columns.listedAt = growTo(columns.listedAt, length);
    columns.latestChangeAt = growTo(columns.latestChangeAt, length);
    columns.runAt = growTo(columns.runAt, length);
    columns.taggedAt = growTo(columns.taggedAt, length);
    columns.project = growTo(columns.project, length);
    columns.access = growTo(columns.access, length);
    columns.runStatus = growTo(columns.runStatus, length);
    columns.labels = growTo(columns.labels, length);
    columns.flags = growTo(columns.flags, length);
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
    pools.projects.release(columns.project[slot] as number);
    pools.accesses.release(columns.access[slot] as number);
    pools.runStatuses.release(columns.runStatus[slot] as number);
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

    row: (slot) => {
      const runAt = columns.runAt[slot] as number;
      const flags = columns.flags[slot] as number;
      return {
        id: columns.id[slot] as string,
        name: columns.name[slot] as string,
        project: pools.projects.value(columns.project[slot] as number),
        access: pools.accesses.value(columns.access[slot] as number),
        tags: pools.labelSets
          .value(columns.labels[slot] as number)
          .map((label, index) => ({ ...pools.labels.value(label), at: tagTime(slot, index) })),
        runStatus: pools.runStatuses.value(columns.runStatus[slot] as number),
        runAt: runAt === Number.POSITIVE_INFINITY ? null : runAt,
        latestChangeAt: columns.latestChangeAt[slot] as number,
        hasVariables: (flags & HAS_VARIABLES) !== 0,
        hasLongText: (flags & HAS_LONG_TEXT) !== 0,
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
      columns.runAt[slot] = row.runAt ?? Number.POSITIVE_INFINITY;
      columns.project[slot] = pools.projects.take(row.project).number;
      columns.access[slot] = pools.accesses.take(row.access).number;
      columns.runStatus[slot] = pools.runStatuses.take(row.runStatus).number;
      columns.labels[slot] = takeLabels(row.tags);
      columns.flags[slot] = (row.hasVariables ? HAS_VARIABLES : 0) | (row.hasLongText ? HAS_LONG_TEXT : 0);
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
      columns.id[slot] = '';
      columns.name[slot] = '';
      free.push(slot);
    },

    contents: (order) => {
      const pick = <N extends NumberColumn>(column: N): N => {
        const picked = growTo(new (column.constructor as new () => N)(), order.length).subarray(0, order.length) as N;
        for (let place = 0; place < order.length; place++) picked[place] = column[order[place] as number] as number;
        return picked;
      };
      /** Returns a column with positions among the values that are still in use, and these values. */
      const repool = <T>(pool: InternPool<T>, column: Uint32Array): [Uint32Array<ArrayBuffer>, T[]] => {
        const renumber = renumbering(pool);
        return [Uint32Array.from(order, (slot) => renumber.number(column[slot] as number)), renumber.values];
      };
      const [project, projects] = repool(pools.projects, columns.project);
      const [access, accesses] = repool(pools.accesses, columns.access);
      const [runStatus, runStatuses] = repool(pools.runStatuses, columns.runStatus);
      const [labels, sets] = repool(pools.labelSets, columns.labels);
      const renumberLabels = renumbering(pools.labels);
      const labelSets = sets.map((set) => set.map(renumberLabels.number));
      return {
        ids: Array.from(order, (slot) => columns.id[slot] as string),
        names: Array.from(order, (slot) => columns.name[slot] as string),
        listedAt: pick(columns.listedAt),
        latestChangeAt: pick(columns.latestChangeAt),
        runAt: pick(columns.runAt),
        taggedAt: pick(columns.taggedAt),
        flags: pick(columns.flags),
        project,
        access,
        runStatus,
        labels,
        tagTimes: Array.from(order, (slot, place) => [place, mixedTagTimes.get(slot)] as const).flatMap(
          ([place, times]) => (times === undefined ? [] : [[place, times] as const]),
        ),
        pools: { projects, accesses, runStatuses, labels: renumberLabels.values, labelSets },
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
