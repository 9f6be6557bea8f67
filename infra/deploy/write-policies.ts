import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { deployerPolicies } from './policies.ts';

/**
 * `npm run deployer-policies -- --name <name>`: writes the IAM policies for a deployment to `cdk.out/policies`. A name that
 * ends with an asterisk stands for all deployments whose names begin with it.
 */
const { values } = parseArgs({ options: { name: { type: 'string', default: 'holdfast' } } });
const folder = 'cdk.out/policies';
try {
  const policies = Object.entries(deployerPolicies(values.name));
  mkdirSync(folder, { recursive: true });
  for (const [policy, document] of policies) {
    const file = `${folder}/${values.name.replace(/-?\*$/, '')}-${policy}.json`;
    writeFileSync(file, `${JSON.stringify(document, undefined, 2)}\n`);
    console.log(file);
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
