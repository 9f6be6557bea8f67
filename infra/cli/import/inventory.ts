import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { type RecordOf, type RecordType, recordTypes } from '../../../shared/bundle/types.ts';
import { canonicalJson, keyOf, sortable } from '../bundle/canonical.ts';
import { readLines } from '../bundle/lines.ts';
import { createSorter, type Sorter } from '../bundle/sorter.ts';
import { writeTo } from '../io.ts';
import { FILES, type ImportFolder } from './folder.ts';
import type { InventoryWriter, NotCarried, SourceRecord, SourceVersion } from './source.ts';

/** Types of records that the inventory has. What a bundle withholds is in the list of what is not carried. */
export type InventoryType = Exclude<RecordType, 'withheld'>;

const inventoryTypes = recordTypes.filter((type): type is InventoryType => type !== 'withheld');

/** Types of the records that belong to one workspace, with the member that names it. */
const ownedTypes = {
  workspaces: 'name',
  variables: 'workspace',
  'workspace-access': 'workspace',
  'remote-state-consumers': 'workspace',
  'state-versions': 'workspace',
} as const satisfies Partial<Record<InventoryType, string>>;

type OwnedType = keyof typeof ownedTypes;

const isOwned = (type: string): type is OwnedType => type in ownedTypes;

/** Types of the records of the organization, in the order in which an import creates them. */
export type DirectoryType = Exclude<InventoryType, OwnedType>;

export const directoryTypes = inventoryTypes.filter((type): type is DirectoryType => !isOwned(type));

/** A workspace of the inventory with everything that belongs to it. */
export interface Unit {
  readonly workspace: RecordOf<'workspaces'>;
  readonly variables: readonly RecordOf<'variables'>[];
  readonly access: readonly RecordOf<'workspace-access'>[];
  readonly consumers: readonly RecordOf<'remote-state-consumers'>[];
  /** The oldest first. */
  readonly versions: readonly SourceVersion[];
}

const NOT_CARRIED = 'not-carried';

const keyOfLine =
  (type: InventoryType) =>
  (line: string): string =>
    keyOf(type, JSON.parse(line) as never);

const keyOfNotCarried = (line: string): string => {
  const { type, name, reason } = JSON.parse(line) as NotCarried;
  return [type, name, reason].map(sortable).join('\u0000\u0000');
};

/** Writes lines to a file that only the user can read. */
export const writeLines = async (path: string, lines: AsyncIterable<string>): Promise<void> => {
  const stream = createWriteStream(path, { flags: 'w', mode: 0o600, flush: true });
  const end = finished(stream);
  end.catch(() => undefined);
  for await (const line of lines) await Promise.race([writeTo(stream, `${line}\n`), end]);
  stream.end();
  await end;
};

const pathOf = (folder: ImportFolder, name: string): string => folder.path(FILES.inventory, `${name}.jsonl`);

async function* readFileOf<T>(folder: ImportFolder, name: string): AsyncGenerator<T> {
  const path = pathOf(folder, name);
  const isThere = await open(path).then(
    (file) => file.close().then(() => true),
    () => false,
  );
  if (!isThere) return;
  for await (const line of readLines(path)) yield JSON.parse(line) as T;
}

/** Yields the records of a type in their order. */
export const readRecords = <T extends InventoryType>(folder: ImportFolder, type: T): AsyncGenerator<SourceRecord<T>> =>
  readFileOf(folder, type);

/** Yields what the source has and the import does not carry. */
export const readNotCarried = (folder: ImportFolder): AsyncGenerator<NotCarried> => readFileOf(folder, NOT_CARRIED);

/** Yields a line only once. Two lists of a source can contain the same object while it changes. */
async function* withoutRepetitions(
  lines: AsyncIterable<string>,
  key: (line: string) => string,
): AsyncGenerator<string> {
  let former: string | undefined;
  for await (const line of lines) {
    const present = key(line);
    if (present !== former) yield line;
    former = present;
  }
}

/**
 * Writes the inventory of an import, in constant memory.
 * @param replaced decides which workspaces of the present inventory are read again. Absent: everything is read again.
 * @param read fills the inventory.
 */
