import { beforeAll, describe, expect, test, vi } from 'vitest';
import { parameterName } from '../../infra/constructs/published-values.ts';
import { hubAlarms, hubValues, readHubSettings } from '../../infra/hub/hub-definitions.ts';
import { readSettings } from '../../infra/settings/settings.ts';
import { forwardedEvents, snapshotCommands } from '../../shared/events/sources.ts';
import { hubFunctionNames, readEnvironment } from '../../shared/runtime/environment.ts';
import { hubIndexes } from '../../shared/store/hub/hub-table.ts';
import {
  type Assembly,
  assemble,
  assembleHub,
  everyHubSetting,
  functionsOf,
  resourcesOf,
  type Template,
  tenAccounts,
  theOnly,
} from '../support/local/assembly.ts';

const hubBusArn = 'arn:aws:events:eu-west-1:999999999999:event-bus/holdfast-hub';

let hub: Template;
let member: Assembly;
let standalone: Assembly;
beforeAll(async () => {
  hub = await assembleHub(everyHubSetting);
  member = await assemble({ hubBusArn });
  standalone = await assemble();
});

/** Lists the statements of the policies of a role. */
const statementsOf = (template: Template, role: string) =>
  [...resourcesOf(template, 'AWS::IAM::Policy').values()]
    .filter(({ Properties }) => Properties.Roles.some(({ Ref }: { Ref: string }) => Ref === role))
    .flatMap(({ Properties }) => Properties.PolicyDocument.Statement);

const idOf = (template: Template, type: string): string => [...resourcesOf(template, type).keys()].join();

