import type { Grants, WorkspaceGrant } from '../domain/directory/grants.ts';
import type { Workspace } from '../domain/workspace/workspace-record.ts';

/**
 * Columns of the list index. The type of a row, the arrays in memory, the encoding of snapshots and the attributes from
 * which rows are read are derived from the table `columns`.
 */

/**
 * Version of the encoding of snapshots. Increase it with every change to the encoded bytes, which every change of the
 * columns is: old and new functions run side by side during an upgrade, and a reader ignores a snapshot of any other
 * version and loads the rows from the index.
 */
export const SNAPSHOT_FORMAT_VERSION = 5;

type Attribute = keyof Workspace;

/** Converts the value of an attribute to the value of a column. */
type Read<A extends Attribute, T> = (value: Workspace[A]) => T;

/** A text without line breaks, one string for each row. */
const text = <A extends Attribute>(attribute: A, read: Read<A, string>) => ({ kind: 'text', attribute, read }) as const;

/** A number or null, one 64-bit number for each row. Null comes last in sort orders. */
const number = <A extends Attribute, T extends number | null>(attribute: A, read: Read<A, T>) =>
  ({ kind: 'number', attribute, read }) as const;

/** A value that repeats: each distinct value is stored once, in a pool. */
export interface PooledValue<T> {
  /** Name of the pool in snapshots. */
  readonly pool: string;
  /** Returns a text that is equal for equal values only. */
  readonly keyOf: (value: T) => string;
  /** Checks a value from a snapshot. */
  readonly isValid: (value: unknown) => boolean;
}
const pooled = <A extends Attribute, T>(attribute: A, read: Read<A, T>, value: PooledValue<T>) =>
  ({ kind: 'pooled', attribute, read, ...value }) as const;

/** One bit for each row. There are at most eight. */
const flag = <A extends Attribute>(attribute: A, read: Read<A, boolean>) =>
  ({ kind: 'flag', attribute, read }) as const;

/** The tags, see `contents.ts`. There is one such column. */
const tags = <A extends Attribute, T extends Workspace['tags']>(attribute: A, read: Read<A, T>) =>
  ({ kind: 'tags', attribute, read }) as const;

const same = <T>(value: T): T => value;
/** Checks whether a value is a text. */
export const isText = (value: unknown): value is string => typeof value === 'string';
/** Checks whether a value is an object, and neither an array nor null. */
export const isRecord = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The columns, each with the attribute of a workspace from which it is read. The table's index projects the attribute. */
export const columns = {
  id: text('id', same),
  name: text('name', same),
  /** Time of the last change of a listed attribute, in milliseconds. Strictly increasing for each workspace. */
  listedAt: number('listedAt', same),
  createdAt: number('createdAt', same),
  /** Time of the last change of the state; without a state, that of the creation. */
  latestChangeAt: number('latestChangeAt', same),
  /** Creation time of the current run; null without one. */
  runAt: number('runAt', (at) => at ?? null),
  project: pooled('project', same, { pool: 'projects', keyOf: same, isValid: isText }),
  access: pooled('access', same<Grants<WorkspaceGrant>>, {
    pool: 'accesses',
    keyOf: (access) => JSON.stringify(access),
    isValid: isRecord,
  }),
  /** Status of the current run; null without one. */
  runStatus: pooled('runStatus', (status) => status ?? null, {
    pool: 'runStatuses',
    keyOf: (status) => status ?? '',
    isValid: (status) => status === null || isText(status),
  }),
  /** Time and end of the lock, and id of its holder; null without a lock or without a lease. */
  lockedAt: number('lock', (lock) => lock?.at ?? null),
  lockExpiresAt: number('lock', (lock) => lock?.expiresAt ?? null),
  lockedBy: pooled('lock', (lock) => lock?.by ?? null, {
    pool: 'lockHolders',
    keyOf: (holder) => holder ?? '',
    isValid: (holder) => holder === null || isText(holder),
  }),
  /** Settings of the workspace itself; null where it inherits. */
  executionMode: pooled('listedSettings', (settings) => settings?.m ?? null, {
    pool: 'executionModes',
    keyOf: (mode) => mode ?? '',
    isValid: (mode) => mode === null || isText(mode),
  }),
  infraVersion: pooled('listedSettings', (settings) => settings?.v ?? null, {
    pool: 'infraVersions',
    keyOf: (version) => version ?? '',
    isValid: (version) => version === null || isText(version),
  }),
  deletionProtection: pooled('listedSettings', (settings) => settings?.p ?? null, {
    pool: 'deletionProtections',
    keyOf: String,
    isValid: (isProtected) => isProtected === null || typeof isProtected === 'boolean',
  }),
  /** Key of the source that the workspace was imported from; null for others. */
  importedFrom: pooled('listedSettings', (settings) => settings?.f ?? null, {
    pool: 'sources',
    keyOf: (key) => key ?? '',
    isValid: (key) => key === null || isText(key),
  }),
  tags: tags('tags', same),
  hasVariables: flag('hasVariables', (hasVariables) => hasVariables ?? false),
  /** Whether the long text is stored in an item of its own (STORE-7). */
  hasLongText: flag('textRevision', (revision) => revision !== undefined),
};

