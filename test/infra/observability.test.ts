import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { alarmKinds } from '../../infra/constructs/alarms.ts';
import { streamReaders } from '../../infra/constructs/permissions.ts';
import { publishedValues } from '../../infra/constructs/published-values.ts';
import { settingDefinitions } from '../../infra/settings/settings.ts';
import { breakGlassMetric, rejectionMetric } from '../../shared/logging/log.ts';
import { routeIds, routeKey, routes } from '../../shared/routes/index.ts';
import { functionNames } from '../../shared/runtime/environment.ts';
import { commands } from '../../shared/schemas/admin-commands.ts';
import { commandName } from '../../shared/schemas/command-name.ts';
import { indexNames } from '../../shared/store/dynamodb/table-definition.ts';
import { idleLines } from '../bench/idle.ts';
import { add, costOf } from '../bench/prices.ts';
import {
  type Assembly,
  assemble,
  everySetting,
  type Resource,
  resourcesOf,
  theOnly,
} from '../support/local/assembly.ts';

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

  test('watch the metric of break-glass commands that CloudWatch creates from log lines', () => {
    const { _aws: embedded, Deployment } = breakGlassMetric('holdfast', 0);
    const [definition] = embedded.CloudWatchMetrics;
    const alarm = alarms().find(({ Properties }) => Properties.AlarmName === 'holdfast-break-glass-used');
    expect(JSON.stringify(alarm?.Properties)).toContain(
      JSON.stringify({
        Dimensions: [{ Name: definition?.Dimensions[0]?.[0], Value: Deployment }],
        MetricName: definition?.Metrics[0]?.Name,
        Namespace: definition?.Namespace,
      }).slice(1, -1),
    );
  });

  test('name fields of the access log, settings, values, commands, alarms and pages that exist', () => {
    const { Format } = theOnly(assembly.api, 'AWS::ApiGatewayV2::Stage').Properties.AccessLogSettings;
    const fields = [...Object.keys(JSON.parse(Format)), 'FunctionName', 'FailedInvocations'];
    const known = new Set([...fields, ...Object.keys(settingDefinitions)]);
    const namesWith = (pattern: RegExp) =>
      Object.values(alarmKinds).flatMap(({ means, act }) =>
        [...`${means} ${act}`.matchAll(pattern)].map(([text, name]) => name ?? text),
      );
    const camelCase = namesWith(/\b[a-zA-Z]+[a-z][A-Z][a-z]\w+/g).filter((name) => !/^(Dynamo|Event|Cloud)/.test(name));
    expect(camelCase.length).toBeGreaterThan(8);
    expect(camelCase.filter((name) => !known.has(name))).toEqual([]);
    expect(namesWith(/the setting (\w+)/g).filter((name) => !Object.hasOwn(settingDefinitions, name))).toEqual([]);
    expect(namesWith(/the parameter ([\w-]+)/g).filter((name) => !Object.hasOwn(publishedValues, name))).toEqual([]);
    const commandNames = Object.keys(commands).map(commandName);
    expect(namesWith(/admin command ([\w-]+)/g).filter((name) => !commandNames.includes(name))).toEqual([]);
    expect(namesWith(/\btable-(?!key-arn)[\w-]+/g).filter((name) => !Object.hasOwn(alarmKinds, name))).toEqual([]);
    expect(
      namesWith(/docs\/[\w/-]+\.md/g).filter((path) => !existsSync(join(import.meta.dirname, '../..', path))),
    ).toEqual([]);
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

  test('are raised by each error that DynamoDB returns when the key of the table is disabled or denied', () => {
    const { Properties } = theOnly(assembly.observability, 'AWS::Logs::MetricFilter');
    expect(Properties.LogGroupName).toBe('/aws/lambda/holdfast-cleanup');
    const [{ MetricName, MetricNamespace }] = Properties.MetricTransformations;
    const alarm = alarms().find(({ Properties: { AlarmName } }) => AlarmName === 'holdfast-table-key-denied');
    expect(alarm?.Properties).toMatchObject({ MetricName, Namespace: MetricNamespace, Threshold: 0 });
    const pattern = new RegExp(/^%(.*)%$/.exec(Properties.FilterPattern)?.[1] ?? 'none');
    for (const line of [
      '{"level":"ERROR","errorType":"AccessDeniedException","errorMessage":"KMS key access denied error"}',
      '{"level":"ERROR","message":{"errorType":"KMSDisabledException"}}',
      '{"level":"ERROR","message":{"errorType":"KMSInvalidStateException"}}',
    ])
      expect(line).toMatch(pattern);
    expect('{"level":"ERROR","errorType":"ThrottlingException"}').not.toMatch(pattern);
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

describe('dashboard', () => {
  let everything: Assembly;
  beforeAll(async () => {
    everything = await assemble(everySetting);
  });
  /** Parses the body of the dashboard. References are replaced by the text `ref`. */
  const widgets = () => {
    const body = theOnly(everything.observability, 'AWS::CloudWatch::Dashboard').Properties.DashboardBody;
    const [, parts] = body['Fn::Join'];
    return JSON.parse(parts.map((part: unknown) => (typeof part === 'string' ? part : 'ref')).join('')).widgets as {
      properties: { title: string; query?: string; metrics?: unknown[][]; start?: string };
    }[];
  };
  const titled = (title: string) => widgets().find(({ properties }) => properties.title.startsWith(title))?.properties;

  test('is created only if the setting requests it', () => {
    expect(resourcesOf(assembly.observability, 'AWS::CloudWatch::Dashboard').size).toBe(0);
    expect(resourcesOf(everything.observability, 'AWS::CloudWatch::Dashboard').size).toBe(1);
  });

  test('shows traffic, errors, latency, rejected locks, units and the cost of the month', () => {
    const titles = widgets().map(({ properties }) => properties.title);
    for (const subject of [
      'Requests',
      'Errors',
      'Latency by route',
      'Refused locks',
      'Read units',
      'Write units',
      'Estimated cost',
    ])
      expect(
        titles.some((title) => title.startsWith(subject)),
        subject,
      ).toBe(true);
    expect(JSON.stringify(titled('Read units')?.metrics)).toContain('GlobalSecondaryIndexName');
  });

  test('shows the metric of rejected attempts that CloudWatch creates from log lines', () => {
    const { _aws: embedded, Deployment } = rejectionMetric('second', 0);
    const [definition] = embedded.CloudWatchMetrics;
    const [metric] = titled('Refused attempts')?.metrics ?? [];
    expect(metric?.slice(0, 4)).toEqual([
      definition?.Namespace,
      definition?.Metrics[0]?.Name,
      definition?.Dimensions[0]?.[0],
      Deployment,
    ]);
  });

  test('queries fields that the access log has', () => {
    const { Format } = theOnly(everything.api, 'AWS::ApiGatewayV2::Stage').Properties.AccessLogSettings;
    const fields = Object.keys(JSON.parse(Format));
    const [byRoute, rejected] = [titled('Latency by route')?.query ?? '', titled('Refused locks')?.query ?? ''];
    expect(byRoute).toContain('/aws/vendedlogs/second-api');
    expect(
      [...`${byRoute} ${rejected}`.matchAll(/responseLatency|routeKey|status/g)].every(([field]) =>
        fields.includes(field),
      ),
    ).toBe(true);
    const [, pattern = 'none'] = /routeKey like \/(.*)\/ and/.exec(rejected) ?? [];
    const locks = routeIds.filter((id) => new RegExp(pattern).test(routeKey(routes[id])));
    expect(locks).toEqual(['workspaces.lock']);
  });

  test('estimates the cost of a day at the prices of the price list', () => {
    const metrics = titled('Estimated cost of this month')?.metrics ?? [];
    const expressions = metrics
      .flat()
      .filter((part) => typeof part === 'object' && part !== null && 'expression' in part) as {
      id?: string;
      expression: string;
    }[];
    const day = expressions.find(({ expression }) => expression.includes('METRICS'))?.expression ?? '';
    const quantities = {
      httpRequests: 1e6,
      invocations: 2e6,
      computing: 4e5,
      readUnits: 3e6,
      writeUnits: 5e6,
      logs: 7,
    };
    const sums: Record<string, number> = { invoked: 2e6, standard: 4e5 * 1_000, read: 3e6, write: 5e6, logged: 7e9 };
    const text = day
      .replaceAll(/SUM\(METRICS\("(\w+)"\)\)/g, (_, id: string) => String(sums[id]))
      .replaceAll(/\blarge\d+\b/g, '0')
      .replaceAll(/\brequests\b/g, '1000000');
    expect(text).toMatch(/^[\d.e+* -]+$/);
    const leftOut = ['scheduled functions', 'provisioned concurrency'];
    const perMonth = idleLines(everything).filter(({ what }) => !leftOut.includes(what));
    const fixed = costOf(add(...perMonth.map((line) => line.quantities))).total;
    expect(
      text
        .split(' + ')
        .reduce((sum, part) => sum + part.split(' * ').reduce((product, factor) => product * Number(factor), 1), 0),
    ).toBeCloseTo(costOf(quantities).total + fixed / (365 / 12), 6);
  });

  test('counts the days of this month only', () => {
    const metrics = titled('Estimated cost of this month');
    expect(metrics?.start).toBe('-P31D');
    expect(JSON.stringify(metrics?.metrics)).toContain('RUNNING_SUM(IF(EPOCH(spent) > MAX(EPOCH(spent)) - 86400');
  });
});
