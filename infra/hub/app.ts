import { Tags } from 'aws-cdk-lib';
import { readDefaultRegion } from '../../shared/runtime/environment.ts';
import { bundleFunctions } from '../build/bundle.ts';
import { createApp, runApp, type SynthesisOptions } from '../build/synthesize.ts';
import { checkRegion, HUB_SUFFIX } from '../settings/settings.ts';
import { withStageFile } from '../settings/stage-file.ts';
import { readHubSettings } from './hub-definitions.ts';
import { HubStack } from './hub-stack.ts';

/**
 * Bundles the functions and writes the cloud assembly of a hub.
 * @returns the folder of the assembly.
 * @throws SettingsError when the settings are not valid, or do not fit the region.
 */
export const synthesizeHub = async (options: SynthesisOptions = {}): Promise<string> => {
  const app = await createApp(options);
  const settings = readHubSettings(withStageFile(app.node.getAllContext()));
  const region = readDefaultRegion();
  if (region !== undefined) checkRegion(settings, region);
  for (const [key, value] of Object.entries(settings.tags)) Tags.of(app).add(key, value);
  const bundles = options.bundles ?? (await bundleFunctions());
  new HubStack(app, 'Hub', { stackName: `${settings.name}-${HUB_SUFFIX}`, tags: settings.tags, settings, bundles });
  return app.synth().directory;
};

/** Entry point of the CDK CLI for a hub: `npx cdk deploy --app "node infra/hub/app.ts"`. */
if (import.meta.main) await runApp(synthesizeHub);
