/** Entry of the process that synthesizes the app, see `synthesis.ts`. */
import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { bundleFunctionsInChunks } from '../../build/bundle.ts';
import { synthesize } from '../../build/synthesize.ts';
import { SettingsError } from '../../settings/settings.ts';
import { withStageFile } from '../../settings/stage-file.ts';
import type { LocalDeploymentSettings, SynthesisResult } from './synthesis.ts';

const send = (result: SynthesisResult): void => void process.send?.(result);
const [outdir = '', settings = '{}'] = process.argv.slice(2);
const requested = JSON.parse(settings) as LocalDeploymentSettings;
/**
 * The context that the CDK CLI reads too, so that a deployment and the local service use the same settings. Locally,
 * every user may create organizations, unless the context says otherwise.
 */
const { context = {} } = JSON.parse(readFileSync(new URL('../../../cdk.json', import.meta.url), 'utf8')) as {
  context?: Readonly<Record<string, unknown>>;
};
/** Settings of services that are not emulated: X-Ray and Secrets Manager. Those of `cdk.json` are for deployments. */
const notEmulated = { tracing: false, originSecretArns: [] };

try {
  const unavailable = Object.keys(requested).filter((name) => Object.hasOwn(notEmulated, name));
  if (unavailable.length > 0)
    throw new SettingsError(unavailable.map((name) => `${name} has no effect on this computer: leave it out`));
  const bundleFolder = join(outdir, 'bundles');
  const bundles = await bundleFunctionsInChunks(bundleFolder);
  await synthesize({
    outdir,
    context: {
      usersMayCreateOrganizations: true,
      ...withStageFile({ ...context, ...requested }),
      ...notEmulated,
    },
    bundles,
    isChecked: false,
  });
  // The copies of the functions in the assembly import the chunks from their parent folder, which is the assembly.
  for (const name of readdirSync(bundleFolder))
    if (name.endsWith('.mjs')) renameSync(join(bundleFolder, name), join(outdir, name));
  send({});
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  send({ problems: error.problems });
} finally {
  process.disconnect?.();
}
