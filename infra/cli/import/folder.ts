import { link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { base58 } from '../../../shared/lib/random.ts';
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

/** Converts an error of the file system to a sentence for the user. */
const explainFile = async <T>(name: string, run: () => Promise<T>): Promise<T> => {
  try {
    return await run();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined || code === undefined) throw error;
    throw new Failure('failed', `${name} cannot be read or written (${code}).`, { cause: error });
  }
};

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
  return toFolder(root, name, { ...description, id: present.id, 'created-at': present['created-at'] });
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

/**
 * Runs a phase while no other process works in the folder. The lock of a process that has crashed does not count.
 * @throws Failure `conflict` while another process works there.
 */
export const withFolder = async <T>(folder: ImportFolder, run: () => Promise<T>): Promise<T> => {
  const path = folder.path(FILES.lock);
  // The file has its content as soon as it has its name, so that no other process takes it for that of a crash.
  const take = async (): Promise<void> => {
    const part = `${path}.${base58(8)}.part`;
    try {
      await writeFile(part, String(process.pid), { mode: 0o600 });
      await link(part, path);
    } finally {
      await rm(part, { force: true });
    }
  };
  await explainFile(`${folder.name}/${FILES.lock}`, async () => {
    try {
      await take();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const pid = Number.parseInt(await readFile(path, 'utf8').catch(() => ''), 10);
      if (pid > 0 && pid !== process.pid && isRunning(pid)) {
        throw new Failure('conflict', `The process ${pid} works in ${folder.name}.`, {
          hint: `Wait for its end, or remove ${folder.name}/${FILES.lock} if it is another program.`,
        });
      }
      await rm(path, { force: true });
      await take();
    }
  });
  try {
    return await run();
  } finally {
    await rm(path, { force: true });
  }
};
