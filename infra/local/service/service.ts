import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { BASE_PATH } from '../../../shared/routes/api.ts';
import { PlainError } from '../../command-line.ts';
import { type Assembly, readAssembly } from '../assembly/assembly.ts';
import { type LocalDeploymentSettings, prepareAssembly } from '../assembly/synthesis.ts';
import { bucketArn, LOCAL_REGION, withQueueOrigin } from '../common/arns.ts';
import { startEngine } from '../dynamodb/engine.ts';
import { openTableStream } from '../dynamodb/engine-stream.ts';
import { type EngineConnection, ensureTable } from '../dynamodb/engine-table.ts';
import { type Buses, openBuses } from '../events/bus.ts';
import { startSchedules } from '../events/schedules.ts';
import { allowsOrigin } from '../gateway/cors.ts';
import { createGateway } from '../gateway/gateway.ts';
import { combineServices, createAwsEndpoint } from '../http/aws-service.ts';
import { createPageGuard, LOOPBACK } from '../http/loopback.ts';
import { listen } from '../http/server.ts';
import type { Secrets } from '../http/signature.ts';
import { createKeyService } from '../kms/key-service.ts';
import { openAsyncInvoker } from '../lambda/async-invoker.ts';
import { startEventSourceMapping } from '../lambda/event-source-mapping.ts';
import { openFunctionLog } from '../lambda/function-log.ts';
import { type Functions, startFunctions } from '../lambda/functions.ts';
import { createLambdaService, createStatistics } from '../lambda/lambda-service.ts';
import { listenForBuckets } from '../s3/bucket-server.ts';
import { type BucketStore, objectCreatedDetail, openBucketStore } from '../s3/bucket-store.ts';
import { openQueues } from '../sqs/queues.ts';
import { createDemoOrganization } from './admin-function.ts';
import { buildOnUse, findConsole } from './build-on-use.ts';
import {
  type DataFolder,
  type LocalAccess,
  type LocalCredentials,
  openDataFolder,
  readAccess,
  readBucketPort,
} from './data-folder.ts';
import { openIdentityProvider, withProvider } from './sign-in.ts';

/** Starts a proxy in front of an endpoint, for example a proxy that loses responses. See `test/support/faults`. */
export type StartProxy = (endpoint: string) => Promise<{ readonly endpoint: string; stop(): Promise<void> }>;

export interface ServiceOptions {
  readonly dataFolder: string;
  readonly host?: string;
  /** 0, the default, chooses any free port. */
  readonly port?: number;
  /** Endpoint of another engine than the embedded one. */
  readonly dynamodbEndpoint?: string;
  /** Environment variables with credentials and region for a table in AWS. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Largest number of workers of a function; the default is `DEFAULT_CONCURRENCY`. */
  readonly concurrency?: number;
  /** Settings of the deployment, which have precedence over those of `cdk.json`. */
  readonly settings?: LocalDeploymentSettings;
  /** Origin of a proxy in front of the service. URLs in responses start with it. */
  readonly publicUrl?: string;
  /** Whether the source address of a request is the last one in `X-Forwarded-For`, which a proxy adds. */
  readonly trustsProxy?: boolean;
  /**
   * Whether to start an identity provider, and to accept issuers of identity tokens on this computer. Its port is the next one
   * after `port`.
   */
  readonly signIn?: boolean;
  /** Folder of a cloud assembly. By default, the app is synthesized. */
  readonly assembly?: string;
  /** Path of the binary of the embedded engine. By default, the binary that npm installed is used. */
  readonly engineBinary?: string;
  /** Proxy between the functions and the engine. */
  readonly engineProxy?: StartProxy;
  /** Proxy between the functions and each emulated service except DynamoDB. */
  readonly awsProxy?: StartProxy;
  /** Called with each step of the start, for the terminal. */
  readonly onStep?: (step: string) => void;
  /** Aborts a start in progress. Everything that was started is stopped. */
  readonly signal?: AbortSignal;
}

/**
 * Default of the largest number of workers of a function. More than two for each processor take more CPU time for the same
 * requests, because each of them loads and compiles the function.
 */
export const DEFAULT_CONCURRENCY = Math.min(8, 2 * availableParallelism());

/**
 * A running service. `origin`, such as `http://127.0.0.1:8080`, is also the endpoint of S3, Lambda, EventBridge and SQS.
 * `bucketUrl` is the origin of presigned URLs, and `engineEndpoint` the endpoint of the engine without a proxy. `consoleUrl`
 * is absent if the setting `console` turns the console off, and `issuer`, the embedded identity provider, without `signIn`.
 * `engineLost` resolves with the reason when the embedded engine ends although the service was not stopped.
 */