describe('hub over ten accounts', () => {
  test('accepts events of these accounts only', () => {
    const { EventBusName, Statement, StatementId } = theOnly(hub, 'AWS::Events::EventBusPolicy').Properties;
    const bus = idOf(hub, 'AWS::Events::EventBus');
    expect(EventBusName).toEqual({ Ref: bus });
    expect(StatementId).toBe('MemberAccounts');
    expect(Statement).toEqual({
      Sid: 'MemberAccounts',
      Effect: 'Allow',
      Action: 'events:PutEvents',
      Resource: { 'Fn::GetAtt': [bus, 'Arn'] },
      Principal: {
        AWS: tenAccounts.map((account) => ({
          'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, `:iam::${account}:root`]],
        })),
      },
    });
  });

  test('has a policy of its bus that stays below the limit of EventBridge with a hundred accounts', () => {
    const { Statement } = theOnly(hub, 'AWS::Events::EventBusPolicy').Properties;
    const busArn = `arn:aws:events:ap-southeast-2:111122223333:event-bus/${'n'.repeat(30)}-hub`;
    const accounts = Array.from({ length: 100 }, () => 'arn:aws:iam::111122223333:root');
    const statement = { ...Statement, Resource: busArn, Principal: { AWS: accounts } };
    const organization = { ...statement, Sid: 'MemberOrganization', Principal: '*', Condition: {} };
    const policy = { Version: '2012-10-17', Statement: [statement, organization] };
    expect(JSON.stringify(policy).length).toBeLessThan(0.85 * 10_240);
  });

  test('passes the events that members forward to the receiver', () => {
    const { EventPattern, Targets } = theOnly(hub, 'AWS::Events::Rule').Properties;
    expect(EventPattern).toEqual(forwardedEvents);
    expect(Targets[0].Arn).toEqual({ 'Fn::GetAtt': [functionsOf(hub).get('hub-receiver')?.id, 'Arn'] });
    expect(Targets[0].DeadLetterConfig.Arn).toEqual({ 'Fn::GetAtt': [idOf(hub, 'AWS::SQS::Queue'), 'Arn'] });
  });

  test('has a table with the keys and indexes of the store, encrypted under a key of its own', () => {
    const { KeySchema, GlobalSecondaryIndexes, SSESpecification, TimeToLiveSpecification } = theOnly(
      hub,
      'AWS::DynamoDB::Table',
    ).Properties;
    expect(KeySchema).toEqual([
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ]);
    expect(GlobalSecondaryIndexes).toEqual(
      Object.entries(hubIndexes).map(([IndexName, { partitionKey, sortKey }]) => ({
        IndexName,
        KeySchema: [
          { AttributeName: partitionKey, KeyType: 'HASH' },
          { AttributeName: sortKey, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      })),
    );
    expect(SSESpecification).toMatchObject({ SSEEnabled: true, SSEType: 'KMS' });
    expect(TimeToLiveSpecification).toEqual({ AttributeName: 'ttl', Enabled: true });
  });

  test.each([
    ['hub-receiver', ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'sqs:SendMessage']],
    ['hub-reader', ['dynamodb:GetItem', 'dynamodb:Query']],
  ] as const)('gives %s no other permissions than it needs', (name, actions) => {
    const role = functionsOf(hub).get(name)?.Properties.Role['Fn::GetAtt'][0];
    const granted = statementsOf(hub, role).flatMap(({ Action }: { Action: string | string[] }) => Action);
    const common = ['kms:Decrypt', 'kms:DescribeKey', 'logs:CreateLogStream', 'logs:PutLogEvents'];
    expect([...new Set(granted)].sort()).toEqual([...actions, ...common].sort());
    expect(JSON.stringify(statementsOf(hub, role))).not.toMatch(/"Resource":"\*"/);
  });

  test.each(hubFunctionNames)('gives %s exactly the variables that it reads', (name) => {
    const variables = functionsOf(hub).get(name)?.Properties.Environment.Variables;
    for (const variable of Object.keys(variables)) vi.stubEnv(variable, 'a reference');
    expect(Object.keys(readEnvironment(name)).sort()).toEqual(Object.keys(variables).sort());
    vi.unstubAllEnvs();
  });

  test('lets readers invoke the reader and nothing else', () => {
    expect(theOnly(hub, 'AWS::IAM::ManagedPolicy').Properties.PolicyDocument.Statement).toEqual([
      {
        Effect: 'Allow',
        Action: 'lambda:InvokeFunction',
        Resource: { 'Fn::GetAtt': [functionsOf(hub).get('hub-reader')?.id, 'Arn'] },
      },
    ]);
  });

  test('raises alarms for errors and dead letters, with names that no deployment has and descriptions of the hub', () => {
    const raised = [...resourcesOf(hub, 'AWS::CloudWatch::Alarm').values()].map(
      ({ Properties }) => [Properties.AlarmName, Properties.AlarmDescription] as const,
    );
    const expected = Object.entries(hubAlarms).map(([name, { means, act }]) => [`holdfast-${name}`, `${means} ${act}`]);
    expect(Object.fromEntries(raised)).toEqual(Object.fromEntries(expected));
    expect(hubFunctionNames.filter((name) => !Object.hasOwn(hubAlarms, `${name}-errors`))).toEqual([]);
  });

  test('publishes the values that the documentation names', () => {
    const parameters = [...resourcesOf(hub, 'AWS::SSM::Parameter').values()].map(({ Properties }) => Properties.Name);
    const names = Object.keys(hubValues) as (keyof typeof hubValues)[];
    expect(parameters.sort()).toEqual(names.map((name) => parameterName({ name: 'holdfast' }, name)).sort());
  });

  test('has the tags of the setting on every resource that can have tags, and the permissions boundary on every role', () => {
    const all = Object.values(hub.Resources);
    const untagged = all.filter(({ Properties }) => !JSON.stringify(Properties?.Tags ?? []).includes('"platform"'));
    const withoutTags =
      /^AWS::(CDK::Metadata|Events::EventBusPolicy|IAM::(Managed)?Policy|Lambda::(EventInvokeConfig|Permission)|SNS::(Subscription|TopicPolicy)|SQS::QueuePolicy)$/;
    expect(untagged.map(({ Type }) => Type).filter((type) => !withoutTags.test(type))).toEqual([]);
    const roles = [...resourcesOf(hub, 'AWS::IAM::Role').values()];
    expect(roles).toHaveLength(hubFunctionNames.length);
    for (const { Properties } of roles)
      expect(Properties.PermissionsBoundary).toBe(everyHubSetting.permissionsBoundary);
  });

  test('retains nothing, because it contains copies only', () => {
    for (const [id, { DeletionPolicy }] of Object.entries(hub.Resources))
      expect(DeletionPolicy ?? 'Delete', id).toBe('Delete');
  });
});

describe('hub over an AWS organization', () => {
  test('accepts events of accounts of the organization only', async () => {
    const template = await assembleHub({ memberOrganization: 'o-1234567890', name: 'platform' });
    const { Statement } = theOnly(template, 'AWS::Events::EventBusPolicy').Properties;
    expect(Statement).toMatchObject({
      Principal: { AWS: '*' },
      Condition: { StringEquals: { 'aws:PrincipalOrgID': 'o-1234567890' } },
    });
    expect([...functionsOf(template).values()].map(({ Properties }) => Properties.FunctionName).sort()).toEqual([
      'platform-hub-reader',
      'platform-hub-receiver',
    ]);
  });
});

describe('member of a hub', () => {
  const ruleTo = (arn: string) =>
    [...resourcesOf(member.api, 'AWS::Events::Rule').values()].find(
      ({ Properties }) => Properties.Targets[0].Arn === arn,
    )?.Properties;

  test('forwards events of workspaces, and sends what the hub rejects to its own dead-letter queue', () => {
    const rule = ruleTo(hubBusArn);
    expect(rule.EventPattern).toEqual(forwardedEvents);
    expect(JSON.stringify(rule.EventBusName)).toContain('Bus');
    expect(JSON.stringify(rule.Targets[0].DeadLetterConfig)).toContain('DeadLetters');
  });

  test('forwards with a role that may send events to that bus and do nothing else', () => {
    const role = ruleTo(hubBusArn).Targets[0].RoleArn['Fn::GetAtt'][0];
    expect(statementsOf(member.api, role)).toEqual([
      { Effect: 'Allow', Action: 'events:PutEvents', Resource: hubBusArn },
    ]);
    expect(member.api.Resources[role]?.Properties.AssumeRolePolicyDocument.Statement).toEqual([
      { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'events.amazonaws.com' } },
    ]);
  });

  test('sends a snapshot after the command on its bus', () => {
    const snapshot = functionsOf(member.api).get('hub-snapshot');
    const rule = [...resourcesOf(member.api, 'AWS::Events::Rule').values()].find(({ Properties }) =>
      JSON.stringify(Properties.Targets).includes(String(snapshot?.id)),
    );
    expect(rule?.Properties.EventPattern).toEqual(snapshotCommands);
    const actions = statementsOf(member.api, snapshot?.Properties.Role['Fn::GetAtt'][0]).flatMap(
      ({ Action }: { Action: string | string[] }) => Action,
    );
    expect([...new Set(actions)].sort()).toEqual([
      ...['dynamodb:BatchGetItem', 'dynamodb:Scan', 'events:PutEvents', 'kms:Decrypt', 'kms:DescribeKey'],
      ...['logs:CreateLogStream', 'logs:PutLogEvents', 'sqs:SendMessage'],
    ]);
  });

  test('has an alarm for its additional function', () => {
    const names = [...resourcesOf(member.observability, 'AWS::CloudWatch::Alarm').values()].map(
      ({ Properties }) => Properties.AlarmName,
    );
    expect(names).toContain('holdfast-hub-snapshot-errors');
  });

  test('is no part of a deployment without the setting', () => {
    expect(JSON.stringify(standalone.api)).not.toMatch(/hub/i);
  });
});

