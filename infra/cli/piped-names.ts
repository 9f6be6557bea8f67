import { usageError } from './failure.ts';
import { readInput } from './input.ts';
import { type Io, writeTo } from './io.ts';
import type { Parameters } from './parameters.ts';

/** Characters of names and ids. Others show that the input is no list of names, but JSON, for example. */
const NAME = /^[\w.:@+/-]+$/;

/** Reads names from standard input: the first column of each line, as lists print them where no terminal is. */
const readNames = async (io: Io): Promise<readonly string[]> => {
  if (io.stdin.isTTY === true) throw usageError('"-" reads names from standard input, which is a terminal.');
  const lines = (await readInput(io, undefined)).toString().split(/\r?\n/);
  // Ctrl-C has ended the program that writes the names, too, so they may be incomplete.
  io.signal.throwIfAborted();
  return lines.flatMap((line) => {
    const [name = ''] = line.split('\t');
    if (name === '') return [];
    if (!NAME.test(name)) {
      throw usageError(
        `"${name}" in standard input is not a name.`,
        'Pipe the output of a list without --json or --csv.',
      );
    }
    return [name];
  });
};

/**
 * Replaces the value `-` of an argument by names from standard input. All of them are read before the command starts, so that
 * its changes do not shift the pages of the list that is still being printed.
 */
export const readPipedNames = async (
  io: Io,
  parameters: Parameters,
  values: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> => {
  const piped = Object.keys(parameters).filter(
    (name) => parameters[name]?.isPiped && (values[name] as readonly string[] | undefined)?.includes('-'),
  );
  const [name, other] = piped;
  if (name === undefined) return values;
  const given = values[name] as readonly string[];
  if (other !== undefined || given.length > 1) throw usageError('"-" can be given once, in place of all names.');
  const names = await readNames(io);
  if (names.length === 0) await writeTo(io.stderr, 'Standard input has no names.\n');
  return { ...values, [name]: names };
};
