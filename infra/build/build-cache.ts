import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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

const CACHES = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));
const MAX_CACHED = 4;

/**
 * Returns the folder with what was built before under a name, or builds it. Of each kind, the newest builds are kept.
 * @param kind folder of the cache.
 * @param name from `hashFiles`.
 * @param create builds in a folder, which then gets the name.
 */
export const cachedBuild = async (
  kind: string,
  name: string,
  create: (folder: string) => Promise<unknown>,
): Promise<string> => {
  const cached = join(CACHES, kind, name);
  if (existsSync(cached)) return cached;
  mkdirSync(join(CACHES, kind), { recursive: true });
  const scratch = `${cached}.${process.pid}`;
  rmSync(scratch, { recursive: true, force: true });
  try {
    await create(scratch);
    removeOldest(join(CACHES, kind));
    // Another process may have built the same in the meantime.
    if (!existsSync(cached)) renameSync(scratch, cached);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return cached;
};

const removeOldest = (folder: string): void => {
  const createdAt = (name: string) => statSync(join(folder, name)).mtimeMs;
  const names = readdirSync(folder).filter((name) => !name.includes('.'));
  for (const name of names.sort((a, b) => createdAt(b) - createdAt(a)).slice(MAX_CACHED - 1))
    rmSync(join(folder, name), { recursive: true, force: true });
};
