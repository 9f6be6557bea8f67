import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { type FunctionName, functionNames, memberFunctionNames } from '../../shared/runtime/environment.ts';
import { indexNames } from '../../shared/store/dynamodb/table-definition.ts';
import { acknowledge } from '../constructs/acknowledge.ts';
import { type AlarmKind, type AlarmKindName, alarmKinds } from '../constructs/alarms.ts';
import { createDashboard } from '../constructs/dashboard.ts';
import { accessLogName, deployedName, timeoutSeconds } from '../constructs/function.ts';
import { streamReaders } from '../constructs/permissions.ts';
import { publishValues } from '../constructs/published-values.ts';
import type { Settings } from '../settings/settings.ts';
import type { ServedTable } from './data-stack.ts';
import type { ServedQueue } from './events-stack.ts';

export interface ObservabilityStackProps extends StackProps {
  readonly settings: Settings;
  readonly table: ServedTable;
  readonly deadLetters: ServedQueue;
  readonly api: HttpApi;
}

/**
 * Condition of an alarm: the metric is above `above` in `of` out of `outOf` periods. Without `above`, the metric has no data
 * in any of them after it had some: a new deployment has none.
 */
interface AlarmCondition {
  /** Replaces the placeholder in the name of the kind. */
  readonly subject?: string;
  readonly metric: IMetric;
  /** Meaning and action, if they differ from the defaults of the kind. */
  readonly description?: AlarmKind;
  readonly above?: number;
  readonly of?: number;
  readonly outOf?: number;
}

const period = Duration.minutes(5);
/** All functions of the API have the same timeout. */
const SLOW_MILLIS = 0.8 * 1_000 * timeoutSeconds('workspaces');
/** Errors of DynamoDB when it may not use the key of a table, as a regular expression of CloudWatch Logs. */
const DENIED = 'AccessDeniedException|KMS[A-Za-z]+Exception';
/** Age of the oldest unread stream record that raises an alarm. */
const BEHIND_MILLIS = 10 * 60_000;

const createTableMetrics = (table: ServedTable) => {
  const tableMetric = (metricName: string, more: Record<string, string> = {}) =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: table.name, ...more },
      statistic: 'Sum',
      period,
    });
  const throttled = (label: string, more: Record<string, string> = {}) =>
    new MathExpression({
      expression: 'FILL(reads, 0) + FILL(writes, 0)',
      usingMetrics: {
        reads: tableMetric('ReadThrottleEvents', more),
        writes: tableMetric('WriteThrottleEvents', more),
      },
      label,
      period,
    });
  const throttles = throttled('throttled');
  const conflicts = tableMetric('TransactionConflict');
  const systemErrors = overOperations('system errors', (Operation) => tableMetric('SystemErrors', { Operation }));

  return { tableMetric, throttled, throttles, conflicts, systemErrors };
};

