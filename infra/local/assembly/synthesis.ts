import { rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Edition } from '../../../shared/domain/editions.ts';
import { PlainError } from '../common/plain-error.ts';

/** Input of the worker thread. */
export interface SynthesisRequest {
  /** The folder for the cloud assembly. Its content is deleted first. */
  readonly outdir: string;
  readonly edition?: Edition | undefined;
}

/** Result of the worker thread: the folder of the cloud assembly, or the problems of the settings. */
export type SynthesisResult = { readonly directory: string } | { readonly problems: readonly string[] };

/**
 * Synthesizes the app in a worker thread. The CDK needs some hundred megabytes, which are freed when the thread ends, and
 * an aborted start can terminate the thread at once.
 *
 * @returns the folder of the cloud assembly.
 * @throws PlainError when the settings are not valid.
 */
export const synthesizeInWorker = async (request: SynthesisRequest, signal: AbortSignal): Promise<string> => {
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
