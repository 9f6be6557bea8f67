import { beforeAll, describe, expect, test } from 'vitest';
import { alarmKinds } from '../../infra/constructs/alarms.ts';
import { streamReaders } from '../../infra/constructs/permissions.ts';
import { functionNames } from '../../shared/runtime/environment.ts';
import { indexNames } from '../../shared/store/dynamodb/table-definition.ts';
import { type Assembly, assemble, type Resource, resourcesOf, theOnly } from '../support/local/assembly.ts';

let assembly: Assembly;
beforeAll(async () => {
  assembly = await assemble({ alarmEmail: 'operator@example.com' });
});

const alarms = (): Resource[] => [...resourcesOf(assembly.observability, 'AWS::CloudWatch::Alarm').values()];

const subjectsOf: Readonly<Record<string, readonly string[]>> = {
  '<function>': functionNames,
  '<index>': indexNames,
  '<reader>': streamReaders,
};

describe('alarms', () => {
  test('exist for every function, for the API, the table and what follows it, and for dead letters, and are all described', () => {
    const expected = Object.entries(alarmKinds).flatMap(([kind, { means, act }]) => {
      const subjects = subjectsOf[/<\w+>/.exec(kind)?.[0] ?? ''] ?? [''];
      return subjects.map((subject) => [`holdfast-${kind.replace(/<\w+>/, subject)}`, `${means} ${act}`]);
    });
    expect(
      Object.fromEntries(alarms().map(({ Properties }) => [Properties.AlarmName, Properties.AlarmDescription])),
    ).toEqual(Object.fromEntries(expected));
  });

  test('tell the topic when they start and when they end, and stay quiet without traffic', () => {
    const [topic] = resourcesOf(assembly.observability, 'AWS::SNS::Topic').keys();
    for (const { Properties } of alarms()) {
      expect(Properties).toMatchObject({
        AlarmActions: [{ Ref: topic }],
        OKActions: [{ Ref: topic }],
        TreatMissingData: 'notBreaching',
      });
    }
  });

  test('stay within the ten metrics that one alarm may watch', () => {
    for (const { Properties } of alarms()) expect(Properties.Metrics?.length ?? 1).toBeLessThanOrEqual(10);
  });
});

describe('the topic', () => {
  test('refuses plain HTTP, and takes messages from alarms of this account', () => {
    expect(theOnly(assembly.observability, 'AWS::SNS::TopicPolicy').Properties.PolicyDocument.Statement).toEqual([
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    ]);
  });

  test('mails them to the address of the settings', () => {
    expect(theOnly(assembly.observability, 'AWS::SNS::Subscription').Properties).toMatchObject({
      Protocol: 'email',
      Endpoint: 'operator@example.com',
    });
  });
});

test('a dashboard is there only for who wants it, as it is charged for', async () => {
  const dashboardsOf = ({ observability }: Assembly) => resourcesOf(observability, 'AWS::CloudWatch::Dashboard').size;
  expect(dashboardsOf(assembly)).toBe(0);
  expect(dashboardsOf(await assemble({ dashboard: true }))).toBe(1);
});