const createMetrics = (scope: Construct, { settings, table, deadLetters, api }: ObservabilityStackProps) => {
  const functionMetric = (name: FunctionName, metricName: string, statistic = 'Sum') =>
    new Metric({
      ...{ namespace: 'AWS/Lambda', metricName, statistic, period, label: name },
      dimensionsMap: { FunctionName: deployedName(settings, name) },
    });
  // Without a dimension, because all functions of the account share its concurrency.
  const functionThrottles = new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', statistic: 'Sum', period });

  const requests = api.metricCount({ period, statistic: 'SampleCount', label: 'requests' });
  const clientErrors = api.metricClientError({ period, statistic: 'Sum', label: '4xx' });
  const serverErrors = api.metricServerError({ period, statistic: 'Sum', label: '5xx' });

  const fromErrors = (expression: string, label: string) =>
    new MathExpression({ expression, usingMetrics: { errors: serverErrors, requests }, label, period });
  // Below 20 requests, one error would be a high rate.
  const serverErrorRate = fromErrors('IF(requests >= 20, 100 * errors / requests, 0)', '5xx in percent');
  const fewServerErrors = fromErrors('IF(requests < 20, errors, 0)', '5xx');

  const latency = (statistic: string) => api.metricLatency({ period, statistic, label: statistic });

  // DynamoDB has no metric for its key. `cleanup` reads the table every minute, and Lambda logs the error.
  const deniedRequests = new MetricFilter(scope, 'TableKeyDenied', {
    logGroup: LogGroup.fromLogGroupName(scope, 'CleanupLogs', `/aws/lambda/${deployedName(settings, 'cleanup')}`),
    filterPattern: FilterPattern.literal(`%${DENIED}%`),
    metricNamespace: `Holdfast/${settings.name}`,
    metricName: 'TableKeyDenied',
    metricValue: '1',
  }).metric({ statistic: 'Sum', period });

  // CloudWatch creates these metrics from log lines (`rejectionMetric`, `breakGlassMetric`).
  const countedInLogs = (metricName: string, label: string) =>
    new Metric({
      ...{ namespace: 'Holdfast', metricName, statistic: 'Sum', period, label },
      dimensionsMap: { Deployment: settings.name },
    });
  const rejections = countedInLogs('RefusedAttempts', 'refused attempts');
  const breakGlassUses = countedInLogs('BreakGlassUses', 'break-glass commands');
  const deadLetterCount = new Metric({
    namespace: 'AWS/SQS',
    metricName: 'ApproximateNumberOfMessagesVisible',
    dimensionsMap: { QueueName: deadLetters.name },
    statistic: 'Maximum',
    period,
    label: 'dead letters',
  });
  const ages = streamReaders.map((name) => functionMetric(name, 'IteratorAge', 'Maximum'));

  return {
    functionMetric,
    functionThrottles,
    requests,
    clientErrors,
    serverErrors,
    serverErrorRate,
    fewServerErrors,
    latency,
    ...createTableMetrics(table),
    deniedRequests,
    rejections,
    breakGlassUses,
    deadLetterCount,
    ages,
  };
};

/** The stack with the alarms, their topic, and an optional dashboard. */
export class ObservabilityStack extends Stack {
  constructor(scope: Construct, id: string, props: ObservabilityStackProps) {
    super(scope, id, props);
    const { settings } = props;
    const topic = alarmTopic(this, settings);
    const deployed: readonly FunctionName[] = [
      ...functionNames.filter((name) => name !== 'console' || settings.console),
      ...(settings.hubBusArn === undefined ? [] : memberFunctionNames),
    ];
    publishValues(this, settings, { 'alarm-topic-arn': topic.topicArn });

    const metrics = createMetrics(this, props);
    const { functionMetric, latency, throttled, throttles, conflicts, deadLetterCount, ages } = metrics;

    // A kind of alarm without a condition is a type error.
    const conditions: Readonly<Record<AlarmKindName, readonly AlarmCondition[]>> = {
      '<function>-errors': deployed.map((name) => ({
        subject: name,
        metric: functionMetric(name, 'Errors'),
        above: 0,
      })),
      'functions-throttles': [{ metric: metrics.functionThrottles, above: 0, of: 2, outOf: 3 }],
      'api-server-errors': [{ metric: metrics.serverErrorRate, above: 1, of: 2, outOf: 3 }],
      'api-few-server-errors': [{ metric: metrics.fewServerErrors, above: 0 }],
      '<job>-not-run': [
        { subject: 'cleanup', metric: functionMetric('cleanup', 'Invocations'), of: 3 },
        {
          subject: 'state-retention',
          metric: functionMetric('state-retention', 'Invocations').with({ period: Duration.hours(6) }),
          of: 5,
        },
      ],
      'api-slow': [{ metric: latency('p99'), above: SLOW_MILLIS, of: 2, outOf: 3 }],
      'table-throttles': [{ metric: throttles, above: 0, of: 2, outOf: 3 }],
      'table-system-errors': [{ metric: metrics.systemErrors, above: 0, of: 2, outOf: 3 }],
      // Single conflicts are normal and are retried. A hundred in each of three periods are a bottleneck.
      'table-conflicts': [{ metric: conflicts, above: 100, of: 3 }],
      'index-<index>-throttles': indexNames.map((index) => ({
        subject: index,
        metric: throttled(`throttled on ${index}`, { GlobalSecondaryIndexName: index }),
        above: 0,
        of: 2,
        outOf: 3,
      })),
      'table-key-denied': [{ metric: metrics.deniedRequests, above: 0 }],
      'break-glass-used': [{ metric: metrics.breakGlassUses, above: 0 }],
      'dead-letters': [{ metric: deadLetterCount, above: 0 }],
      '<reader>-behind': streamReaders.map((name, position) => ({
        subject: name,
        metric: ages[position] as Metric,
        above: BEHIND_MILLIS,
        of: 2,
      })),
    };
    for (const [kind, each] of Object.entries(conditions))
      for (const condition of each) createAlarm(this, settings.name, topic, kind as AlarmKindName, condition);

    if (!settings.dashboard) return;
    createDashboard(this, {
      ...metrics,
      ...{ name: settings.name, functions: deployed, deadLetters: deadLetterCount },
      logGroupName: (name) =>
        name === undefined ? accessLogName(settings) : `/aws/lambda/${deployedName(settings, name)}`,
      alarmMetrics: Object.values(conditions)
        .flat()
        .reduce((sum, { metric }) => sum + watchedMetrics(metric), 0),
    });
  }
}

