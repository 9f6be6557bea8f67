import {
  type ColumnOf,
  type ColumnValues,
  columns,
  forEachColumn,
  isRecord,
  isText,
  type PooledValue,
  pooledColumns,
  textColumns,
} from './columns.ts';
import {
  emptyNumberArrays,
  type ListIndexContents,
  type NumberArray,
  numberArrayNames,
  type PackedRows,
  type PooledValues,
  type TagLabel,
} from './contents.ts';
import { tagKeys } from './pools.ts';
import type { DeletedRow, ProjectRow, Restorable } from './row.ts';

/**
 * The contents of a list index at a time. Its encoding is a JSON head, followed by the columns as they are in memory, so
 * that rows need not be parsed. Numbers are little-endian, as on all processors that Lambda offers.
 */
export interface Snapshot {
  /** Name of the organization, and its `org-…` id, because a name can be used again. */
  readonly organization: string;
  readonly externalId: string;
  /** Time at which reading the rows began. Later changes may be missing. */
  readonly at: number;
  readonly contents: ListIndexContents;
}

/** Thrown if the bytes are not a valid snapshot. */
class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
const check: (isValid: boolean, problem: string) => asserts isValid = (isValid, problem) => {
  if (!isValid) throw new Unreadable(problem);
};

/** Form in which a snapshot contains a row that may be deleted. */
type Packed<R> = Omit<R, 'isDeleted'> & { readonly gone: boolean };

interface Head extends Omit<Snapshot, 'contents'> {
  readonly rows: number;
  /** Values by the name of their pool. A label is its key, and the value of a binding. */
  readonly pools: Readonly<Record<string, readonly unknown[]>>;
  readonly projects: readonly Packed<ProjectRow>[];
}

/** Separates texts, which cannot contain it. */
const SEPARATOR = '\n';
/** Each part begins at a multiple of this, as typed arrays require. Its length precedes it. */
const ALIGNMENT = 8;
const aligned = (length: number): number => Math.ceil(length / ALIGNMENT) * ALIGNMENT;

const joinParts = (parts: readonly Uint8Array[]): Uint8Array => {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + ALIGNMENT + aligned(length), 0));
  const view = new DataView(joined.buffer);
  let at = 0;
  for (const part of parts) {
    view.setUint32(at, part.length, true);
    joined.set(part, at + ALIGNMENT);
    at += ALIGNMENT + aligned(part.length);
  }
  return joined;
};

const splitParts = (bytes: Uint8Array): (() => Uint8Array) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  return () => {
    check(at + ALIGNMENT <= bytes.length, 'A part is missing');
    const start = at + ALIGNMENT;
    const length = view.getUint32(at, true);
    check(start + length <= bytes.length, 'A part is truncated');
    at = start + aligned(length);
    return bytes.subarray(start, start + length);
  };
};

const toBytes = ({ buffer, byteOffset, byteLength }: NumberArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

const texts = { encode: new TextEncoder(), decode: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }) };
const textBytes = (words: readonly string[]): Uint8Array => texts.encode.encode(words.join(SEPARATOR));

/** Renames an attribute. The order of the attributes stays, because it is part of the encoding. */
const renamed = (row: object, from: string, to: string): unknown =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name === from ? to : name, value]));
const pack = <R extends object>(row: R) => renamed(row, 'isDeleted', 'gone') as Packed<R>;
const unpack = <R>(row: Packed<R>) => renamed(row, 'gone', 'isDeleted') as R;

/** Encodes a snapshot. The result is not compressed; see `shared/list-index-snapshots/packing.ts`. */
export const encodeSnapshot = ({ contents: { rows, deleted, projects }, ...identity }: Snapshot): Uint8Array => {
  const labels = rows.pools.labels.map(({ key, value }) => (value === undefined ? [key] : [key, value]));
  const values = Object.fromEntries(pooledColumns.map((column) => [columns[column].pool, rows.pools[column]]));
  const pools = { ...values, labels, labelSets: rows.pools.labelSets };
  const head: Head = { ...identity, rows: rows.id.length, pools, projects: projects.map(pack) };
  return joinParts([
    texts.encode.encode(JSON.stringify(head)),
    ...textColumns.map((column) => textBytes(rows[column])),
    textBytes(deleted.map((row) => JSON.stringify(pack(row)))),
    ...numberArrayNames.map((name) => toBytes(rows[name])),
    toBytes(Uint32Array.from(rows.tagTimes, ([row]) => row)),
    toBytes(Float64Array.from(rows.tagTimes.flatMap(([, times]) => times))),
  ]);
};

const splitWords = (bytes: Uint8Array): string[] => {
  const text = texts.decode.decode(bytes);
  return text === '' ? [] : text.split(SEPARATOR);
};

/** Copies a column, so that it does not keep the complete snapshot in memory. */
const toNumbers = <N extends NumberArray>(kind: N, bytes: Uint8Array): N => {
  const Kind = kind.constructor as (new (buffer: ArrayBuffer) => N) & { readonly BYTES_PER_ELEMENT: number };
  check(bytes.length % Kind.BYTES_PER_ELEMENT === 0, 'A column is truncated');
  return new Kind(new Uint8Array(bytes).buffer);
};

