import { App, Validations } from 'aws-cdk-lib';
import { readRequestedEdition } from '../../shared/runtime/environment.ts';
import { readSettings, SettingsError } from '../settings/settings.ts';
import { withStageFile } from '../settings/stage-file.ts';
import { createDeployment } from '../stacks/deployment.ts';
import { featureFlags } from '../stacks/feature-flags.ts';
import { type Bundles, bundleFunctions, bundleTracing } from './bundle.ts';

export interface SynthesisOptions {
  /** Settings by name, as in `-c name=value`. Values of the CDK CLI have precedence. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Folder for the cloud assembly. The default is the folder of the CDK CLI, or a new temporary folder. */
  readonly outdir?: string;
  /** Bundles of the functions. By default, the functions are bundled. */
  readonly bundles?: Bundles;
  /** Whether to check the templates. The checks take most of the time of a synthesis. The default is true. */
  readonly isChecked?: boolean;
}

/** Creates a CDK app, by default with the checks of cdk-nag. The synthesis throws when a check reports a finding. */
export const createApp = async ({
  context,
  outdir,
  isChecked = true,
}: Omit<SynthesisOptions, 'bundles'> = {}): Promise<App> => {
  const app = new App({
    context: { ...featureFlags, ...context },
    ...(outdir !== undefined && { outdir }),
    analyticsReporting: false,
    builtinCloudFormationValidation: isChecked,
  });
  if (isChecked) {
    // Imported here, because the local service does not need it: the import takes a quarter of a second.
    const { AwsSolutionsChecks, ServerlessChecks } = await import('cdk-nag');
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  }
  return app;
};

/** Runs the synthesis of an app for the CDK CLI. Settings that are not valid end the program with their problems. */
export const runApp = async (run: () => Promise<unknown>): Promise<void> => {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
};

/**
 * Bundles the functions and writes the cloud assembly, which `cdk deploy` deploys and the local service runs.
 * @returns the folder of the assembly: manifest, templates, assets.
 * @example
 * const { directory } = await synthesize({ context: { edition: 'hosted' }, outdir: '/tmp/assembly' });
 * @throws SettingsError when the settings are not valid, or do not fit the region.
 */
export const synthesize = async (options: SynthesisOptions = {}): Promise<{ readonly directory: string }> => {
  const app = await createApp(options);
  const settings = readSettings(withStageFile(app.node.getAllContext()), readRequestedEdition());
  const functions = options.bundles ?? (await bundleFunctions());
  const tracing = settings.tracing ? await bundleTracing() : undefined;
  createDeployment(app, { settings, functions, tracing });
  return { directory: app.synth().directory };
};
