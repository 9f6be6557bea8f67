import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire, setSourceMapsSupport } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { type FunctionName, functionNames } from '../../../shared/runtime/environment.ts';
import { once } from '../setup/build-once.ts';

export type Handler = (event: unknown, context: unknown) => Promise<never>;

const root = join(import.meta.dirname, '../../..');
const require = createRequire(import.meta.url);

/** Removes the time limit of DynamoDB calls from the functions of tests, and the wait between the steps of deletions. */
const testTimes: Plugin = {
  name: 'test-times',
  setup: ({ onResolve }) => {
    const setup = join(import.meta.dirname, '../setup');
    onResolve({ filter: /\/time-limits\.ts$/ }, () => ({ path: join(setup, 'patient-time-limits.ts') }));
    onResolve({ filter: /\/settling\.ts$/ }, () => ({ path: join(setup, 'no-settling.ts') }));
  },
};

/** Lets the functions call the engine without an AWS client. */
const directClient: Plugin = {
  name: 'direct-client',
  setup: ({ onResolve }) => {
    const path = join(import.meta.dirname, '../engine/direct-document-client.ts');
    onResolve({ filter: /\/lean-client\.ts$/ }, ({ importer }) =>
      importer.endsWith('/dynamodb/client.ts') ? { path } : undefined,
    );
  },
};

/** Files that stand for the command line, which takes longer to build and is tested in `test/infra`. */
export const servedCommandLine = {
  'holdfast.mjs': `#!/usr/bin/env node\n${'console.log("holdfast");\n'.repeat(100)}`,
  'holdfast.mjs.sha256': `${'0f'.repeat(32)}  holdfast.mjs\n`,
};

/**
 * Bundles all functions into one CommonJS module that exports a function, which evaluates them. A process thus parses the
 * bundle only once. The bundle is built once for the same sources, and the SDK stays outside of it.
 */
const bundle = async (): Promise<string> => {
  const { file } = await once('handlers-module', async (folder) => {
    const outfile = join(folder, 'handlers.cjs');
    const entries = functionNames.map((name) => `'${name}': require('./functions/${name}/index.ts').handler`);
    await build({
      stdin: { contents: `module.exports = { ${entries.join(', ')} };`, resolveDir: root },
      outfile,
      bundle: true,
      format: 'cjs',
      platform: 'node',
      target: 'node24',
      external: ['@aws-*', '@smithy/*'],
      plugins: [testTimes, directClient],
      banner: { js: 'module.exports = (module) => {' },
      footer: { js: '};' },
      // CommonJS has none. Functions only use it to find files that they serve.
      define: { 'import.meta.url': JSON.stringify(pathToFileURL(outfile)) },
      sourcemap: 'inline',
      sourcesContent: false,
      logLevel: 'warning',
    });
    await mkdir(join(folder, 'cli'));
    for (const [name, content] of Object.entries(servedCommandLine))
      await writeFile(join(folder, 'cli', name), content);
    return { file: outfile };
  });
  return file;
};

interface HandlersModule {
  exports: Readonly<Record<FunctionName, Handler>>;
}

/** Evaluates all functions anew with the present environment, as a cold start does. */
export const loadHandlers = async (): Promise<HandlersModule['exports']> => {
  setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
  const evaluate: (module: HandlersModule) => void = require(await bundle());
  const module = {} as HandlersModule;
  evaluate(module);
  return module.exports;
};
