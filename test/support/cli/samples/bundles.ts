import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildState } from '../../api/states.ts';
import type { CliBed } from '../cli-bed.ts';
import type { Samples } from '../sample.ts';
import { waitForReleases } from '../wait.ts';

let count = 0;
const folder = (): string => mkdtempSync(join(tmpdir(), 'holdfast-bundle-'));

/** Exports one workspace to a new folder, and returns it: the organization grows with every test. */
const exportOne = async (bed: CliBed): Promise<string> => {
  const out = join(folder(), 'acme');
  const { name } = await bed.createWorkspace();
  const { code, stderr } = await bed.run(['export', 'acme', '--out', out, '--name', name]);
  if (code !== 0) throw new Error(stderr);
  return out;
};

/** Calls of the commands of bundles. */
export const bundleSamples: Samples = {
  export: async (bed) => {
    const cwd = folder();
    const { name } = await bed.createWorkspace();
    return {
      // Each call needs a folder that does not exist.
      get args() {
        count += 1;
        return ['acme', '--out', join(cwd, String(count)), '--name', name];
      },
    };
  },
  'bundle verify': async (bed) => ({ args: [await exportOne(bed), '--partial'] }),
  'bundle show': async (bed) => ({ args: [await exportOne(bed)] }),
};

/** Writes a state to a new folder, which is the source of an import. @returns its address, and the name of the workspace. */
const createSource = (): { readonly address: string; readonly name: string } => {
  count += 1;
  const [path, name] = [folder(), `imported-${count}`];
  writeFileSync(join(path, `${name}.tfstate`), buildState({ serial: 1 }));
  return { address: `files:${path}`, name };
};

const options = { wait: waitForReleases };

/** Runs phases of a new import. @returns its folder, and the name of the workspace. */
const startImport = async (bed: CliBed, ...phases: readonly string[]) => {
  const { address, name } = createSource();
  const path = join(folder(), 'move');
  for (const args of [['init', address, path], ...phases.map((phase) => [phase, path])]) {
    const { code, stderr } = await bed.run(['import', ...args], options);
    if (code !== 0) throw new Error(stderr);
  }
  return { path, name };
};

/** Calls of the commands of imports. */
export const importSamples: Samples = {
  'import init': () => ({ args: [createSource().address, join(folder(), 'move')] }),
  'import plan': async (bed) => ({ args: [(await startImport(bed)).path], options }),
  'import run': async (bed) => ({ args: [(await startImport(bed, 'plan')).path], options }),
  'import verify': async (bed) => ({ args: [(await startImport(bed, 'plan', 'run')).path], options }),
  'import cutover': async (bed) => {
    const { path, name } = await startImport(bed, 'plan', 'run');
    return { args: [path, '--wave', 'first', '--name', name], options };
  },
  'import rollback': async (bed) => {
    const { path, name } = await startImport(bed, 'plan', 'run');
    await bed.run(['import', 'cutover', path, '--wave', 'first', '--name', name], options);
    return { args: [path, '--wave', 'first'], options };
  },
  'import report': async (bed) => ({ args: [(await startImport(bed, 'plan', 'run')).path], options }),
};
