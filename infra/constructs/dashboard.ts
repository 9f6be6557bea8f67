import { Aws, Duration, Fn } from 'aws-cdk-lib';
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  MathExpression,
  Metric,
  SingleValueWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { FunctionName } from '../../shared/runtime/environment.ts';
import { indexNames } from '../../shared/store/dynamodb/table-definition.ts';
import { type PriceName, prices } from '../settings/prices.ts';
import { memoryMegabytes } from './function.ts';

export interface DashboardProps {
  readonly name: string;
  /** The functions that are deployed. */
  readonly functions: readonly FunctionName[];
  readonly requests: IMetric;
  readonly clientErrors: IMetric;
  readonly serverErrors: IMetric;
  readonly latency: (statistic: string) => IMetric;
  readonly functionMetric: (name: FunctionName, metricName: string, statistic?: string) => Metric;
  readonly tableMetric: (metricName: string, dimensions?: Record<string, string>) => Metric;
  readonly throttles: IMetric;
  readonly conflicts: IMetric;
  readonly deadLetters: IMetric;
  readonly rejections: IMetric;
  readonly ages: IMetric[];
  /** Name of the log group of the function, or of the access log without a function. */
  readonly logGroupName: (name?: FunctionName) => string;
  /** Number of metrics that alarms watch. */
  readonly alarmMetrics: number;
}

const DAY = Duration.days(1);
/** Days of an average month. */
const MONTH_DAYS = 365 / 12;

/**
 * Creates the dashboard: traffic, errors, latency by route, rejected locks, capacity units, cost of the month so far, rejected
 * attempts.
 */
export const createDashboard = (scope: Construct, props: DashboardProps): Dashboard => {
  const { functions, functionMetric, tableMetric, latency, logGroupName } = props;
  const size = { width: 8, height: 6 };
  const graph = (title: string, ...left: IMetric[]): IWidget => new GraphWidget({ title, left, ...size });
  const query = (title: string, view: LogQueryVisualizationType, ...queryLines: string[]): IWidget =>
    new LogQueryWidget({ title, view, queryLines, logGroupNames: [logGroupName()], ...size, width: 12 });
  const indexMetric = (metricName: string) =>
    indexNames.map((index) => tableMetric(metricName, { GlobalSecondaryIndexName: index }).with({ label: index }));
  const units = (metricName: string) => [tableMetric(metricName).with({ label: 'table' }), ...indexMetric(metricName)];
  const cost = costOfMonth(props);
  const month = { start: '-P31D', ...size };

  return new Dashboard(scope, 'Dashboard', {
    // Dashboards have no region: their names are unique in an account.
    dashboardName: Fn.join('-', [props.name, Aws.REGION]),
    widgets: [
      [
        graph('Requests', props.requests),
        graph('Errors of the API', props.clientErrors, props.serverErrors),
        graph('Latency of the API (ms)', latency('p50'), latency('p99')),
      ],
      [
        query(
          'Latency by route (ms)',
          LogQueryVisualizationType.TABLE,
          'stats count(*) as requests, pct(responseLatency, 50) as p50, pct(responseLatency, 99) as p99, sum(status >= 500) as serverErrors by routeKey',
          'sort p99 desc',
          'limit 20',
        ),
        query(
          'Refused locks',
          LogQueryVisualizationType.LINE,
          // With 409, another caller holds the lock.
          'filter routeKey like /actions\\/lock$/ and status = 409',
          'stats count(*) as refused by bin(5m)',
        ),
      ],
      [
        graph('Read units of the table and its indexes', ...units('ConsumedReadCapacityUnits')),
        graph('Write units of the table and its indexes', ...units('ConsumedWriteCapacityUnits')),
        graph('Throttles and conflicts of the table', props.throttles, props.conflicts),
      ],
      [
        graph('Errors of functions', ...functions.map((name) => functionMetric(name, 'Errors'))),
        graph('Duration of functions, p99 (ms)', ...functions.map((name) => functionMetric(name, 'Duration', 'p99'))),
        graph('Age of the stream (ms)', ...props.ages),
      ],
      [
        new SingleValueWidget({ title: 'Estimated cost of this month so far (USD)', metrics: [cost], ...month }),
        new GraphWidget({ title: 'Estimated cost since the first of the month (USD)', left: [cost], ...month }),
        graph('Dead letters', props.deadLetters),
      ],
      [graph('Refused attempts', props.rejections)],
    ],
  });
};

