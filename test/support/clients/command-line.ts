import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { POLL_DEADLINE } from '../setup/deadline.ts';

/** Output and exit code of a command. */
export interface Run {
  readonly code: number;
  readonly output: string;
}

interface CommandLineOptions {
  /** Path of `terraform` or `tofu`. */
  readonly program: string;
  /** A folder for one test. */
  readonly folder: string;
  /** Content of the CLI configuration file. */
  readonly settings: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Writes a configuration to a folder and runs `terraform` or `tofu` in it. */
export const openCommandLine = (
  { program, folder, settings, environment = {} }: CommandLineOptions,
  configuration: string,
) => {
  mkdirSync(folder, { recursive: true });
  const settingsFile = join(folder, 'settings.tfrc');
  writeFileSync(settingsFile, settings);
  const write = (text: string): void => writeFileSync(join(folder, 'main.tf'), text);
  write(configuration);
  const run = (words: readonly string[], input = ''): Promise<Run> =>
    new Promise((resolve) => {
      const child = execFile(
        program,
        [...words],
        {
          cwd: folder,
          timeout: POLL_DEADLINE,
          maxBuffer: 64 * 1_024 ** 2,
          env: {
            PATH: process.env['PATH'],
            HOME: folder,
            TF_CLI_CONFIG_FILE: settingsFile,
            CHECKPOINT_DISABLE: '1',
            TF_IN_AUTOMATION: '1',
            ...environment,
          },
        },
        (error, stdout, stderr) => {
          const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
          // Remove frames and colors.
          const output = stripVTControlCharacters(stdout + stderr).replaceAll(/[│╷╵]/g, '');
          resolve({ code, output });
        },
      );
      child.stdin?.on('error', () => {}).end(input);
    });
  return {
    folder,
    write,
    run,
    /** Runs a command that must succeed. @returns its output. */
    succeed: async (...words: string[]): Promise<string> => {
      const { code, output } = await run(words);
      if (code !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${code}:\n${output}`);
      return output;
    },
  };
};

/** A command line in a folder with a configuration. */
export type CommandLine = ReturnType<typeof openCommandLine>;
