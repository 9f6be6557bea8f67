import type { Grants, WorkspaceGrant } from '../domain/directory/grants.ts';
import type { Tags } from '../domain/tags/tag.ts';
import { type Label, type Numbers, noRows, type RowContents } from './contents.ts';
import { createPool, type Pool } from './pool.ts';
import type { Row } from './row.ts';

/** The numbers in an array with room for at least so many; half as many again, so that it seldom has to grow. */
export const grown = <N extends Numbers>(numbers: N, length: number): N => {
  const Kind = numbers.constructor as new (length: number) => N;
  const larger = new Kind(Math.max(length, Math.ceil(numbers.length * 1.5), 64));
  larger.set(numbers);
  return larger;
};

/** What a row says, by its slot. Words are numbers of a pool. */
interface Columns {
  readonly id: string[];
  /** Empty where there is no row. */
  readonly name: string[];
  listedAt: Float64Array<ArrayBuffer>;
  latestChangeAt: Float64Array<ArrayBuffer>;
  /** Infinity without a run. */
  runAt: Float64Array<ArrayBuffer>;
  /** When all its tags came; not a number where they came at different times, which then lie apart. */
  taggedAt: Float64Array<ArrayBuffer>;
  project: Uint32Array<ArrayBuffer>;
  access: Uint32Array<ArrayBuffer>;
  runStatus: Uint32Array<ArrayBuffer>;
  labels: Uint32Array<ArrayBuffer>;
  flags: Uint8Array<ArrayBuffer>;
}
const HAS_VARIABLES = 1;
const HAS_LONG_TEXT = 2;

export interface Pools {
  readonly projects: Pool<string>;
  readonly accesses: Pool<Grants<WorkspaceGrant>>;
  readonly runStatuses: Pool<string | null>;
  readonly labels: Pool<Label>;
  /** Which labels a row has: their numbers, in order. */
  readonly labelSets: Pool<readonly number[]>;
}

/**
 * The rows of a list index, column by column and without what repeats: a part of the memory of as many objects, and
 * filters go through them without making any. A row has a slot; when it is gone, another one gets it.
 */
export interface Rows {
  readonly columns: Readonly<Columns>;
  readonly pools: Pools;
  readonly size: () => number;
  /** All slots are below this. */
  readonly end: () => number;
  readonly slotOf: (id: string) => number | undefined;
  /** The row as it was put in. */
  readonly row: (slot: number) => Row;
  /** When a row's tag came, by its place among them. */
  readonly tagTime: (slot: number, index: number) => number;
  /** Into its slot, or a new one. @returns which. */
  readonly put: (row: Row) => number;
  readonly remove: (slot: number) => void;
  /** All rows, in this order of their slots. */
  readonly contents: (slots: ArrayLike<number>) => RowContents;
}

const LABEL_PARTS = '\n';

/** What tells the values of each pool apart. */
export const poolKeys = {
  projects: (id: string) => id,
  accesses: (access: Grants<WorkspaceGrant>) => JSON.stringify(access),
  runStatuses: (status: string | null) => status ?? '',
  labels: ({ key, value }: Label) => (value === undefined ? key : key + LABEL_PARTS + value),
  labelSets: (set: readonly number[]) => set.join(),
} as const;

/** How often each number below `end` comes. */
const occurrences = (numbers: Iterable<number>, end: number): Uint32Array => {
  const counts = new Uint32Array(end);
  for (const number of numbers) counts[number] = (counts[number] as number) + 1;
  return counts;
};

/** @param begin what it holds to begin with, and takes over. */
export const createRows = (begin: RowContents = noRows()): Rows => {
  const slots = new Map(begin.ids.map((id, slot) => [id, slot]));
  const free: number[] = [];
  const timesApart = new Map(begin.timesApart);
  const { ids: id, names: name, pools: values, timesApart: _, ...numbers } = begin;
  const columns: Columns = { id, name, ...numbers };
  const pooled = <T>(keyOf: (value: T) => string, of: readonly T[], held: Iterable<number>): Pool<T> =>
    createPool(keyOf, { values: of, holders: occurrences(held, of.length) });
  const pools: Pools = {
    projects: pooled(poolKeys.projects, values.projects, columns.project),
    accesses: pooled(poolKeys.accesses, values.accesses, columns.access),
    runStatuses: pooled(poolKeys.runStatuses, values.runStatuses, columns.runStatus),
    labels: pooled(poolKeys.labels, values.labels, values.labelSets.flat()),
    labelSets: pooled(poolKeys.labelSets, values.labelSets, columns.labels),
  };

  const makeResponseSizeBudget = (length: number): void => {
    if (length <= columns.flags.length) return;
    columns.listedAt = grown(columns.listedAt, length);
    columns.latestChangeAt = grown(columns.latestChangeAt, length);
    columns.runAt = grown(columns.runAt, length);
    columns.taggedAt = grown(columns.taggedAt, length);
    columns.project = grown(columns.project, length);
    columns.access = grown(columns.access, length);
    columns.runStatus = grown(columns.runStatus, length);
    columns.labels = grown(columns.labels, length);
    columns.flags = grown(columns.flags, length);
  };

  const takeLabels = (tags: Tags): number => {
    const labels = tags.map(
      ({ key, value }) => pools.labels.take(value === undefined ? { key } : { key, value }).number,
    );
    const { number, isNew } = pools.labelSets.take(labels);
    // A set holds its labels once, however many rows have it.
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
    timesApart.delete(slot);
  };

  const tagTime = (slot: number, index: number): number =>
    (timesApart.get(slot)?.[index] ?? columns.taggedAt[slot]) as number;

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
      makeResponseSizeBudget(slot + 1);
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
        timesApart.set(
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
      const pick = <N extends Numbers>(column: N): N => {
        const picked = grown(new (column.constructor as new () => N)(), order.length).subarray(0, order.length) as N;
        for (let place = 0; place < order.length; place++) picked[place] = column[order[place] as number] as number;
        return picked;
      };
      /** A column of numbers of a pool, and the values that are left in it. */
      const repool = <T>(pool: Pool<T>, column: Uint32Array): [Uint32Array<ArrayBuffer>, T[]] => {
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
        timesApart: Array.from(order, (slot, place) => [place, timesApart.get(slot)] as const).flatMap(
          ([place, times]) => (times === undefined ? [] : [[place, times] as const]),
        ),
        pools: { projects, accesses, runStatuses, labels: renumberLabels.values, labelSets },
      };
    },
  };
};

/** Gives the values of a pool numbers without gaps, as they come up. */
const renumbering = <T>(pool: Pool<T>) => {
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
