import { type ParseArgsConfig, parseArgs } from 'node:util';
import { printUsageForHelp, runProgram } from '../command-line.ts';
import { readSecretsStatements } from '../constructs/secrets-policy.ts';

const options = {
  'table-name': { type: 'string' },
  'table-key-arn': { type: 'string' },
  'secrets-key-arn': { type: 'string' },
  workspaces: { type: 'string' },
  'variable-sets': { type: 'string' },
} as const satisfies ParseArgsConfig['options'];

const required = ['table-name', 'table-key-arn', 'secrets-key-arn', 'workspaces'] as const;

const readIds = (text: string) => (text === 'all' ? text : text.split(',').filter((id) => id !== ''));

/**
 * Builds the IAM policy of runners (RUNNER-5) from the words of a command, for roles that no CDK app creates. The options are
 * the values that a deployment publishes, `--workspaces` and `--variable-sets`: ids with commas in between, or `all`.
 * @throws RangeError for a missing option or a malformed id; TypeError for an unknown option.
 * @example
 * runnerPolicy(['--table-name', 'table', '--table-key-arn', 'arn:…', '--secrets-key-arn', 'arn:…', '--workspaces', 'all']);
 */
export const runnerPolicy = (words: readonly string[]) => {
  const { values } = parseArgs({ args: [...words], options });
  const missing = required.filter((name) => !values[name]);
  if (missing.length > 0) throw new RangeError(`Required: ${missing.map((name) => `--${name}`).join(', ')}`);
  const { 'table-key-arn': keyArn = '', 'secrets-key-arn': secretsKeyArn = '', workspaces = '' } = values;
  const [prefix, partition, service, region, account] = keyArn.split(':');
  if (prefix !== 'arn' || service !== 'kms' || !partition || !region || !account)
    throw new RangeError('--table-key-arn must be the ARN of a key');
  const variableSets = values['variable-sets'];
  const statements = readSecretsStatements(
    {
      table: { arn: `arn:${partition}:dynamodb:${region}:${account}:table/${values['table-name']}`, keyArn },
      secretsKeyArn,
    },
    { workspaces: readIds(workspaces), ...(variableSets !== undefined && { variableSets: readIds(variableSets) }) },
    region,
  );
  return {
    Version: '2012-10-17',
    Statement: statements.map(({ actions, resourceArns, conditions }) => ({
      Effect: 'Allow',
      Action: actions,
      Resource: resourceArns,
      Condition: conditions,
    })),
  };
};

const usage = `Usage: npm run -s runner-policy -- --table-name <name> --table-key-arn <ARN> --secrets-key-arn <ARN> \\
         --workspaces <ids> [--variable-sets <ids>]

Prints the IAM policy of runners. <ids> are ids with commas in between, or "all".`;

/** `npm run -s runner-policy`: prints the policy. */
if (import.meta.main) {
  printUsageForHelp(usage);
  await runProgram(() => console.log(JSON.stringify(runnerPolicy(process.argv.slice(2)))));
}
