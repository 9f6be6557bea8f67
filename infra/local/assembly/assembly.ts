import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageFrom, PlainError } from '../../command-line.ts';
import { functionArn } from '../common/arns.ts';
import { readEventResources } from './event-resources.ts';
import { requireKnownType } from './resource-types.ts';
import { type LocatedResource, Resolver, type Stack, type Template } from './template.ts';

export type FunctionDefinition = Readonly<ReturnType<typeof readFunction>>;

export interface RouteDefinition {
  /** `POST /path/{parameter}`, or `$default`. */
  readonly key: string;
  readonly functionName: string;
  /** Time after which API Gateway responds with 503, in milliseconds. */
  readonly timeoutMillis: number;
}

/** `AWS::ApiGatewayV2::Api.CorsConfiguration`. */
export interface CorsDefinition {
  readonly AllowOrigins?: readonly string[];
  readonly AllowMethods?: readonly string[];
  readonly AllowHeaders?: readonly string[];
  readonly ExposeHeaders?: readonly string[];
  readonly MaxAge?: number;
  readonly AllowCredentials?: boolean;
}

export type ApiDefinition = Readonly<ReturnType<typeof readApi>>;

interface KeyElement {
  readonly AttributeName: string;
  readonly KeyType: 'HASH' | 'RANGE';
}

interface IndexDefinition {
  readonly IndexName: string;
  readonly KeySchema: readonly KeyElement[];
  readonly Projection: {
    readonly ProjectionType?: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
    readonly NonKeyAttributes?: readonly string[];
  };
}

/** A table as the template defines it. Keys and indexes have the form of the DynamoDB API. */
export interface TableDefinition {
  readonly name: string;
  readonly attributes: readonly { readonly AttributeName: string; readonly AttributeType: 'S' | 'N' | 'B' }[];
  readonly keys: readonly KeyElement[];
  readonly indexes: readonly IndexDefinition[];
  readonly streamView?: 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES' | 'KEYS_ONLY';
  readonly timeToLiveAttribute?: string;
}

/** A KMS key: what it is used for decides which operations accept it. */
export type KeyDefinition = Readonly<ReturnType<typeof readKey>>;

/** The resources of a cloud assembly that the local service emulates. */
export type Assembly = ReturnType<typeof readAssembly>;

interface Manifest {
  readonly artifacts?: Readonly<
    Record<string, { readonly type: string; readonly properties?: Readonly<Record<string, string>> }>
  >;
}

interface AssetManifest {
  readonly files?: Readonly<
    Record<
      string,
      { readonly source: { readonly path?: string }; readonly destinations: Record<string, { objectKey: string }> }
    >
  >;
}

/**
 * Reads a cloud assembly.
 * @param directory the folder that `cdk synth` writes.
 * @throws PlainError when the folder is not a cloud assembly, or contains a resource that the local service does not
 * support.
 */
export const readAssembly = (directory: string) => {
  const stacks = readStacks(directory);
  const resolver = new Resolver(stacks);
  const resources = stacks.flatMap((stack) =>
    Object.entries(stack.template.Resources ?? {}).map(
      ([id, resource]): LocatedResource => ({ stack, id, ...resource }),
    ),
  );
  for (const { Type, stack, id } of resources) requireKnownType(Type, `${stack.name}/${id}`);
  const findByType = (type: string) => resources.filter(({ Type }) => Type === type);

  const functions = findByType('AWS::Lambda::Function').map((resource) => readFunction(resolver, resource));
  const tables = findByType('AWS::DynamoDB::GlobalTable').map((resource) => readTable(resolver, resource));
  const keys = findByType('AWS::KMS::Key').map((resource) => readKey(resolver, resource));
  const events = readEventResources(resolver, findByType, functions, tables);
  return { api: readApi(resolver, findByType, functions), functions, tables, keys, ...events };
};

const readJson = <T>(path: string): T => {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch (error) {
    throw new PlainError(`Not a cloud assembly: ${messageFrom(error)}`);
  }
};

const readStacks = (directory: string): Stack[] => {
  const artifacts = Object.values(readJson<Manifest>(join(directory, 'manifest.json')).artifacts ?? {});
  const assets = new Map<string, string>();
  for (const { type, properties: { file } = {} } of artifacts)
    if (type === 'cdk:asset-manifest' && file) collectAssets(directory, file, assets);
  return artifacts.flatMap(({ type, properties: { templateFile, stackName } = {} }) => {
    if (type !== 'aws:cloudformation:stack' || !templateFile || !stackName) return [];
    return [{ name: stackName, template: readJson<Template>(join(directory, templateFile)), assets }];
  });
};

const collectAssets = (directory: string, file: string, assets: Map<string, string>): void => {
  for (const { source, destinations } of Object.values(readJson<AssetManifest>(join(directory, file)).files ?? {}))
    for (const { objectKey } of Object.values(destinations))
      if (source.path !== undefined) assets.set(objectKey, join(directory, source.path));
};

/** Defaults of Lambda. */
const lambdaDefaults = { memorySize: 128, timeoutSeconds: 3 };

