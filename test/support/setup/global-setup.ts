import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Names the folder that is there as long as a run of the tests, to the processes of all its files. */
export const RUN_FOLDER = 'HOLDFAST_RUN_FOLDER';

/** Generates first what is generated, so that `vitest` alone works on a fresh copy. */
export default (): (() => void) => {
  for (const generator of ['schemas', 'openapi']) {
    const file = fileURLToPath(new URL(`../../../shared/${generator}/generate.ts`, import.meta.url));
    execFileSync(process.execPath, [file], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-tests-'));
  process.env[RUN_FOLDER] = folder;
  return () => rmSync(folder, { recursive: true });
};
