/** Synthesizes the app in a thread of its own, see `synthesis.ts`. */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { synthesize } from '../../build/synthesize.ts';
import { SettingsError } from '../../settings/settings.ts';
import type { SynthesisRequest, SynthesisResult } from './synthesis.ts';

const send = (result: SynthesisResult): void => parentPort?.postMessage(result);
const { outdir, edition } = workerData as SynthesisRequest;
/** What the CDK's own command line would read: a deployment and this computer run the same app. */
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
