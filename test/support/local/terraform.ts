import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { DEADLINE } from '../setup/deadline.ts';

/** Output and exit code of a command. */
export interface Run {
  readonly code: number;
  readonly output: string;
}

/** Host name in configurations. It is not resolved, because the CLI configuration file contains its services. */
export const HOST = 'tfe.test';

/** Returns the version of the `terraform` command line; undefined when it is not installed. */
export const terraformVersion = (): string | undefined => {
  try {
    const output = execFileSync('terraform', ['version', '-json'], {
      env: { ...process.env, TF_CLI_CONFIG_FILE: '/dev/null', CHECKPOINT_DISABLE: '1' },
      encoding: 'utf8',
    });
    return (JSON.parse(output) as { terraform_version: string }).terraform_version;
  } catch {
    return undefined;
  }
};

interface TerraformOptions {
  /** A folder for one test. */
  readonly folder: string;
  /** Base URL of the service. */
  readonly baseUrl: string;
  readonly token: string;
  /** Content of the CLI configuration file. By default, it is created from the other options. */
  readonly settings?: string;
}

/**
 * Writes a configuration to a folder and runs the command line in it. The CLI configuration file maps the host to the
 * service, so that plain HTTP can be used.
 */
export const openTerraform = ({ folder, baseUrl, token, settings }: TerraformOptions, configuration: string) => {
  mkdirSync(folder, { recursive: true });
  const settingsFile = join(folder, 'settings.tfrc');
  writeFileSync(
    settingsFile,
    settings ??
      `disable_checkpoint = true
host "${HOST}" {
  services = {
    "tfe.v2" = "${baseUrl}/"
    "tfe.v2.1" = "${baseUrl}/"
    "tfe.v2.2" = "${baseUrl}/"
  }
}
credentials "${HOST}" { token = "${token}" }
`,
  );
  const write = (text: string): void => writeFileSync(join(folder, 'main.tf'), text);
  write(configuration);
  const run = (words: readonly string[], input = ''): Promise<Run> =>
    new Promise((resolve) => {
      const child = execFile(
        'terraform',
        [...words],
        {
          cwd: folder,
          timeout: DEADLINE,
          env: {
            PATH: process.env['PATH'],
            HOME: folder,
            TF_CLI_CONFIG_FILE: settingsFile,
            CHECKPOINT_DISABLE: '1',
            TF_IN_AUTOMATION: '1',
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
      if (code !== 0) throw new Error(`terraform ${words.join(' ')} ended with ${code}:\n${output}`);
      return output;
    },
  };
};
