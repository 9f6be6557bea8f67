import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { functionNames, memberFunctionNames } from '../../shared/runtime/environment.ts';
import { type Bundles, bundleFunctions, bundleTracing } from '../build/bundle.ts';
import { settingDefinitions } from '../settings/settings.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(import.meta.url);

/** Entry of the package. */
const entry = 'infra/package/holdfast';

/** Packages that the app around the construct provides, because its constructs must be of the same classes. */
const peers = ['aws-cdk-lib', 'constructs'];

/** Includes the feature flags of this version of the CDK. Flags of a later version could change the templates. */
const presentFlags: Plugin = {
  name: 'present-flags',
  setup: ({ onResolve }) => {
    onResolve({ filter: /recommended-feature-flags\.json$/ }, ({ path }) => ({ path: require.resolve(path) }));
  },
};

/**
 * Builds the package with the construct (docs/operate/construct.md): `index.js`, type declarations, and the bundles of the
 * functions, so that an app needs no bundler.
 * @param directory folder of the package. Its content is replaced.
 * @param bundles bundles of the functions. By default, the functions are bundled.
 */
export const buildConstruct = async (directory: string, bundles?: Bundles): Promise<void> => {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: [`${entry}.ts`],
    outfile: join(directory, 'index.js'),
    bundle: true,
    external: peers,
    plugins: [presentFlags],
    // CommonJS, which apps of both module systems can import.
    format: 'cjs',
    define: { 'import.meta.dirname': '__dirname' },
    platform: 'node',
    target: 'node20',
    logLevel: 'silent',
  });
  await writeDeclarations(join(directory, 'types'));
  const functions = bundles ?? (await bundleFunctions());
  for (const name of [...functionNames, ...memberFunctionNames])
    await cp(functions[name].directory, join(directory, 'functions', name), { recursive: true });
  await cp(await bundleTracing(), join(directory, 'tracing'), { recursive: true });
  await cp(join(root, 'infra/package/README.md'), join(directory, 'README.md'));
  await writeFile(join(directory, 'package.json'), `${JSON.stringify(await createManifest(), undefined, 2)}\n`);
};

const createManifest = async () => {
  const { version, license, devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return {
    name: 'holdfast-cdk',
    version,
    description: 'A deployment of Holdfast as a construct of the AWS CDK',
    license,
    main: 'index.js',
    types: `types/${entry}.d.ts`,
    engines: { node: '>=20' },
    peerDependencies: Object.fromEntries(peers.map((name) => [name, `^${devDependencies[name]}`])),
  };
};

/** Writes the declarations that the entry imports, with the meaning of each setting as its documentation. */
const writeDeclarations = async (directory: string): Promise<void> => {
  const scratch = await mkdtemp(join(tmpdir(), 'holdfast-declarations-'));
  try {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [compiler, '-p', join(root, 'infra/package'), '--outDir', scratch]);
    const written = new Set<string>();
    const write = async (path: string): Promise<void> => {
      if (written.has(path)) return;
      written.add(path);
      const text = withMeanings(await readFile(join(scratch, path), 'utf8'));
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), text);
      for (const [, imported = ''] of text.matchAll(/from '(\.[^']+)\.ts'/g))
        await write(join(dirname(path), `${imported}.d.ts`));
    };
    await write(`${entry}.d.ts`);
  } finally {
    await rm(scratch, { recursive: true });
  }
};

/** Documents each setting in the declaration of the table of settings. The declaration of the compiler lacks its values. */
const withMeanings = (declaration: string): string =>
  declaration.replaceAll(/^ {4}readonly (\w+): Setting</gm, (line, name: string) => {
    const setting = Object.entries(settingDefinitions).find(([known]) => known === name)?.[1];
    return setting === undefined ? line : `    /** ${setting.means} */\n${line}`;
  });

if (import.meta.main) {
  const directory = resolve(process.argv[2] ?? join(root, 'dist/construct'));
  await buildConstruct(directory);
  console.log(`Built ${directory}. npm pack and npm publish work there.`);
}
