import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { InlineConfig } from 'vite';
import { cachedBuild, hashFiles } from './build-cache.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Files and folders that the console is built from. The lock file stands for all packages. */
const inputs = ['functions/console/app', 'shared/client', 'infra/build/console.ts', 'package-lock.json'];

/** Options of Vite that the build and the development server share. */
export const createViteConfig = async (): Promise<InlineConfig> => {
  const { default: react } = await import('@vitejs/plugin-react');
  return {
    configFile: false,
    root: join(root, 'functions/console/app'),
    cacheDir: join(root, 'node_modules/.cache/vite'),
    base: '/',
    plugins: [react()],
    logLevel: 'warn',
  };
};

/**
 * Builds the web console: `index.html`, and `assets` with a hash of the content in each name. Each file is stored
 * compressed only, as `<name>.br` and `<name>.gz`, so that the function compresses nothing (docs/decisions/0044).
 */
const build = async (outDir: string): Promise<void> => {
  const { build: buildWithVite } = await import('vite');
  await buildWithVite({
    ...(await createViteConfig()),
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      // The Content-Security-Policy allows no data: URLs but images, and inlined files have no name with a hash.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // Their sizes are limited by test/infra/console.test.ts.
      chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
    },
  });
  for (const file of readdirSync(outDir, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    const content = readFileSync(path);
    const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params: quality }));
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
    rmSync(path);
  }
};

/** Builds in a separate process with NODE_ENV=production. In this process, a test runner may have set NODE_ENV. */
const buildInProcess = (outDir: string, signal?: AbortSignal) =>
  promisify(execFile)('env', ['NODE_ENV=production', process.execPath, fileURLToPath(import.meta.url), outDir], {
    signal,
  });

/**
 * Builds the console in a folder, or copies it from an earlier build of the same sources. The former content of the folder
 * is removed.
 * @throws with the messages of Vite if the console does not compile.
 */
export const buildConsole = async (outdir: string, signal?: AbortSignal): Promise<void> => {
  const name = hashFiles(root, inputs, [process.version]);
  const cached = await cachedBuild('holdfast-console', name, (folder) => buildInProcess(folder, signal));
  rmSync(outdir, { recursive: true, force: true });
  cpSync(cached, outdir, { recursive: true });
};

const [, , outDir] = process.argv;
if (import.meta.main && outDir !== undefined) await build(outDir);
