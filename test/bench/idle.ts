import { cleanupPartitions, duePartitions } from '../../shared/store/dynamodb/keys.ts';
import type { Assembly, Resource, Template } from '../support/local/assembly.ts';
import { assumptions, MONTH_DAYS } from './cost-model.ts';
import { add, type Quantities } from './prices.ts';

/** Computes the cost of an idle deployment from its templates. Every resource type has a price or is listed as free. */

/** One line of the monthly bill. */
export interface IdleLine {
  readonly what: string;
  readonly quantities: Quantities;
}

/** Minimum resource use of a scheduled invocation that finds no work. */
interface IdleCall {
  readonly readUnits: number;
  readonly milliseconds: number;
}

const MINUTES = MONTH_DAYS * 24 * 60;
const periods: Readonly<Record<string, number>> = { minute: 1, hour: 60, day: 24 * 60 };

/** Computes the runs per month of a schedule. @throws RangeError when the schedule is not a rate expression. */
const runsOf = (schedule: string): number => {
  const [, count, period = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(schedule) ?? [];
  const minutes = periods[period];
  if (count === undefined || minutes === undefined)
    throw new RangeError(`The schedule ${schedule} is not a rate expression`);
  return MINUTES / (Number(count) * minutes);
};

/** `cleanup` queries the partitions of the index `due` in sequence; `state-retention` scans an empty index. */
const idleCalls: Readonly<Record<string, IdleCall>> = {
  cleanup: {
    readUnits: 0.5 * (duePartitions.length + cleanupPartitions.length),
    milliseconds: assumptions.roundMilliseconds * (duePartitions.length + cleanupPartitions.length),
  },
  'state-retention': { readUnits: 0.5, milliseconds: assumptions.roundMilliseconds },
};
const OWN_MILLISECONDS = 10;

type Pricing = (resource: Resource, template: Template) => IdleLine | undefined;

const alarmLine: Pricing = ({ Properties: { Metrics } }) => {
  const watched = (Metrics as { MetricStat?: object }[] | undefined)?.filter(
    ({ MetricStat }) => MetricStat !== undefined,
  );
  return { what: 'alarm metrics', quantities: { alarmMetrics: watched?.length ?? 1 } };
};

interface Insights {
  readonly ContributorInsightsSpecification?: { readonly Enabled: boolean; readonly Mode?: string };
}

/** Counts Contributor Insights rules: a table or index with a sort key has two for throttled and two for accessed keys. */
const rulesOf = ({ ContributorInsightsSpecification: insights }: Insights): number => {
  if (!insights?.Enabled) return 0;
  return insights.Mode === 'THROTTLED_KEYS' ? 2 : 4;
};

const tableLine: Pricing = ({ Properties: { Replicas } }) => {
  const replicas = Replicas as (Insights & { readonly GlobalSecondaryIndexes?: readonly Insights[] })[];
  const all = replicas.flatMap((replica) => [replica, ...(replica.GlobalSecondaryIndexes ?? [])]);
  return {
    what: 'Contributor Insights rules',
    quantities: { contributorRules: all.reduce((sum, one) => sum + rulesOf(one), 0) },
  };
};

/** Instances that are kept warm. Their invocations cost a little less than others, which the model leaves out. */
const aliasLine: Pricing = ({ Properties: { FunctionName, ProvisionedConcurrencyConfig: warm } }, { Resources }) => {
  const megabytes = Resources[FunctionName.Ref]?.Properties.MemorySize;
  const provisioned = warm.ProvisionedConcurrentExecutions * (megabytes / 1_024) * MINUTES * 60;
  return { what: 'provisioned concurrency', quantities: { provisioned } };
};

const scheduleLine: Pricing = ({ Properties: { ScheduleExpression, Targets } }, { Resources }) => {
  // Rules for bus events cost nothing at idle.
  if (ScheduleExpression === undefined) return undefined;
  const [{ Arn }] = Targets as [{ readonly Arn: { readonly 'Fn::GetAtt': readonly [string] } }];
  const target = Resources[Arn['Fn::GetAtt'][0]]?.Properties;
  const name = String(target?.FunctionName).replace(/^(holdfast|second)-/, '');
  // Commands of automations do work, so they are no idle cost.
  if (name === 'automation') return undefined;
  const call = idleCalls[name];
  if (call === undefined)
    throw new RangeError(`Add the idle resource use of ${name} to idleCalls in test/bench/idle.ts`);
  const runs = runsOf(ScheduleExpression);
  const seconds = (call.milliseconds + OWN_MILLISECONDS) / 1_000;
  return {
    what: 'scheduled functions',
    quantities: {
      invocations: runs,
      computing: runs * (target?.MemorySize / 1_024) * seconds,
      readUnits: runs * call.readUnits,
      logs: (runs * assumptions.logBytes) / 10 ** 9,
      // X-Ray traces every request below one per second.
      ...(target?.TracingConfig?.Mode === 'Active' && { traces: runs }),
      // DynamoDB caches the table key for five minutes.
      keyRequests: Math.min(runs, MINUTES / 5),
    },
  };
};

/** Resource types that are free or charged only by use. */
const free = [
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::ApiMapping',
  'AWS::ApiGatewayV2::DomainName',
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::ApiGatewayV2::Stage',
  'AWS::Events::Archive',
  'AWS::Events::EventBus',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Lambda::EventInvokeConfig',
  // Lambda's calls to the stream of a table are free.
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Version',
  'AWS::Logs::LogGroup',
  // The metric of the filter is charged only for hours in which a line matches.
  'AWS::Logs::MetricFilter',
  'AWS::Lambda::LayerVersion',
  // The hosted zone belongs to the operator. Queries for alias records are free.
  'AWS::Route53::RecordSet',
  'AWS::S3::Bucket',
  'AWS::S3::BucketPolicy',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::Queue',
  'AWS::SQS::QueuePolicy',
  // Standard parameters are free.
  'AWS::SSM::Parameter',
] as const;

const nothing: Pricing = () => undefined;
const pricing: Readonly<Record<string, Pricing>> = {
  ...Object.fromEntries(free.map((type) => [type, nothing])),
  'AWS::CloudWatch::Alarm': alarmLine,
  'AWS::CloudWatch::Dashboard': () => ({ what: 'dashboard', quantities: { dashboards: 1 } }),
  'AWS::DynamoDB::GlobalTable': tableLine,
  'AWS::Events::Rule': scheduleLine,
  'AWS::Lambda::Alias': aliasLine,
  'AWS::KMS::Key': () => ({ what: 'KMS keys', quantities: { keys: 1 } }),
};

/**
 * Computes the bill of a month without requests, grouped by reason.
 * @throws RangeError when a resource type has no price.
 */
export const idleLines = ({
  data,
  events,
  api,
  observability,
}: Pick<Assembly, 'data' | 'events' | 'api' | 'observability'>): IdleLine[] => {
  const lines = [data, events, api, observability].flatMap((template) =>
    Object.values(template.Resources).flatMap((resource) => {
      const price = pricing[resource.Type];
      if (price === undefined)
        throw new RangeError(`The resource type ${resource.Type} has no price in test/bench/idle.ts`);
      return price(resource, template) ?? [];
    }),
  );
  return [...Map.groupBy(lines, ({ what }) => what)].map(([what, some]) => ({
    what,
    quantities: add(...some.map(({ quantities }) => quantities)),
  }));
};
