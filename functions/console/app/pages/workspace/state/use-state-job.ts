import { useEffect, useState } from 'react';
import type { StateJob, StateResult } from './state-worker.ts';

/** Runs a job in a worker of its own, which ends with the component. Returns undefined until there is a result. */
export const useStateJob = (states: StateJob | undefined): StateResult | undefined => {
  const [result, setResult] = useState<StateResult>();
  const [first, second] = states ?? [];
  useEffect(() => {
    if (first === undefined) return undefined;
    const worker = new Worker(new URL('./state-worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<StateResult>) => setResult(data);
    worker.onerror = () => setResult({ error: 'The browser cannot read it. Download it instead.' });
    worker.postMessage(second === undefined ? [first] : [first, second]);
    return () => worker.terminate();
  }, [first, second]);
  return result;
};
