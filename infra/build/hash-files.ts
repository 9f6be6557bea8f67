import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Files that a build itself generates. */
const isGenerated = (path: string): boolean => /[\\/]compiled([\\/]|$)/.test(path);

/**
 * Computes a name for what is built from files, for a cache.
 * @param folder the repository.
 * @param inputs files and folders in the repository. Generated files in them do not count.
 * @param others values other than files that the result depends on.
 * @param leftOut folders in `inputs` that do not count.
 */
export const hashFiles = (
  folder: string,
  inputs: readonly string[],
  others: readonly (string | null)[],
  leftOut: readonly string[] = [],
): string => {
  const hash = createHash('sha256').update(JSON.stringify(others));
  const add = (path: string): void => {
    if (isGenerated(path) || leftOut.includes(path)) return;
    if (statSync(join(folder, path)).isDirectory())
      for (const name of readdirSync(join(folder, path)).sort()) add(join(path, name));
    else hash.update(`\0${path}\0`).update(readFileSync(join(folder, path)));
  };
  for (const input of inputs) add(input);
  return hash.digest('hex').slice(0, 32);
};
