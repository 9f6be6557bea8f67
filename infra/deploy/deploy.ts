import { spawnSync } from 'node:child_process';
import { deployArguments } from './deploy-arguments.ts';

/** `npm run deploy`: deploys all stacks with the CDK CLI; with `--ci`, without questions. */
const { status } = spawnSync('cdk', deployArguments(process.argv.slice(2)), { stdio: 'inherit' });
process.exitCode = status ?? 1;
