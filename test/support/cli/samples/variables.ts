import { fileURLToPath } from 'node:url';
import type { CliBed } from '../cli-bed.ts';
import type { Samples } from '../sample.ts';

/** Creates a workspace with the variable `region`. */
const workspaceWithRegion = async ({ createWorkspace, json }: CliBed, value = 'eu-west-1'): Promise<string> => {
  const { name } = await createWorkspace();
  await json(['var', 'set', name, 'region'], { stdin: value });
  return name;
};

let count = 0;

/** Creates a variable set with the variable `region`. */
const setWithRegion = async ({ json }: CliBed): Promise<string> => {
  const name = `varset-${++count}`;
  await json(['varset', 'create', name]);
  await json(['varset', 'var', 'set', name, 'region'], { stdin: '\n' });
  return name;
};

const tfvars = fileURLToPath(new URL('../../../fixtures/variables/network.tfvars', import.meta.url));

/** Calls of the commands of variables. */
export const variableSamples: Samples = {
  'var list': async (bed) => ({ args: [await workspaceWithRegion(bed), '--in-force'] }),
  'var find': async (bed) => {
    await workspaceWithRegion(bed);
    return { args: ['region'] };
  },
  'var explain': async (bed) => ({ args: [await workspaceWithRegion(bed), 'region'] }),
  'var get': async (bed) => ({ args: [await workspaceWithRegion(bed), 'region'] }),
  'var set': async (bed) => ({ args: [await workspaceWithRegion(bed), 'region', '--file', tfvars] }),
  'var delete': async (bed) => ({ args: [await workspaceWithRegion(bed), 'region', '--yes'] }),
  'var verify': async (bed) => ({
    args: [await workspaceWithRegion(bed, '\n'), 'region', '--file', '/dev/null'],
  }),
  'var import': async (bed) => ({ args: [await workspaceWithRegion(bed), tfvars, '--yes'] }),
  'var export': async (bed) => ({ args: [await workspaceWithRegion(bed)] }),
  'var diff': async (bed) => ({
    args: [await workspaceWithRegion(bed), await workspaceWithRegion(bed, 'us-east-1')],
    code: 7,
  }),
  exec: async (bed) => ({ args: [await workspaceWithRegion(bed), '--', process.execPath, '--eval', ''] }),
  'varset list': async (bed) => {
    await setWithRegion(bed);
    return { args: [] };
  },
  'varset show': async (bed) => ({ args: [await setWithRegion(bed)] }),
  'varset create': () => ({ args: [`varset-${++count}`, '--priority', 'true'] }),
  'varset edit': async (bed) => ({ args: [await setWithRegion(bed), '--description', 'Defaults'] }),
  'varset delete': async (bed) => ({ args: [await setWithRegion(bed), '--yes'] }),
  'varset assign': async (bed) => ({
    args: [await setWithRegion(bed), '--workspace', (await bed.createWorkspace()).name],
  }),
  'varset unassign': async (bed) => ({
    args: [await setWithRegion(bed), '--workspace', (await bed.createWorkspace()).name],
  }),
  'varset var list': async (bed) => ({ args: [await setWithRegion(bed)] }),
  'varset var get': async (bed) => ({ args: [await setWithRegion(bed), 'region'] }),
  'varset var set': async (bed) => ({ args: [await setWithRegion(bed), 'region', '--file', tfvars] }),
  'varset var delete': async (bed) => ({ args: [await setWithRegion(bed), 'region', '--yes'] }),
  'varset var verify': async (bed) => ({ args: [await setWithRegion(bed), 'region', '--file', '/dev/null'] }),
};
