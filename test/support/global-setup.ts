import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder that is there as long as the run of the tests. */
    readonly runFolder: string;
  }
}

/** Generates first what is generated, so that `vitest` alone works on a fresh copy. */
export default ({ provide }: TestProject): (() => void) => {
  for (const generator of ['schemas', 'openapi']) {
    const file = fileURLToPath(new URL(`../../shared/${generator}/generate.ts`, import.meta.url));
    execFileSync(process.execPath, [file], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-tests-'));
  provide('runFolder', folder);
  return () => rmSync(folder, { recursive: true });
};
