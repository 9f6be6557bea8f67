import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Accepts findings of cdk-nag on a construct and its children, each with a reason.
 * @param reasons reasons by rule id, with the prefix of the rule pack.
 * @example
 * acknowledge(queue, { 'AwsSolutions::AwsSolutions-SQS3': 'This queue is the dead-letter queue.' });
 */
export const acknowledge = (scope: IConstruct, reasons: Readonly<Record<string, string>>): void => {
  Validations.of(scope).acknowledge(...Object.entries(reasons).map(([id, reason]) => ({ id, reason })));
};