export type Service = Awaited<ReturnType<typeof startService>>;

/**
 * Synthesizes the app and runs its cloud assembly on this computer.
 * @example
 * const service = await startService({ dataFolder: '.holdfast' });
 * await fetch(`${service.baseUrl}/ping`);
 * await service.stop();
 * @throws PlainError when the port, the data folder, the engine or the assembly cannot be used.
 */
export const startService = async (options: ServiceOptions) => {
  const cleanup: CleanupSteps = [];
  const runCleanup = async (): Promise<void> => {
    for (let step = cleanup.pop(); step; step = cleanup.pop()) await step();
  };
  let stopped: Promise<void> | undefined;
  /** Stops the functions and the engine, and frees the port and the data folder. May be called more than once. */
  const stop = (): Promise<void> => {
    stopped ??= runCleanup();
    return stopped;
  };
  try {
    const service = { ...(await start(options, cleanup)), stop };
    options.signal?.throwIfAborted();
    return service;
  } catch (error) {
    await stop();
    throw error;
  }
};

/** Steps that stop what was started. They run in reverse order. */
type CleanupSteps = (() => unknown)[];

/** Builds the variables of all functions that only the local service sets. */
const localVariables = ({ publicUrl, signIn = false }: ServiceOptions, origin: string) => ({
  PUBLIC_URL: publicUrl ?? origin,
  LOOPBACK_ISSUERS: String(signIn),
  ...(publicUrl !== undefined && { PRESIGNED_URL_ORIGIN: publicUrl }),
});

/** @param cleanup receives a step for each part that was started. */
const start = async (options: ServiceOptions, cleanup: CleanupSteps) => {
  const {
    host = LOOPBACK,
    port = 0,
    concurrency = DEFAULT_CONCURRENCY,
    signal = new AbortController().signal,
    onStep = () => {},
  } = options;
  const folder = openDataFolder(options.dataFolder);
  cleanup.push(() => folder.release());
  const { paths } = folder;
  const server = await listen(host, port);
  cleanup.push(() => server.close());
  const origin = `http://${hostInUrl(host)}:${server.port}`;
  const signIn = await startSignIn(options, folder, origin, cleanup);

  onStep(`Starting Holdfast with the data in ${options.dataFolder}`);
  const parts = [assemble(options, paths.assembly, signal), embeddedEngine(options, paths.database)] as const;
  cleanup.push(async () => {
    // The engine can be stopped even if the synthesis fails.
    const [, started] = await Promise.allSettled(parts);
    if (started.status === 'fulfilled') await started.value.stop();
  });
  const [{ assembly, codeCache }, engine] = await Promise.all(parts);
  signal.throwIfAborted();

  onStep(`Opening the database at ${engine.endpoint}`);
  const credentials = folder.readCredentials();
  const access = connectToEngine(engine.endpoint, credentials, options.credentials);
  const secrets = signingSecrets(credentials, access.environment);
  const isNew = await ensureTables(assembly, access.sdk);
  signal.throwIfAborted();

  const engineUrl = await throughProxy(options.engineProxy, engine.endpoint, cleanup);
  const log = openFunctionLog(paths.log);
  cleanup.push(() => log.close());

  const hasConsole = findConsole(assembly) !== undefined;
  const pageOrigins = hasConsole ? [origin, `http://localhost:${server.port}`] : [];
  const servers = await listenForServices(options, folder, { secrets, pageOrigins }, cleanup);
  const { awsServer, bucketServer, awsUrl, bucketUrl } = servers;

  const mappings: ReturnType<typeof startEventSourceMapping>[] = [];
  // Runs after the functions were stopped. Otherwise it would wait for the invocations in progress.
  cleanup.push(() => Promise.all(mappings.map(({ ended }) => ended)));
  const variables = { ...access.environment, ...localVariables(options, origin) };
  const functions = startFunctions({
    definitions: withQueueOrigins(withProvider(assembly.functions, signIn?.provider), awsUrl),
    concurrency,
    environment: { ...variables, ...endpointVariables(engineUrl, bucketUrl, awsUrl) },
    log,
    codeCache,
  });
  cleanup.push(() => functions.close());

  const queues = openQueues(assembly.queues, paths.queues, awsUrl);
  const { asyncInvokeConfigs: configs, api } = assembly;
  const asyncInvoker = openAsyncInvoker({ functions, configs, queues, folder: paths.invocations, concurrency });
  cleanup.push(() => asyncInvoker.close());
  const buses = openBuses(assembly, paths.events, asyncInvoker);
  bucketServer.serve(openBuckets(assembly.buckets, paths.objects, buses));
  const awsServices = [queues.service, buses.service, createLambdaService({ functions, asyncInvoker })];
  const keyService = createKeyService(folder.readMasterKey(), assembly.keys);
  awsServer.serve(createAwsEndpoint([keyService, ...awsServices], secrets));

  const earlier = isNew ? undefined : readAccess(options.dataFolder);
  const local = {
    ...(await openOrganization(earlier, functions, onStep)),
    ...signIn?.access,
    baseUrl: origin + BASE_PATH,
  };
  const endpoints = { dynamodb: engine.endpoint, kms: awsUrl };
  folder.writeAccess({ ...local, ...(access.isEmulated && secretsAccess(assembly, endpoints, credentials)) });

  asyncInvoker.start();
  for (const definition of assembly.streams) {
    const stream = openTableStream(definition.table, access.sdk);
    const mapping = startEventSourceMapping({ definition, stream, functions, queues, folder: paths.streams });
    mappings.push(mapping);
    cleanup.push(() => mapping.stop());
  }
  cleanup.push(startSchedules(assembly.schedules, functions));

  const stopped = new AbortController();
  cleanup.push(() => stopped.abort());
  const servedFunctions = buildOnUse(assembly, functions, { onStep, signal: stopped.signal });
  const gateway = createGateway(api, servedFunctions, options.trustsProxy);
  const statistics = createStatistics({ functions, asyncInvoker });
  const callServices = combineServices(awsServices, secrets);
  server.serve(
    async (request) => statistics(request) ?? (await callServices(request)) ?? gateway(request),
    bucketServer.intercept,
    createPageGuard({ host, publicOrigin: options.publicUrl, allowsOrigin: (page) => allowsOrigin(api.cors, page) }),
  );
  // The first cleanup step: requests in progress complete while all other parts still run.
  cleanup.push(() => server.close());
  return {
    ...local,
    origin,
    ...(hasConsole && { consoleUrl: `${options.publicUrl ?? origin}/` }),
    bucketUrl,
    engineEndpoint: engine.endpoint,
    engineLost: engine.lost,
    credentials,
    tableNames: assembly.tables.map(({ name }) => name),
    functions,
  };
};

