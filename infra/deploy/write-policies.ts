import { mkdirSync, writeFileSync } from 'node:fs';
import { readArguments, runProgram } from '../command-line.ts';
import { HUB_SUFFIX, partitions } from '../settings/settings.ts';
import { deployerPolicies } from './policies.ts';

/** `npm run deployer-policies`: writes the IAM policies for a deployment, or for a hub. */
const folder = 'cdk.out/policies';
const usage = `Usage: npm run deployer-policies -- [--name <name>] [--hub] [--partition <partition>]

Writes the IAM policies that a deployment needs to ${folder}.

  --name <name>            setting "name" of the deployment, by default holdfast; with an asterisk at the end, all
                           deployments whose names begin with it
  --hub                    policies for a hub
  --partition <partition>  ${partitions.join(' or ')}, by default aws`;
await runProgram(() => {
  const { values } = readArguments(usage, {
    options: {
      name: { type: 'string', default: 'holdfast' },
      hub: { type: 'boolean', default: false },
      partition: { type: 'string', default: 'aws' },
    },
  });
  const partition = partitions.find((one) => one === values.partition);
  if (partition === undefined) throw new RangeError(`--partition must be ${partitions.join(' or ')}`);
  const policies = Object.entries(deployerPolicies(values.name, { isHub: values.hub, partition }));
  const prefix = values.name.replace(/-?\*$/, '') + (values.hub ? `-${HUB_SUFFIX}` : '');
  mkdirSync(folder, { recursive: true });
  for (const [policy, document] of policies) {
    const file = `${folder}/${prefix}-${policy.replace(/-hub$/, '')}.json`;
    writeFileSync(file, `${JSON.stringify(document, undefined, 2)}\n`);
    console.log(file);
  }
});
