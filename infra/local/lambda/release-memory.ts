import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects garbage and returns the freed memory to the system. An idle process would keep it, because V8 collects on allocation. */
export const releaseMemory = (): void => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as (options: { type: 'major'; flavor: 'last-resort' }) => void;
  setFlagsFromString('--no-expose-gc');
  gc({ type: 'major', flavor: 'last-resort' });
};
