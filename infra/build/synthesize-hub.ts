import { Tags } from 'aws-cdk-lib';
import { readDefaultRegion } from '../../shared/runtime/environment.ts';
import { checkRegion, HUB_SUFFIX, readHubSettings } from '../settings/settings.ts';
import { withStageFile } from '../settings/stage-file.ts';
import { HubStack } from '../stacks/hub-stack.ts';
import { bundleFunctions } from './bundle.ts';
import { createApp, type SynthesisOptions } from './synthesize.ts';

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