/** Starts a proxy in front of an endpoint, if there is one. @returns the endpoint for the functions. */
const throughProxy = async (startProxy: StartProxy | undefined, endpoint: string, cleanup: CleanupSteps) => {
  const proxy = await startProxy?.(endpoint);
  if (proxy) cleanup.push(() => proxy.stop());
  return proxy?.endpoint ?? endpoint;
};

/**
 * Opens the servers of the emulated services. They have their own ports, so that the functions reach them whatever address
 * the API listens on.
 */
const listenForServices = async (
  options: ServiceOptions,
  folder: DataFolder,
  { secrets, pageOrigins }: { readonly secrets: Secrets; readonly pageOrigins: readonly string[] },
  cleanup: CleanupSteps,
) => {
  const awsServer = await listen(LOOPBACK, 0);
  cleanup.push(() => awsServer.close());
  const port = readBucketPort(options.dataFolder);
  const bucketServer = await listenForBuckets({ port, secrets, publicUrl: options.publicUrl, pageOrigins });
  cleanup.push(() => bucketServer.close());
  folder.writeBucketPort(bucketServer.port);
  const awsUrl = await throughProxy(options.awsProxy, `http://${LOOPBACK}:${awsServer.port}`, cleanup);
  const bucketUrl = await throughProxy(options.awsProxy, `http://${LOOPBACK}:${bucketServer.port}`, cleanup);
  return { awsServer, bucketServer, awsUrl, bucketUrl };
};

/** Starts the embedded identity provider, if it is wanted. */
const startSignIn = async (
  { signIn = false, port = 0, publicUrl }: ServiceOptions,
  folder: DataFolder,
  origin: string,
  cleanup: CleanupSteps,
) => {
  if (!signIn) return undefined;
  if (port === 65_535) {
    throw new PlainError(
      'The identity provider needs the next port, and 65535 is the last: choose another port with PORT',
    );
  }
  const started = await openIdentityProvider(folder, publicUrl ?? origin, port && port + 1);
  cleanup.push(started.close);
  return started;
};

/** Returns what the runner library needs to read secrets, if a function encrypts any. */
const secretsAccess = (
  { functions }: Assembly,
  endpoints: NonNullable<LocalAccess['aws']>['endpoints'],
  credentials: LocalCredentials,
): Pick<LocalAccess, 'aws'> => {
  const { TABLE_NAME: tableName, SECRETS_KEY_ARN: secretsKeyArn } =
    functions.find(({ environment }) => environment['SECRETS_KEY_ARN'] !== undefined)?.environment ?? {};
  if (tableName === undefined || secretsKeyArn === undefined) return {};
  return { aws: { region: LOCAL_REGION, tableName, secretsKeyArn, endpoints, credentials } };
};

