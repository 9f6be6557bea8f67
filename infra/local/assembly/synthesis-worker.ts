/** Entry of the worker thread that synthesizes the app, see `synthesis.ts`. */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { synthesize } from '../../build/synthesize.ts';
import { SettingsError } from '../../settings/settings.ts';
import type { SynthesisRequest, SynthesisResult } from './synthesis.ts';

const send = (result: SynthesisResult): void => parentPort?.postMessage(result);
const { outdir, edition } = workerData as SynthesisRequest;
/** The context that the CDK CLI reads too, so that a deployment and the local service use the same settings. */
const { context = {} } = JSON.parse(readFileSync(new URL('../../../cdk.json', import.meta.url), 'utf8')) as {
  context?: Readonly<Record<string, unknown>>;
};
try {
  const { directory } = await synthesize({
    outdir,
    context: { ...context, ...(edition !== undefined && { edition }) },
  });
  send({ directory });
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  send({ problems: error.problems });
}
