import { rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Edition } from '../../../shared/domain/editions.ts';
import { PlainError } from '../gateway/plain-error.ts';

export interface SynthesisRequest {
  /** Where the cloud assembly goes; emptied first. */
  readonly outdir: string;
  readonly edition?: Edition | undefined;
}

export type SynthesisResult = { readonly directory: string } | { readonly problems: readonly string[] };

/**
 * Synthesizes the app and gives the folder of its cloud assembly. In a thread of its own: the CDK takes some hundred
 * megabytes, which are free again when the thread is gone, and a start that is aborted meanwhile ends at once.
 *
 * @throws PlainError when the settings cannot be used.
 */
export const synthesizeApart = async (request: SynthesisRequest, signal: AbortSignal): Promise<string> => {
  rmSync(request.outdir, { recursive: true, force: true });
  signal.throwIfAborted();
  const worker = new Worker(new URL('synthesis-worker.ts', import.meta.url), { workerData: request, execArgv: [] });
  try {
    const result = await new Promise<SynthesisResult>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('The synthesis ended without a result')));
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    if ('problems' in result) throw new PlainError(result.problems.join('; '));
    return result.directory;
  } finally {
    await worker.terminate();
  }
};
