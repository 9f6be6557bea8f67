import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BUILD_FOLDER } from './global-setup.ts';

/** Outside of a run of the tests, a process has a folder of its own, for as long as it lives. */
const buildFolder = (): string => {
  const given = process.env[BUILD_FOLDER];
  if (given !== undefined) return given;
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-build-'));
  process.env[BUILD_FOLDER] = folder;
  process.once('exit', () => rmSync(folder, { recursive: true }));
  return folder;
};

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/**
 * Fills a folder once for all tests and all runs on the same sources. The first process that needs it fills it; the
 * others wait, and one of them takes over should the first one fail or end.
 */
export const once = async <T extends object>(
  name: string,
  fill: (folder: string) => Promise<T>,
): Promise<T & { readonly folder: string }> => {
  const folder = join(buildFolder(), name);
  const [result, lock] = [`${folder}.json`, `${folder}.lock`];
  while (!existsSync(result)) {
    const isOurs = await writeFile(lock, String(process.pid), { flag: 'wx' }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
        return false;
      },
    );
    if (!isOurs) {
      await sleep(50);
      const owner = Number(await readFile(lock, 'utf8').catch(() => ''));
      if (owner > 0 && !isAlive(owner)) await rm(lock, { force: true });
      continue;
    }
    try {
      // Another process may have filled the folder since the last look.
      if (existsSync(result)) break;
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder);
      await writeFile(`${result}.new`, JSON.stringify(await fill(folder)));
      await rename(`${result}.new`, result);
    } finally {
      await rm(lock);
    }
  }
  return { ...JSON.parse(await readFile(result, 'utf8')), folder };
};

/** The functions as they are deployed. */
export const bundledOnce = () =>
  once('bundles', async (folder) => {
    const { bundleFunctions } = await import('../../../infra/build/bundle.ts');
    return { bundles: await bundleFunctions(folder) };
  });

const hashOf = (context: Readonly<Record<string, unknown>>): string =>
  createHash('sha256').update(JSON.stringify(context)).digest('hex').slice(0, 16);

/**
 * The folder of the cloud assembly that the app synthesizes with settings. Tests that run a service need no checks of its
 * templates: the checks take five seconds of processor time for the first assembly of a process.
 */
export const synthesizedOnce = async (
  context: Readonly<Record<string, unknown>> = {},
  { isChecked = false }: { readonly isChecked?: boolean } = {},
): Promise<string> => {
  const name = `${isChecked ? 'checked-' : ''}assembly-${hashOf(context)}`;
  const { directory } = await once(name, async (outdir) => {
    const { bundles } = await bundledOnce();
    // Loaded only where there is no assembly yet: the CDK takes a second to load.
    const { synthesize } = await import('../../../infra/build/synthesize.ts');
    return { directory: (await synthesize({ context, outdir, bundles, isChecked })).directory };
  });
  return directory;
};

/** The example app with the package of the construct, and the cloud assembly that it synthesizes. */
export const exampleOnce = async (): Promise<{ readonly app: string; readonly assembly: string }> => {
  const { EXAMPLE, installExample, synthesizeExample } = await import('../package/example-app.ts');
  const { hashFiles } = await import('../../../infra/build/build-cache.ts');
  const root = join(import.meta.dirname, '../../..');
  return once(`example-${hashFiles(root, [EXAMPLE, 'package.json'], [])}`, async (folder) => {
    const app = await installExample(folder, (await bundledOnce()).bundles);
    // `npm run check:templates` checks its templates as all others.
    const assembly = await synthesizeExample(app, join(folder, 'assembly'), { CDK_VALIDATION: 'false' });
    return { app, assembly };
  });
};

/** The folder of the cloud assembly of a hub with settings. */
export const hubSynthesizedOnce = async (context: Readonly<Record<string, unknown>>): Promise<string> => {
  const { directory } = await once(`hub-${hashOf(context)}`, async (outdir) => {
    const { bundles } = await bundledOnce();
    const { synthesizeHub } = await import('../../../infra/hub/app.ts');
    return { directory: await synthesizeHub({ context, outdir, bundles }) };
  });
  return directory;
};
