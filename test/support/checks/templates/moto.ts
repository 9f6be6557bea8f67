import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deployedName } from '../../../../infra/constructs/function.ts';
import { type PublishedName, parameterName, publishedValues } from '../../../../infra/constructs/published-values.ts';
import { functionNames } from '../../../../shared/runtime/environment.ts';
import { indexes, streamView, tableKeys } from '../../../../shared/store/dynamodb/table-definition.ts';

const program = join(import.meta.dirname, 'create-stacks.py');

/**
 * Resource types of the templates of the example app that moto cannot create. They are left out. moto also ignores the time to
 * live of the table, and the versions and the life cycle of the bucket.
 */
export const gaps: readonly string[] = [
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::ApiMapping',
  'AWS::ApiGatewayV2::DomainName',
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::ApiGatewayV2::Stage',
  'AWS::CertificateManager::Certificate',
  'AWS::CloudWatch::Alarm',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Logs::MetricFilter',
  'AWS::S3::BucketPolicy',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
];

/** A stack and its template. */
interface Stack {
  readonly name: string;
  readonly file: string;
}

interface Key {
  readonly AttributeName: string;
}

/** Output of `create-stacks.py`: what exists in moto after all stacks were created. */
interface Created {
  readonly stacks: readonly {
    readonly name: string;
    readonly status: string;
    /** Types that moto does not know. */
    readonly leftOut: readonly string[];
    /** Logical ids of resources that moto should have created. */
    readonly missing: readonly string[];
    readonly created: number;
  }[];
  readonly tables: readonly {
    readonly TableName: string;
    readonly KeySchema: readonly Key[];
    readonly GlobalSecondaryIndexes: readonly { readonly IndexName: string; readonly KeySchema: readonly Key[] }[];
    readonly StreamSpecification: { readonly StreamViewType: string };
    readonly DeletionProtectionEnabled: boolean;
  }[];
  readonly buckets: readonly { readonly name: string; readonly encryption: unknown }[];
  readonly functions: readonly {
    readonly name: string;
    readonly role: string;
    readonly variables: Readonly<Record<string, string>>;
  }[];
  readonly roles: readonly string[];
  /** SSM parameters below `/holdfast`. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly buses: readonly string[];
  readonly queues: readonly string[];
}

/** The parts of the manifest of a cloud assembly that this check reads. */
interface Manifest {
  readonly artifacts: Readonly<
    Record<
      string,
      {
        readonly type: string;
        readonly properties?: { readonly stackName?: string; readonly templateFile: string };
        readonly dependencies?: readonly string[];
      }
    >
  >;
}

/** Lists the stacks of a cloud assembly, each after those that it depends on. */
const stacksInOrder = (assembly: string): readonly Stack[] => {
  const { artifacts } = JSON.parse(readFileSync(join(assembly, 'manifest.json'), 'utf8')) as Manifest;
  const ordered = new Map<string, Stack>();
  const add = (id: string): void => {
    const { type, properties, dependencies = [] } = artifacts[id] ?? { type: '' };
    if (type !== 'aws:cloudformation:stack' || properties === undefined || ordered.has(id)) return;
    for (const dependency of dependencies) add(dependency);
    ordered.set(id, { name: properties.stackName ?? id, file: join(assembly, properties.templateFile) });
  };
  for (const id of Object.keys(artifacts)) add(id);
  return [...ordered.values()];
};

/**
 * Creates the stacks of a cloud assembly in moto, and compares what exists with what the service needs.
 *
 * @param commands the folder of the Python commands.
 * @param deployments the names of the deployments in the assembly.
 * @returns the problems, and the number of resources that were created.
 */
export const createStacks = (
  commands: string,
  assembly: string,
  deployments: readonly string[],
): { readonly problems: readonly string[]; readonly resources: number } => {
  const input = JSON.stringify(stacksInOrder(assembly));
  const output = execFileSync(join(commands, 'python'), [program], { input, encoding: 'utf8', stdio: 'pipe' });
  const created = JSON.parse(output) as Created;
  const leftOut = new Set(created.stacks.flatMap((stack) => stack.leftOut));
  const problems = [
    ...[...leftOut]
      .filter((type) => !gaps.includes(type))
      .map((type) => `moto cannot create ${type}: add it to the gaps`),
    ...gaps.filter((type) => !leftOut.has(type)).map((type) => `${type} is among the gaps of moto, but was created`),
    ...created.stacks.flatMap(({ name, status, missing }) => [
      ...(status === 'CREATE_COMPLETE' ? [] : [`moto: the stack ${name} is ${status}`]),
      ...missing.map((id) => `moto: the stack ${name} has no ${id}`),
    ]),
    ...deployments.flatMap((name) => problemsOfDeployment(created, name).map((problem) => `moto: ${name}: ${problem}`)),
  ];
  return { problems, resources: created.stacks.reduce((sum, stack) => sum + stack.created, 0) };
};

/** Compares one deployment in moto with what the service needs. */
const problemsOfDeployment = (created: Created, name: string): readonly string[] => {
  const parameter = (value: PublishedName): string | undefined => created.parameters[parameterName({ name }, value)];
  const tableName = parameter('table-name');
  const table = created.tables.find((one) => one.TableName === tableName);
  const bucket = created.buckets.find((one) => one.name === parameter('bucket-name'));
  const namesOf = (keys: readonly Key[] = []): string => keys.map((key) => key.AttributeName).join();
  const facts: Readonly<Record<string, boolean>> = {
    'the table has the keys of the table definition':
      namesOf(table?.KeySchema) === `${tableKeys.partitionKey},${tableKeys.sortKey}`,
    ...Object.fromEntries(
      Object.entries(indexes).map(([index, { partitionKey, sortKey }]) => [
        `the index ${index} has the keys of the table definition`,
        namesOf(table?.GlobalSecondaryIndexes.find((one) => one.IndexName === index)?.KeySchema) ===
          `${partitionKey},${sortKey}`,
      ]),
    ),
    'the stream has the images of the table definition': table?.StreamSpecification.StreamViewType === streamView,
    'the table is protected against deletion': table?.DeletionProtectionEnabled === true,
    'the bucket is encrypted with its key': JSON.stringify(bucket?.encryption ?? '').includes(
      `"${parameter('bucket-key-arn')}"`,
    ),
    'the published bus exists': created.buses.includes(parameter('bus-arn') ?? ''),
    'the published queue exists': created.queues.includes(parameter('dead-letters-url') ?? ''),
    ...Object.fromEntries(
      (Object.keys(publishedValues) as PublishedName[]).map((value) => [
        `the parameter ${value} exists`,
        parameter(value) !== undefined,
      ]),
    ),
    ...Object.fromEntries(
      functionNames.map((one) => {
        const found = created.functions.find((candidate) => candidate.name === deployedName({ name }, one));
        const served = found?.variables['TABLE_NAME'] ?? tableName;
        return [
          `the function ${one} has its role and the table`,
          found !== undefined && created.roles.includes(found.role) && served === tableName,
        ];
      }),
    ),
  };
  return Object.entries(facts).flatMap(([fact, isTrue]) => (isTrue ? [] : [`not true: ${fact}`]));
};
