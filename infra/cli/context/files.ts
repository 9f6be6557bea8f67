import { mkdir, open, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { now } from '../../../shared/lib/clock.ts';
import { base58, jitter } from '../../../shared/lib/random.ts';
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

/**
 * Lists the files that processes have next to a file while they change it, and deletes those that a crashed process has left.
 * @param suffix of their names, which have a random part before it.
 * @param longest age in milliseconds after which their process has crashed.
 */
const listOwnFiles = async (file: string, suffix: string, longest: number): Promise<readonly string[]> => {
  const names = await readdir(dirname(file));
  const own = names.filter((name) => name.startsWith(`${basename(file)}.`) && name.endsWith(suffix));
  const found: string[] = [];
  for (const path of own.map((name) => join(dirname(file), name))) {
    // Its process may delete it meanwhile.
    const mtime = (await stat(path).catch(() => undefined))?.mtimeMs;
    if (mtime === undefined) continue;
    if (now() - mtime > longest) await rm(path, { force: true });
    else found.push(path);
  }
  return found;
};

/** Age in milliseconds after which a temporary file is left from a crash. It may contain a token. */
const LONGEST_WRITE = 60_000;
/** Age in milliseconds after which a lock is left from a crash. A change takes far less. */
const LONGEST_CHANGE = 10_000;
/** Shortest pause before the lock of a file is tried again, in milliseconds. The longest one is twice as long. */
const PAUSE = 50;

/**
 * Locks a file, and waits while another process has it. Each process creates a lock with a name of its own, and has the file if there
 * is no other one then. So deleting the lock of a crashed process can never delete that of a living one.
 * @returns the path of the lock, which the caller deletes.
 */
const lockFile = async (io: Io, path: string): Promise<string> => {
  for (;;) {
    const lock = `${path}.${base58(8)}.lock`;
    try {
      await (await open(lock, 'wx', 0o600)).close();
      const locks = await listOwnFiles(path, '.lock', LONGEST_CHANGE);
      if (locks.every((other) => other === lock)) return lock;
    } catch (error) {
      await rm(lock, { force: true });
      throw new Failure('failed', `${path} cannot be written (${codeOf(error)}).`);
    }
    await rm(lock, { force: true });
    // Random, so that processes that have met do not meet again.
    await io.wait(PAUSE + jitter(PAUSE), io.signal);
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
    await listOwnFiles(target, '.part', LONGEST_WRITE);
    await writePrivateFile(io, target, Readable.from([Buffer.from(content)]));
  } finally {
    await rm(lock, { force: true });
  }
};
