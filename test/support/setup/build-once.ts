import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RUN_FOLDER } from './global-setup.ts';

/** Outside of a run of the tests, a process has a folder of its own, for as long as it lives. */
const runFolder = (): string => {
  const given = process.env[RUN_FOLDER];
  if (given !== undefined) return given;
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-run-'));
  process.env[RUN_FOLDER] = folder;
  process.once('exit', () => rmSync(folder, { recursive: true }));
  return folder;
};

/**
 * Has a folder filled once for all test files of a run, in the first one that asks for it; the others wait, and fill it
 * themselves should the first one fail.
 */
export const once = async <T extends object>(
  name: string,
  fill: (folder: string) => Promise<T>,
): Promise<T & { readonly folder: string }> => {
  const folder = join(runFolder(), name);
  const result = `${folder}.json`;
  for (;;) {
    const isFirst = await mkdir(folder).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
        return false;
      },
    );
    if (isFirst) {
      try {
        const filled = await fill(folder);
        await writeFile(`${result}.new`, JSON.stringify(filled));
        await rename(`${result}.new`, result);
      } catch (error) {
        await rm(folder, { recursive: true });
        throw error;
      }
    }
    while (existsSync(folder)) {
      if (existsSync(result)) return { ...JSON.parse(await readFile(result, 'utf8')), folder };
      await sleep(50);
    }
  }
};

/** The functions as they are deployed. */
export const bundledOnce = () =>
  once('bundles', async (folder) => {
    const { bundleFunctions } = await import('../../../infra/build/bundle.ts');
    return { bundles: await bundleFunctions(folder) };
  });

/** The folder of the cloud assembly that the app synthesizes with settings. */
export const synthesizedOnce = async (context: Readonly<Record<string, unknown>> = {}): Promise<string> => {
  const settings = createHash('sha256').update(JSON.stringify(context)).digest('hex').slice(0, 16);
  const { directory } = await once(`assembly-${settings}`, async (outdir) => {
    const { bundles } = await bundledOnce();
    // Loaded only where there is no assembly yet: the CDK takes a second to load.
    const { synthesize } = await import('../../../infra/build/synthesize.ts');
    return { directory: (await synthesize({ context, outdir, bundles })).directory };
  });
  return directory;
};
