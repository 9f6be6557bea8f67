import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Generates first what is generated, so that `vitest` alone works on a fresh copy. */
export default (): void => {
  for (const generator of ['schemas', 'openapi']) {
    const file = fileURLToPath(new URL(`../../shared/${generator}/generate.ts`, import.meta.url));
    execFileSync(process.execPath, [file], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
};
