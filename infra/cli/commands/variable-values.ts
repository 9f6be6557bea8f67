import { usageError } from '../failure.ts';
import { readText } from '../input.ts';
import type { Invocation } from '../invocation.ts';
import { text } from '../parameters.ts';

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
    const value = await readText(io, file);
    if (value.endsWith('\n')) note(`The value ends with a newline, as ${file} does.`);
    return value;
  }
  if (io.stdin.isTTY === true) {
    return ask({ message: `Value of ${key}`, isSecret: true, hint: 'Pipe the value, or add --file PATH.' });
  }
  const value = await readText(io, undefined);
  // A script without input must not replace a value by an empty one.
  if (value === '') {
    throw usageError(
      'Standard input is empty.',
      'Pipe the value, or add --file PATH. An empty line is an empty value.',
    );
  }
  return value.replace(/[\r\n]+$/, '');
};
