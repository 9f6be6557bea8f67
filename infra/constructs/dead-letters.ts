import { Duration, type Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { acknowledge } from './acknowledge.ts';

/**
 * Creates the queue of what could not be processed, for all rules of EventBridge in this account.
 * @param name prefix of its name.
 */
export const createDeadLetters = (stack: Stack, name: string): Queue => {
  const queue = new Queue(stack, 'DeadLetters', {
    queueName: `${name}-dead-letters`,
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    // The maximum of SQS.
    retentionPeriod: Duration.days(14),
  });
  // The rules can be in a later stack, so their names are not known here.
  queue.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('events.amazonaws.com')],
      actions: ['sqs:SendMessage'],
      resources: [queue.queueArn],
      conditions: { StringEquals: { 'aws:SourceAccount': stack.account } },
    }),
  );
  const reason = 'This queue is the dead-letter queue. An alarm reports its first message.';
  acknowledge(queue, {
    'AwsSolutions::AwsSolutions-SQS3': reason,
    'Serverless::Serverless-SQSRedrivePolicy': reason,
  });
  return queue;
};