describe('settings of a hub', () => {
  test.each([
    ['no member', {}, /memberAccounts or memberOrganization is required/],
    ['what is no account', { memberAccounts: '12' }, /number of an AWS account/],
    ['what is no AWS organization', { memberOrganization: 'acme' }, /AWS organization/],
    [
      'more accounts than a policy holds',
      { memberAccounts: Array.from({ length: 101 }, () => '111111111111') },
      /more than 100 accounts/,
    ],
    ['an unknown setting', { memberOrganization: 'o-1234567890', accounts: '1' }, /accounts is not a setting/],
  ])('reject %s', (_, context, message) => {
    expect(() => readHubSettings(context)).toThrow(message);
  });

  test('ignore what cdk.json contains for a deployment', () => {
    const settings = readHubSettings({ memberOrganization: 'o-1234567890', edition: 'hosted', name: 'acme' });
    expect(settings).toMatchObject({ memberOrganization: 'o-1234567890', name: 'acme' });
    expect(settings).not.toHaveProperty('edition');
  });

  test('accept accounts as a text, separated by commas', () => {
    expect(readHubSettings({ memberAccounts: '111111111111,222222222222' }).memberAccounts).toHaveLength(2);
  });

  test('settings of a member reject an ARN that is not the bus of a hub', () => {
    expect(() => readSettings({ hubBusArn: 'holdfast-hub' })).toThrow(/hubBusArn is .* the ARN of the bus of a hub/);
  });
});
