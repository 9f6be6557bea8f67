import { type Contents, type Label, type Numbers, noRows, type RowContents } from './contents.ts';
import type { ProjectRow } from './row.ts';
import { poolKeys } from './rows.ts';

/**
 * A list index as one sequence of bytes: a head as JSON, then columns and texts as they lie in memory, so that a hundred
 * thousand rows are there again without one of them being parsed. Numbers are little-endian, as on every processor that
 * functions run on.
 */
export interface Snapshot {
  /** The organization, by its name and its `org-…`: a name may be given again. */
  readonly organization: string;
  readonly externalId: string;
  /** When it began to be read: what changed since then it may lack. */
  readonly at: number;
  readonly contents: Contents;
}

/**
 * Version of the encoding. Increase it with every change to the encoded bytes: old and new functions run side by side
 * during an upgrade, and a reader ignores a snapshot of any other version and loads the rows from the index.
 */
export const SNAPSHOT_FORMAT_VERSION = 1;

/** What the bytes cannot be. */
class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
const requirePermission: (holds: boolean, what: string) => asserts holds = (holds, what) => {
  if (!holds) throw new Unreadable(what);
};

interface Head extends Omit<Snapshot, 'contents'> {
  readonly rows: number;
  readonly pools: Omit<RowContents['pools'], 'labels'> & { readonly labels: readonly (readonly [string, string?])[] };
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

/** Between ids, and between names: in none of them. */
const SEPARATOR = '\n';
/** Every part begins at a multiple of this, as columns have to; before it stands how long it is. */
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
    requirePermission(at + ALIGNMENT <= bytes.length, 'a part is missing');
    const start = at + ALIGNMENT;
    const length = view.getUint32(at, true);
    requirePermission(start + length <= bytes.length, 'a part is cut off');
    at = start + aligned(length);
    return bytes.subarray(start, start + length);
  };
};

const bytesOf = ({ buffer, byteOffset, byteLength }: Numbers): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

const texts = { encode: new TextEncoder(), decode: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }) };
const textBytes = (words: readonly string[]): Uint8Array => texts.encode.encode(words.join(SEPARATOR));

export const encodeSnapshot = ({ contents: { rows, gone, projects }, ...whose }: Snapshot): Uint8Array => {
  const labels = rows.pools.labels.map(({ key, value }) => (value === undefined ? [key] : [key, value]) as [string]);
  const head: Head = { ...whose, rows: rows.ids.length, pools: { ...rows.pools, labels }, projects };
  return joinParts([
    texts.encode.encode(JSON.stringify(head)),
    textBytes(rows.ids),
    textBytes(rows.names),
    textBytes(gone),
    ...columns.map((column) => bytesOf(rows[column])),
    bytesOf(Uint32Array.from(rows.timesApart, ([row]) => row)),
    bytesOf(Float64Array.from(rows.timesApart.flatMap(([, times]) => times))),
  ]);
};

const wordsOf = (bytes: Uint8Array): string[] => {
  const text = texts.decode.decode(bytes);
  return text === '' ? [] : text.split(SEPARATOR);
};

/** A copy, so that what is kept does not keep everything else in memory. */
const numbersOf = <N extends Numbers>(kind: N, bytes: Uint8Array): N => {
  const Kind = kind.constructor as (new (buffer: ArrayBuffer) => N) & { readonly BYTES_PER_ELEMENT: number };
  requirePermission(bytes.length % Kind.BYTES_PER_ELEMENT === 0, 'a column is cut off');
  return new Kind(new Uint8Array(bytes).buffer);
};

const isText = (value: unknown): value is string => typeof value === 'string';
const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = <T>(list: unknown, fits: (value: unknown) => boolean): readonly T[] => {
  requirePermission(Array.isArray(list) && list.every(fits), 'a pool is none');
  return list as readonly T[];
};