/** Creates an alarm that notifies the topic when it starts, when it ends, and when expected data is missing. */
export const createAlarm = (
  stack: Stack,
  deployment: string,
  topic: ITopic,
  kind: AlarmKindName,
  { subject = '', metric, description, above, of = 1, outOf = of }: AlarmCondition,
): void => {
  const name = kind.replace(/<\w+>/, subject);
  const { means, act } = description ?? alarmKinds[kind];
  const alarm = new Alarm(stack, name, {
    alarmName: `${deployment}-${name}`,
    alarmDescription: `${means} ${act}`,
    metric,
    ...(above === undefined
      ? {
          // A period with data has at least one invocation.
          threshold: 0,
          comparisonOperator: ComparisonOperator.LESS_THAN_OR_EQUAL_TO_THRESHOLD,
          treatMissingData: TreatMissingData.MISSING,
        }
      : {
          threshold: above,
          comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
          treatMissingData: TreatMissingData.NOT_BREACHING,
        }),
    datapointsToAlarm: of,
    evaluationPeriods: outOf,
  });
  alarm.addAlarmAction(new SnsAction(topic));
  if (above === undefined) alarm.addInsufficientDataAction(new SnsAction(topic));
  alarm.addOkAction(new SnsAction(topic));
};

/** Counts the metrics that an alarm on a metric watches. Each is billed. */
const watchedMetrics = (metric: IMetric): number =>
  metric instanceof MathExpression ? Object.keys(metric.usingMetrics).length : 1;

/** Operations whose system errors raise an alarm. Every request of the service uses at least one of them. */
const operations = ['GetItem', 'Query', 'UpdateItem', 'TransactWriteItems'];

/** Adds up a metric of a table that exists only for single operations. */
const overOperations = (label: string, metricOf: (operation: string) => Metric): MathExpression => {
  const metrics = operations.map((operation, position) => [`m${position}`, metricOf(operation)] as const);
  return new MathExpression({
    expression: metrics.map(([id]) => `FILL(${id}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(metrics),
    label,
    period,
  });
};

/** Returns the topic in the settings, or creates a topic that only alarms of this account can publish to. */
export const alarmTopic = (
  stack: Stack,
  { name, alarmTopicArn, alarmEmail }: Pick<Settings, 'name' | 'alarmTopicArn' | 'alarmEmail'>,
): ITopic => {
  if (alarmTopicArn !== undefined) return Topic.fromTopicArn(stack, 'Topic', alarmTopicArn);

  const topic = new Topic(stack, 'Topic', { displayName: `Alarms of ${name}`, enforceSSL: true });
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': stack.account } },
    }),
  );
  if (alarmEmail !== undefined) {
    topic.addSubscription(new EmailSubscription(alarmEmail));
    acknowledge(topic, {
      'Serverless::Serverless-SNSRedrivePolicy':
        'An e-mail that cannot be delivered is not useful later. CloudWatch keeps the state and the history of the alarm.',
    });
  }
  return topic;
};
