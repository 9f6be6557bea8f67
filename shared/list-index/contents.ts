import type { Tag } from '../domain/tags/tag.ts';
import {
  type ColumnOf,
  type ColumnValues,
  forEachColumn,
  numberColumns,
  pooledColumns,
  textColumns,
} from './columns.ts';
import type { DeletedRow, ProjectRow } from './row.ts';

/** An array of numbers, one for each row. */
export type NumberArray = Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;

/** A tag without its time: the key, and the value of a binding. */
export type TagLabel = Pick<Tag, 'key' | 'value'>;

/** Columns of text. */
type TextArrays = { readonly [C in ColumnOf<'text'>]: string[] };

/** All other columns as numbers. Columns of repeated values contain positions in the pools. */
export type NumberArrays = {
  /** Infinity for null. */
  [C in ColumnOf<'number'>]: Float64Array<ArrayBuffer>;
} & {
  [C in ColumnOf<'pooled'>]: Uint32Array<ArrayBuffer>;
} & {
  /** Time of all tags of the row; NaN if they have different times, which are then in `tagTimes`. */
  taggedAt: Float64Array<ArrayBuffer>;
  /** Positions in the pool of sets of tags. */
  labels: Uint32Array<ArrayBuffer>;
  /** One bit for each flag. */
  flags: Uint8Array<ArrayBuffer>;
};

/** The columns as arrays. */
export type ColumnArrays = TextArrays & NumberArrays;

/** The distinct values of the columns of repeated values. */
export type PooledValues = { readonly [C in ColumnOf<'pooled'>]: readonly ColumnValues[C][] };

/** Rows as columns without gaps. The pools contain every repeated value once. */
export type PackedRows = ColumnArrays & {
  /** Times of the tags of rows whose tags have different times, in the order of the rows. */
  readonly tagTimes: readonly (readonly [row: number, times: readonly number[]])[];
  readonly pools: PooledValues & {
    readonly labels: readonly TagLabel[];
    /** Positions in `labels`. */
    readonly labelSets: readonly (readonly number[])[];
  };
};

/** The complete contents of a list index, from which another one can be created. */
export interface ListIndexContents {
  /** Ordered by name; ties are broken by id. */
  readonly rows: PackedRows;
  readonly deleted: readonly DeletedRow[];
  readonly projects: readonly ProjectRow[];
}

/** Creates the arrays of numbers without a row, in the order in which snapshots contain them. */
export const emptyNumberArrays = (): NumberArrays => ({
  ...forEachColumn(numberColumns, () => new Float64Array()),
  taggedAt: new Float64Array(),
  ...forEachColumn(pooledColumns, () => new Uint32Array()),
  labels: new Uint32Array(),
  flags: new Uint8Array(),
});

/** The names of the arrays of numbers, in the order in which snapshots contain them. */
export const numberArrayNames = Object.keys(emptyNumberArrays()) as (keyof NumberArrays)[];

/** Creates packed rows without a row. */
export const emptyRows = (): PackedRows => ({
  ...forEachColumn(textColumns, () => []),
  ...emptyNumberArrays(),
  tagTimes: [],
  pools: { ...forEachColumn(pooledColumns, () => []), labels: [], labelSets: [] },
});

/** Copies numbers into a larger array: at least `length`, and half as large again, so that it seldom has to grow. */
export const growTo = <N extends NumberArray>(numbers: N, length: number): N => {
  const Kind = numbers.constructor as new (length: number) => N;
  const larger = new Kind(Math.max(length, Math.ceil(numbers.length * 1.5), 64));
  larger.set(numbers);
  return larger;
};