/** Every value once. */
const poolOf = <T>(list: unknown, fits: (value: unknown) => boolean, keyOf: (value: T) => string): readonly T[] => {
  const values = listOf<T>(list, fits);
  requirePermission(new Set(values.map(keyOf)).size === values.length, 'a pool repeats itself');
  return values;
};

const isBelow = (numbers: ArrayLike<number>, end: number): boolean => {
  for (let index = 0; index < numbers.length; index++) if (!((numbers[index] as number) < end)) return false;
  return true;
};

const poolsOf = (head: Head): RowContents['pools'] => {
  requirePermission(isRecord(head.pools), 'there are no pools');
  const labels = listOf<readonly [string, string?]>(
    head.pools.labels,
    (label) => Array.isArray(label) && label.length >= 1 && label.length <= 2 && label.every(isText),
  ).map(([key, value]): Label => (value === undefined ? { key } : { key, value }));
  const isLabel = (number: unknown) =>
    Number.isInteger(number) && Number(number) >= 0 && Number(number) < labels.length;
  return {
    projects: poolOf(head.pools.projects, isText, poolKeys.projects),
    accesses: poolOf(head.pools.accesses, isRecord, poolKeys.accesses),
    runStatuses: poolOf(head.pools.runStatuses, (status) => status === null || isText(status), poolKeys.runStatuses),
    labels: poolOf(labels, isRecord, poolKeys.labels),
    labelSets: poolOf(head.pools.labelSets, (set) => Array.isArray(set) && set.every(isLabel), poolKeys.labelSets),
  };
};

const read = (bytes: Uint8Array): Snapshot => {
  const next = splitParts(bytes);
  const head = JSON.parse(texts.decode.decode(next())) as Head;
  requirePermission(
    isRecord(head) && [head.organization, head.externalId].every(isText),
    'it does not say whose it is',
  );
  requirePermission(Number.isFinite(head.at), 'it does not say from when it is');
  const pools = poolsOf(head);
  const projects = listOf<ProjectRow>(head.projects, isRecord);
  requirePermission(
    projects.every(({ id, listedAt, access, bindings }) => {
      return isText(id) && Number.isFinite(listedAt) && isRecord(access) && Array.isArray(bindings);
    }),
    'a project is none',
  );

  const ids = wordsOf(next());
  const names = wordsOf(next());
  const gone = wordsOf(next());
  const empty = noRows();
  const rows = {
    ...empty,
    ...Object.fromEntries(columns.map((column) => [column, numbersOf(empty[column], next())])),
    ids,
    names,
    pools,
  };
  const apart = numbersOf(empty.labels, next());
  const times = numbersOf(empty.runAt, next());

  const { rows: count } = head;
  requirePermission(
    [ids, names, ...columns.map((column) => rows[column])].every(({ length }) => length === count),
    'rows lack',
  );
  requirePermission(!ids.includes('') && new Set(ids).size === count, 'rows have no ids of their own');
  requirePermission(isBelow(rows.project, pools.projects.length), 'a project is missing');
  requirePermission(isBelow(rows.access, pools.accesses.length), 'grants are missing');
  requirePermission(isBelow(rows.runStatus, pools.runStatuses.length), 'a status is missing');
  requirePermission(isBelow(rows.labels, pools.labelSets.length), 'tags are missing');
  requirePermission(isBelow(apart, count), 'times of tags are of no row');

  let used = 0;
  const timesApart = Array.from(apart, (row) => {
    const { length } = pools.labelSets[rows.labels[row] as number] ?? [];
    used += length;
    return [row, Array.from(times.subarray(used - length, used))] as const;
  });
  requirePermission(used === times.length, 'times of tags are missing');
  const { organization, externalId, at } = head;
  return { organization, externalId, at, contents: { rows: { ...rows, timesApart }, gone, projects } };
};

/** Undefined where the bytes are no whole snapshot: nothing in them is used that was not checked. */
export const decodeSnapshot = (bytes: Uint8Array): Snapshot | undefined => {
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof Unreadable || error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
};
