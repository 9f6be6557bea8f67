import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { generate as generateDocumentation } from '../../shared/openapi/generate.ts';
import { allFunctionNames, type FunctionName, functionNames } from '../../shared/runtime/environment.ts';
import * as schemaModule from '../../shared/schemas/schema.ts';
import { generate as generateValidators } from '../../shared/validators/generate.ts';
import { GATE_FILE, servingFunctions } from '../constructs/gate.ts';
import { buildCommandLine } from './cli.ts';
import { buildConsole } from './console.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Default folder of the bundles; ignored by Git. */
const defaultBundleDirectory = join(root, 'dist');

interface Bundle {
  /** Folder that becomes the asset of the function: `index.mjs`, and files that it loads on demand or serves. */
  readonly directory: string;
  readonly bytes: number;
}

export type Bundles = { readonly [F in FunctionName]: Bundle };

/**
 * Functions that load code on demand with a dynamic import (docs/decisions/0047). Their code on demand is in files of its
 * own. esbuild would split code that functions share into files of its own too, so each is bundled separately.
 */
export const splitFunctions: readonly FunctionName[] = [
  'workspaces',
  'variables',
  'integrations',
  'state-versions',
  'ingest',
  'automation',
  'record-history',
];

/** Bundles the gate, which imports the function next to it (docs/decisions/0074). */
const bundleGate = async (): Promise<Uint8Array> => {
  const contents = `
    import { handler as serve } from './index.mjs';
    import { openGate } from './shared/gate/open-gate.ts';
    export const handler = openGate(serve);`;
  const { outputFiles } = await build({
    ...bundling,
    stdin: { contents, resolveDir: root, loader: 'ts' },
    external: ['./index.mjs'],
    outdir: root,
    write: false,
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
};

/**
 * Bundles each function into one ES module, or into several if it loads code on demand (docs/decisions/0002). Generates
 * validators and documentation first.
 *
 * Output below `directory`: `functions/<name>` is deployed, `maps/<name>` has its source maps, and `metafile.json` lists
 * the content of each bundle (https://esbuild.github.io/analyze).
 * @throws when a function does not compile. The message of esbuild names the file and the line.
 */
export const bundleFunctions = async (directory = defaultBundleDirectory): Promise<Bundles> => {
  const outdir = join(directory, 'functions');
  await generateValidators();
  generateDocumentation();
  const options = { ...bundling, outdir, sourcemap: 'external', write: false } as const;
  const whole = allFunctionNames.filter((name) => !splitFunctions.includes(name));
  const results = await Promise.all([
    build({ ...options, entryPoints: entryPoints(whole) }),
    ...splitFunctions.map((name) =>
      build({ ...options, entryPoints: entryPoints([name]), chunkNames: `${name}/[name]-[hash]`, splitting: true }),
    ),
  ]);

  const outputs = Object.assign({}, ...results.map(({ metafile }) => metafile.outputs)) as Metafile['outputs'];
  const inputs = Object.assign({}, ...results.map(({ metafile }) => metafile.inputs)) as Metafile['inputs'];
  const files = new Map<string, Uint8Array>([['metafile.json', Buffer.from(JSON.stringify({ inputs, outputs }))]]);
  const bytes = new Map<string, number>();
  const loaded = new Set(allFunctionNames.flatMap((name) => [...filesOf(outputs, join(outdir, name, 'index.mjs'))]));
  for (const { path, contents } of results.flatMap(({ outputFiles }) => outputFiles)) {
    if (!loaded.has(path.replace(/\.map$/, ''))) continue;
    const file = relative(outdir, path);
    if (path.endsWith('.map')) files.set(join('maps', file), contents);
    else {
      files.set(join('functions', file), contents);
      const name = dirname(file);
      bytes.set(name, (bytes.get(name) ?? 0) + contents.byteLength);
    }
  }
  const gate = await bundleGate();
  for (const name of servingFunctions) files.set(join('functions', name, GATE_FILE), gate);
  await writeChanged(directory, files);
  await buildConsole(join(outdir, 'console/web'));
  await buildCommandLine(join(outdir, 'documentation/cli'));
  await Promise.all(splitFunctions.map((name) => removeOthers(directory, join('functions', name), files)));
  return Object.fromEntries(
    allFunctionNames.map((name) => [name, { directory: join(outdir, name), bytes: bytes.get(name) }]),
  ) as Bundles;
};

/** Lists a file with all files that it imports. esbuild also writes chunks of imports that it removed later. */
const filesOf = (outputs: Metafile['outputs'], path: string, found = new Set<string>()): ReadonlySet<string> => {
  if (found.has(path)) return found;
  found.add(path);
  for (const one of outputs[relative(root, path)]?.imports ?? [])
    if (!one.external) filesOf(outputs, join(root, one.path), found);
  return found;
};

/** Removes chunks of earlier builds, which would become part of the asset. */
const removeOthers = async (
  directory: string,
  folder: string,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<void> => {
  for (const name of await readdir(join(directory, folder)))
    if (!files.has(join(folder, name))) await rm(join(directory, folder, name));
};

/**
 * Bundles the functions for the local service, without the functions of a hub and the files of the web console and the command line. Shared
 * code is in chunks next to the folders of the functions, so that it is linked and printed once. That takes a quarter of
 * the time of `bundleFunctions`.
 */
export const bundleFunctionsInChunks = async (outdir: string): Promise<Bundles> => {
  await generateValidators();
  generateDocumentation();
  const { metafile } = await build({
    ...bundling,
    entryPoints: entryPoints(functionNames),
    outdir,
    splitting: true,
  });
  const gate = await bundleGate();
  await writeChanged(outdir, new Map(servingFunctions.map((name) => [join(name, GATE_FILE), gate])));
  const bytes = (name: string): number => metafile.outputs[relative(root, join(outdir, name, 'index.mjs'))]?.bytes ?? 0;
  return Object.fromEntries(
    functionNames.map((name) => [name, { directory: join(outdir, name), bytes: bytes(name) }]),
  ) as Bundles;
};

/**
 * Bundles the code that traces calls of AWS services, as the content of a layer (`shared/tracing/preload.ts`).
 * @returns the folder of the layer.
 */
export const bundleTracing = async (directory = defaultBundleDirectory): Promise<string> => {
  const outdir = join(directory, 'tracing');
  const { outputFiles } = await build({
    ...bundling,
    entryPoints: [{ in: 'shared/tracing/preload.ts', out: 'tracing' }],
    outdir,
    write: false,
  });
  await writeChanged(outdir, new Map(outputFiles.map(({ path, contents }) => [relative(outdir, path), contents])));
  return outdir;
};

const entryPoints = (names: readonly FunctionName[]) =>
  // The functions of the hub share a folder.
  names.map((name) => ({ in: `functions/${name.replace(/^hub-/, 'hub/')}/index.ts`, out: `${name}/index` }));

/**
 * Leaves out the schemas of operations that a client of the SDK does not send. Their keys are computed from constants, and
 * esbuild must assume that a computed key has side effects, so the constants are written in place of their names.
 */
const plainSchemas: Plugin = {
  name: 'plain-schemas',
  setup: ({ onLoad }) => {
    onLoad({ filter: /@aws-sdk\/client-[\w-]+\/dist-es\/schemas\/schemas_0\.js$/ }, async ({ path }) => {
      const code = await readFile(path, 'utf8');
      const constants = new Map([...code.matchAll(/^const (_\w+) = (".*");$/gm)].map(([, name, text]) => [name, text]));
      const toConstant = (key: string, name: string) => (constants.has(name) ? `${constants.get(name)}:` : key);
      return { contents: code.replaceAll(/\[(_\w+)\]:/g, toConstant) };
    });
  },
};

/**
 * Leaves out the event streams of the AWS SDK. Its protocols import them when an operation streams events, and no function
 * calls such an operation.
 */
const noEventStreams: Plugin = {
  name: 'no-event-streams',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^@smithy\/core\/event-streams$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};

/**
 * Leaves out the module of the AWS SDK that reads the files `~/.aws/config` and `~/.aws/credentials`, which Lambda does not
 * have. The settings of clients are in the environment (docs/decisions/0010).
 */
const noConfigFiles: Plugin = {
  name: 'no-config-files',
  setup: ({ onLoad }) => {
    onLoad({ filter: /shared-ini-file-loader\/loadSharedConfigFiles\.js$/ }, () => ({
      contents: `
        export { CONFIG_PREFIX_SEPARATOR } from './constants';
        export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} });`,
    }));
  },
};

/**
 * Leaves out one of two versions of `bn.js`. The encryption library needs the older one only for signatures, and
 * `shared/encryption/encrypt.ts` uses an algorithm suite without signatures.
 */
const oneBigNumber: Plugin = {
  name: 'one-big-number',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^bn\.js$/ }, () => ({ path: join(root, 'node_modules/bn.js/lib/bn.js') }));
  },
};

