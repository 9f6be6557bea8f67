import { constants, type Dirent } from 'node:fs';
import { lstat, open, opendir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { base58 } from '../../../../shared/lib/random.ts';
import { Failure, usageError } from '../../failure.ts';
import type { Io } from '../../io.ts';
import type { InventoryWriter, Source, WorkspaceFilter } from '../source.ts';
import { checkSize, lockedFailure, type Problem, readContent, readLock, requireNewer, sha256Of } from './content.ts';
import { openNames, toName } from './names.ts';

/** Beginning of the address of such a source. */
const FILES_SCHEME = 'files:';

/** Folder in which terraform keeps the states of other workspaces than the default one. */
const WORKSPACES = /^(?:(.*)\/)?terraform\.tfstate\.d\/([^/]+)\/(.*)$/s;

const DIGEST = '?sha256=';

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

/** A folder with files of states. */
interface Folder {
  /** Path without symbolic links. */
  readonly path: string;
  /** Path as the user has written it. */
  readonly name: string;
}

/** Names the Holdfast workspace of a file. */
const nameOf = ({ path: root }: Folder, path: string): string => {
  const [, folder, workspace, file] = WORKSPACES.exec(path) ?? [];
  const place = file === undefined ? { path } : { path: [folder, file].filter(Boolean).join('/'), workspace };
  return toName(place, basename(root));
};

/** Result of a walk: a file with a state, or something that is not carried. */
type Found = { readonly path: string } & Partial<Problem>;

/** Describes a symbolic link. @returns undefined for one that hides nothing: its target is found where it is. */
const describeLink = async ({ path: root }: Folder, path: string): Promise<Found | undefined> => {
  const target = await realpath(join(root, path)).catch(() => undefined);
  const isInside = target === root || target?.startsWith(root + sep);
  if (path.endsWith('.tfstate')) {
    return { path, reason: 'not-supported', detail: 'It is a symbolic link. Import the file to which it leads.' };
  }
  if (target === undefined || isInside || !(await lstat(target)).isDirectory()) return undefined;
  const detail = `It is a symbolic link to ${target}. Import that folder by itself, if it contains states.`;
  return { path, reason: 'not-supported', detail };
};

/** Yields the files below a folder that are named like a state, and the symbolic links that are not followed. */
async function* walk(folder: Folder, below = ''): AsyncGenerator<Found> {
  let entries: AsyncIterable<Dirent>;
  try {
    entries = await opendir(join(folder.path, below));
  } catch (error) {
    yield { path: below, reason: 'not-permitted', detail: `The folder cannot be read (${codeOf(error)}).` };
    return;
  }
  for await (const entry of entries) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isSymbolicLink()) {
      const link = await describeLink(folder, path);
      if (link !== undefined) yield link;
    } else if (entry.isDirectory()) {
      if (entry.name !== '.terraform') yield* walk(folder, path);
    } else if (entry.isFile() && entry.name.endsWith('.tfstate')) yield { path };
  }
}

/** Reads a file that is no symbolic link. */
const readRegularFile = async (path: string): Promise<{ readonly content: Buffer; readonly mtime: Date }> => {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { mtime } = await file.stat();
    return { content: await file.readFile(), mtime };
  } finally {
    await file.close();
  }
};

const LOCK_HINT =
  'Wait for the end of the run. If nothing runs, remove the file with the ending .lock.info next to the state.';

/** Reads the lock of a file. @returns undefined if it is not locked. */
const findLock = async ({ path: root }: Folder, path: string) => {
  const file = join(root, dirname(path), `.${basename(path)}.lock.info`);
  const text = await readFile(file, 'utf8').catch((error: unknown) => (codeOf(error) === 'ENOENT' ? undefined : ''));
  return text === undefined ? undefined : { place: path, lock: readLock(text) };
};

