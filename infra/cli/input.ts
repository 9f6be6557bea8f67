import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { usageError } from './failure.ts';
import type { Io } from './io.ts';

/** Largest text, in bytes. The service accepts no larger body. */
const LARGEST_TEXT = 1024 * 1024;

/**
 * Reads a file, or standard input where no file is named. Ctrl-C ends it at once.
 * @param file `-` also stands for standard input.
 * @param largest size in bytes. More is not read.
 * @throws Failure `usage` if the file cannot be read or is larger, or standard input is a terminal.
 */
export const readInput = async (
  io: Io,
  file: string | undefined,
  largest = Number.POSITIVE_INFINITY,
): Promise<Buffer> => {
  const isFile = file !== undefined && file !== '-';
  if (!isFile && io.stdin.isTTY === true) {
    throw usageError('Standard input is a terminal.', 'Name a file, or redirect one.');
  }
  const name = isFile ? file : 'Standard input';
  const parts: Buffer[] = [];
  let size = 0;
  try {
    const source = isFile ? createReadStream(resolve(io.cwd, file)) : (io.stdin as Readable);
    for await (const part of addAbortSignal(io.signal, source)) {
      parts.push(Buffer.from(part));
      size += parts.at(-1)?.length ?? 0;
      if (size > largest) throw usageError(`${name} has more than ${largest} bytes.`);
    }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    throw syscall === undefined ? error : usageError(`${name} cannot be read (${code}).`);
  }
  return Buffer.concat(parts);
};

/** Reads a text as `readInput` does. @throws Failure `usage` also if it is not UTF-8. */
export const readText = async (io: Io, file: string | undefined, largest = LARGEST_TEXT): Promise<string> => {
  const content = await readInput(io, file, largest);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw usageError(`${file ?? 'Standard input'} is not text in UTF-8.`);
  }
};
