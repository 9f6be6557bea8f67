import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Archive, EventBus } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';
import { createDeadLetters } from '../constructs/dead-letters.ts';
import { publishValues } from '../constructs/published-values.ts';
import type { Settings } from '../settings/settings.ts';

/** The bus for outgoing events, for events of runners, and for commands. */
export interface ServedBus {
  readonly name: string;
  readonly arn: string;
}

export interface ServedQueue {
  readonly name: string;
  readonly url: string;
  readonly arn: string;
}

/**
 * Pattern of the archive: events of the service and of runners. Commands are not archived, because a replay would execute
 * them again, and because they may contain secrets.
 */
const archivedSources = { source: ['holdfast', 'holdfast.runner'] };

/** The stack with the bus, its archive, and the dead-letter queue. Rules that invoke functions are in the API stack. */
export class EventsStack extends Stack {
  readonly eventBus: EventBus;
  readonly bus: ServedBus;
  readonly deadLetters: ServedQueue;

  constructor(scope: Construct, id: string, { settings, ...props }: StackProps & { readonly settings: Settings }) {
    super(scope, id, props);

    const bus = new EventBus(this, 'Bus', {
      eventBusName: settings.name,
      description: 'Changes of workspaces, events of runners, and commands',
    });
    const archive = new Archive(this, 'Archive', {
      sourceEventBus: bus,
      archiveName: settings.name,
      description: 'Events to replay',
      eventPattern: archivedSources,
      retention: Duration.days(settings.archiveDays),
    });
    this.eventBus = bus;
    this.bus = { name: bus.eventBusName, arn: bus.eventBusArn };

    const queue = createDeadLetters(this, settings.name);
    this.deadLetters = { name: queue.queueName, url: queue.queueUrl, arn: queue.queueArn };

    publishValues(this, settings, {
      'bus-name': bus.eventBusName,
      'bus-arn': bus.eventBusArn,
      'archive-name': archive.archiveName,
      'archive-arn': archive.archiveArn,
      'dead-letters-url': queue.queueUrl,
    });
  }
}
