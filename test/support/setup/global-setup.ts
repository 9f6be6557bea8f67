import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
/** What may be thrown away at any time; ignored by git. */
const cache = join(root, '.cache');

/** Names the folder that exists as long as a run of the tests, to the processes of all its files. */
export const RUN_FOLDER = 'HOLDFAST_RUN_FOLDER';

/** Names a folder in memory of the same lifetime. */
export const MEMORY_FOLDER = 'HOLDFAST_MEMORY_FOLDER';

/** Where files stay in memory, on a system that has such a place. */
export const memoryFolder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Fingerprint of everything that the generators read and write. */
const fingerprint = (): string => {
  const hash = createHash('sha256');
  for (const file of [...globSync('shared/**/*.*', { cwd: root }).sort(), 'package-lock.json'])
    hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex');
};

/** Generates what is generated, unless nothing has changed since the last time: `vitest` alone works on a fresh copy. */
const generate = (): void => {
  const stamp = join(cache, 'generated');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint()) return;
  for (const generator of ['schemas', 'openapi'])
    execFileSync(process.execPath, [join(root, 'shared', generator, 'generate.ts')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  writeFileSync(stamp, fingerprint());
};

export default (): (() => void) | undefined => {
  // Once for all suites of a run.
  if (process.env[RUN_FOLDER] !== undefined) return undefined;
  mkdirSync(cache, { recursive: true });
  generate();
  const folder = mkdtempSync(join(cache, 'run-'));
  const inMemory = mkdtempSync(join(memoryFolder, 'holdfast-tests-'));
  Object.assign(process.env, { [RUN_FOLDER]: folder, [MEMORY_FOLDER]: inMemory });
  return () => {
    for (const path of [folder, inMemory]) rmSync(path, { recursive: true, force: true });
  };
};
