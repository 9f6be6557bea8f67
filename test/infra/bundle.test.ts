import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bundles, bundleFunctions } from '../../infra/bundle.ts';
import { functionNames } from '../../shared/env.ts';

/** Bytes that Lambda loads at a cold start. `workspaces` carries the pattern engine, globs and version constraints. */
const budgetOf = (name: string): number => (name === 'workspaces' ? 680_000 : 450_000);

let folder: string;
let bundles: Bundles;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-bundles-'));
  bundles = await bundleFunctions(folder);
});
afterAll(() => rm(folder, { recursive: true }));

describe.each(functionNames)('the bundle of %s', (name) => {
  test('stays within its budget', () => {
    expect(bundles[name].bytes).toBeGreaterThan(0);
    expect(bundles[name].bytes).toBeLessThanOrEqual(budgetOf(name));
  });

  test('is one file that needs nothing beside it', async () => {
    expect(await readdir(bundles[name].directory)).toEqual(['index.mjs']);
    const code = await readFile(join(bundles[name].directory, 'index.mjs'), 'utf8');
    // What esbuild leaves behind where CommonJS code requires something that an ES module cannot.
    expect(code).not.toContain('Dynamic require of');
  });
});

test('source maps and the account of what is inside lie beside the bundles, not in them', async () => {
  expect((await readdir(join(folder, 'maps'))).sort()).toEqual(functionNames.map((name) => `${name}.mjs.map`).sort());
  const { outputs } = JSON.parse(await readFile(join(folder, 'metafile.json'), 'utf8'));
  expect(Object.keys(outputs).filter((path) => path.endsWith('index.mjs'))).toHaveLength(functionNames.length);
});
