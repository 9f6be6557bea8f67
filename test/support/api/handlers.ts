import { createRequire, setSourceMapsSupport } from 'node:module';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { type FunctionName, functionNames } from '../../../shared/runtime/environment.ts';
import { once } from '../setup/build-once.ts';

export type Handler = (event: unknown, context: unknown) => Promise<never>;

const root = join(import.meta.dirname, '../../..');
const require = createRequire(import.meta.url);

/** Removes the time limit of DynamoDB calls from the functions of tests. */
const patience: Plugin = {
  name: 'patience',
  setup: ({ onResolve }) => {
    onResolve({ filter: /\/time-limits\.ts$/ }, () => ({
      path: join(import.meta.dirname, '../setup/patient-time-limits.ts'),
    }));
  },
};

/** Bundles all functions into one CommonJS module, once for the same sources. The SDK stays outside: a process loads it once. */
const bundle = async (): Promise<string> => {
  const { file } = await once('handlers', async (folder) => {
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
      plugins: [patience],
      sourcemap: 'inline',
      logLevel: 'warning',
    });
    return { file: outfile };
  });
  return file;
};

/** Evaluates all functions anew with the present environment, as a cold start does. */
export const loadHandlers = async (): Promise<Readonly<Record<FunctionName, Handler>>> => {
  const file = require.resolve(await bundle());
  setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
  delete require.cache[file];
  return require(file);
};
