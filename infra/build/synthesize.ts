import { App, Validations } from 'aws-cdk-lib';
import flags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { readRequestedEdition } from '../../shared/runtime/environment.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import { ApiStack } from '../stacks/api-stack.ts';
import { DataStack } from '../stacks/data-stack.ts';
import { EventsStack } from '../stacks/events-stack.ts';
import { ObservabilityStack } from '../stacks/observability-stack.ts';
import { type Bundles, bundleFunctions } from './bundle.ts';

export interface SynthesisOptions {
  /** Settings by name, as `-c name=value` would give them; what the CDK CLI passes wins. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Where the cloud assembly goes; by default where the CDK CLI says, else a new temporary folder. */
  readonly outdir?: string;
  /** Functions that are bundled already; made anew unless given. */
  readonly bundles?: Bundles;
}

export interface Synthesis {
  /** The folder of the cloud assembly: manifest, templates, assets. */
  readonly directory: string;
  readonly settings: Settings;
  readonly bundles: Bundles;
}

const ownFlags = {
  // An export cannot be deleted while it is used, so nobody takes the table away from under the functions.
  '@aws-cdk/core:defaultCrossStackReferences': 'strong',
};

/** An app with every check that a template must pass; synthesis throws on a finding. */
export const createApp = ({ context, outdir }: Pick<SynthesisOptions, 'context' | 'outdir'> = {}): App => {
  const app = new App({
    // Here rather than in cdk.json, so that every way to synthesize yields the same templates.
    context: { ...flags, ...ownFlags, ...context },
    ...(outdir !== undefined && { outdir }),
    analyticsReporting: false,
  });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  return app;
};

/**
 * Bundles the functions and writes the cloud assembly: what `cdk deploy` deploys and what the local runtime runs.
 * @throws SettingsError when the context cannot be used.
 */
export const synthesize = async (options: SynthesisOptions = {}): Promise<Synthesis> => {
  const app = createApp(options);
  const settings = readSettings(app.node.getAllContext(), readRequestedEdition());
  const bundles = options.bundles ?? (await bundleFunctions());

  const named = (part: string) => ({ stackName: `${settings.name}-${part}`, settings });
  const { table, bucket, secretsKeyArn } = new DataStack(app, 'Data', {
    ...named('data'),
    terminationProtection: true,
  });
  const { bus, deadLetters } = new EventsStack(app, 'Events', named('events'));
  const configurationContext = { table, bucket, secretsKeyArn, bus, deadLetters };
  const { api } = new ApiStack(app, 'Api', { ...named('api'), bundles, configurationContext });
  new ObservabilityStack(app, 'Observability', { ...named('observability'), table, deadLetters, api });
  return { directory: app.synth().directory, settings, bundles };
};
