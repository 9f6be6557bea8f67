import { spawnSync } from 'node:child_process';
import { printUsageForHelp } from '../command-line.ts';
import { deployArguments, OUTPUTS_FILE } from './deploy-arguments.ts';

/** `npm run deploy`: deploys all stacks with the CDK CLI. */
printUsageForHelp(`Usage: npm run deploy -- [--ci] [options of "cdk deploy"]

Deploys all stacks with the CDK CLI. The command "npx cdk deploy --help" lists its options.

  --ci  deploys from a pipeline: needs no input, and writes the outputs of the stacks to ${OUTPUTS_FILE}`);
const { status } = spawnSync('cdk', deployArguments(process.argv.slice(2)), { stdio: 'inherit' });
process.exitCode = status ?? 1;
