import { type ParseArgsConfig, parseArgs } from 'node:util';

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
