import { type Assembly, type Resource, resourcesOf, type Template, templatesOf } from '../local/assembly.ts';
import { markdownTable } from './generated-tables.ts';

/** The quotas of AWS that the templates of a deployment meet, with what the templates need of them. */

/** A quota as AWS documented it in November 2026. */
interface Quota {
  readonly service: string;
  readonly quota: string;
  readonly limit: number;
  /** Whether AWS raises the quota on request. */
  readonly isAdjustable: boolean;
  /** Measures what one deployment needs. */
  readonly measure: (assembly: Assembly) => number;
  /** Advice: the action to take before the quota is reached. */
  readonly act: string;
}

const all = (assembly: Assembly, type: string): Resource[] =>
  templatesOf(assembly).flatMap((template) => [...resourcesOf(template, type).values()]);
const most = (numbers: readonly number[]): number => Math.max(0, ...numbers);
const perGroup = <T>(values: readonly T[], key: (value: T) => string): number =>
  most([...Map.groupBy(values, key).values()].map(({ length }) => length));
const mostPerStack = (count: (template: Template) => number) => (assembly: Assembly) =>
  most(templatesOf(assembly).map(count));
/** Upper bound of the length of a resolved text: references are replaced by long names. */
const resolvedLength = (value: unknown): number =>
  JSON.stringify(value, (_, part: unknown) => {
    const isReference = typeof part === 'object' && part !== null && /^\{"(Ref|Fn::\w+)"/.test(JSON.stringify(part));
    return isReference ? 'x'.repeat(120) : part;
  }).length;

/** Sizes of the statement that Lambda adds to the policy of a function for one permission. */
const PERMISSION_BYTES = 400;

export const quotas: readonly Quota[] = [
  {
    service: 'CloudFormation',
    quota: 'resources of a stack',
    limit: 500,
    isAdjustable: false,
    measure: mostPerStack(({ Resources }) => Object.keys(Resources).length),
    act: 'Each automation adds one resource to the stack `-api`, each function about seven.',
  },
  {
    service: 'CloudFormation',
    quota: 'outputs of a stack',
    limit: 200,
    isAdjustable: false,
    measure: mostPerStack(({ Outputs = {} }) => Object.keys(Outputs).length),
    act: 'Nothing.',
  },
  {
    service: 'CloudFormation',
    quota: 'bytes of a template',
    limit: 1_000_000,
    isAdjustable: false,
    measure: mostPerStack((template) => JSON.stringify(template, undefined, 1).length),
    act: 'Nothing.',
  },
  {
    service: 'API Gateway',
    quota: 'routes of an API',
    limit: 300,
    isAdjustable: true,
    measure: (assembly) => all(assembly, 'AWS::ApiGatewayV2::Route').length,
    act: 'Nothing.',
  },
  {
    service: 'API Gateway',
    quota: 'integrations of an API',
    limit: 300,
    isAdjustable: false,
    measure: (assembly) => all(assembly, 'AWS::ApiGatewayV2::Integration').length,
    act: 'Nothing.',
  },
  {
    service: 'API Gateway',
    quota: 'regional APIs of an account in a region',
    limit: 600,
    isAdjustable: false,
    measure: (assembly) => all(assembly, 'AWS::ApiGatewayV2::Api').length,
    act: 'Divide more deployments among accounts and regions.',
  },
  {
    service: 'API Gateway',
    quota: 'requests per second of the account in a region',
    limit: 10_000,
    isAdjustable: true,
    measure: (assembly) =>
      most(
        all(assembly, 'AWS::ApiGatewayV2::Stage').map(
          ({ Properties }) => Properties.DefaultRouteSettings.ThrottlingRateLimit,
        ),
      ),
    act: 'Request more before you raise `throttling.rate`. All APIs of the account share it.',
  },
  {
    service: 'API Gateway',
    quota: 'bytes of the format of the access log',
    limit: 3_072,
    isAdjustable: false,
    measure: (assembly) =>
      most(
        all(assembly, 'AWS::ApiGatewayV2::Stage').map(({ Properties }) => Properties.AccessLogSettings.Format.length),
      ),
    act: 'Nothing.',
  },
  {
    service: 'Lambda',
    quota: 'bytes of the policy of a function',
    limit: 20_480,
    isAdjustable: false,
    measure: (assembly) =>
      PERMISSION_BYTES *
      perGroup(all(assembly, 'AWS::Lambda::Permission'), ({ Properties }) => JSON.stringify(Properties.FunctionName)),
    act: 'Nothing: automations share two permissions.',
  },
  {
    service: 'Lambda',
    quota: 'bytes of the environment of a function',
    limit: 4_096,
    isAdjustable: false,
    measure: (assembly) =>
      most(
        all(assembly, 'AWS::Lambda::Function').map(({ Properties }) => resolvedLength(Properties.Environment ?? {})),
      ),
    act: 'Nothing.',
  },
  {
    service: 'Lambda',
    quota: 'event source mappings that read the stream of a table',
    limit: 2,
    isAdjustable: false,
    measure: (assembly) =>
      perGroup(all(assembly, 'AWS::Lambda::EventSourceMapping'), ({ Properties }) =>
        JSON.stringify(Properties.EventSourceArn),
      ),
    act: 'Do not add a reader of the stream: DynamoDB throttles a third one. Use the events on the bus.',
  },
  {
    service: 'Lambda',
    quota: 'filters of an event source mapping',
    limit: 5,
    isAdjustable: true,
    measure: (assembly) =>
      most(
        all(assembly, 'AWS::Lambda::EventSourceMapping').map(
          ({ Properties }) => Properties.FilterCriteria.Filters.length,
        ),
      ),
    act: 'Nothing.',
  },
  {
    service: 'IAM',
    quota: 'roles of an account',
    limit: 1_000,
    isAdjustable: true,
    measure: (assembly) => all(assembly, 'AWS::IAM::Role').length,
    act: 'Request more for more than thirty deployments in an account.',
  },
  {
    service: 'IAM',
    quota: 'characters of all inline policies of a role',
    limit: 10_240,
    isAdjustable: false,
    measure: (assembly) =>
      most(
        [
          ...Map.groupBy(all(assembly, 'AWS::IAM::Policy'), ({ Properties }) =>
            JSON.stringify(Properties.Roles),
          ).values(),
        ].map((policies) =>
          policies.reduce((sum, { Properties }) => sum + resolvedLength(Properties.PolicyDocument), 0),
        ),
      ),
    act: 'Nothing.',
  },
  {
    service: 'DynamoDB',
    quota: 'indexes of a table',
    limit: 20,
    isAdjustable: true,
    measure: (assembly) =>
      most(
        all(assembly, 'AWS::DynamoDB::GlobalTable').map(({ Properties }) => Properties.GlobalSecondaryIndexes.length),
      ),
    act: 'Nothing.',
  },
  {
    service: 'DynamoDB',
    quota: 'projected attributes of all indexes of a table',
    limit: 100,
    isAdjustable: false,
    measure: (assembly) =>
      most(
        all(assembly, 'AWS::DynamoDB::GlobalTable').map(({ Properties }) =>
          Properties.GlobalSecondaryIndexes.reduce(
            (sum: number, { Projection }: { Projection: { NonKeyAttributes?: string[] } }) =>
              sum + (Projection.NonKeyAttributes?.length ?? 0),
            0,
          ),
        ),
      ),
    act: 'A column of the list index may need an attribute: see [upgrade](upgrade.md#replace-the-index-behind-lists). During the replacement both indexes count.',
  },
  {
    service: 'EventBridge',
    quota: 'buses of an account in a region',
    limit: 100,
    isAdjustable: true,
    measure: (assembly) => all(assembly, 'AWS::Events::EventBus').length,
    act: 'Request more for more than ninety deployments in a region.',
  },
  {
    service: 'EventBridge',
    quota: 'rules of a bus',
    limit: 300,
    isAdjustable: true,
    measure: (assembly) =>
      perGroup(all(assembly, 'AWS::Events::Rule'), ({ Properties }) =>
        JSON.stringify(Properties.EventBusName ?? 'default'),
      ),
    act: 'Each deployment has three rules on the default bus of the account, and one for each scheduled automation: request more for more than ninety deployments in a region. The other automations count on the bus of the deployment.',
  },
  {
    service: 'CloudWatch',
    quota: 'alarms of an account in a region',
    limit: 5_000,
    isAdjustable: true,
    measure: (assembly) => all(assembly, 'AWS::CloudWatch::Alarm').length,
    act: 'Request more for more than a hundred deployments in a region.',
  },
  {
    service: 'KMS',
    quota: 'keys of an account in a region',
    limit: 100_000,
    isAdjustable: true,
    measure: (assembly) => all(assembly, 'AWS::KMS::Key').length,
    act: 'Nothing.',
  },
  {
    service: 'Systems Manager',
    quota: 'standard parameters of an account in a region',
    limit: 10_000,
    isAdjustable: true,
    measure: (assembly) => all(assembly, 'AWS::SSM::Parameter').length,
    act: 'Nothing.',
  },
];

/** Share of a quota above which the test fails, so that the next feature does not meet the quota in a deployment. */
export const LARGEST_SHARE: Readonly<Record<string, number>> = {
  // Every route is a resource.
  'resources of a stack': 0.96,
  // Two of two, by design.
  'event source mappings that read the stream of a table': 1,
};
export const DEFAULT_LARGEST_SHARE = 0.85;

const number = (value: number): string => value.toLocaleString('en-US');

/** Rounds up to the next tenth of the quota, so that the page does not change with every route. */
const needed = (measured: number, limit: number): string => {
  const step = limit / 10;
  return measured < step ? 'less than 10 %' : number(Math.ceil(Math.ceil(measured / step) * step));
};

/** Renders the table of docs/operate/quotas.md. */
export const quotaTable = (assembly: Assembly): Readonly<Record<string, readonly string[]>> => ({
  quotas: markdownTable(
    ['Service', 'Quota', 'AWS allows', 'A deployment needs at most', 'What to do'],
    quotas.map(({ service, quota, limit, isAdjustable, measure, act }) => [
      service,
      quota,
      `${number(limit)}${isAdjustable ? '' : ', fixed'}`,
      needed(measure(assembly), limit),
      act,
    ]),
  ),
});
