import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildProgram } from '../cli/real-process.ts';
import type { SecureService } from '../clients/secure-service.ts';
import type { Place } from './compare.ts';
import { openJsonApi } from './json-api.ts';

/** Result of a command. */
export interface Moved {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Moment of a run: the journal of the import has grown by so many bytes, and then so many milliseconds have passed. */
export interface Moment {
  readonly bytes: number;
  readonly delay: number;
}

/** The built command line in a working directory, with a local service as its target. */
export interface Mover {
  /** Runs a command, such as `['import', 'plan', 'move']`. */
  readonly run: (...argv: readonly string[]) => Promise<Moved>;
  /** Runs a command, and kills its process at a moment. @returns whether it was killed before its end. */
  readonly kill: (folder: string, moment: Moment, ...argv: readonly string[]) => Promise<boolean>;
  /** Runs a command with `--json` that must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: results of every shape.
  readonly json: (...argv: readonly string[]) => Promise<any>;
  /** Reads the source, plans, and accepts what cannot be carried. */
  readonly prepare: (source: string, folder: string) => Promise<void>;
  /** Writes the secrets that the source does not give. */
  readonly setSecrets: (folder: string, secrets: object) => void;
  /** Reads a file of an import. */
  readonly read: (folder: string, file: string) => string;
  /** The target. */
  readonly target: Place;
}

/**
 * Opens the command line.
 * @param target service, and the certificate of its origin, if that is none that everybody trusts.
 * @param cwd working directory, which is created.
 * @param env in addition to the target and its token.
 */
export const openMover = async (
  { service, certificateFile }: Pick<SecureService, 'service'> & Partial<Pick<SecureService, 'certificateFile'>>,
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Mover> => {
  const program = await buildProgram();
  mkdirSync(cwd, { recursive: true });
  const { origin, organization = '', token = '' } = service;
  const environment = {
    ...{
      PATH: process.env['PATH'],
      HOME: cwd,
      HOLDFAST_URL: origin,
      HOLDFAST_ORG: organization,
      HOLDFAST_TOKEN: token,
    },
    ...(certificateFile && { NODE_EXTRA_CA_CERTS: certificateFile }),
    ...env,
  };
  const run: Mover['run'] = (...argv) =>
    new Promise((resolve) => {
      const options = { cwd, env: environment, maxBuffer: 2 ** 26 };
      execFile(process.execPath, [program, ...argv], options, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      });
    });
  const kill: Mover['kill'] = async (folder, { bytes, delay }, ...argv) => {
    const journal = join(cwd, folder, 'journal.jsonl');
    const measure = () => statSync(journal, { throwIfNoEntry: false })?.size ?? 0;
    const due = measure() + bytes;
    const child = spawn(process.execPath, [program, ...argv], { cwd, env: environment, stdio: 'ignore' });
    const closed = once(child, 'close');
    while (child.exitCode === null && measure() < due) await sleep(1);
    await Promise.race([closed, sleep(delay)]);
    child.kill('SIGKILL');
    await closed;
    return child.signalCode === 'SIGKILL';
  };
  const json: Mover['json'] = async (...argv) => {
    const { code, stdout, stderr } = await run(...argv, '--json');
    if (code !== 0) throw new Error(`${argv.join(' ')}: exit code ${code}\n${stderr}`);
    return JSON.parse(stdout);
  };
  const readFile: Mover['read'] = (folder, file) => readFileSync(join(cwd, folder, file), 'utf8');
  const write = (folder: string, file: string, content: object) =>
    writeFileSync(join(cwd, folder, file), JSON.stringify(content));
  return {
    run,
    kill,
    json,
    read: readFile,
    target: {
      api: openJsonApi(origin, token, certificateFile === undefined ? undefined : readFileSync(certificateFile)),
      organization,
    },
    setSecrets: (folder, secrets) => write(folder, 'secrets.json', secrets),
    prepare: async (source, folder) => {
      await json('import', 'init', source, folder, '--rate', '1000');
      await json('import', 'plan', folder);
      const plan = JSON.parse(readFile(folder, 'plan.json'));
      for (const problem of plan.problems) problem.accept = problem.result !== 'waiting';
      write(folder, 'plan.json', plan);
    },
  };
};
