import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { deployerPolicies } from './policies.ts';

/** `npm run deployer-policies -- --name <name>`: writes the IAM policies for a deployment to `cdk.out/policies`. */
const { values } = parseArgs({ options: { name: { type: 'string', default: 'holdfast' } } });
const folder = 'cdk.out/policies';
mkdirSync(folder, { recursive: true });
for (const [policy, document] of Object.entries(deployerPolicies(values.name))) {
  const file = `${folder}/${values.name}-${policy}.json`;
  writeFileSync(file, `${JSON.stringify(document, undefined, 2)}\n`);
  console.log(file);
}
