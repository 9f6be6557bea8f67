import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import ts from 'typescript-5';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = join(root, 'shared/runner');

/** Files of the library whose declarations a program needs. */
const declared = ['index', 'types', 'runner-error'];

/** Returns the package of an import: its first segment, or its first two if it has a scope. */
const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

/**
 * Builds the package of the runner library (docs/concepts/runners.md): one ES module with the code of this repository, its
 * type declarations, and a `package.json` that requires other packages in the versions of this repository.
 * @param directory folder of the package, which is replaced.
 */
export const buildRunner = async (directory = join(root, 'dist/runner')): Promise<void> => {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const { metafile } = await build({
    entryPoints: [join(source, 'index.ts')],
    outfile: join(directory, 'index.js'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    metafile: true,
    absWorkingDir: root,
  });
  for (const name of declared) {
    const text = await readFile(join(source, `${name}.ts`), 'utf8');
    const { outputText } = ts.transpileDeclaration(text, { compilerOptions: { declaration: true } });
    await writeFile(join(directory, `${name}.d.ts`), outputText.replaceAll(/(?<=from '\.\/[\w-]+)\.ts(?=')/g, '.js'));
  }
  const { version, license, dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  const required = [...new Set(imported.filter((path) => !isBuiltin(path)).map(packageOf))].sort();
  const manifest = {
    name: 'holdfast-runner',
    version,
    license,
    description: 'Reads the variables of Holdfast workspaces, secrets included',
    type: 'module',
    exports: { types: './index.d.ts', default: './index.js' },
    engines: { node: '>=20' },
    dependencies: Object.fromEntries(required.map((name) => [name, dependencies[name]])),
  };
  await writeFile(join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
};

if (import.meta.main) await buildRunner();
