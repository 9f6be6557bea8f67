import { execFile } from 'node:child_process';
import { cp, mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Bundles } from '../../../infra/build/bundle.ts';
import { buildConstruct } from '../../../infra/package/build.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

/** The example of docs/operate/construct.md. */
export const EXAMPLE = 'docs/examples/cdk-app';
/** Folder of the example of docs/operate/distribution.md, which needs no package of Holdfast. */
export const DISTRIBUTION_EXAMPLE = join(root, 'docs/examples/distribution');

/** Packages that the example installs from the registry. */
const installed = ['aws-cdk-lib', 'cdk-nag', 'constructs', '@types/node'];

/**
 * Builds and packs the construct, and installs it in a copy of the example app as `npm install` would.
 *
 * @param folder an empty folder.
 * @returns the folder of the app.
 */
export const installExample = async (folder: string, bundles: Bundles): Promise<string> => {
  const [source, app] = [join(folder, 'package'), join(folder, 'app')];
  const modules = join(app, 'node_modules');
  await buildConstruct(source, bundles);
  await cp(join(root, EXAMPLE), app, { recursive: true });
  await mkdir(join(modules, '@types'), { recursive: true });
  for (const name of installed) await symlink(join(root, 'node_modules', name), join(modules, name));
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: source });
  await run('tar', ['-xzf', join(folder, stdout.trim()), '-C', modules]);
  await rename(join(modules, 'package'), join(modules, 'holdfast-cdk'));
  return app;
};

/**
 * Synthesizes an example app in a process of its own, with the checks of cdk-nag.
 *
 * @param environment variables for the app, in addition to those of this process.
 * @returns the folder of the cloud assembly.
 * @throws when a check has a finding.
 */
export const synthesizeExample = async (
  app: string,
  outdir: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> => {
  await run(process.execPath, ['app.ts'], { cwd: app, env: { ...process.env, CDK_OUTDIR: outdir, ...environment } });
  return outdir;
};
