import { ArnFormat, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Effect, Policy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  Code,
  type IFunction,
  type IVersion,
  Function as Lambda,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionName, Variables } from '../../shared/runtime/environment.ts';
import type { Settings } from '../settings/settings.ts';
import type { ServedBucket, ServedTable } from '../stacks/data-stack.ts';
import type { ServedBus, ServedQueue } from '../stacks/events-stack.ts';
import { acknowledge } from './acknowledge.ts';
import { encryptedContexts, type FurtherAccess, furtherAccess, type TableAccess, tableAccess } from './permissions.ts';

/** A function's name in the account, known before it is deployed: operators and runbooks type it. */
export const deployedName = (settings: Pick<Settings, 'name'>, name: FunctionName): string =>
  `${settings.name}-${name}`;

/** How long a function may run and how much memory it has. */
interface Size {
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
}

/** An HTTP call must end below the 30 s of API Gateway. */
const usualSize: Size = { timeoutSeconds: 20, memoryMegabytes: 1024 };

/** Functions on no route may have much to read. */
const otherSizes: { readonly [F in FunctionName]?: Partial<Size> } = {
  admin: { timeoutSeconds: 60 },
  cleanup: { timeoutSeconds: 60 },
  publish: { timeoutSeconds: 60 },
  'state-retention': { timeoutSeconds: 900 },
  // All rows of an organization, however many, in memory twice.
  'list-index-snapshots': { timeoutSeconds: 300, memoryMegabytes: 3008 },
  // It waits for others, and for what is busy.
  automation: { timeoutSeconds: 60 },
  // A state of 100 MB is read in one go.
  'state-content': { timeoutSeconds: 120 },
};

const sizeOf = (name: FunctionName): Size => ({ ...usualSize, ...otherSizes[name] });
export const timeoutSeconds = (name: FunctionName): number => sizeOf(name).timeoutSeconds;
export const memoryMegabytes = (name: FunctionName): number => sizeOf(name).memoryMegabytes;

/** What functions work with, by what their permissions and variables need of it. */
export interface ConfigurationContext {
  readonly table: ServedTable;
  readonly bucket: ServedBucket;
  readonly bus: ServedBus;
  readonly deadLetters: ServedQueue;
  /** The key that secrets are encrypted under, for functions that do so. */
  readonly secretsKeyArn: string;
}

interface HoldfastFunctionProps<F extends FunctionName> {
  readonly name: F;
  /** The folder with the bundled `index.mjs`. */
  readonly code: string;
  /** Exactly what the function reads at its start; a missing variable does not compile. */
  readonly environment: Variables<F>;
  readonly configurationContext: ConfigurationContext;
  readonly settings: Settings;
}

/** One Lambda function with a role and a log group of its own, and the permissions of `permissions.ts`. */
export class HoldfastFunction<F extends FunctionName> extends Construct {
  readonly function: Lambda;
  /** What callers invoke: the function, or its alias where instances are kept warm. */
  readonly invoked: IFunction;

  constructor(scope: Construct, id: string, props: HoldfastFunctionProps<F>) {
    super(scope, id);
    const { name, code, environment, configurationContext, settings } = props;
    const functionName = deployedName(settings, name);

    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: settings.logRetentionDays,
      // The name is fixed: a log group left behind would stop the next deployment. Data is kept, logs are not data.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Role', {
      description: `What ${functionName} may do`,
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    logGroup.grantWrite(role);
    for (const statement of tableStatements(
      this,
      tableAccess[name],
      furtherAccess[name]?.readsStream === true,
      configurationContext.table,
    ))
      role.addToPrincipalPolicy(statement);
    for (const statement of encryptionStatements(encryptedContexts[name], configurationContext.secretsKeyArn))
      role.addToPrincipalPolicy(statement);
    for (const statement of furtherStatements(this, furtherAccess[name], configurationContext, settings))
      role.addToPrincipalPolicy(statement);
    const objects = objectStatements(this, furtherAccess[name], configurationContext.bucket);
    const further = objects.length > 0 ? [new Policy(this, 'Objects', { roles: [role], statements: objects })] : [];
    for (const policy of further)
      acknowledge(
        policy,
        Object.fromEntries(
          Object.keys(furtherAccess[name]?.objects ?? {}).map((prefix) => [
            `AwsSolutions::AwsSolutions-IAM5[Resource::${configurationContext.bucket.exportName}/${prefix}*]`,
            'The names of objects are made of ids: their kind, which the key begins with, is what can be known of them here.',
          ]),
        ),
      );

    // A policy of its own, so that no other statement hides behind what is acknowledged here.
    const tracing = new Policy(this, 'Tracing', {
      roles: [role],
      statements: [
        new PolicyStatement({
          effect: Effect.ALLOW,
          actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
          resources: ['*'],
        }),
      ],
    });
    acknowledge(tracing, {
      'AwsSolutions::AwsSolutions-IAM5[Resource::*]':
        'X-Ray has no resources that these two actions could be limited to.',
    });

    const reserved = settings.reservedConcurrency[name];
    this.function = new Lambda(this, 'Function', {
      functionName,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(code),
      handler: 'index.handler',
      memorySize: sizeOf(name).memoryMegabytes,
      timeout: Duration.seconds(timeoutSeconds(name)),
      environment: { ...environment },
      // The role is complete: the construct would add its own statement for X-Ray to the policy for the table.
      role: role.withoutPolicyUpdates(),
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      tracing: Tracing.ACTIVE,
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
    });

    // Lambda refuses to create a traced function whose role may not write traces yet, or a reader of a stream likewise.
    this.function.node.addDependency(role, tracing, ...further);
    acknowledge(this.function, {
      'Serverless::Serverless-LambdaDLQ':
        'A failure is the answer to the caller; what is invoked with events has a destination for failures, which says more.',
    });

    const warm = settings.provisionedConcurrency[name];
    // The casts: the library's classes declare optional members that its interfaces forbid to be undefined.
    this.invoked =
      warm === undefined
        ? this.function
        : (new Alias(this, 'Warm', {
            aliasName: 'warm',
            version: this.function.currentVersion as IVersion,
            provisionedConcurrentExecutions: warm,
          }) as IFunction);
  }
}

