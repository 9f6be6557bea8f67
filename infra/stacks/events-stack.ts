import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Archive, EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acknowledge } from '../constructs/acknowledge.ts';
import type { Settings } from '../settings/settings.ts';

/** The bus that events go out on and come in by. */
export interface ServedBus {
  readonly name: string;
  readonly arn: string;
}

/** Where events end that nothing could be done with. */
export interface ServedQueue {
  readonly name: string;
  readonly url: string;
  readonly arn: string;
}

/**
 * What happened, here and at the runners. Commands are not kept: replayed, they would be made again, and they may carry
 * secrets.
 */
const ownSources = { source: ['holdfast', 'holdfast.runner'] };

/** As long as SQS keeps a message: two weeks to look into a failure. */
const LETTERS_KEPT = Duration.days(14);

/** The bus, its archive, and the dead-letter queue. What leads to functions is beside them, in the API's stack. */
export class EventsStack extends Stack {
  readonly bus: ServedBus;
  readonly deadLetters: ServedQueue;

  constructor(scope: Construct, id: string, { settings, ...props }: StackProps & { readonly settings: Settings }) {
    super(scope, id, props);

    const bus = new EventBus(this, 'Bus', {
      eventBusName: settings.name,
      description: 'What happened to workspaces, and what runners tell about them',
    });
    new Archive(this, 'Archive', {
      sourceEventBus: bus,
      archiveName: settings.name,
      description: 'Events to replay',
      eventPattern: ownSources,
      retention: Duration.days(settings.archiveDays),
    });
    this.bus = { name: bus.eventBusName, arn: bus.eventBusArn };

    const queue = new Queue(this, 'DeadLetters', {
      queueName: `${settings.name}-dead-letters`,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: LETTERS_KEPT,
    });
    // For the rules of this account, whose names are not known here: they come after the functions, these before them.
    queue.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('events.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [queue.queueArn],
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    );
    const last = 'It is where events end that nothing could be done with; an alarm tells of the first.';
    acknowledge(queue, {
      'AwsSolutions::AwsSolutions-SQS3': last,
      'Serverless::Serverless-SQSRedrivePolicy': last,
    });
    this.deadLetters = { name: queue.queueName, url: queue.queueUrl, arn: queue.queueArn };
  }
}