export const writeInventory = async (
  folder: ImportFolder,
  replaced: ((workspace: string) => boolean) | undefined,
  read: (writer: InventoryWriter) => Promise<void>,
): Promise<void> => {
  const next = folder.path(`${FILES.inventory}.new`);
  const scratch = join(next, 'scratch');
  await rm(next, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  const keys: Readonly<Record<string, (line: string) => string>> = {
    ...Object.fromEntries(inventoryTypes.map((type) => [type, keyOfLine(type)])),
    [NOT_CARRIED]: keyOfNotCarried,
  };
  const sorters = new Map<string, Sorter>(
    Object.entries(keys).map(([name, key]) => [name, createSorter(join(scratch, name), key)]),
  );
  const add = async (name: string, value: unknown): Promise<void> => sorters.get(name)?.add(canonicalJson(value));
  if (replaced !== undefined) {
    /** Workspaces that are not read again. */
    const kept = new Set<string>();
    for await (const { name } of readRecords(folder, 'workspaces')) if (!replaced(name)) kept.add(name);
    for await (const item of readNotCarried(folder)) {
      // Names of what belongs to a workspace start with its name.
      if (kept.has(item.name.split('/', 1)[0] ?? '')) await add(NOT_CARRIED, item);
    }
    for (const [type, member] of Object.entries(ownedTypes)) {
      for await (const record of readFileOf<Readonly<Record<string, string>>>(folder, type)) {
        if (!replaced(record[member] ?? '')) await add(type, record);
      }
    }
  }
  const addNotCarried = (item: NotCarried): Promise<void> => add(NOT_CARRIED, item);
  await read({
    add: (type, record) => {
      const { sha256, workspace, serial, origin } = record as SourceVersion;
      if (type !== 'state-versions' || sha256 !== null) return add(type, record);
      const detail = `The source has deleted the content of the state version${serial === undefined ? '' : ` with the serial ${serial}`}.`;
      return addNotCarried({ type, name: `${workspace}/${origin.id}`, reason: 'no-content', detail });
    },
    addNotCarried,
    createSorter: (name, key) => createSorter(join(scratch, `source-${name}`), key),
  });
  for (const [name, sorter] of sorters) {
    const lines = withoutRepetitions(sorter.sorted(), keys[name] ?? keyOfNotCarried);
    await writeLines(join(next, `${name}.jsonl`), lines);
  }
  await rm(scratch, { recursive: true });
  const present = folder.path(FILES.inventory);
  await rm(present, { recursive: true, force: true });
  await rename(next, present);
};

/** Takes the items of a sorted stream that belong to one workspace after the other. */
export const createCursor = <T>(items: AsyncGenerator<T>, ownerOf: (item: T) => string) => {
  let waiting: { readonly item: T; readonly owner: string } | undefined;
  const advance = async (): Promise<void> => {
    const { done, value } = await items.next();
    waiting = done ? undefined : { item: value, owner: sortable(ownerOf(value)) };
  };
  let isStarted = false;
  /** Returns the items of a workspace. Those of workspaces before it are skipped. */
  return async (workspace: string): Promise<T[]> => {
    if (!isStarted) await advance();
    isStarted = true;
    const owner = sortable(workspace);
    const found: T[] = [];
    while (waiting !== undefined && waiting.owner <= owner) {
      if (waiting.owner === owner) found.push(waiting.item);
      await advance();
    }
    return found;
  };
};

/** Yields the workspaces of the inventory with everything that belongs to them, in constant memory. */
export async function* readUnits(folder: ImportFolder): AsyncGenerator<Unit> {
  const cursorOf = <T extends Exclude<OwnedType, 'workspaces'>>(type: T) =>
    createCursor(readRecords(folder, type), ({ workspace }: { readonly workspace: string }) => workspace);
  const variables = cursorOf('variables');
  const access = cursorOf('workspace-access');
  const consumers = cursorOf('remote-state-consumers');
  const versions = cursorOf('state-versions');
  for await (const workspace of readRecords(folder, 'workspaces')) {
    const { name } = workspace;
    yield {
      workspace,
      variables: await variables(name),
      access: await access(name),
      consumers: await consumers(name),
      versions: await versions(name),
    };
  }
}

/** Counts the workspaces of the inventory that match. */
export const countWorkspaces = async (folder: ImportFolder, includes: (name: string) => boolean): Promise<number> => {
  let count = 0;
  for await (const { name } of readRecords(folder, 'workspaces')) count += Number(includes(name));
  return count;
};
