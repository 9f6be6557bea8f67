import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { readAssembly } from '../../../infra/local/assembly/assembly.ts';
import { hashInputs, prepareAssembly } from '../../../infra/local/assembly/synthesis.ts';
import { openFunctionLog } from '../../../infra/local/lambda/function-log.ts';
import { startFunctions } from '../../../infra/local/lambda/functions.ts';
import { temporaryFolder } from '../../support/local/small-assembly.ts';

const { signal } = new AbortController();

it('copies the app of an earlier start with the same settings, and its functions run without the cache', async () => {
  const folder = temporaryFolder();
  const steps: string[] = [];
  const onStep = (step: string) => steps.push(step);
  const settings = { edition: 'hosted', deletedWorkspaceDays: '3' };
  const prepare = () => prepareAssembly({ outdir: join(folder, 'app'), settings, onStep, signal });
  const { outdir, codeCache } = await prepare();
  const ofOtherApp = join(outdir, 'compiled-other');
  for (const path of [codeCache, ofOtherApp]) mkdirSync(path);
  await prepare();
  expect(steps.at(-1)).toBe('Using the app of an earlier start');
  expect([codeCache, ofOtherApp].map(existsSync)).toEqual([true, false]);

  const { functions: definitions } = readAssembly(outdir);
  for (const { directory } of definitions) {
    expect(directory.startsWith(outdir)).toBe(true);
    expect(existsSync(join(directory, 'index.mjs'))).toBe(true);
  }
  const environmentOf = (name: string) => definitions.find((one) => one.name === `holdfast-${name}`)?.environment;
  expect(environmentOf('workspace-deletion')).toMatchObject({ EDITION: 'hosted', DELETED_WORKSPACE_DAYS: '3' });
  const log = openFunctionLog(join(folder, 'log'));
  const functions = startFunctions({ definitions, concurrency: 1, environment: {}, log });
  const outcome = await functions.invoke('holdfast-fallback', JSON.stringify({ headers: {}, requestContext: {} }));
  expect(outcome.kind === 'succeeded' && JSON.parse(outcome.payload)).toMatchObject({ statusCode: expect.any(Number) });
  await functions.close();
  log.close();
});

it('rejects a setting of a service that is not emulated', async () => {
  const outdir = join(temporaryFolder(), 'app');
  const preparing = prepareAssembly({ outdir, settings: { tracing: 'true' }, onStep: () => {}, signal });
  await expect(preparing).rejects.toThrow(/^tracing has no effect on this computer: leave it out$/);
});

const files = {
  'functions/teams/index.ts': 'a',
  'shared/validators/compiled/bodies.js': 'generated',
  'infra/app.ts': 'a',
  'cdk.json': '{}',
  'package.json': '{}',
  'package-lock.json': '{}',
};

/** Writes a repository with these files, and computes the name of its app in the cache. */
const nameOfApp = (changed: Readonly<Record<string, string>> = {}, settings: Readonly<Record<string, string>> = {}) => {
  const folder = temporaryFolder();
  for (const [path, content] of Object.entries({ ...files, ...changed })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return hashInputs(folder, settings);
};

it.each([
  ['a source', { 'functions/teams/index.ts': 'b' }],
  ['the name of a source', { 'functions/teams/index.ts': '', 'functions/teams/list.ts': 'a' }],
  ['the infrastructure', { 'infra/app.ts': 'b' }],
  ['a setting', { 'cdk.json': '{"context":{}}' }],
  ['the lock file', { 'package-lock.json': '{"packages":{}}' }],
])('does not use the app of an earlier start after a change of %s', (_, changed) => {
  expect(nameOfApp(changed)).not.toBe(nameOfApp());
});

it('does not use the app of an earlier start with other settings', () => {
  const days = (deletedWorkspaceDays: string) => nameOfApp({}, { deletedWorkspaceDays });
  expect(new Set([nameOfApp(), days('0'), days('1')]).size).toBe(3);
});

it('uses the app of an earlier start after a change of generated files only', () => {
  expect(nameOfApp({ 'shared/validators/compiled/bodies.js': 'generated again' })).toBe(nameOfApp());
});
