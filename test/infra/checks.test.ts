import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { CfnPolicy } from 'aws-cdk-lib/aws-iam';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createApp } from '../../infra/build/synthesize.ts';
import { assemble } from '../support/local/assembly.ts';

describe('checks of the templates', () => {
  let outdir: string;
  beforeEach(async () => {
    outdir = await mkdtemp(join(tmpdir(), 'holdfast-checks-'));
    vi.spyOn(console, 'error').mockImplementation(() => {});
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await rm(outdir, { recursive: true });
  });

  test.each([
    ['a wildcard in a policy', 'AwsSolutions-IAM5[Action::dynamodb:*]'],
    ['a function without a dead-letter queue', 'Serverless-LambdaDLQ'],
    ['a value that CloudFormation would reject', 'CloudFormation-Validate::'],
  ])('fail the synthesis for %s', async (_, rule) => {
    const app = await createApp({ outdir });
    const stack = new Stack(app, 'Planted');
    const Statement = [{ Effect: 'Allow', Action: 'dynamodb:*', Resource: '*' }];
    new CfnPolicy(stack, 'Policy', { policyName: 'all', roles: ['someone'], policyDocument: { Statement } });
    new CfnFunction(stack, 'Function', {
      role: 'no ARN',
      code: { zipFile: '' },
      runtime: 'nodejs24.x',
      handler: 'a.b',
    });

    expect(() => app.synth()).toThrow(rule);
  });
});

describe('acknowledged findings', () => {
  test('are exactly the known ones, each with a reason', async () => {
    const { validationReport } = await assemble({ alarmEmail: 'operator@example.com' });
    const reports: { conclusion: string; violations: unknown[]; suppressedViolations?: Acknowledged[] }[] =
      validationReport.pluginReports;

    expect(reports.map(({ conclusion, violations }) => ({ conclusion, violations }))).toEqual(
      reports.map(() => ({ conclusion: 'success', violations: [] })),
    );
    const acknowledged = reports.flatMap(({ suppressedViolations = [] }) => suppressedViolations);
    expect([...new Set(acknowledged.map(({ acknowledgedId }) => acknowledgedId))].sort()).toEqual([
      'AwsSolutions::AwsSolutions-APIG4',
      ...['bulk-jobs', 'catalogues', 'history-exports', 'json-states', 'readmes', 'states'].map((prefix) =>
        expect.stringMatching(
          new RegExp(`^AwsSolutions::AwsSolutions-IAM5\\[Resource::holdfast-data:\\w+Bucket\\w+/${prefix}/\\*\\]$`),
        ),
      ),
      'AwsSolutions::AwsSolutions-S1',
      'AwsSolutions::AwsSolutions-SQS3',
      'Serverless::Serverless-EventBusDLQ',
      'Serverless::Serverless-LambdaAsyncFailureDestination',
      'Serverless::Serverless-LambdaDLQ',
      'Serverless::Serverless-LambdaTracing',
      'Serverless::Serverless-SNSRedrivePolicy',
      'Serverless::Serverless-SQSRedrivePolicy',
    ]);
    for (const { reason } of acknowledged) expect(reason.length).toBeGreaterThan(40);
  });
});

interface Acknowledged {
  readonly acknowledgedId: string;
  readonly reason: string;
}
