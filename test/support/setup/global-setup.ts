import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
/** Cache folder. It may be deleted at any time, and git ignores it. */
const cache = join(root, '.cache');

/** Names the folder of what is built from the present sources, to the processes of all test files. */
export const BUILD_FOLDER = 'HOLDFAST_BUILD_FOLDER';

/** Names a folder in memory that exists as long as a run of the tests. */
export const MEMORY_FOLDER = 'HOLDFAST_MEMORY_FOLDER';

/** Folder whose files stay in memory if the system has one. */
export const memoryFolder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

const DAY = 86_400_000;

/** Fingerprint of all sources, of what is generated from them, and of the test support that is bundled with functions. */
const fingerprint = (): string => {
  const hash = createHash('sha256');
  const sources = globSync('{functions,infra,shared,test/support/{engine,setup}}/**/*.*', { cwd: root }).sort();
  for (const file of [...sources, 'cdk.json', 'package-lock.json'])
    hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 16);
};

/**
 * Opens the folder of what is built from the present sources. Where they are new, it generates first what is generated,
 * so that `vitest` alone works on a fresh copy.
 */
const openBuildFolder = (): string => {
  const known = join(cache, fingerprint());
  if (existsSync(known)) return known;
  for (const generator of ['validators', 'openapi'])
    execFileSync(process.execPath, [join(root, 'shared', generator, 'generate.ts')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  for (const name of readdirSync(cache)) {
    const old = join(cache, name);
    if (statSync(old).mtimeMs < Date.now() - DAY) rmSync(old, { recursive: true });
  }
  const folder = join(cache, fingerprint());
  mkdirSync(folder, { recursive: true });
  return folder;
};

export default (): (() => void) | undefined => {
  // Once for all suites of a run.
  if (process.env[MEMORY_FOLDER] !== undefined) return undefined;
  mkdirSync(cache, { recursive: true });
  const inMemory = mkdtempSync(join(memoryFolder, 'holdfast-tests-'));
  const temporary = mkdtempSync(join(tmpdir(), 'holdfast-tests-'));
  Object.assign(process.env, {
    // Holds the temporary files of all processes, also of those that a test kills, until the end of the run.
    TMPDIR: temporary,
    [BUILD_FOLDER]: openBuildFolder(),
    [MEMORY_FOLDER]: inMemory,
    // Node keeps compiled modules there, for all processes and threads of this run and of later ones.
    NODE_COMPILE_CACHE: join(cache, 'compiled'),
  });
  return () => {
    for (const folder of [inMemory, temporary]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
};
