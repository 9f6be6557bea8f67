import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Lists the paths of all test files, from the root of the repository. */
export const testFiles = (): readonly string[] =>
  globSync('test/**/*.test.{ts,tsx}', { cwd: fileURLToPath(new URL('../../..', import.meta.url)) }).sort();

/** Finds test files with the same base name, which pages and reports could not tell apart, as `name: paths`. */
export const repeatedTestNames = (paths: readonly string[]): readonly string[] =>
  [...Map.groupBy(paths, (path) => basename(path))]
    .filter(([, same]) => same.length > 1)
    .map(([name, same]) => `${name}: ${same.join(', ')}`);