/** The statements for a function's calls to the table; none where it makes none. */
const tableStatements = (
  scope: Construct,
  access: TableAccess,
  readsStream: boolean,
  table: ServedTable,
): PolicyStatement[] => {
  const allow = (actions: readonly string[], resource: string) =>
    actions.length === 0
      ? []
      : [
          new PolicyStatement({
            effect: Effect.ALLOW,
            actions: actions.map((action) => `dynamodb:${action}`),
            resources: [resource],
          }),
        ];
  const given = [
    ...allow(access.table, table.arn),
    ...Object.entries(access.indexes ?? {}).flatMap(([index, actions]) =>
      allow(actions, `${table.arn}/index/${index}`),
    ),
    ...allow(readsStream ? streamActions : [], table.streamArn),
  ];
  if (given.length === 0) return [];
  return [
    ...given,
    // DynamoDB opens the table's key in the name of whoever calls it, for reads and for writes alike, and of whoever
    // reads its stream. Nobody may use the key but through DynamoDB.
    new PolicyStatement({
      effect: Effect.ALLOW,
      actions: ['kms:Decrypt', 'kms:DescribeKey'],
      resources: [table.keyArn],
      conditions: { StringEquals: { 'kms:ViaService': `dynamodb.${Stack.of(scope).region}.amazonaws.com` } },
    }),
  ];
};

/** What Lambda does with a stream in the name of the function that it invokes with it. */
const streamActions = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'];

/** The statements for encrypting under the key of the secrets, in the function's own contexts and no others. */
const encryptionStatements = (
  contexts: readonly Readonly<Record<string, string>>[] | undefined,
  keyArn: string,
): PolicyStatement[] =>
  (contexts ?? []).map(
    (context) =>
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: ['kms:GenerateDataKey'],
        resources: [keyArn],
        conditions: {
          'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': Object.keys(context) },
          StringLike: Object.fromEntries(
            Object.entries(context).map(([key, form]) => [`kms:EncryptionContext:${key}`, form]),
          ),
        },
      }),
  );

/** The statements for what a function does beside the table, its objects apart. */
const furtherStatements = (
  scope: Construct,
  { putsEvents, sendsDeadLetters, invokes = [] }: FurtherAccess = {},
  { bus, deadLetters }: ConfigurationContext,
  settings: Settings,
): PolicyStatement[] => {
  const allow = (actions: readonly string[], ...resources: readonly string[]) =>
    new PolicyStatement({ effect: Effect.ALLOW, actions: [...actions], resources: [...resources] });
  const arnOf = (name: FunctionName) =>
    Stack.of(scope).formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName: deployedName(settings, name),
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  return [
    ...(putsEvents ? [allow(['events:PutEvents'], bus.arn)] : []),
    ...(sendsDeadLetters ? [allow(['sqs:SendMessage'], deadLetters.arn)] : []),
    ...(invokes.length > 0 ? [allow(['lambda:InvokeFunction'], ...invokes.map(arnOf))] : []),
  ];
};

/** The statements for a function's objects, and for the bucket's key, which S3 uses in the name of whoever calls it. */
const objectStatements = (
  scope: Construct,
  { objects = {} }: FurtherAccess = {},
  bucket: ServedBucket,
): PolicyStatement[] => {
  const allow = (actions: readonly string[], resource: string, conditions: object = {}) =>
    actions.length === 0
      ? []
      : [new PolicyStatement({ effect: Effect.ALLOW, actions: [...actions], resources: [resource], conditions })];
  const isListing = (action: string) => action.startsWith('ListBucket');
  const given = Object.values(objects).flat();
  const keyActions = [
    ...(given.some((action) => action.startsWith('GetObject')) ? ['kms:Decrypt'] : []),
    ...(given.includes('PutObject') ? ['kms:GenerateDataKey'] : []),
  ];
  return [
    ...Object.entries(objects).flatMap(([prefix, actions]) => {
      const [listing, others] = [actions.filter(isListing), actions.filter((action) => !isListing(action))];
      return [
        ...allow(
          others.map((action) => `s3:${action}`),
          `${bucket.arn}/${prefix}*`,
        ),
        ...allow(
          listing.map((action) => `s3:${action}`),
          bucket.arn,
          // Asked for one object, S3 knows of no prefix.
          { StringLikeIfExists: { 's3:prefix': `${prefix}*` } },
        ),
      ];
    }),
    ...allow(keyActions, bucket.keyArn, {
      StringEquals: { 'kms:ViaService': `s3.${Stack.of(scope).region}.amazonaws.com` },
    }),
  ];
};
