import { mkdir, open, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { now } from '../../../shared/lib/clock.ts';
import { Failure, usageError } from '../failure.ts';
import type { Io } from '../io.ts';
import { writePrivateFile } from '../output/private-file.ts';

const codeOf = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.message : String(error));

/**
 * Reads a file of the user.
 * @returns undefined if it does not exist.
 * @throws Failure `usage` if it cannot be read.
 */
export const readIfExists = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw usageError(`${path} cannot be read (${code}).`);
  }
};

/**
 * Reads a file with a JSON object.
 * @returns undefined if it does not exist, or is empty.
 * @throws Failure `usage` for anything else, so that it is not overwritten.
 */
export const readJsonObject = async (path: string): Promise<Record<string, unknown> | undefined> => {
  const text = (await readIfExists(path)) ?? '';
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw usageError(
      `${path} is damaged: it is not a JSON object. Nothing was changed.`,
      'Correct or delete the file.',
    );
  }
  return value as Record<string, unknown>;
};

/** Age in milliseconds after which a temporary file is that of a process that has ended. */
const ABANDONED = 60_000;

/** Deletes temporary files that a crashed process has left, because they may contain a token. */
const deleteAbandoned = async (file: string): Promise<void> => {
  for (const name of await readdir(dirname(file))) {
    if (!name.startsWith(`${basename(file)}.`) || !name.endsWith('.part')) continue;
    const path = join(dirname(file), name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (now() - mtimeMs > ABANDONED) await rm(path, { force: true });
  }
};

/** Age in milliseconds after which the lock of a file is that of a process that has crashed. A change takes far less. */
const LONGEST_CHANGE = 10_000;
/** Pause before the lock of a file is tried again, in milliseconds. */
const PAUSE = 50;

/**
 * Creates the lock of a file, and waits while another process has it. The lock of a crashed one is deleted.
 * @returns the path of the lock, which the caller deletes.
 */
const lockFile = async (io: Io, path: string): Promise<string> => {
  const lock = `${path}.lock`;
  for (;;) {
    try {
      await (await open(lock, 'wx', 0o600)).close();
      return lock;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw new Failure('failed', `${path} cannot be written (${codeOf(error)}).`);
    }
    const { mtimeMs } = await stat(lock).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (now() - mtimeMs > LONGEST_CHANGE) await rm(lock, { force: true });
    else await io.wait(PAUSE, io.signal);
  }
};

/**
 * Changes a JSON object in a file that only the user may read. A crash leaves the old content or the new one, never a part of it, and
 * of two processes at once neither loses the change of the other.
 * @param change returns the new content for the present one, which is empty if there is no file.
 * @throws Failure `failed` if it cannot be written, `usage` if it is damaged. The old content remains.
 */
export const updateJsonFile = async (
  io: Io,
  path: string,
  change: (content: Readonly<Record<string, unknown>>) => object,
): Promise<void> => {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Failure('failed', `${dirname(path)} cannot be created (${codeOf(error)}).`);
  }
  // A symbolic link is kept, and its target is replaced.
  const target = await realpath(path).catch(() => path);
  const lock = await lockFile(io, target);
  try {
    const content = `${JSON.stringify(change((await readJsonObject(path)) ?? {}), null, 2)}\n`;
    await deleteAbandoned(target);
    await writePrivateFile(io, target, Readable.from([Buffer.from(content)]));
  } finally {
    await rm(lock, { force: true });
  }
};
