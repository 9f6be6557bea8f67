import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, formatMessages, type Plugin } from 'esbuild';
import { cachedBuild, hashFiles } from './build-cache.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const ENTRY = 'infra/cli/main.ts';

/** Name of the file with the command line. Its checksum is in a file with this name and `.sha256`. */
export const CLI_FILE = 'holdfast.mjs';

/** Files and folders that the command line is built from. The lock file stands for all packages. */
const inputs = ['infra/cli', 'shared', 'infra/build/cli.ts', 'package-lock.json'];

/**
 * Modules that the command line loads on demand, with all that they import. The file has each of them as a text, because
 * Node has to parse all code of a file before it prints a version, and reads a text forty times faster than code.
 */
const partEntries = ['infra/cli/process.ts', 'infra/cli/exec/aws-part.ts'];

/**
 * Formats the licenses of all packages in the file as a comment, because they require that every copy has their text.
 * @param modules paths of the modules in the file.
 */
const formatLicenses = (modules: readonly string[]): string => {
  const folders = new Set(modules.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? []));
  const packages = new Map<string, readonly string[]>();
  for (const folder of [...folders].sort()) {
    const read = (file: string): string => readFileSync(join(root, folder, file), 'utf8');
    const { name, version, license } = JSON.parse(read('package.json'));
    const file = readdirSync(join(root, folder)).find((candidate) => /^license(\.|$)/i.test(candidate));
    const text = file === undefined ? license : read(file).trim();
    packages.set(text, [...(packages.get(text) ?? []), `${name} ${version}`]);
  }
  const notices = [...packages].map(([text, names]) => `${names.join(', ')}:\n\n${text}`);
  return `/*\nThis file contains these packages:\n\n${notices.join('\n\n').replaceAll('*/', '* /')}\n*/\n`;
};

interface BundledCommandLine {
  readonly code: string;
  /** Modules of each part, by its entry. */
  readonly parts: ReadonlyMap<string, readonly string[]>;
}

/**
 * Bundles the command line into one ES module (docs/decisions/0089).
 * @throws when it does not compile, or with a warning of esbuild.
 */
export const bundleCommandLine = async (): Promise<BundledCommandLine> => {
  const parts = new Map<string, readonly string[]>();
  const textParts: Plugin = {
    name: 'text-parts',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^\..*\.ts$/ }, ({ kind, path, resolveDir }) => {
        const file = join(resolveDir, path);
        const isPart = kind === 'dynamic-import' && partEntries.includes(relative(root, file));
        return isPart ? { path: file, namespace: 'part' } : undefined;
      });
      onLoad({ filter: /./, namespace: 'part' }, async ({ path }) => {
        const code = JSON.stringify(await bundlePart(relative(root, path), 'cjs'));
        // Parts contain all packages, so that they require modules of Node only.
        const require = 'process.getBuiltinModule';
        return { contents: `${require}('vm').compileFunction(${code}, ['module', 'require'])(module, ${require});` };
      });
    },
  };
  const bundlePart = async (entry: string, format: 'esm' | 'cjs'): Promise<string> => {
    const { outputFiles, metafile, warnings } = await build({
      absWorkingDir: root,
      entryPoints: [entry],
      plugins: [textParts],
      bundle: true,
      format,
      platform: 'node',
      mainFields: ['module', 'main'],
      // Older versions of Node have to parse the file, in order to say that they are too old.
      target: 'node18',
      // A text cannot import: in a part, imports on demand become calls of `require`.
      supported: { 'dynamic-import': format === 'esm' },
      minify: true,
      legalComments: 'none',
      metafile: true,
      write: false,
      logLevel: 'silent',
    });
    if (warnings.length > 0) throw new Error((await formatMessages(warnings, { kind: 'warning' })).join('\n'));
    const modules = Object.keys(metafile.inputs).filter((path) => !path.startsWith('part:'));
    parts.set(entry, modules);
    return outputFiles[0]?.text ?? '';
  };
  const code = await bundlePart(ENTRY, 'esm');
  return { code: code + formatLicenses([...parts.values()].flat()), parts };
};

/** Writes the command line, and its checksum in the format of `sha256sum`, to a new folder. */
const writeCommandLine = async (folder: string): Promise<void> => {
  const { code } = await bundleCommandLine();
  const checksum = createHash('sha256').update(code).digest('hex');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, CLI_FILE), code);
  chmodSync(join(folder, CLI_FILE), 0o755);
  writeFileSync(join(folder, `${CLI_FILE}.sha256`), `${checksum}  ${CLI_FILE}\n`);
};

/** Builds in a process of its own, because esbuild stays in memory until the process ends that has used it. */
const writeInProcess = (folder: string, signal?: AbortSignal) =>
  promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url), folder], { signal });

/**
 * Builds the command line in a folder, or copies it from an earlier build of the same sources. The former content of the
 * folder is removed.
 * @throws with the messages of esbuild if the command line does not compile.
 */
export const buildCommandLine = async (outdir: string, signal?: AbortSignal): Promise<void> => {
  const cached = await cachedBuild('holdfast-cli', hashFiles(root, inputs, []), (folder) =>
    writeInProcess(folder, signal),
  );
  rmSync(outdir, { recursive: true, force: true });
  cpSync(cached, outdir, { recursive: true });
};

if (import.meta.main) {
  const [, , folder] = process.argv;
  await (folder === undefined ? buildCommandLine(join(root, 'dist/cli')) : writeCommandLine(folder));
}
