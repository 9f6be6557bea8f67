import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Finding } from './acknowledgements.ts';

const requirements = join(import.meta.dirname, 'requirements.txt');
const cache = join(import.meta.dirname, '../../../../node_modules/.cache');

/** Regions of four continents, whose resource types and values differ. */
const regions = ['us-east-1', 'eu-central-1', 'ap-southeast-2', 'sa-east-1'];

/** Region of another partition, which has no CloudFront. */
const governmentRegions = ['us-gov-west-1'];

/** Limit for the output of a judge, in bytes. */
const MAX_OUTPUT = 256 * 1024 * 1024;

/** Returns whether Python can create virtual environments. */
export const hasPython = (): boolean => spawnSync('python3', ['-c', 'import ensurepip, venv']).status === 0;

/**
 * Installs the judges in a virtual environment, unless the environment has these versions.
 *
 * @returns the folder of their commands.
 * @throws when an installation fails. Its output is printed.
 */
export const installJudges = (): string => {
  const versions = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16);
  const folder = join(cache, `template-judges-${versions}`);
  const installed = join(folder, 'installed');
  if (!existsSync(installed)) {
    console.log('Installing cfn-lint, checkov and moto. This can take minutes.');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(cache, { recursive: true });
    execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
    const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--requirement', requirements];
    execFileSync(join(folder, 'bin/pip'), ['install', ...options], { stdio: 'inherit' });
    writeFileSync(installed, '');
  }
  return join(folder, 'bin');
};

/** Runs a judge, whose exit status also says whether it has findings. @throws when it printed no JSON document. */
const run = (command: string, words: readonly string[]): unknown => {
  const { stdout, stderr, error } = spawnSync(command, words, { encoding: 'utf8', maxBuffer: MAX_OUTPUT });
  if (error !== undefined) throw error;
  try {
    return JSON.parse(stdout);
  } catch (cause) {
    throw new Error(`${basename(command)} failed: ${stderr}${stdout.slice(0, 2_000)}`, { cause });
  }
};

/** A match in the JSON output of cfn-lint. */
interface Match {
  readonly Rule: { readonly Id: string };
  readonly Filename: string;
  readonly Location: { readonly Path?: readonly (string | number)[] | null };
  readonly Message: string;
}

/** Runs cfn-lint for all regions. @param commands the folder of the commands. @returns its errors and warnings. */
export const lint = (commands: string, templates: readonly string[]): readonly Finding[] => {
  const lintIn = (places: readonly string[], paths: readonly string[]) =>
    run(join(commands, 'cfn-lint'), ['--format', 'json', '--regions', ...places, '--', ...paths]) as readonly Match[];
  const withoutDistribution = templates.filter((path) => !/\.(Distribution|Firewall)\.template\.json$/.test(path));
  const matches = [...lintIn(regions, templates), ...lintIn(governmentRegions, withoutDistribution)];
  return matches.map(({ Rule, Filename, Location, Message }) => ({
    rule: Rule.Id,
    place: `${basename(Filename)} ${(Location.Path ?? []).join('/')}`,
    message: Message,
  }));
};

/** The JSON output of checkov for one kind of template. */
interface Report {
  readonly summary: { readonly passed: number; readonly parsing_errors: number };
  readonly results: {
    readonly failed_checks: readonly {
      readonly check_id: string;
      readonly check_name: string;
      readonly file_path: string;
      readonly resource: string;
    }[];
  };
}

/**
 * Runs checkov without network access.
 *
 * @param commands the folder of the commands.
 * @throws when checkov cannot parse a template.
 */
export const scan = (commands: string, templates: readonly string[]): readonly Finding[] => {
  const options = ['--framework', 'cloudformation', '--skip-download', '--compact', '--quiet', '--output', 'json'];
  const { summary, results } = run(join(commands, 'checkov'), [...options, '--file', ...templates]) as Report;
  if (summary.parsing_errors > 0 || summary.passed === 0) throw new Error('checkov could not parse all templates');
  return results.failed_checks.map(({ check_id, check_name, file_path, resource }) => ({
    rule: check_id,
    place: `${basename(file_path)} ${resource}`,
    message: check_name,
  }));
};
