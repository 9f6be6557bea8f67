import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildState, inlineStateVersionBody } from '../../api/states.ts';
import type { CliBed } from '../cli-bed.ts';
import type { Samples } from '../sample.ts';

const outputs = {
  url: { value: 'https://shop.example.com', type: 'string' },
  zones: { value: ['a', 'b'], type: ['list', 'string'] },
  token: { value: 'top-secret', type: 'string', sensitive: true },
};

/** Creates a workspace with state versions of the serials 1 to `count`, each with one resource more than the one before. */
export const createStates = async (
  { api, owner, createWorkspace, run }: CliBed,
  count: number,
): Promise<{ readonly name: string; readonly ids: readonly string[] }> => {
  const { id, name } = await createWorkspace();
  await run(['lock', name]);
  const ids: string[] = [];
  for (let serial = 1; serial <= count; serial += 1) {
    const { body, status } = await api.request('POST', `/workspaces/${id}/state-versions`, {
      token: owner,
      body: inlineStateVersionBody(buildState({ serial, resources: serial, outputs }), { serial }),
    });
    if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
    ids.push(body.data.id);
  }
  await run(['unlock', name]);
  return { name, ids };
};

/** Calls of the commands of states. */
export const stateSamples: Samples = {
  'state list': async (bed) => ({ args: [(await createStates(bed, 2)).name] }),
  'state show': async (bed) => ({ args: [(await createStates(bed, 2)).name, '1'] }),
  'state pull': async (bed) => ({ args: [(await createStates(bed, 1)).name] }),
  'state push': async (bed) => {
    const cwd = mkdtempSync(join(tmpdir(), 'holdfast-state-'));
    writeFileSync(join(cwd, 'network.tfstate'), buildState({ serial: 2 }));
    return { args: [(await createStates(bed, 1)).name, 'network.tfstate'], options: { cwd } };
  },
  'state outputs': async (bed) => ({ args: [(await createStates(bed, 1)).name] }),
  'state output': async (bed) => ({ args: [(await createStates(bed, 1)).name, 'zones'] }),
  'state resources': async (bed) => ({ args: [(await createStates(bed, 1)).name] }),
  'state diff': async (bed) => ({ args: [(await createStates(bed, 2)).name], code: 7 }),
  'state rollback': async (bed) => ({ args: [(await createStates(bed, 2)).name, '1', '--yes'] }),
  'state delete': async (bed) => ({ args: [(await createStates(bed, 2)).name, '1', '--yes'] }),
  'state restore': async (bed) => {
    const { name } = await createStates(bed, 2);
    await bed.run(['state', 'delete', name, '1', '--yes']);
    return { args: [name, '1'] };
  },
};
