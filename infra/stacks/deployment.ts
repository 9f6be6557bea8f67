import { type Environment, Tags, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { readDefaultRegion } from '../../shared/runtime/environment.ts';
import { checkRegion, type Settings } from '../settings/settings.ts';
import { ApiStack, type FunctionFolders } from './api-stack.ts';
import { DataStack } from './data-stack.ts';
import { EventsStack } from './events-stack.ts';
import { ObservabilityStack } from './observability-stack.ts';

interface DeploymentProps {
  readonly settings: Settings;
  readonly functions: FunctionFolders;
  /** Folder of the layer that traces calls of AWS services, if the setting `tracing` is on. */
  readonly tracing: string | undefined;
  /** Account and region of the stacks. They default to the account and region of the stage. */
  readonly env?: Environment;
}

/**
 * Creates the stacks of a deployment and tags all that is in the scope. The names of the stacks do not depend on the scope.
 * @param scope an app, or the construct that stands for the deployment in another app.
 * @throws SettingsError when the settings do not fit the region.
 */
export const createDeployment = (scope: Construct, props: DeploymentProps) => {
  const { settings, functions, tracing, env } = props;
  for (const [key, value] of Object.entries(settings.tags)) Tags.of(scope).add(key, value);
  const stackProps = (part: string) => ({
    stackName: `${settings.name}-${part}`,
    tags: settings.tags,
    settings,
    ...(env !== undefined && { env }),
  });
  const data = new DataStack(scope, 'Data', { ...stackProps('data'), terminationProtection: true });
  const region = Token.isUnresolved(data.region) ? readDefaultRegion() : data.region;
  if (region !== undefined) checkRegion(settings, region);
  const events = new EventsStack(scope, 'Events', {
    ...stackProps('events'),
    // The archive may hold a year of events, which destroying the stack would delete.
    terminationProtection: true,
  });
  const { table, bucket, secretsKeyArn, fingerprintsKeyArn } = data;
  const { bus, deadLetters } = events;
  const resources = { table, bucket, secretsKeyArn, fingerprintsKeyArn, bus, deadLetters };
  const api = new ApiStack(scope, 'Api', { ...stackProps('api'), functions, tracing, resources });
  const observability = new ObservabilityStack(scope, 'Observability', {
    ...stackProps('observability'),
    table,
    deadLetters,
    api: api.api,
  });
  return { data, events, api, observability };
};
