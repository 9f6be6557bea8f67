import { mkdir, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
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

/**
 * Replaces a file that only the user may read. A crash leaves the old content or the new one, never a part of it.
 * @throws Failure `failed` if it cannot be written. The old content remains.
 */
export const replaceFile = async (io: Io, path: string, content: string): Promise<void> => {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Failure('failed', `${dirname(path)} cannot be created (${codeOf(error)}).`);
  }
  // A symbolic link is kept, and its target is replaced.
  const target = await realpath(path).catch(() => path);
  await deleteAbandoned(target);
  await writePrivateFile(io, target, Readable.from([Buffer.from(content)]));
};
