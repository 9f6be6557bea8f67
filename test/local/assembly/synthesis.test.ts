import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readAssembly } from '../../../infra/local/assembly/assembly.ts';
import { prepareAssembly } from '../../../infra/local/assembly/synthesis.ts';
import { openFunctionLog } from '../../../infra/local/lambda/function-log.ts';
import { startFunctions } from '../../../infra/local/lambda/functions.ts';
import { temporaryFolder } from '../../support/local/small-assembly.ts';

const { signal } = new AbortController();

it('copies the app of an earlier start if nothing changed, and its functions run without the cache', async () => {
  const folder = temporaryFolder();
  const steps: string[] = [];
  const onStep = (step: string) => steps.push(step);
  await prepareAssembly({ outdir: join(folder, 'first'), edition: 'hosted', onStep, signal });
  const outdir = await prepareAssembly({ outdir: join(folder, 'second'), edition: 'hosted', onStep, signal });
  expect(steps.at(-1)).toBe('Using the app of an earlier start');

  const { functions: definitions } = readAssembly(outdir);
  for (const { directory } of definitions) {
    expect(directory.startsWith(outdir)).toBe(true);
    expect(existsSync(join(directory, 'index.mjs'))).toBe(true);
  }
  const log = openFunctionLog(join(folder, 'log'));
  const functions = startFunctions({ definitions, concurrency: 1, environment: {}, log });
  const outcome = await functions.invoke('holdfast-fallback', JSON.stringify({ headers: {}, requestContext: {} }));
  expect(outcome.kind === 'succeeded' && JSON.parse(outcome.payload)).toMatchObject({ statusCode: expect.any(Number) });
  await functions.close();
  log.close();
});
