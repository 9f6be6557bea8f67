import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { usageError } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { text } from '../parameters.ts';

/** Largest body that the service accepts, in bytes. More is not read. */
const LARGEST = 1024 * 1024;

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

/** Reads a text completely. @param name of the source in errors. @throws Failure `usage` if it is not UTF-8 or too large. */
const readText = async (source: AsyncIterable<Uint8Array | string>, name: string): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk as string);
    size += bytes.length;
    if (size > LARGEST) throw usageError(`${name} has more than ${LARGEST} bytes.`);
    chunks.push(bytes);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch {
    throw usageError(`${name} is not text in UTF-8.`);
  }
};

/** Reads a file of the user. @throws Failure `usage` if it cannot be read. */
export const readFileText = async ({ io }: Invocation, file: string): Promise<string> => {
  try {
    return await readText(createReadStream(resolve(io.cwd, file)), file);
  } catch (error) {
    if (!('code' in (error as object))) throw error;
    throw usageError(`${file} cannot be read (${codeOf(error)}).`);
  }
};

/** The flag that names the file with a value. */
export const fileFlag = text('Read the value from this file, as it is. Default: standard input, or a prompt.', 'PATH');

/** Explains how `readValue` reads values, for help. */
export const VALUE_HELP =
  'The value is read from standard input without the newlines at its end, or on a terminal by a prompt that does not show it. ' +
  'With --file, it is the content of the file with all newlines.';

/**
 * Reads the value of a variable: from a file as it is, from standard input without the newlines at the end, or by a prompt
 * that does not show it.
 * @throws Failure `usage` if there is none.
 */
export const readValue = async (invocation: Invocation, key: string, file: string | undefined): Promise<string> => {
  const { io, ask, note } = invocation;
  if (file !== undefined) {
    const value = await readFileText(invocation, file);
    if (value.endsWith('\n')) note(`The value ends with a newline, as ${file} does.`);
    return value;
  }
  if (io.stdin.isTTY === true) {
    return ask({ message: `Value of ${key}`, isSecret: true, hint: 'Pipe the value, or add --file PATH.' });
  }
  const value = await readText(io.stdin as AsyncIterable<Uint8Array | string>, 'Standard input');
  // A script without input must not replace a value by an empty one.
  if (value === '') {
    throw usageError(
      'Standard input is empty.',
      'Pipe the value, or add --file PATH. An empty line is an empty value.',
    );
  }
  return value.replace(/[\r\n]+$/, '');
};
