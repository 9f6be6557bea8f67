import { lstat, open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { base58 } from '../../../shared/lib/random.ts';
import { Failure, usageError } from '../failure.ts';
import type { Io } from '../io.ts';
import { counted } from './progress.ts';

/** @throws Failure `usage` for a device or a folder, which a rename would replace. */
const requireFile = async (path: string, name: string): Promise<void> => {
  const found = await lstat(path).catch(() => undefined);
  if (found !== undefined && !found.isFile()) {
    throw usageError(`${name} is not a regular file.`, 'Name a new file, or redirect standard output.');
  }
};

/**
 * Writes a file that only the user can read. It has its name once it is complete, and a failure leaves nothing behind.
 * @returns number of bytes.
 */
export const writePrivateFile = async (io: Io, name: string, content: AsyncIterable<Uint8Array>): Promise<number> => {
  const path = resolve(io.cwd, name);
  const partial = `${path}.${base58(8)}.part`;
  await requireFile(path, name);
  try {
    const file = await open(partial, 'wx', 0o600);
    let size = 0;
    try {
      for await (const part of counted(io, content)) {
        await file.writeFile(part);
        size += part.length;
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, path);
    return size;
  } catch (error) {
    await rm(partial, { force: true });
    const { code, syscall } = error as NodeJS.ErrnoException;
    throw syscall === undefined ? error : new Failure('failed', `${name} cannot be written (${code}).`);
  }
};
