import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { usageError } from './failure.ts';
import type { Io } from './io.ts';

/**
 * Reads a file, or standard input where no file is named.
 * @param file `-` also stands for standard input.
 * @throws Failure `usage` if the file cannot be read, or standard input is a terminal.
 */
export const readInput = async ({ stdin, cwd }: Io, file: string | undefined): Promise<Buffer> => {
  if (file !== undefined && file !== '-') {
    try {
      return await readFile(resolve(cwd, file));
    } catch (error) {
      throw usageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
    }
  }
  if (stdin.isTTY === true) throw usageError('Standard input is a terminal.', 'Name a file, or redirect one.');
  const parts: Buffer[] = [];
  for await (const part of stdin) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
};
