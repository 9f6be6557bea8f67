import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Compiles the schemas first, so that `vitest` alone works on a fresh copy. */
export default (): void => {
  const generate = fileURLToPath(new URL('../../shared/schemas/generate.ts', import.meta.url));
  execFileSync(process.execPath, [generate], { stdio: ['ignore', 'ignore', 'inherit'] });
};
