import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { DEADLINE } from '../setup/deadline.ts';

/** What the command line said and how it ended. */
export interface Run {
  readonly code: number;
  readonly output: string;
}

/** The name of the host in configurations: it need not be found by anybody, as its services are given. */
export const HOST = 'tfe.test';

/** Whether the `terraform` command line is on this computer; undefined where it is not. */
export const terraformVersion = (): string | undefined => {
  try {
    const said = execFileSync('terraform', ['version', '-json'], {
      env: { ...process.env, TF_CLI_CONFIG_FILE: '/dev/null', CHECKPOINT_DISABLE: '1' },
      encoding: 'utf8',
    });
    return (JSON.parse(said) as { terraform_version: string }).terraform_version;
  } catch {
    return undefined;
  }
};

interface Place {
  /** A folder of the test's own. */
  readonly folder: string;
  /** Base URL of the service. */
  readonly baseUrl: string;
  readonly token: string;
  /** In place of those that are made here. */
  readonly settings?: string;
}

/**
 * A folder with a configuration, in which the command line is run against the service, over plain HTTP: the settings
 * of the command line name the host's services, so that it asks for no certificate.
 */
export const openTerraform = ({ folder, baseUrl, token, settings }: Place, configuration: string) => {
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
          // Frames and colors are for terminals.
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
    /** What it says, which must end well. */
    succeed: async (...words: string[]): Promise<string> => {
      const { code, output } = await run(words);
      if (code !== 0) throw new Error(`terraform ${words.join(' ')} ended with ${code}:\n${output}`);
      return output;
    },
  };
};
