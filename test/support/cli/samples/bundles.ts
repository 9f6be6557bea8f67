import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CliBed } from '../cli-bed.ts';
import type { Samples } from '../sample.ts';

let count = 0;
const folder = (): string => mkdtempSync(join(tmpdir(), 'holdfast-bundle-'));

/** Exports the organization to a new folder, and returns it. */
const exportNow = async ({ run }: CliBed): Promise<string> => {
  const out = join(folder(), 'acme');
  const { code, stderr } = await run(['export', 'acme', '--out', out]);
  if (code !== 0) throw new Error(stderr);
  return out;
};

/** Calls of the commands of bundles. */
export const bundleSamples: Samples = {
  export: () => {
    const cwd = folder();
    return {
      // Each call needs a folder that does not exist.
      get args() {
        count += 1;
        return ['acme', '--out', join(cwd, String(count))];
      },
    };
  },
  'bundle verify': async (bed) => ({ args: [await exportNow(bed)] }),
  'bundle show': async (bed) => ({ args: [await exportNow(bed)] }),
};

/** Starts an import of the organization into itself, where everything is the same. */
const startImport = async (bed: CliBed, ...phases: readonly string[]): Promise<string> => {
  const path = join(folder(), 'move');
  for (const args of [['init', `bundle:${await exportNow(bed)}`, path], ...phases.map((phase) => [phase, path])]) {
    const { code, stderr } = await bed.run(['import', ...args]);
    if (code !== 0) throw new Error(stderr);
  }
  return path;
};

/** Calls of the commands of imports. */
export const importSamples: Samples = {
  'import init': async (bed) => ({ args: [`bundle:${await exportNow(bed)}`, join(folder(), 'move')] }),
  'import plan': async (bed) => ({ args: [await startImport(bed)] }),
  'import run': async (bed) => ({ args: [await startImport(bed, 'plan')] }),
  'import verify': async (bed) => ({ args: [await startImport(bed, 'plan')] }),
  'import cutover': async (bed) => {
    const { name } = await bed.createWorkspace();
    return { args: [await startImport(bed, 'plan'), '--wave', 'first', '--name', name] };
  },
  'import rollback': async (bed) => {
    const { name } = await bed.createWorkspace();
    const path = await startImport(bed, 'plan');
    await bed.run(['import', 'cutover', path, '--wave', 'first', '--name', name]);
    return { args: [path, '--wave', 'first'] };
  },
  'import report': async (bed) => ({ args: [await startImport(bed, 'plan', 'verify')] }),
};
