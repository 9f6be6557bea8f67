import { type ParseArgsConfig, parseArgs } from 'node:util';

/** An error that the user at the terminal can fix. It is printed in one line, without a stack trace. */
export class PlainError extends Error {
  override readonly name = 'PlainError';
}

/** Returns the first line of the message of any thrown value. A failed connection may have an error code only. */
export const messageFrom = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return (error.message || code || error.name).split('\n', 1)[0] ?? '';
};

/** Prints the usage of this program and ends it if its arguments contain `--help`. */
export const printUsageForHelp = (usage: string): void => {
  if (!process.argv.includes('--help', 2)) return;
  console.log(usage);
  process.exit();
};

/**
 * Parses the arguments of this program. With `--help` the program prints its usage and ends; an unknown option ends it with
 * an error.
 * @example
 * readArguments('Usage: npm run events -- [--once]', { options: { once: { type: 'boolean' } } }).values.once
 */
export const readArguments = <const C extends ParseArgsConfig>(usage: string, config: C) => {
  printUsageForHelp(usage);
  try {
    return parseArgs(config);
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    process.exit(1);
  }
};

/** Runs a program. After an error it prints the message, and the program ends with the exit code 1. */
export const runProgram = async (run: () => unknown): Promise<void> => {
  try {
    await run();
  } catch (error) {
    console.error(messageFrom(error));
    process.exitCode = 1;
  }
};
