import { beforeAll, describe, expect, test } from 'vitest';
import { deployerPolicies, executionAccess, hubAccess } from '../../infra/deploy/policies.ts';
import {
  type Assembly,
  assemble,
  assembleHub,
  everyHubSetting,
  everySetting,
  resourcesOf,
  type Template,
  templatesOf,
  theOnly,
} from '../support/local/assembly.ts';

/** Characters of a managed policy without spaces, the limit of IAM. */
const MAX_POLICY = 6_144;

let assembly: Assembly;
let hub: Template;
beforeAll(async () => {
  assembly = await assemble(everySetting);
  hub = await assembleHub(everyHubSetting);
});

const access = [...Object.values(executionAccess), ...Object.values(hubAccess)].flat();
const policies = deployerPolicies('second');
const statements = Object.entries(policies)
  .filter(([name]) => name.startsWith('cloudformation-'))
  .flatMap(([, { Statement }]) => Statement);

const matchesText = (pattern: string, text = ''): boolean =>
  new RegExp(`^${pattern.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(text);
/** Compares the first five parts of an ARN one by one, as IAM does: an asterisk does not stand for a colon in them. */
const matches = (pattern: string, arn: string): boolean => {
  const [patterns, parts] = [pattern.split(':'), arn.split(':')];
  const isEqual = patterns.slice(0, 5).every((part, position) => matchesText(part, parts[position]));
  return pattern === '*' || (isEqual && matchesText(patterns.slice(5).join(':'), parts.slice(5).join(':')));
};
const allowsIn =
  (documents: ReturnType<typeof deployerPolicies>) =>
  (action: string, arn: string): boolean =>
    Object.values(documents)
      .flatMap(({ Statement }) => Statement)
      .some(({ Action, Resource }) => Action.includes(action) && Resource.some((one) => matches(one, arn)));
const allows = allowsIn(policies);

describe('policies of the deployer', () => {
  test('have actions for every resource type of the templates, and for no other', () => {
    const types = new Set(
      [...templatesOf(assembly), hub].flatMap(({ Resources }) => Object.values(Resources).map(({ Type }) => Type)),
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
      for (const action of Action) expect(action).toMatch(/^[a-z0-9-]+:[A-Za-z]+$/);
      if (Resource.includes('*'))
        expect(Action.join()).toMatch(
          /^(dynamodb:DescribeLimits|kms:CreateKey|logs:CreateLogDelivery.*|logs:DescribeLogGroups,.*|application-autoscaling:DescribeScalableTargets,.*|lambda:CreateEventSourceMapping.*|sns:Unsubscribe,sns:GetSubscriptionAttributes)$/,
        );
    }
  });

  // AWS does not know the resource of these actions, so a statement for the resources of a deployment allows nothing.
  test.each([
    'dynamodb:DescribeLimits',
    'kms:CreateKey',
    'logs:DescribeLogGroups',
    'logs:DescribeIndexPolicies',
    'logs:DescribeResourcePolicies',
    'sns:GetSubscriptionAttributes',
    'sns:Unsubscribe',
  ])('allow %s on all resources, because it cannot be limited', (action) => {
    const resources = statements.flatMap(({ Action, Resource }) => (Action.includes(action) ? Resource : []));
    expect(resources).toEqual(['*']);
  });

  test('allow every property of the bucket to be set', () => {
    const actions: Readonly<Record<string, string>> = {
      BucketEncryption: 'PutEncryptionConfiguration',
      CorsConfiguration: 'PutBucketCORS',
      LifecycleConfiguration: 'PutLifecycleConfiguration',
      NotificationConfiguration: 'PutBucketNotification',
      OwnershipControls: 'PutBucketOwnershipControls',
      PublicAccessBlockConfiguration: 'PutBucketPublicAccessBlock',
      Tags: 'PutBucketTagging',
      VersioningConfiguration: 'PutBucketVersioning',
    };
    for (const property of Object.keys(theOnly(assembly.data, 'AWS::S3::Bucket').Properties))
      expect(allows(`s3:${actions[property]}`, 'arn:aws:s3:::second-data-bucket-1'), property).toBe(true);
  });

  test('allow tags on every type of resource that has tags', () => {
    const tagged = new Set(
      templatesOf(assembly).flatMap(({ Resources }) =>
        Object.values(Resources).flatMap(({ Type, Properties }) => (Properties?.Tags === undefined ? [] : [Type])),
      ),
    );
    expect(tagged.size).toBeGreaterThan(10);
    const canTag = ({ actions }: (typeof access)[number]) =>
      actions.some((action) => /^(Tag|AddTags|PutBucketTagging)/.test(action));
    const missing = [...tagged].filter((type) => !access.some((one) => one.types.includes(type) && canTag(one)));
    expect(missing).toEqual([]);
  });

  test.each([
    ['cloudwatch:PutDashboard', 'arn:aws:cloudwatch::111122223333:dashboard/second-eu-west-1'],
    [
      'iam:CreateServiceLinkedRole',
      'arn:aws:iam::111122223333:role/aws-service-role/contributorinsights.dynamodb.amazonaws.com/Role',
    ],
    [
      'secretsmanager:GetSecretValue',
      'arn:aws:secretsmanager:eu-west-1:111122223333:secret:second-distribution-1-aBcDeF',
    ],
    ['apigateway:POST', 'arn:aws:apigateway:eu-west-1::/apis/a1/routes'],
    ['iam:CreateRole', 'arn:aws:iam::111122223333:role/second-api-workspacesRole-1'],
    ['events:PutRule', 'arn:aws:events:eu-west-1:111122223333:rule/second/second-api-Commands-1'],
    ['events:PutRule', 'arn:aws:events:eu-west-1:111122223333:rule/second-api-CleanupSchedule-1'],
  ])('allow %s on %s', (action, arn) => {
    expect(allows(action, arn)).toBe(true);
    expect(allows(action, arn.replace('second', 'third'))).toBe(!arn.includes('second'));
  });

  test('allow the names that CloudFormation shortens, for deployments with long names', () => {
    const name = 'a-deployment-with-a-long-name2';
    const allowsLong = allowsIn(deployerPolicies(name));
    // At least 24 characters of the name of the stack remain.
    const shortened = name.slice(0, 24);
    expect(allowsLong('iam:CreateRole', `arn:aws:iam::111122223333:role/${shortened}-workspacesRole-1`)).toBe(true);
    expect(allowsLong('s3:CreateBucket', `arn:aws:s3:::${shortened}-bucket-1`)).toBe(true);
    expect(
      allowsLong('events:PutRule', `arn:aws:events:eu-west-1:111122223333:rule/${shortened}-StateRetention-1`),
    ).toBe(true);
  });

  test('cover all deployments whose names begin with the text before an asterisk', () => {
    const documents = deployerPolicies('sec*');
    const allowsAll = allowsIn(documents);
    for (const { Properties } of resourcesOf(assembly.api, 'AWS::Lambda::Function').values())
      expect(
        allowsAll('lambda:CreateFunction', `arn:aws:lambda:eu-west-1:111122223333:function:${Properties.FunctionName}`),
      ).toBe(true);
    expect(allowsAll('iam:CreateRole', 'arn:aws:iam::111122223333:role/second-api-Role-1')).toBe(true);
    expect(allowsAll('s3:CreateBucket', 'arn:aws:s3:::second-data-bucket-1')).toBe(true);
    expect(allowsAll('lambda:CreateFunction', 'arn:aws:lambda:eu-west-1:111122223333:function:third-admin')).toBe(
      false,
    );
    for (const document of Object.values(documents))
      expect(JSON.stringify(document).length).toBeLessThanOrEqual(MAX_POLICY);
  });

  test.each(['*', 'Holdfast', 'hold*fast', ''])('deployer policies are not written for the name "%s"', (name) => {
    expect(() => deployerPolicies(name)).toThrow(RangeError);
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
    ['AWS::Events::EventBus', 'Name', 'events:CreateEventBus', 'arn:aws:events:eu-west-1:111122223333:event-bus/'],
    ['AWS::Events::Archive', 'ArchiveName', 'events:CreateArchive', 'arn:aws:events:eu-west-1:111122223333:archive/'],
    ['AWS::SQS::Queue', 'QueueName', 'sqs:CreateQueue', 'arn:aws:sqs:eu-west-1:111122223333:'],
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

describe('policies of the deployer of a hub', () => {
  const hubPolicies = deployerPolicies('holdfast', { isHub: true });
  const allowsForHub = allowsIn({ cloudformation: hubPolicies['cloudformation-hub'] as never });

  test('the hub has one policy for CloudFormation and one for the caller, both small enough for IAM', () => {
    expect(Object.keys(hubPolicies)).toEqual(['caller', 'cloudformation-hub']);
    const longest = deployerPolicies('a'.repeat(30), { isHub: true, partition: 'aws-us-gov' });
    for (const document of [...Object.values(hubPolicies), ...Object.values(longest)])
      expect(JSON.stringify(document).length).toBeLessThanOrEqual(MAX_POLICY);
  });

  test('the policies of the hub have actions for every resource type of its template', () => {
    const covered = new Set(hubAccess['hub']?.flatMap(({ types }) => types));
    const types = Object.values(hub.Resources).map(({ Type }) => Type);
    expect(types.filter((type) => type !== 'AWS::CDK::Metadata' && !covered.has(type))).toEqual([]);
  });

  test('allow the names of the resources of the hub, and not those of a deployment', () => {
    const region = 'arn:aws:%:eu-west-1:111122223333:';
    const named: readonly [string, string, string, string][] = [
      ['AWS::CloudWatch::Alarm', 'AlarmName', 'cloudwatch:PutMetricAlarm', 'alarm:'],
      ['AWS::Events::EventBus', 'Name', 'events:CreateEventBus', 'event-bus/'],
      ['AWS::Lambda::Function', 'FunctionName', 'lambda:CreateFunction', 'function:'],
      ['AWS::Logs::LogGroup', 'LogGroupName', 'logs:CreateLogGroup', 'log-group:'],
      ['AWS::SQS::Queue', 'QueueName', 'sqs:CreateQueue', ''],
      ['AWS::SSM::Parameter', 'Name', 'ssm:PutParameter', 'parameter'],
    ];
    for (const [type, property, action, prefix] of named) {
      const names = [...resourcesOf(hub, type).values()].map(({ Properties }) => String(Properties[property]));
      expect(names.length, type).toBeGreaterThan(0);
      for (const name of names) {
        const arn = region.replace('%', action.split(':')[0] ?? '') + prefix + name;
        expect(allowsForHub(action, arn), arn).toBe(true);
        expect(allowsForHub(action, arn.replace('hub', 'api')), arn).toBe(false);
      }
    }
  });

  test.each([
    ['dynamodb:CreateTable', 'arn:aws:dynamodb:eu-west-1:111122223333:table/holdfast-hub-Table1'],
    ['events:PutPermission', 'arn:aws:events:eu-west-1:111122223333:event-bus/holdfast-hub'],
    ['events:PutRule', 'arn:aws:events:eu-west-1:111122223333:rule/holdfast-hub/holdfast-hub-Rule-1'],
    ['iam:CreatePolicy', 'arn:aws:iam::111122223333:policy/holdfast-hub-Readers1'],
    ['iam:CreateRole', 'arn:aws:iam::111122223333:role/holdfast-hub-ReaderRole-1'],
    ['iam:PassRole', 'arn:aws:iam::111122223333:role/holdfast-hub-ReaderRole-1'],
    ['sns:CreateTopic', 'arn:aws:sns:eu-west-1:111122223333:holdfast-hub-Topic-1'],
  ])('allow %s on %s, and not on that of a deployment', (action, arn) => {
    expect(allowsForHub(action, arn)).toBe(true);
    expect(allowsForHub(action, arn.replaceAll('hub', 'data'))).toBe(false);
  });

  test('let CloudFormation pass roles to functions only', () => {
    const statements = hubPolicies['cloudformation-hub']?.Statement.filter(({ Action }) =>
      Action.includes('iam:PassRole'),
    );
    expect(statements?.map(({ Condition }) => Condition)).toEqual([
      { StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' } },
    ]);
  });
});

describe('partition of the policies', () => {
  test.each([true, false])('is that of every ARN, for a hub: %s', (isHub) => {
    const text = JSON.stringify(deployerPolicies('holdfast', { isHub, partition: 'aws-us-gov' }));
    expect(text).not.toContain('"arn:aws:');
    expect(text).toContain('"arn:aws-us-gov:lambda:');
    expect(text).not.toContain('cloudfront');
  });

  test('is a parameter of all templates: they contain no ARN of a fixed partition, except those of settings', async () => {
    const { data, events, api, observability } = await assemble();
    const arns = JSON.stringify([data, events, api, observability, hub]).match(/arn:aws[^"]*/g) ?? [];
    expect(arns.filter((arn) => arn !== everyHubSetting.permissionsBoundary)).toEqual([]);
  });
});