/** Returns the variables by which the SDK in the functions finds the emulated services. */
const endpointVariables = (engine: string, bucketUrl: string, awsUrl: string) => ({
  AWS_ENDPOINT_URL_DYNAMODB: engine,
  AWS_ENDPOINT_URL_S3: bucketUrl,
  AWS_ENDPOINT_URL_EVENTBRIDGE: awsUrl,
  AWS_ENDPOINT_URL_KMS: awsUrl,
  AWS_ENDPOINT_URL_LAMBDA: awsUrl,
  AWS_ENDPOINT_URL_SQS: awsUrl,
});

/** Returns the demo organization of an earlier start, or creates it. */
const openOrganization = async (
  earlier: LocalAccess | undefined,
  functions: Functions,
  onStep: (step: string) => void,
): Promise<Pick<LocalAccess, 'organization' | 'token'>> => {
  if (earlier?.token) {
    const { aws: _, issuer: __, audience: ___, ...organization } = earlier;
    return organization;
  }
  onStep('Creating an organization');
  return createDemoOrganization(functions);
};

/** Creates the tables that do not exist. @returns whether there were any. */
const ensureTables = async ({ tables }: Assembly, engine: EngineConnection): Promise<boolean> => {
  let isNew = false;
  for (const table of tables) if ((await ensureTable(table, engine)) === 'created') isNew = true;
  return isNew;
};

const assemble = async (options: ServiceOptions, outdir: string, signal: AbortSignal) => {
  const { settings = {}, onStep = () => {} } = options;
  if (options.assembly !== undefined) return { assembly: readAssembly(options.assembly), codeCache: undefined };
  const { codeCache } = await prepareAssembly({ outdir, settings, onStep, signal });
  return { assembly: readAssembly(outdir), codeCache };
};

const embeddedEngine = async ({ dynamodbEndpoint, engineBinary }: ServiceOptions, database: string) =>
  dynamodbEndpoint === undefined
    ? startEngine(database, engineBinary)
    : { endpoint: dynamodbEndpoint, lost: new Promise<never>(() => {}), stop: async () => {} };

/** Returns the access to the engine for the functions (environment variables) and for this process (SDK settings). */
const connectToEngine = (
  endpoint: string,
  local: LocalCredentials,
  credentials: Readonly<Record<string, string>> = {},
): { environment: Readonly<Record<string, string>>; sdk: EngineConnection; isEmulated: boolean } => {
  const region = /\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/.exec(new URL(endpoint).hostname)?.[1];
  // For a table in AWS, the SDK finds the credentials in the environment or in the profile.
  if (region !== undefined) {
    return { environment: { ...credentials, AWS_REGION: region }, sdk: { endpoint, region }, isEmulated: false };
  }
  const { accessKeyId, secretAccessKey } = local;
  return {
    environment: { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
    sdk: { endpoint, region: LOCAL_REGION, credentials: local },
    isEmulated: true,
  };
};

/** Replaces the origin of the queue URLs in the environment of functions by the origin of the emulated services. */
const withQueueOrigins = (functions: Assembly['functions'], awsUrl: string): Assembly['functions'] =>
  functions.map(({ environment, ...definition }) => {
    const values = Object.entries(environment).map(([name, value]) => [name, withQueueOrigin(awsUrl, value)]);
    return { ...definition, environment: Object.fromEntries(values) };
  });

/** Opens the buckets, each in its own folder. Each new object is sent to the default bus. */
const openBuckets = (names: readonly string[], folder: string, buses: Buses): ReadonlyMap<string, BucketStore> =>
  new Map(
    names.map((name) => [
      name,
      openBucketStore(join(folder, name), (version) =>
        buses.emit('aws.s3', 'Object Created', [bucketArn(name)], objectCreatedDetail(name, version)),
      ),
    ]),
  );

/** Returns the secret access keys of functions and of other programs, which sign their requests and presigned URLs. */
const signingSecrets = (
  { accessKeyId, secretAccessKey }: LocalCredentials,
  { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }: Readonly<Record<string, string>>,
): Secrets => ({
  [accessKeyId]: secretAccessKey,
  ...(AWS_ACCESS_KEY_ID && AWS_SECRET_ACCESS_KEY && { [AWS_ACCESS_KEY_ID]: AWS_SECRET_ACCESS_KEY }),
});

/** Converts the address that the server listens on to a host name that clients on this computer can use. */
const hostInUrl = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
};
