import { spawnSync } from 'node:child_process';
import { printUsageForHelp } from '../command-line.ts';

/** File with the outputs of all stacks after a deployment by a pipeline. */
export const OUTPUTS_FILE = 'cdk.out/outputs.json';

/**
 * Builds the arguments of the CDK CLI. `--ci` stands for a deployment by a pipeline: it needs no input, logs to standard
 * output, and writes the outputs of the stacks to a file. All other arguments are passed on.
 * @example
 * deployArguments(['-c', 'stage=test']); // ['deploy', '--all', '-c', 'stage=test']
 */
export const deployArguments = (words: readonly string[]): string[] => [
  'deploy',
  '--all',
  ...words.flatMap((word) =>
    word === '--ci'
      ? ['--ci', '--require-approval', 'never', '--progress', 'events', '--outputs-file', OUTPUTS_FILE]
      : [word],
  ),
];

/** `npm run deploy`: deploys all stacks with the CDK CLI. */
if (import.meta.main) {
  printUsageForHelp(`Usage: npm run deploy -- [--ci] [options of "cdk deploy"]

Deploys all stacks with the CDK CLI. The command "npx cdk deploy --help" lists its options.

  --ci  deploys from a pipeline: needs no input, and writes the outputs of the stacks to ${OUTPUTS_FILE}`);
  const { status } = spawnSync('cdk', deployArguments(process.argv.slice(2)), { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