/**
 * Leaves out TypeBox. The attribute tables hold schemas, which are compiled ahead, and no function reads them at run time,
 * so the builders of schemas return nothing in a function.
 */
const noSchemas: Plugin = {
  name: 'no-schemas',
  setup: ({ onLoad }) => {
    const builders = Object.entries(schemaModule).filter(([, value]) => typeof value === 'function');
    const names = builders.map(([name]) => `none as ${name}`);
    onLoad({ filter: /shared\/schemas\/schema\.ts$/ }, () => ({
      contents: `const none = () => undefined;\nexport { ${names.join(', ')} };`,
    }));
  },
};

/** Options of esbuild for all code that Lambda loads. */
export const bundling = {
  absWorkingDir: root,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  // The SDK is bundled too: one file loads in about half the time of the SDK in the Lambda runtime.
  packages: 'bundle',
  // Packages in the form of CommonJS load modules of Node with `require`, which ES modules do not have.
  banner: { js: "const require=process.getBuiltinModule('module').createRequire(import.meta.url);" },
  alias: { '@aws-sdk/credential-provider-node': './infra/build/lambda-credentials.ts' },
  plugins: [plainSchemas, noEventStreams, noConfigFiles, oneBigNumber, noSchemas],
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  minify: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'silent',
} as const satisfies BuildOptions;

/** Replaces changed files, each in one step, because another process may be reading the folder. */
const writeChanged = async (directory: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> => {
  await mkdir(directory, { recursive: true });
  const scratch = await mkdtemp(join(directory, '.writing-'));
  try {
    for (const [path, contents] of files) {
      const target = join(directory, path);
      const existing = await readFile(target).catch(() => undefined);
      if (existing?.equals(contents)) continue;
      await mkdir(dirname(target), { recursive: true });
      await writeFile(join(scratch, 'file'), contents);
      await rename(join(scratch, 'file'), target);
    }
  } finally {
    await rm(scratch, { recursive: true });
  }
};
