import { ArnFormat, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { ManagedPolicy, Policy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  Code,
  type IFunction,
  type ILayerVersion,
  type IVersion,
  Function as Lambda,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionName, Variables } from '../../shared/runtime/environment.ts';
import { rejections, tokenUses } from '../../shared/store/dynamodb/table-definition.ts';
import type { Settings } from '../settings/settings.ts';
import type { ServedBucket, ServedTable } from '../stacks/data-stack.ts';
import type { ServedBus, ServedQueue } from '../stacks/events-stack.ts';
import { acknowledge } from './acknowledge.ts';
import { checksOrigin, isLimited } from './gate.ts';
import { encryptedContexts, type FurtherAccess, furtherAccess, type TableAccess, tableAccess } from './permissions.ts';

/** Builds the name of a function in AWS. It is fixed because operators and runbooks use it. */
export const deployedName = (settings: Pick<Settings, 'name'>, name: FunctionName): string =>
  `${settings.name}-${name}`;

/**
 * Builds the name of the log group of the access log. Log groups with this prefix share one entry of the resource policy of
 * the account, whose size is limited.
 */
export const accessLogName = ({ name }: Pick<Settings, 'name'>): string => `/aws/vendedlogs/${name}-api`;

interface Size {
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
}

/** Size of HTTP functions. Their timeout must be below the 30 s of API Gateway. */
const defaultSize: Size = { timeoutSeconds: 20, memoryMegabytes: 1024 };

/** Sizes of functions without a route. */
const otherSizes: { readonly [F in FunctionName]?: Partial<Size> } = {
  admin: { timeoutSeconds: 60 },
  // Sends itself a command to continue when its time is up.
  'hub-snapshot': { timeoutSeconds: 900 },
  cleanup: { timeoutSeconds: 60 },
  publish: { timeoutSeconds: 60 },
  'record-history': { timeoutSeconds: 60 },
  'state-retention': { timeoutSeconds: 900 },
  // Keeps all rows of an organization in memory twice.
  'list-index-snapshots': { timeoutSeconds: 300, memoryMegabytes: 3008 },
  // Executes one bulk job, slice by slice, and leaves the rest to the next invocation.
  'bulk-job-worker': { timeoutSeconds: 900 },
  // Waits for other functions and for locked workspaces.
  automation: { timeoutSeconds: 60 },
  // Reads a state of up to 100 MB.
  'state-content': { timeoutSeconds: 120 },
};

const sizeOf = (name: FunctionName): Size => ({ ...defaultSize, ...otherSizes[name] });
/** Returns the timeout of a function. */
export const timeoutSeconds = (name: FunctionName): number => sizeOf(name).timeoutSeconds;
/** Returns the memory of a function. */
export const memoryMegabytes = (name: FunctionName): number => sizeOf(name).memoryMegabytes;

/**
 * Functions that change the table after events, and therefore do not run during maintenance. Lambda keeps their events and
 * tries again for up to six hours, then sends them to the dead-letter queue.
 */
const pausedByMaintenance: ReadonlySet<FunctionName> = new Set([
  'automation',
  'bulk-job-worker',
  'ingest',
  'state-content',
]);

/** The resources that functions use, with the attributes that permissions and variables need. */
export interface FunctionResources {
  readonly table: ServedTable;
  readonly bucket: ServedBucket;
  readonly bus: ServedBus;
  readonly deadLetters: ServedQueue;
  /** ARN of the key that encrypts secrets. */
  readonly secretsKeyArn: string;
  /** ARN of the key under which fingerprints are computed. */
  readonly fingerprintsKeyArn: string;
}

/** The resources that functions of a hub use. */
export interface HubResources {
  readonly table: Pick<ServedTable, 'name' | 'arn' | 'keyArn'>;
  readonly deadLetters: ServedQueue;
}

/** The settings that functions depend on. The functions of a hub have only some of them. */
type FunctionSettings = Pick<Settings, 'name' | 'logRetentionDays' | 'permissionsBoundary'> &
  Partial<
    Pick<
      Settings,
      | 'maintenance'
      | 'reservedConcurrency'
      | 'provisionedConcurrency'
      | 'tokenLimit'
      | 'auditRefusals'
      | 'originSecretArns'
      | 'identityProviders'
    >
  >;

interface HoldfastFunctionProps<F extends FunctionName> {
  readonly name: F;
  /** Folder with the bundled `index.mjs`. */
  readonly code: string;
  /** Exactly the variables that the function reads when it starts. A missing variable is a type error. */
  readonly environment: Variables<F>;
  readonly resources: FunctionResources | HubResources;
  readonly settings: FunctionSettings;
  /** Layer that the function loads first where it is traced. */
  readonly tracingLayer?: ILayerVersion | undefined;
}

/**
 * A Lambda function with its own role and log group, and exactly the permissions in `permissions.ts`.
 * @example
 * new HoldfastFunction(this, 'runs', {
 *   name: 'runs',
 *   code: bundles.runs.directory,
 *   environment: { TABLE_NAME: table.name, EDITION: settings.edition },
 *   resources,
 *   settings,
 * });
 */
export class HoldfastFunction<F extends FunctionName> extends Construct {
  readonly function: Lambda;
  /** The function, or its alias if it has provisioned concurrency. */
  readonly invoked: IFunction;

  constructor(scope: Construct, id: string, props: HoldfastFunctionProps<F>) {
    super(scope, id);
    const { name, code, environment, settings, tracingLayer } = props;
    // `permissions.ts` gives the functions of a hub access to nothing but the resources that a hub has.
    const resources = props.resources as FunctionResources;
    const functionName = deployedName(settings, name);

    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: settings.logRetentionDays,
      // The name is fixed, so a retained log group would stop the next deployment. Only data is retained.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(this, 'Role', {
      description: `Permissions of ${functionName}`,
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      ...(settings.permissionsBoundary !== undefined && {
        permissionsBoundary: ManagedPolicy.fromManagedPolicyArn(this, 'Boundary', settings.permissionsBoundary),
      }),
    });
    logGroup.grantWrite(role);
    const { authenticatesAtProviders } = furtherAccess[name] ?? {};
    if (authenticatesAtProviders) allowProviderAuthentication(this, role, settings);
    for (const statement of [
      ...tableStatements(this, tableAccess[name], furtherAccess[name], resources.table, settings),
      ...encryptionStatements(encryptedContexts[name], resources.secretsKeyArn),
      ...furtherStatements(this, furtherAccess[name], resources, settings),
    ])
      role.addToPrincipalPolicy(statement);
    const { objects } = furtherAccess[name] ?? {};
    const further = objects === undefined ? [] : [bucketPolicy(this, role, objects, resources.bucket)];
    const tracing = tracingLayer === undefined ? [] : [tracingPolicy(this, role)];
    const isPaused = settings.maintenance && pausedByMaintenance.has(name);
    const reserved = isPaused ? 0 : settings.reservedConcurrency?.[name];
    this.function = new Lambda(this, 'Function', {
      functionName,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(code),
      handler: isLimited(settings, name) || checksOrigin(settings, name) ? 'gate.handler' : 'index.handler',
      memorySize: memoryMegabytes(name),
      timeout: Duration.seconds(timeoutSeconds(name)),
      environment: {
        ...environment,
        ...(tracingLayer !== undefined && { NODE_OPTIONS: '--import=/opt/tracing.mjs' }),
      },
      layers: tracingLayer === undefined ? [] : [tracingLayer],
      // Otherwise the construct would add a statement for X-Ray to the policy for the table.
      role: role.withoutPolicyUpdates(),
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      tracing: tracingLayer === undefined ? Tracing.DISABLED : Tracing.ACTIVE,
      ...(reserved !== undefined && { reservedConcurrentExecutions: reserved }),
    });

    // Lambda verifies the permissions for traces and streams when it creates the function.
    this.function.node.addDependency(role, ...tracing, ...further);
    acknowledge(this.function, {
      ...(tracingLayer === undefined && {
        'Serverless::Serverless-LambdaTracing':
          'The setting tracing turns it on. At low traffic every request is traced, which costs more than the request.',
      }),
      'Serverless::Serverless-LambdaDLQ':
        'Callers receive errors in the response. Functions that are invoked asynchronously have a failure destination, which also contains the error.',
    });

    const warm = settings.provisionedConcurrency?.[name];
    // Casts: classes of the CDK declare optional members, which its interfaces do not allow to be undefined.
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

/** Creates the statement that allows actions, unless there are none. */
const allow = (actions: readonly string[], resources: readonly string[], conditions: object = {}): PolicyStatement[] =>
  actions.length === 0 || resources.length === 0
    ? []
    : [new PolicyStatement({ actions: [...actions], resources: [...resources], conditions })];

/** Returns a function that creates the statement which allows actions of a service on a resource. */
const allowIn = (service: 's3' | 'dynamodb') => (resource: string, actions: readonly string[], conditions?: object) =>
  allow(
    actions.map((action) => `${service}:${action}`),
    [resource],
    conditions,
  );

/** Returns the condition that a key is used through another service only, with the permissions of the caller. */
const via = (scope: Construct, service: string) => ({
  StringEquals: { 'kms:ViaService': `${service}.${Stack.of(scope).region}.amazonaws.com` },
});

/** Allows a function to send traces, in a separate policy, so that the acknowledgement covers no other statement. */
const tracingPolicy = (scope: Construct, role: Role): Policy => {
  const policy = new Policy(scope, 'Tracing', {
    roles: [role],
    statements: allow(['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], ['*']),
  });
  acknowledge(policy, {
    'AwsSolutions::AwsSolutions-IAM5[Resource::*]': 'These two actions of X-Ray cannot be limited to resources.',
  });
  return policy;
};

/** Allows a function to read the secrets of identity providers, and to get tokens of AWS for them. */
const allowProviderAuthentication = (scope: Construct, role: Role, { identityProviders = [] }: FunctionSettings) => {
  const parameters = identityProviders.flatMap(({ secretParameter }) =>
    secretParameter === undefined
      ? []
      : Stack.of(scope).formatArn({ service: 'ssm', resource: 'parameter', resourceName: secretParameter.slice(1) }),
  );
  const audiences = identityProviders
    .filter(({ clientAuthentication }) => clientAuthentication === 'aws')
    .map(({ issuer }) => issuer);
  for (const statement of allow(['ssm:GetParameter'], [...new Set(parameters)])) role.addToPrincipalPolicy(statement);
  if (audiences.length === 0) return;
  const policy = new Policy(scope, 'Tokens', {
    roles: [role],
    statements: allow(['sts:GetWebIdentityToken'], ['*'], {
      'ForAllValues:StringEquals': { 'sts:IdentityTokenAudience': audiences },
      NumericLessThanEquals: { 'sts:DurationSeconds': 60 },
    }),
  });
  acknowledge(policy, {
    'AwsSolutions::AwsSolutions-IAM5[Resource::*]':
      'The action has no resource. A condition limits the tokens to the issuers of identity providers.',
  });
};

/** Creates the statements for the table and its key. */
const tableStatements = (
  scope: Construct,
  access: TableAccess,
  { readsStream, readsReplacedTable }: FurtherAccess = {},
  table: ServedTable,
  { auditRefusals = false }: FunctionSettings,
): PolicyStatement[] => {
  const allowOn = allowIn('dynamodb');
  const reports = [tokenUses.prefix, ...(auditRefusals ? [rejections.prefix] : [])].map((prefix) => `${prefix}*`);
  const onlyReports = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': reports } };
  const statements = [
    ...allowOn(table.arn, access.table),
    ...Object.entries(access.indexes ?? {}).flatMap(([index, actions]) =>
      allowOn(`${table.arn}/index/${index}`, actions),
    ),
    ...allowOn(table.arn, access.reportsTokens ? ['UpdateItem'] : [], onlyReports),
    ...allowOn(table.streamArn, readsStream ? streamActions : []),
    ...(readsReplacedTable && table.replaced ? allowOn(table.replaced.arn, ['BatchGetItem']) : []),
  ];
  // DynamoDB needs the key for reads, writes and the stream.
  const keyActions = statements.length === 0 ? [] : ['kms:Decrypt', 'kms:DescribeKey'];
  return [...statements, ...allow(keyActions, [table.keyArn], via(scope, 'dynamodb'))];
};

/** Actions of Lambda on a stream, with the permissions of the function that reads the stream. */
const streamActions = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'];

/** Creates the statements that allow encrypting secrets, only in the encryption contexts of the function. */
const encryptionStatements = (
  contexts: readonly Readonly<Record<string, string>>[] = [],
  keyArn: string,
): PolicyStatement[] =>
  contexts.flatMap((context) =>
    allow(['kms:GenerateDataKey'], [keyArn], {
      'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': Object.keys(context) },
      StringLike: Object.fromEntries(
        Object.entries(context).map(([key, form]) => [`kms:EncryptionContext:${key}`, form]),
      ),
    }),
  );

/** Creates the statements for the bus, the dead-letter queue, fingerprints and other functions. */
const furtherStatements = (
  scope: Construct,
  { putsEvents, sendsDeadLetters, computesFingerprints, invokes = [] }: FurtherAccess = {},
  { bus, deadLetters, fingerprintsKeyArn }: FunctionResources,
  settings: Pick<Settings, 'name'>,
): PolicyStatement[] => {
  const functionArn = (name: FunctionName) =>
    Stack.of(scope).formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName: deployedName(settings, name),
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  return [
    ...(putsEvents ? allow(['events:PutEvents'], [bus.arn]) : []),
    ...(computesFingerprints ? allow(['kms:GenerateMac'], [fingerprintsKeyArn]) : []),
    ...(sendsDeadLetters ? allow(['sqs:SendMessage'], [deadLetters.arn]) : []),
    ...(invokes.length > 0 ? allow(['lambda:InvokeFunction'], invokes.map(functionArn)) : []),
  ];
};

/** Allows access to objects by their prefixes, and to the key of the bucket. */
const bucketPolicy = (
  scope: Construct,
  role: Role,
  objects: NonNullable<FurtherAccess['objects']>,
  bucket: ServedBucket,
): Policy => {
  const allowOn = allowIn('s3');
  const isListing = (action: string) => action.startsWith('ListBucket');
  const allActions = Object.values(objects).flat();
  const keyActions = [
    ...(allActions.some((action) => action.startsWith('GetObject')) ? ['kms:Decrypt'] : []),
    ...(allActions.includes('PutObject') ? ['kms:GenerateDataKey'] : []),
  ];
  const statements = Object.entries(objects).flatMap(([prefix, actions]) => [
    ...allowOn(
      `${bucket.arn}/${prefix}*`,
      actions.filter((action) => !isListing(action)),
    ),
    // A request for one object has no prefix.
    ...allowOn(bucket.arn, actions.filter(isListing), { StringLikeIfExists: { 's3:prefix': `${prefix}*` } }),
  ]);
  const policy = new Policy(scope, 'Objects', {
    roles: [role],
    statements: [...statements, ...allow(keyActions, [bucket.keyArn], via(scope, 's3'))],
  });
  const reason =
    'Keys of objects contain ids that are not known at deployment. Only their prefix, the kind of object, is known.';
  const findings = Object.keys(objects).map((prefix) => `[Resource::${bucket.nameInFindings}/${prefix}*]`);
  acknowledge(policy, Object.fromEntries(findings.map((one) => [`AwsSolutions::AwsSolutions-IAM5${one}`, reason])));
  return policy;
};
