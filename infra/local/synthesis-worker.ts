/** Synthesises the app in a thread of its own, see `synthesis.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { SettingsError } from '../settings.ts';
import { synthesise } from '../synthesise.ts';
import type { SynthesisRequest, SynthesisResult } from './synthesis.ts';

const send = (result: SynthesisResult): void => parentPort?.postMessage(result);
const { outdir, edition } = workerData as SynthesisRequest;
try {
  const { directory } = await synthesise({ outdir, ...(edition !== undefined && { context: { edition } }) });
  send({ directory });
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  send({ problems: error.problems });
}
