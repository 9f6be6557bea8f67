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

const subjectsByPlaceholder: Readonly<Record<string, readonly string[]>> = {
  '<function>': functionNames,
  '<index>': indexNames,
  '<reader>': streamReaders,
  '<job>': ['cleanup', 'state-retention'],
};

describe('alarms', () => {
  test('exist for every kind, function, index and reader of the stream, with their descriptions', () => {
    const expected = Object.entries(alarmKinds).flatMap(([kind, { means, act }]) => {
      const subjects = subjectsByPlaceholder[/<\w+>/.exec(kind)?.[0] ?? ''] ?? [''];
      return subjects.map((subject) => [`holdfast-${kind.replace(/<\w+>/, subject)}`, `${means} ${act}`]);
    });
    expect(
      Object.fromEntries(alarms().map(({ Properties }) => [Properties.AlarmName, Properties.AlarmDescription])),
    ).toEqual(Object.fromEntries(expected));
  });

  test('notify the topic when they start and when they end', () => {
    const [topic] = resourcesOf(assembly.observability, 'AWS::SNS::Topic').keys();
    for (const { Properties } of alarms())
      expect(Properties).toMatchObject({ AlarmActions: [{ Ref: topic }], OKActions: [{ Ref: topic }] });
  });

  test('are not raised without data, except for those of scheduled functions, after 15 minutes or 30 hours', () => {
    const [topic] = resourcesOf(assembly.observability, 'AWS::SNS::Topic').keys();
    const seconds: Record<string, number> = {};
    for (const { Properties } of alarms()) {
      if (Properties.TreatMissingData === 'notBreaching') continue;
      expect(Properties).toMatchObject({
        TreatMissingData: 'missing',
        InsufficientDataActions: [{ Ref: topic }],
      });
      const [{ MetricStat }] = Properties.Metrics;
      expect(MetricStat.Metric.MetricName).toBe('Invocations');
      seconds[Properties.AlarmName] = MetricStat.Period * Properties.EvaluationPeriods;
    }
    expect(seconds).toEqual({ 'holdfast-cleanup-not-run': 900, 'holdfast-state-retention-not-run': 108_000 });
  });

  test('are raised by each 5xx while there are fewer than 20 requests in five minutes', () => {
    const few = alarms().find(({ Properties }) => Properties.AlarmName === 'holdfast-api-few-server-errors');
    expect(few?.Properties).toMatchObject({
      Threshold: 0,
      EvaluationPeriods: 1,
      Metrics: expect.arrayContaining([expect.objectContaining({ Expression: 'IF(requests < 20, errors, 0)' })]),
    });
  });

  test('use at most ten metrics each, the limit of CloudWatch', () => {
    for (const { Properties } of alarms()) expect(Properties.Metrics?.length ?? 1).toBeLessThanOrEqual(10);
  });
});

describe('alarm topic', () => {
  test('rejects requests without TLS, and accepts messages of alarms in this account', () => {
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

  test('sends e-mails to the address in the settings', () => {
    expect(theOnly(assembly.observability, 'AWS::SNS::Subscription').Properties).toMatchObject({
      Protocol: 'email',
      Endpoint: 'operator@example.com',
    });
  });
});

test('a dashboard is created only if the setting requests it', async () => {
  const countDashboards = ({ observability }: Assembly) =>
    resourcesOf(observability, 'AWS::CloudWatch::Dashboard').size;
  expect(countDashboards(assembly)).toBe(0);
  expect(countDashboards(await assemble({ dashboard: true }))).toBe(1);
});
