import { beforeAll, describe, expect, test } from 'vitest';
import { deployerPolicies, executionAccess } from '../../infra/deploy/policies.ts';
import { type Assembly, assemble, everySetting, templatesOf } from '../support/local/assembly.ts';

/** Characters of a managed policy without spaces, the limit of IAM. */
const MAX_POLICY = 6_144;

let assembly: Assembly;
beforeAll(async () => {
  assembly = await assemble(everySetting);
});

const access = Object.values(executionAccess).flat();
const policies = deployerPolicies('second');
const statements = Object.entries(policies)
  .filter(([name]) => name.startsWith('cloudformation-'))
  .flatMap(([, { Statement }]) => Statement);

const matches = (pattern: string, arn: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(arn);
const allows = (action: string, arn: string): boolean =>
  statements.some(({ Action, Resource }) => Action.includes(action) && Resource.some((one) => matches(one, arn)));

describe('policies of the deployer', () => {
  test('have actions for every resource type of the templates, and for no other', () => {
    const types = new Set(
      templatesOf(assembly).flatMap(({ Resources }) => Object.values(Resources).map(({ Type }) => Type)),
    );
    const covered = new Set(access.flatMap((one) => one.types));
    expect([...covered].sort()).toEqual([...types].filter((type) => type !== 'AWS::CDK::Metadata').sort());
  });

  test('are small enough for IAM', () => {
    for (const [name, document] of Object.entries(policies))
      expect(JSON.stringify(document).length, name).toBeLessThanOrEqual(MAX_POLICY);
  });

  test('contain no wildcard in actions, and all resources only for actions that cannot be limited', () => {
    for (const { Action, Resource } of statements) {
      for (const action of Action) expect(action).toMatch(/^[a-z0-9]+:[A-Za-z]+$/);
      if (Resource.includes('*'))
        expect(Action.join()).toMatch(
          /^(kms:CreateKey|logs:CreateLogDelivery.*|lambda:CreateEventSourceMapping.*|secretsmanager:GetRandomPassword)$/,
        );
    }
  });

  test('let CloudFormation pass roles to functions, and to the rule that forwards events to a hub', () => {
    const passing = statements.filter(({ Action }) => Action.includes('iam:PassRole'));
    expect(passing.map(({ Condition, Resource }) => ({ Condition, Resource }))).toEqual(
      ['lambda', 'events'].map((service) => ({
        Condition: { StringEquals: { 'iam:PassedToService': `${service}.amazonaws.com` } },
        Resource: ['arn:aws:iam::*:role/second-api-*'],
      })),
    );
  });

  test('let the caller assume the roles of the bootstrap stack only', () => {
    expect(policies['caller']?.Statement).toEqual([
      {
        Effect: 'Allow',
        Action: ['sts:AssumeRole'],
        Resource: ['deploy', 'file-publishing', 'lookup'].map((role) => `arn:aws:iam::*:role/cdk-*-${role}-role-*`),
      },
    ]);
  });

  test.each([
    [
      'AWS::Lambda::Function',
      'FunctionName',
      'lambda:CreateFunction',
      'arn:aws:lambda:eu-west-1:111122223333:function:',
    ],
    [
      'AWS::Lambda::LayerVersion',
      'LayerName',
      'lambda:PublishLayerVersion',
      'arn:aws:lambda:eu-west-1:111122223333:layer:',
    ],
    ['AWS::Logs::LogGroup', 'LogGroupName', 'logs:CreateLogGroup', 'arn:aws:logs:eu-west-1:111122223333:log-group:'],
    [
      'AWS::CloudWatch::Alarm',
      'AlarmName',
      'cloudwatch:PutMetricAlarm',
      'arn:aws:cloudwatch:eu-west-1:111122223333:alarm:',
    ],
    [
      'AWS::CloudWatch::Dashboard',
      'DashboardName',
      'cloudwatch:PutDashboard',
      'arn:aws:cloudwatch::111122223333:dashboard/',
    ],
    ['AWS::Events::EventBus', 'Name', 'events:CreateEventBus', 'arn:aws:events:eu-west-1:111122223333:event-bus/'],
    ['AWS::Events::Archive', 'ArchiveName', 'events:CreateArchive', 'arn:aws:events:eu-west-1:111122223333:archive/'],
    ['AWS::SQS::Queue', 'QueueName', 'sqs:CreateQueue', 'arn:aws:sqs:eu-west-1:111122223333:'],
    [
      'AWS::SecretsManager::Secret',
      'Name',
      'secretsmanager:CreateSecret',
      'arn:aws:secretsmanager:eu-west-1:111122223333:secret:',
    ],
    ['AWS::SSM::Parameter', 'Name', 'ssm:PutParameter', 'arn:aws:ssm:eu-west-1:111122223333:parameter'],
  ])(
    'allow the names of all resources of %s, and not those of another deployment',
    (type, property, action, prefix) => {
      const names = templatesOf(assembly)
        .flatMap(({ Resources }) => Object.values(Resources))
        .flatMap(({ Type, Properties }) => (Type === type ? [String(Properties[property])] : []));
      expect(names.length).toBeGreaterThan(0);
      for (const name of names) {
        expect(allows(action, prefix + name), name).toBe(true);
        expect(allows(action, prefix + name.replace('second', 'third')), name).toBe(false);
      }
    },
  );
});