/** Dollars for one unit. */
const each = (name: PriceName): number => prices[name].dollars / prices[name].per;

/** Resources that are billed by the month: keys, Contributor Insights rules, the dashboard, and metrics of alarms. */
const fixedDollars = (alarmMetrics: number): number =>
  4 * each('keys') + 4 * each('contributorRules') + each('dashboards') + alarmMetrics * each('alarmMetrics');

/**
 * Builds the metric with the estimated cost of the month up to each day, at the prices of us-east-1. Storage, transfer, KMS
 * requests, EventBridge and X-Ray are not included, because CloudWatch has no metrics of this deployment for them.
 */
const costOfMonth = ({
  functions,
  requests,
  functionMetric,
  tableMetric,
  logGroupName,
  alarmMetrics,
}: DashboardProps): MathExpression => {
  const daily = (metric: Metric): Metric => metric.with({ period: DAY, statistic: 'Sum' });
  const numbered = (metrics: Readonly<Record<string, readonly Metric[]>>) =>
    Object.fromEntries(
      Object.entries(metrics).flatMap(([id, all]) =>
        all.map((metric, position) => [`${id}${position}`, daily(metric)]),
      ),
    );
  const places: readonly (Record<string, string> | undefined)[] = [
    undefined,
    ...indexNames.map((index) => ({ GlobalSecondaryIndexName: index })),
  ];
  const standard = functions.filter((name) => memoryMegabytes(name) === 1_024);
  const large = functions.filter((name) => !standard.includes(name));
  const logs = (name?: FunctionName) =>
    new Metric({
      namespace: 'AWS/Logs',
      metricName: 'IncomingBytes',
      dimensionsMap: { LogGroupName: logGroupName(name) },
    });
  const sum = (id: string, dollars: number): string => `SUM(METRICS("${id}")) * ${dollars}`;
  const second = each('computing') / 1_000;
  const parts = [
    `requests * ${each('httpRequests')}`,
    sum('invoked', each('invocations')),
    sum('standard', second),
    ...large.map((name, position) => `large${position} * ${(second * memoryMegabytes(name)) / 1_024}`),
    sum('read', each('readUnits')),
    sum('write', each('writeUnits')),
    sum('logged', each('logs') / 10 ** 9),
    String(fixedDollars(alarmMetrics) / MONTH_DAYS),
  ];
  const spent = new MathExpression({
    expression: parts.join(' + '),
    usingMetrics: {
      requests: (requests as Metric).with({ period: DAY }),
      ...numbered({
        invoked: functions.map((name) => functionMetric(name, 'Invocations')),
        standard: standard.map((name) => functionMetric(name, 'Duration')),
        large: large.map((name) => functionMetric(name, 'Duration')),
        read: places.map((place) => tableMetric('ConsumedReadCapacityUnits', place)),
        write: places.map((place) => tableMetric('ConsumedWriteCapacityUnits', place)),
        logged: [logs(), ...functions.map(logs)],
      }),
    },
    label: 'cost of a day',
    period: DAY,
  });
  // CloudWatch has no function for the present time, so the month is the month of the newest day. Earlier months do
  // not count.
  const dayOfMonth = 'MAX(IF(EPOCH(spent) == MAX(EPOCH(spent)), DAY(spent), 0))';
  return new MathExpression({
    expression: `RUNNING_SUM(IF(EPOCH(spent) > MAX(EPOCH(spent)) - 86400 * ${dayOfMonth}, spent, 0))`,
    usingMetrics: { spent },
    label: 'USD',
    period: DAY,
  });
};
