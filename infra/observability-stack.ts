import { Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { type FunctionName, functionNames } from '../shared/env.ts';
import { indexNames } from '../shared/store/table-definition.ts';
import { acknowledge } from './acknowledge.ts';
import { type AlarmKindName, alarmKinds } from './alarms.ts';
import { deployedName, timeoutSeconds } from './constructs/function.ts';
import type { ServedTable } from './data-stack.ts';
import type { ServedQueue } from './events-stack.ts';
import { streamReaders, tableAccess } from './permissions.ts';
import type { Settings } from './settings.ts';

export interface ObservabilityStackProps extends StackProps {
  readonly settings: Settings;
  readonly table: ServedTable;
  readonly deadLetters: ServedQueue;
  readonly api: HttpApi;
}

/** When an alarm sounds: the metric above `above` in `of` periods of 5 minutes out of `outOf`. */
interface Trigger {
  readonly metric: IMetric;
  readonly above: number;
  readonly of?: number;
  readonly outOf?: number;
}

const period = Duration.minutes(5);
/** How late events may be before somebody should know. */
const BEHIND_MILLIS = 10 * 60_000;

/** Alarms, the topic they are sent to, and a dashboard. */
export class ObservabilityStack extends Stack {
  constructor(scope: Construct, id: string, { settings, table, deadLetters, api, ...props }: ObservabilityStackProps) {
    super(scope, id, props);
    const topic = alarmTopic(this, settings);

    const alarm = (kind: AlarmKindName, { metric, above, of = 1, outOf = of }: Trigger, subject = '') => {
      const name = kind.replace(/<\w+>/, subject);
      const { means, act } = alarmKinds[kind];
      const sounding = new Alarm(this, name, {
        alarmName: `${settings.name}-${name}`,
        alarmDescription: `${means} ${act}`,
        metric,
        threshold: above,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        datapointsToAlarm: of,
        evaluationPeriods: outOf,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
      sounding.addAlarmAction(new SnsAction(topic));
      sounding.addOkAction(new SnsAction(topic));
    };

    const ofFunction = (name: FunctionName, metricName: string, statistic = 'Sum') =>
      new Metric({
        namespace: 'AWS/Lambda',
        metricName,
        dimensionsMap: { FunctionName: deployedName(settings, name) },
        statistic,
        period,
        label: name,
      });
    for (const name of functionNames) {
      const slow = 0.8 * 1000 * timeoutSeconds(name);
      alarm('<function>-errors', { metric: ofFunction(name, 'Errors'), above: 0 }, name);
      alarm('<function>-throttles', { metric: ofFunction(name, 'Throttles'), above: 0, of: 2, outOf: 3 }, name);
      alarm('<function>-duration', { metric: ofFunction(name, 'Duration', 'p99'), above: slow, of: 2, outOf: 3 }, name);
    }

    const requests = api.metricCount({ period, statistic: 'SampleCount', label: 'requests' });
    const clientErrors = api.metricClientError({ period, statistic: 'Sum', label: '4xx' });
    const serverErrors = api.metricServerError({ period, statistic: 'Sum', label: '5xx' });
    alarm('api-server-errors', {
      // Below 20 requests one failure would be a high rate; the alarms of the functions see it.
      metric: new MathExpression({
        expression: 'IF(requests >= 20, 100 * errors / requests, 0)',
        usingMetrics: { errors: serverErrors, requests },
        label: '5xx in percent',
        period,
      }),
      above: 1,
      of: 2,
      outOf: 3,
    });

    const ofTable = (metricName: string, more: Record<string, string> = {}) =>
      new Metric({
        namespace: 'AWS/DynamoDB',
        metricName,
        dimensionsMap: { TableName: table.name, ...more },
        statistic: 'Sum',
        period,
      });
    const throttles = overOperations('throttled requests', (Operation) => ofTable('ThrottledRequests', { Operation }));
    const conflicts = ofTable('TransactionConflict');
    alarm('table-throttles', { metric: throttles, above: 0, of: 2, outOf: 3 });
    alarm('table-system-errors', {
      metric: overOperations('system errors', (Operation) => ofTable('SystemErrors', { Operation })),
      above: 0,
      of: 2,
      outOf: 3,
    });
    // A race that the conditions settle is normal; a hundred in five minutes, again and again, is a bottleneck.
    alarm('table-conflicts', { metric: conflicts, above: 100, of: 3 });
    for (const index of indexNames) {
      const events = (metricName: string) => ofTable(metricName, { GlobalSecondaryIndexName: index });
      const metric = new MathExpression({
        expression: 'FILL(reads, 0) + FILL(writes, 0)',
        usingMetrics: { reads: events('ReadThrottleEvents'), writes: events('WriteThrottleEvents') },
        label: `throttled on ${index}`,
        period,
      });
      alarm('index-<index>-throttles', { metric, above: 0, of: 2, outOf: 3 }, index);
    }

    const letters = new Metric({
      namespace: 'AWS/SQS',
      metricName: 'ApproximateNumberOfMessagesVisible',
      dimensionsMap: { QueueName: deadLetters.name },
      statistic: 'Maximum',
      period,
      label: 'dead letters',
    });
    alarm('dead-letters', { metric: letters, above: 0 });
    const ages = streamReaders.map((name) => ofFunction(name, 'IteratorAge', 'Maximum'));
    for (const [position, name] of streamReaders.entries())
      alarm('<reader>-behind', { metric: ages[position] as Metric, above: BEHIND_MILLIS, of: 2 }, name);

    const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 8, height: 6 });
    const eachFunction = (metricName: string, statistic?: string) =>
      functionNames.map((name) => ofFunction(name, metricName, statistic));
    new Dashboard(this, 'Dashboard', {
      dashboardName: settings.name,
      widgets: [
        [
          graph('Requests', [requests, clientErrors, serverErrors]),
          graph('Latency of the API (ms)', [
            api.metricLatency({ period, statistic: 'p50', label: 'p50' }),
            api.metricLatency({ period, statistic: 'p99', label: 'p99' }),
          ]),
          graph('Duration of functions, p99 (ms)', eachFunction('Duration', 'p99')),
        ],
        [
          graph('Errors of functions', eachFunction('Errors')),
          graph('Units of the table', [ofTable('ConsumedReadCapacityUnits'), ofTable('ConsumedWriteCapacityUnits')]),
          graph('Throttles and conflicts of the table', [throttles, conflicts]),
        ],
        [graph('Dead letters', [letters]), graph('Age of the stream (ms)', ages)],
      ],
    });
  }
}

/** The calls whose failures DynamoDB counts: those that functions may make, and the transactions made of them. */
const operations = [
  ...new Set(Object.values(tableAccess).flatMap(({ table }) => table)),
  'TransactGetItems',
  'TransactWriteItems',
].filter((operation) => operation !== 'ConditionCheckItem');

/** Some metrics of a table exist per operation only. */
const overOperations = (label: string, metricOf: (operation: string) => Metric): MathExpression => {
  const metrics = operations.map((operation, position) => [`m${position}`, metricOf(operation)] as const);
  return new MathExpression({
    expression: metrics.map(([id]) => `FILL(${id}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(metrics),
    label,
    period,
  });
};

/** The topic of the settings, or one of our own, encrypted, that only alarms of this account publish to. */
const alarmTopic = (stack: Stack, { name, alarmTopicArn, alarmEmail }: Settings): ITopic => {
  if (alarmTopicArn !== undefined) return Topic.fromTopicArn(stack, 'Topic', alarmTopicArn);

  const key = new Key(stack, 'TopicKey', {
    description: `Encrypts alarms of ${name} on their way`,
    enableKeyRotation: true,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const topic = new Topic(stack, 'Topic', { displayName: `Alarms of ${name}`, masterKey: key, enforceSSL: true });
  const alarms = {
    principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
    conditions: { StringEquals: { 'aws:SourceAccount': stack.account } },
  };
  topic.addToResourcePolicy(new PolicyStatement({ ...alarms, actions: ['sns:Publish'], resources: [topic.topicArn] }));
  // Without it an alarm changes its state and its message is dropped without a trace.
  key.addToResourcePolicy(
    new PolicyStatement({ ...alarms, actions: ['kms:Decrypt', 'kms:GenerateDataKey*'], resources: ['*'] }),
  );
  if (alarmEmail !== undefined) {
    topic.addSubscription(new EmailSubscription(alarmEmail));
    acknowledge(topic, {
      'Serverless::Serverless-SNSRedrivePolicy':
        'A message that cannot be mailed is of no use later in a queue: the alarm itself keeps its state and history.',
    });
  }
  return topic;
};