const readFunction = (resolver: Resolver, { stack, id, Properties = {} }: LocatedResource) => {
  const { S3Key } = Object(Properties['Code']) as { S3Key?: unknown };
  const directory = stack.assets.get(resolver.text(stack, S3Key));
  if (directory === undefined) throw new PlainError(`The code of the function ${id} is not an asset of the assembly`);
  if (Array.isArray(Properties['Layers']) && Properties['Layers'].length > 0)
    throw new PlainError(`The function ${id} has layers, which the local service does not support`);
  const environment = resolver.value(stack, Properties['Environment'] ?? {}) as { Variables?: Record<string, unknown> };
  return {
    name: resolver.physicalName(stack, id),
    /** `file.export`, below `directory`. */
    handler: resolver.text(stack, Properties['Handler']),
    directory,
    memorySize: Number(resolver.value(stack, Properties['MemorySize']) ?? lambdaDefaults.memorySize),
    timeoutSeconds: Number(resolver.value(stack, Properties['Timeout']) ?? lambdaDefaults.timeoutSeconds),
    environment: Object.fromEntries(
      Object.entries(environment.Variables ?? {}).map(([name, value]) => [name, String(value)]),
    ),
  };
};

const readKey = (resolver: Resolver, { stack, id, Properties = {} }: LocatedResource) => {
  const usage = resolver.value(stack, Properties['KeyUsage']) ?? 'ENCRYPT_DECRYPT';
  if (usage !== 'ENCRYPT_DECRYPT' && usage !== 'GENERATE_VERIFY_MAC')
    throw new PlainError(`The key ${id} has the usage ${usage}, which the local service does not support`);
  return { arn: resolver.text(stack, { 'Fn::GetAtt': [id, 'Arn'] }), usage } as const;
};

const readTable = (resolver: Resolver, { stack, id, Properties = {} }: LocatedResource): TableDefinition => {
  const table = resolver.value(stack, Properties) as {
    AttributeDefinitions: TableDefinition['attributes'];
    KeySchema: TableDefinition['keys'];
    GlobalSecondaryIndexes?: TableDefinition['indexes'];
    LocalSecondaryIndexes?: unknown[];
    StreamSpecification?: { StreamViewType: NonNullable<TableDefinition['streamView']> };
    TimeToLiveSpecification?: { AttributeName?: string; Enabled: boolean };
  };
  if (table.LocalSecondaryIndexes?.length)
    throw new PlainError(`The table ${id} has local secondary indexes, which the local service does not support`);
  const timeToLive = table.TimeToLiveSpecification;
  return {
    name: resolver.physicalName(stack, id),
    attributes: table.AttributeDefinitions,
    keys: table.KeySchema,
    indexes: table.GlobalSecondaryIndexes ?? [],
    ...(table.StreamSpecification && { streamView: table.StreamSpecification.StreamViewType }),
    ...(timeToLive?.Enabled && timeToLive.AttributeName && { timeToLiveAttribute: timeToLive.AttributeName }),
  };
};

const readApi = (
  resolver: Resolver,
  findByType: (type: string) => LocatedResource[],
  functions: readonly FunctionDefinition[],
) => {
  const [api, ...others] = findByType('AWS::ApiGatewayV2::Api');
  if (!api || others.length > 0) throw new PlainError('The assembly must contain exactly one HTTP API');
  if (api.Properties?.['ProtocolType'] !== 'HTTP') throw new PlainError(`${api.id} is not an HTTP API`);
  for (const { stack, Properties = {}, id } of findByType('AWS::ApiGatewayV2::Stage'))
    if (resolver.value(stack, Properties['StageName']) !== '$default')
      throw new PlainError(`The stage ${id} is not $default, the only stage that the local service supports`);

  const integrations = new Map(
    findByType('AWS::ApiGatewayV2::Integration').map((each) => [
      resolver.physicalName(each.stack, each.id),
      readIntegration(resolver, each, functions),
    ]),
  );
  const routes = findByType('AWS::ApiGatewayV2::Route').map(({ stack, id, Properties = {} }): RouteDefinition => {
    if ((resolver.value(stack, Properties['AuthorizationType']) ?? 'NONE') !== 'NONE')
      throw new PlainError(`The route ${id} has an authorizer, which the local service does not support`);
    const target = resolver.text(stack, Properties['Target']);
    const integration = integrations.get(target.replace(/^integrations\//, ''));
    if (!integration) throw new PlainError(`The route ${id} has the target ${target}, which is not in the assembly`);
    return { key: resolver.text(stack, Properties['RouteKey']), ...integration };
  });
  const cors = resolver.value(api.stack, api.Properties?.['CorsConfiguration']) as CorsDefinition | undefined;
  return { id: resolver.physicalName(api.stack, api.id), routes, ...(cors && { cors }) };
};

/** Limit of API Gateway on the timeout of an integration. */
const MAX_TIMEOUT_MILLIS = 30_000;

const readIntegration = (
  resolver: Resolver,
  { stack, id, Properties = {} }: LocatedResource,
  functions: readonly FunctionDefinition[],
): Omit<RouteDefinition, 'key'> => {
  const uri = resolver.text(stack, Properties['IntegrationUri']);
  const target = functions.find(({ name }) => uri === functionArn(name) || uri.includes(`${functionArn(name)}/`));
  if (!target) throw new PlainError(`The integration ${id} invokes ${uri}, which is not a function of the assembly`);
  if (String(resolver.value(stack, Properties['PayloadFormatVersion'])) !== '2.0')
    throw new PlainError(
      `The integration ${id} does not use payload format 2.0, the only format that the local service supports`,
    );
  const timeout = Number(resolver.value(stack, Properties['TimeoutInMillis']) ?? MAX_TIMEOUT_MILLIS);
  return { functionName: target.name, timeoutMillis: Math.min(timeout, MAX_TIMEOUT_MILLIS) };
};