const requireList = <T>(list: unknown, fits: (value: unknown) => boolean): readonly T[] => {
  check(Array.isArray(list) && list.every(fits), 'A pool is invalid');
  return list as readonly T[];
};

/** Requires that every value occurs once. */
const requirePool = <T>(
  list: unknown,
  fits: (value: unknown) => boolean,
  keyOf: (value: T) => string,
): readonly T[] => {
  const values = requireList<T>(list, fits);
  check(new Set(values.map(keyOf)).size === values.length, 'A pool contains a value twice');
  return values;
};

const isBelow = (numbers: ArrayLike<number>, end: number): boolean => {
  for (let index = 0; index < numbers.length; index++) if (!((numbers[index] as number) < end)) return false;
  return true;
};

const readPools = (head: Head): PackedRows['pools'] => {
  check(isRecord(head.pools), 'The pools are missing');
  const labels = requireList<readonly [string, string?]>(
    head.pools['labels'],
    (label) => Array.isArray(label) && label.length >= 1 && label.length <= 2 && label.every(isText),
  ).map(([key, value]): TagLabel => (value === undefined ? { key } : { key, value }));
  const isLabel = (number: unknown) =>
    Number.isInteger(number) && Number(number) >= 0 && Number(number) < labels.length;
  const requireValues = <C extends ColumnOf<'pooled'>>(column: C): readonly ColumnValues[C][] => {
    const { pool, isValid, keyOf } = columns[column] as PooledValue<ColumnValues[C]>;
    return requirePool(head.pools[pool], isValid, keyOf);
  };
  return {
    ...(forEachColumn(pooledColumns, requireValues) as PooledValues),
    labels: requirePool(labels, isRecord, tagKeys.labels),
    labelSets: requirePool(
      head.pools['labelSets'],
      (set) => Array.isArray(set) && set.every(isLabel),
      tagKeys.labelSets,
    ),
  };
};

const isDeletion = (row: Packed<DeletedRow>): boolean => {
  if (!isRecord(row) || !isText(row.id) || !Number.isFinite(row.listedAt) || row.gone !== true) return false;
  const { restorable } = row;
  if (restorable === undefined) return true;
  const { deletedAt, purgeAt, project, access } = Object(restorable) as Restorable;
  return [deletedAt, purgeAt].every(Number.isFinite) && isText(project) && isRecord(access);
};

const read = (bytes: Uint8Array): Snapshot => {
  const next = splitParts(bytes);
  const head = JSON.parse(texts.decode.decode(next())) as Head;
  check(isRecord(head) && [head.organization, head.externalId].every(isText), 'The organization is missing');
  check(Number.isFinite(head.at), 'The time is missing');
  const pools = readPools(head);
  const projects = requireList<Packed<ProjectRow>>(head.projects, isRecord);
  check(
    projects.every(({ id, listedAt, access, bindings }) => {
      return isText(id) && Number.isFinite(listedAt) && isRecord(access) && Array.isArray(bindings);
    }),
    'A project is invalid',
  );

  const textArrays = forEachColumn(textColumns, () => splitWords(next()));
  const deleted = splitWords(next()).map((row) => JSON.parse(row) as Packed<DeletedRow>);
  check(deleted.every(isDeletion), 'A deleted workspace is invalid');
  const numberArrays = emptyNumberArrays();
  for (const name of numberArrayNames) Object.assign(numberArrays, { [name]: toNumbers(numberArrays[name], next()) });
  const mixedRows = toNumbers(new Uint32Array(), next());
  const times = toNumbers(new Float64Array(), next());
  const rows = { ...textArrays, ...numberArrays, pools };

  const { rows: count } = head;
  check(
    [...textColumns, ...numberArrayNames].every((name) => rows[name].length === count),
    'Rows are missing',
  );
  check(!rows.id.includes('') && new Set(rows.id).size === count, 'Ids are missing or repeated');
  for (const column of pooledColumns)
    check(isBelow(rows[column], pools[column].length), `A value of ${column} is missing from its pool`);
  check(isBelow(rows.labels, pools.labelSets.length), 'Tags are missing from their pool');
  check(isBelow(mixedRows, count), 'Times of tags belong to no row');

  let used = 0;
  const tagTimes = Array.from(mixedRows, (row) => {
    const { length } = pools.labelSets[rows.labels[row] as number] ?? [];
    used += length;
    return [row, Array.from(times.subarray(used - length, used))] as const;
  });
  check(used === times.length, 'Times of tags are missing');
  const { organization, externalId, at } = head;
  return {
    organization,
    externalId,
    at,
    contents: {
      rows: { ...rows, tagTimes },
      deleted: deleted.map(unpack<DeletedRow>),
      projects: projects.map(unpack<ProjectRow>),
    },
  };
};

/**
 * Decodes a snapshot. Everything is checked before it is used.
 * @returns undefined if the bytes are not a valid snapshot.
 */
export const decodeSnapshot = (bytes: Uint8Array): Snapshot | undefined => {
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof Unreadable || error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
};
