import { createHash } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { base58 } from '../../../shared/lib/random.ts';
import { explainFile } from '../explain-file.ts';
import { Failure, usageError } from '../failure.ts';
import type { Io } from '../io.ts';

/** Description of an import, which `import init` writes to `import.json`. It contains no secret. */
export interface ImportDescription {
  readonly format: 'holdfast-import';
  readonly version: '1.0';
  /** Identifies the import in the reasons of locks. */
  readonly id: string;
  /** Address of the source, as the user has written it. */
  readonly source: string;
  readonly target: { readonly url: string; readonly organization: string };
  /** Patterns of the names of workspaces. Empty: all. */
  readonly workspaces: readonly string[];
  /** Name of this computer, for sources that are on it. It stays when the folder is copied to another one. */
  readonly computer?: string;
  /** Requests a second to the source. Absent: the default of the source. */
  readonly rate?: number;
  /** Whether the source may be a bundle in which something is missing. */
  readonly partial: boolean;
  readonly 'created-at': string;
}

/** The files of an import, by their names in its folder. */
export const FILES = {
  description: 'import.json',
  inventory: 'inventory',
  plan: 'plan.json',
  items: 'plan.jsonl',
  secrets: 'secrets.json',
  journal: 'journal.jsonl',
  proof: 'proof.jsonl',
  report: 'report.md',
  sums: 'SHA256SUMS',
  lock: 'import.lock',
} as const;

/** Folder of an import. */
export interface ImportFolder {
  /** Path as the user has written it. */
  readonly name: string;
  readonly path: (...names: readonly string[]) => string;
  readonly description: ImportDescription;
}

/** Writes a file that only the user can read. A crash leaves the former or the new content. */
export const writeFileSafely = async (path: string, content: string): Promise<void> => {
  const part = `${path}.${base58(8)}.part`;
  try {
    const file = await open(part, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
};

/** Writes a value as JSON that people read. */
export const writeJson = (path: string, value: unknown): Promise<void> =>
  writeFileSafely(path, `${JSON.stringify(value, null, 2)}\n`);

/**
 * Reads a file of JSON.
 * @returns undefined if it does not exist.
 * @throws Failure `usage` if it is no JSON.
 */
export const readJson = async <T>(path: string, name: string): Promise<T | undefined> => {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw usageError(`${name} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new Failure('usage', `${name} is no JSON: ${(cause as Error).message}`, { cause });
  }
};

const toFolder = (root: string, name: string, description: ImportDescription): ImportFolder => ({
  name,
  path: (...names) => join(root, ...names),
  description,
});

/** Creates the folder of an import, which must not be that of another one. */
export const createFolder = async (
  { cwd }: Io,
  name: string,
  description: ImportDescription,
): Promise<ImportFolder> => {
  const root = resolve(cwd, name);
  const folder = toFolder(root, name, description);
  await explainFile(name, () => mkdir(root, { recursive: true, mode: 0o700 }));
  const present = await readJson<ImportDescription>(folder.path(FILES.description), `${name}/${FILES.description}`);
  if (present === undefined) return folder;
  if (present.source !== description.source || JSON.stringify(present.target) !== JSON.stringify(description.target)) {
    throw usageError(
      `${name} is the folder of another import: from ${present.source} to ${present.target.organization} of ${present.target.url}.`,
      'Name a new folder.',
    );
  }
  // The inventory is read again, and everything else stays.
  const { id, computer = hostname(), 'created-at': createdAt } = present;
  return toFolder(root, name, { ...description, id, computer, 'created-at': createdAt });
};

/** Opens the folder of an import. @throws Failure `usage` unless `import init` has written it. */
export const openFolder = async ({ cwd }: Io, name: string): Promise<ImportFolder> => {
  const root = resolve(cwd, name);
  const file = `${name}/${FILES.description}`;
  const description = await readJson<ImportDescription>(join(root, FILES.description), file);
  if (description === undefined) {
    throw usageError(`${name} is not the folder of an import.`, `Run "holdfast import init SOURCE ${name}" first.`);
  }
  const { format, version } = description;
  if (format !== 'holdfast-import' || !String(version).startsWith('1.')) {
    throw usageError(`${file} has another format or version.`, 'Use the command line that has written it.');
  }
  return toFolder(root, name, description);
};

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Identifies each lock of this process. Its id alone does not: after a restart of a container, a new process can have the same one. */
const ownLocks = new Set<string>();

/** Content of a lock: the process, its computer, and an identity that no other lock has. */
const describeLock = (token: string): string => [process.pid, hostname(), token].join(' ');

/** Names who holds a lock. @returns undefined for the lock of a process of this computer that has crashed. */
const holderOf = (lock: string): string | undefined => {
  const [word = '', host = hostname(), token = ''] = lock.split(' ');
  const pid = Number.parseInt(word, 10);
  // Whether a process of another computer still runs cannot be seen from here.
  if (host !== hostname()) return `The process ${word} of ${host}`;
  if (pid === process.pid) return ownLocks.has(token) ? `The process ${word}` : undefined;
  return pid > 0 && isRunning(pid) ? `The process ${word}` : undefined;
};

const readLock = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

/**
 * Takes a lock. That of a process that has crashed is replaced by one process only: by the one that holds the lock of the replacement.
 * @returns the function that releases it.
 * @throws Failure `conflict` while another process holds it.
 */
const takeLock = async (name: string, path: string): Promise<() => Promise<void>> => {
  const token = base58(16);
  const part = `${path}.${token}.part`;
  const refuse = (holder: string): Failure =>
    new Failure('conflict', `${holder} works in ${name}.`, {
      hint: `Wait for its end, or remove ${name}/${FILES.lock} if it does not run any more.`,
    });
  // The file has its content as soon as it has its name, so that no other process takes it for that of a crash.
  await writeFile(part, describeLock(token), { mode: 0o600 });
  ownLocks.add(token);
  try {
    const isTaken = await link(part, path).then(
      () => false,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
        return true;
      },
    );
    if (isTaken) {
      const found = await readLock(path);
      const holder = found === undefined ? 'Another process' : holderOf(found);
      if (found === undefined || holder !== undefined) throw refuse(holder ?? 'Another process');
      const release = await takeLock(name, `${path}.${createHash('sha256').update(found).digest('hex').slice(0, 16)}`);
      try {
        if ((await readLock(path)) !== found) throw refuse('Another process');
        await rename(part, path);
      } finally {
        await release();
      }
    }
  } catch (error) {
    ownLocks.delete(token);
    throw error;
  } finally {
    await rm(part, { force: true });
  }
  return async () => {
    await rm(path, { force: true });
    ownLocks.delete(token);
  };
};

/**
 * Runs a phase while no other process works in the folder. The lock of a process that has crashed does not count.
 * @throws Failure `conflict` while another process works there, `failed` if the folder cannot be written.
 */
export const withFolder = async <T>(folder: ImportFolder, run: () => Promise<T>): Promise<T> => {
  const release = await explainFile(`${folder.name}/${FILES.lock}`, () =>
    takeLock(folder.name, folder.path(FILES.lock)),
  );
  try {
    return await explainFile(folder.name, run);
  } finally {
    await release();
  }
};
