import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { hubValues } from '../hub/hub-definitions.ts';
import type { Settings } from '../settings/settings.ts';

/**
 * Values that operators and other programs need, by the last part of the name of their parameter. docs/operate/deploy.md
 * lists them.
 */
export const publishedValues = {
  'api-url': 'Base URL of the service',
  'admin-function-name': 'Function to invoke for administration',
  'automation-function-name': 'Function to invoke with commands',
  'table-name': 'Table that the service uses, which is the restored table after a recovery',
  'bucket-name': 'Bucket with states, README files and snapshots',
  'table-key-arn': 'Key that encrypts the table',
  'bucket-key-arn': 'Key that encrypts the bucket',
  'secrets-key-arn': 'Key that encrypts secrets; programs that read secrets need kms:Decrypt on it',
  'fingerprints-key-arn': 'Key under which fingerprints of values are computed',
  'bus-name': 'EventBridge bus with the events of the service, for events of runners and for commands',
  'bus-arn': 'ARN of that bus, for policies and for replays',
  'archive-name': 'Archive of the events on the bus',
  'archive-arn': 'ARN of the archive, from which events are replayed',
  'runner-events-rule-arn': 'ARN of the rule for events of runners, to which a replay can be limited',
  'dead-letters-url': 'Queue with the events that could not be handled',
  'alarm-topic-arn': 'SNS topic that receives the alarms',
} as const;

export type PublishedName = keyof typeof publishedValues;

type ValueName = PublishedName | keyof typeof hubValues;

/** Builds the name of the SSM parameter of a value. All parameters of a deployment are below one path. */
export const parameterName = ({ name }: Pick<Settings, 'name'>, value: ValueName): string =>
  `/holdfast/${name}/${value}`;

/** Builds the name of the stack output of a value. */
export const outputName = (value: ValueName): string =>
  value.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());

/**
 * Publishes values as outputs of the stack and as SSM parameters.
 * @example
 * publishValues(this, settings, { 'bus-name': bus.eventBusName });
 */
export const publishValues = (
  stack: Stack,
  settings: Pick<Settings, 'name'>,
  values: { readonly [N in ValueName]?: string },
): void => {
  for (const [name, value] of Object.entries(values) as [ValueName, string][]) {
    const description = { ...publishedValues, ...hubValues }[name];
    new CfnOutput(stack, outputName(name), { description, value });
    new StringParameter(stack, `${outputName(name)}Parameter`, {
      parameterName: parameterName(settings, name),
      description,
      stringValue: value,
    });
  }
};