/** Adds the workspace of a file to the inventory, or what the file is instead. */
const addFile = async (writer: InventoryWriter, { path: root }: Folder, path: string, name: string): Promise<void> => {
  const refuse = (problem: Problem): Promise<void> => writer.addNotCarried({ type: 'states', name: path, ...problem });
  try {
    const tooLarge = checkSize((await lstat(join(root, path))).size);
    if (tooLarge !== undefined) return await refuse(tooLarge);
    const { content, mtime } = await readRegularFile(join(root, path));
    const facts = readContent(content);
    if ('reason' in facts) return await refuse(facts);
    await writer.add('workspaces', { name, project: null, 'execution-mode': 'local', origin: { id: path } });
    await writer.add('state-versions', {
      ...{ workspace: name, position: 1, 'is-current': true, ...facts },
      origin: { id: path + DIGEST + facts.sha256, 'created-at': mtime.toISOString() },
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    await refuse({ reason: 'not-permitted', detail: `It cannot be read (${codeOf(error)}).` });
  }
};

const readInventory = async (folder: Folder, writer: InventoryWriter, includes: WorkspaceFilter): Promise<void> => {
  const names = openNames<null>(writer, includes);
  for await (const { path, reason, detail } of walk(folder)) {
    if (reason === undefined) await names.add(path, nameOf(folder, path), null);
    else await writer.addNotCarried({ type: 'files', name: path || '.', reason, detail: detail ?? '' });
  }
  const locked = [];
  for await (const { name, place } of names.unique()) {
    const lock = await findLock(folder, place);
    if (lock === undefined) await addFile(writer, folder, place, name);
    else locked.push(lock);
  }
  if (locked.length > 0) throw lockedFailure(locked, LOCK_HINT);
};

/** Finds the file of a workspace. @throws Failure `conflict` unless there is exactly one. */
const locate = async (folder: Folder, workspace: string): Promise<string> => {
  const found: string[] = [];
  for await (const { path, reason } of walk(folder)) {
    if (reason === undefined && nameOf(folder, path) === workspace) found.push(path);
  }
  const [path] = found;
  if (path !== undefined && found.length === 1) return path;
  throw new Failure('conflict', `${folder.name} has ${found.length} states of the workspace ${workspace}.`);
};

/** Replaces the content of a file that still has its present content. It has the new one as a whole, or not at all. */
const replace = async (file: string, present: Buffer, content: Uint8Array): Promise<void> => {
  const part = join(dirname(file), `.${basename(file)}.${base58(8)}.part`);
  try {
    const { mode } = await lstat(file);
    const next = await open(part, 'wx', 0o600);
    try {
      await next.writeFile(content);
      await next.chmod(mode & 0o7777);
      await next.sync();
    } finally {
      await next.close();
    }
    if (!(await readRegularFile(file)).content.equals(present)) {
      throw new Failure('conflict', `${file} has changed meanwhile. Nothing was written.`);
    }
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
};

/**
 * Opens a folder with files of states as a source: `files:DIR`.
 * @param computer names the computer of the folder in `imported-from`.
 * @throws Failure `usage` if there is no such folder.
 */
export const openFiles = async ({ cwd }: Io, address: string, computer = hostname()): Promise<Source> => {
  const name = address.slice(FILES_SCHEME.length);
  const path = await realpath(resolve(cwd, name)).catch(() => undefined);
  if (path === undefined || !(await lstat(path)).isDirectory()) throw usageError(`${name} is not a folder.`);
  const folder = { path, name };
  return {
    origin: { host: computer, organization: null },
    organization: toName({ path: basename(path) }, 'files'),
    readInventory: (writer, includes) => readInventory(folder, writer, includes),
    async *download({ origin: { id }, sha256 }) {
      const place = id.slice(0, id.lastIndexOf(DIGEST));
      const { content } = await readRegularFile(join(path, place)).catch((error: unknown) => {
        throw new Failure('failed', `${place} cannot be read (${codeOf(error)}).`, { cause: error });
      });
      if (sha256Of(content) !== sha256) {
        throw new Failure('conflict', `${place} has changed since it was listed.`);
      }
      yield content;
    },
    push: async (workspace, content) => {
      const place = await locate(folder, workspace);
      const lock = await findLock(folder, place);
      if (lock !== undefined) throw lockedFailure([lock], LOCK_HINT);
      const { content: present } = await readRegularFile(join(path, place));
      if (requireNewer(place, present, Buffer.from(content))) await replace(join(path, place), present, content);
    },
  };
};