type Columns = typeof columns;
export type ColumnName = keyof Columns;

/** The attributes of a workspace from which the columns are read. */
export type ColumnAttribute = Columns[ColumnName]['attribute'];

/** The names of the columns of a kind. */
export type ColumnOf<K extends Columns[ColumnName]['kind']> = {
  [C in ColumnName]: Columns[C]['kind'] extends K ? C : never;
}[ColumnName];

/** The values of a row by column. */
export type ColumnValues = { readonly [C in ColumnName]: ReturnType<Columns[C]['read']> };

/**
 * Creates a function that creates the rows of existing workspaces. It names the columns, because a loop over them takes
 * more processor time, also wherever the row is used.
 * @param readerOf returns a function that reads an attribute of a workspace from the source of a row.
 */
export const createRowReader = <S>(
  readerOf: (attribute: ColumnAttribute) => (source: S) => unknown,
): ((source: S) => ColumnValues & { readonly isDeleted: false }) => {
  const attributes = Object.values(columns).map(({ attribute }) => [attribute, readerOf(attribute)] as const);
  const read = Object.fromEntries(attributes) as { readonly [A in ColumnAttribute]: (source: S) => Workspace[A] };
  return (source) => ({
    id: columns.id.read(read.id(source)),
    name: columns.name.read(read.name(source)),
    listedAt: columns.listedAt.read(read.listedAt(source)),
    createdAt: columns.createdAt.read(read.createdAt(source)),
    latestChangeAt: columns.latestChangeAt.read(read.latestChangeAt(source)),
    runAt: columns.runAt.read(read.runAt(source)),
    project: columns.project.read(read.project(source)),
    access: columns.access.read(read.access(source)),
    runStatus: columns.runStatus.read(read.runStatus(source)),
    lockedAt: columns.lockedAt.read(read.lock(source)),
    lockExpiresAt: columns.lockExpiresAt.read(read.lock(source)),
    lockedBy: columns.lockedBy.read(read.lock(source)),
    executionMode: columns.executionMode.read(read.listedSettings(source)),
    infraVersion: columns.infraVersion.read(read.listedSettings(source)),
    deletionProtection: columns.deletionProtection.read(read.listedSettings(source)),
    importedFrom: columns.importedFrom.read(read.listedSettings(source)),
    tags: columns.tags.read(read.tags(source)),
    hasVariables: columns.hasVariables.read(read.hasVariables(source)),
    hasLongText: columns.hasLongText.read(read.textRevision(source)),
    isDeleted: false,
  });
};

const namesOf = <K extends Columns[ColumnName]['kind']>(kind: K) =>
  (Object.keys(columns) as ColumnName[]).filter((name) => columns[name].kind === kind) as ColumnOf<K>[];

export const textColumns = namesOf('text');
export const numberColumns = namesOf('number');
export const pooledColumns = namesOf('pooled');
export const flagColumns = namesOf('flag');

/** Creates an object with a value for each of these columns. */
export const forEachColumn = <C extends ColumnName, V>(names: readonly C[], create: (name: C) => V): { [N in C]: V } =>
  Object.fromEntries(names.map((name) => [name, create(name)])) as { [N in C]: V };
