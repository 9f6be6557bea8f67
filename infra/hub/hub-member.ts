import { CfnRule } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { forwardedEvents } from '../../shared/events/sources.ts';
import type { Settings } from '../settings/settings.ts';
import type { ServedBus, ServedQueue } from '../stacks/events-stack.ts';

interface HubMemberProps {
  /** ARN of the bus of the hub, in any account and region. */
  readonly hubBusArn: string;
  readonly bus: ServedBus;
  readonly deadLetters: ServedQueue;
  readonly settings: Pick<Settings, 'name' | 'permissionsBoundary'>;
}

/**
 * The rule that forwards the events of workspaces to a hub, with the role that may send events to the bus of the hub and
 * do nothing else (HUB-1). Events that the hub rejects go to the dead-letter queue.
 */
export class HubMember extends Construct {
  constructor(scope: Construct, id: string, { hubBusArn, bus, deadLetters, settings }: HubMemberProps) {
    super(scope, id);
    const role = new Role(this, 'Role', {
      description: `Forwards events of ${settings.name} to the hub`,
      assumedBy: new ServicePrincipal('events.amazonaws.com'),
      ...(settings.permissionsBoundary !== undefined && {
        permissionsBoundary: ManagedPolicy.fromManagedPolicyArn(this, 'Boundary', settings.permissionsBoundary),
      }),
    });
    const { policyDependable } = role.addToPrincipalPolicy(
      new PolicyStatement({ actions: ['events:PutEvents'], resources: [hubBusArn] }),
    );
    // The construct for rules knows no pattern for the name of a replay.
    const rule = new CfnRule(this, 'Rule', {
      description: 'Forwards events of workspaces to the hub',
      eventBusName: bus.name,
      eventPattern: forwardedEvents,
      targets: [{ id: 'Hub', arn: hubBusArn, roleArn: role.roleArn, deadLetterConfig: { arn: deadLetters.arn } }],
    });
    // Otherwise the first events could be rejected.
    if (policyDependable !== undefined) rule.node.addDependency(policyDependable);
  }
}
