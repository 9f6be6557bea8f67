import { emptyRows, type ListIndexContents, type NumberColumn, type PackedRows, type TagLabel } from './contents.ts';
import type { ProjectRow } from './row.ts';
import { poolKeys } from './rows.ts';

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

/**
 * Version of the encoding. Increase it with every change to the encoded bytes: old and new functions run side by side
 * during an upgrade, and a reader ignores a snapshot of any other version and loads the rows from the index.
 */
export const SNAPSHOT_FORMAT_VERSION = 1;

/** Thrown if the bytes are not a valid snapshot. */
class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
const check: (isValid: boolean, problem: string) => asserts isValid = (isValid, problem) => {
  if (!isValid) throw new Unreadable(problem);
};

interface Head extends Omit<Snapshot, 'contents'> {
  readonly rows: number;
  readonly pools: Omit<PackedRows['pools'], 'labels'> & { readonly labels: readonly (readonly [string, string?])[] };
  readonly projects: readonly ProjectRow[];
}

const columns = [
  'listedAt',
  'latestChangeAt',
  'runAt',
  'taggedAt',
  'project',
  'access',
  'runStatus',
  'labels',
  'flags',
] as const;

/** Separates ids and names, which cannot contain it. */
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

const toBytes = ({ buffer, byteOffset, byteLength }: NumberColumn): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

const texts = { encode: new TextEncoder(), decode: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }) };
const textBytes = (words: readonly string[]): Uint8Array => texts.encode.encode(words.join(SEPARATOR));

/** Encodes a snapshot. The result is not compressed; see `shared/list-index-snapshots/packing.ts`. */
export const encodeSnapshot = ({ contents: { rows, deleted, projects }, ...identity }: Snapshot): Uint8Array => {
  const labels = rows.pools.labels.map(({ key, value }) => (value === undefined ? [key] : [key, value]) as [string]);
  const head: Head = { ...identity, rows: rows.ids.length, pools: { ...rows.pools, labels }, projects };
  return joinParts([
    texts.encode.encode(JSON.stringify(head)),
    textBytes(rows.ids),
    textBytes(rows.names),
    textBytes(deleted),
    ...columns.map((column) => toBytes(rows[column])),
    toBytes(Uint32Array.from(rows.tagTimes, ([row]) => row)),
    toBytes(Float64Array.from(rows.tagTimes.flatMap(([, times]) => times))),
  ]);
};

const splitWords = (bytes: Uint8Array): string[] => {
  const text = texts.decode.decode(bytes);
  return text === '' ? [] : text.split(SEPARATOR);
};

/** Copies a column, so that it does not keep the complete snapshot in memory. */
const toNumbers = <N extends NumberColumn>(kind: N, bytes: Uint8Array): N => {
  const Kind = kind.constructor as (new (buffer: ArrayBuffer) => N) & { readonly BYTES_PER_ELEMENT: number };
  check(bytes.length % Kind.BYTES_PER_ELEMENT === 0, 'A column is truncated');
  return new Kind(new Uint8Array(bytes).buffer);
};

const isText = (value: unknown): value is string => typeof value === 'string';
const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

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
    head.pools.labels,
    (label) => Array.isArray(label) && label.length >= 1 && label.length <= 2 && label.every(isText),
  ).map(([key, value]): TagLabel => (value === undefined ? { key } : { key, value }));
  const isLabel = (number: unknown) =>
    Number.isInteger(number) && Number(number) >= 0 && Number(number) < labels.length;
  return {
    projects: requirePool(head.pools.projects, isText, poolKeys.projects),
    accesses: requirePool(head.pools.accesses, isRecord, poolKeys.accesses),
    runStatuses: requirePool(
      head.pools.runStatuses,
      (status) => status === null || isText(status),
      poolKeys.runStatuses,
    ),
    labels: requirePool(labels, isRecord, poolKeys.labels),
    labelSets: requirePool(head.pools.labelSets, (set) => Array.isArray(set) && set.every(isLabel), poolKeys.labelSets),
  };
};

const read = (bytes: Uint8Array): Snapshot => {
  const next = splitParts(bytes);
  const head = JSON.parse(texts.decode.decode(next())) as Head;
  check(isRecord(head) && [head.organization, head.externalId].every(isText), 'The organization is missing');
  check(Number.isFinite(head.at), 'The time is missing');
  const pools = readPools(head);
  const projects = requireList<ProjectRow>(head.projects, isRecord);
  check(
    projects.every(({ id, listedAt, access, bindings }) => {
      return isText(id) && Number.isFinite(listedAt) && isRecord(access) && Array.isArray(bindings);
    }),
    'A project is invalid',
  );

  const ids = splitWords(next());
  const names = splitWords(next());
  const deleted = splitWords(next());
  const empty = emptyRows();
  const rows = {
    ...empty,
    ...Object.fromEntries(columns.map((column) => [column, toNumbers(empty[column], next())])),
    ids,
    names,
    pools,
  };
  const mixedRows = toNumbers(empty.labels, next());
  const times = toNumbers(empty.runAt, next());

  const { rows: count } = head;
  check(
    [ids, names, ...columns.map((column) => rows[column])].every(({ length }) => length === count),
    'Rows are missing',
  );
  check(!ids.includes('') && new Set(ids).size === count, 'Ids are missing or repeated');
  check(isBelow(rows.project, pools.projects.length), 'A project is missing from its pool');
  check(isBelow(rows.access, pools.accesses.length), 'Grants are missing from their pool');
  check(isBelow(rows.runStatus, pools.runStatuses.length), 'A status is missing from its pool');
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
    contents: { rows: { ...rows, tagTimes }, deleted, projects },
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
