import { join } from 'node:path';
import type { Edition } from '../../../shared/domain/editions.ts';
import { BASE_PATH } from '../../../shared/routes/index.ts';
import { readAssembly } from '../assembly/assembly.ts';
import { synthesizeApart } from '../assembly/synthesis.ts';
import { LOCAL_REGION, withQueuesAt } from '../assembly/template.ts';
import { startEngine } from '../dynamodb/engine.ts';
import { openTableStream } from '../dynamodb/engine-stream.ts';
import { type EngineAccess, ensureTable } from '../dynamodb/engine-table.ts';
import { type Buses, openBuses } from '../events/bus.ts';
import { openQueues } from '../events/queues.ts';
import { startSchedules } from '../events/schedules.ts';
import { followStream } from '../events/streams.ts';
import { gatewayFor } from '../gateway/gateway.ts';
import type { PlainError } from '../gateway/plain-error.ts';
import { listen } from '../gateway/server.ts';
import { keyServiceFor } from '../kms/key-service.ts';
import { openAsynchronous } from '../lambda/asynchronous.ts';
import { openFunctionLog } from '../lambda/function-log.ts';
import { type Functions, startFunctions } from '../lambda/functions.ts';
import { localControlFor } from '../lambda/invoke.ts';
import { listenForBuckets } from '../s3/bucket-server.ts';
import { type BucketStore, objectCreated, openBucketStore } from '../s3/bucket-store.ts';
import { standInFor } from './aws-json.ts';
import { type DataFolder, type LocalAccess, openDataFolder } from './data-folder.ts';
import { makeDemo } from './demo.ts';
import { LOOPBACK } from './loopback.ts';

/** Something between the functions and the engine, such as one that loses answers; see `test/support`. */
export type EngineProxy = (endpoint: string) => Promise<{ readonly endpoint: string; stop(): Promise<void> }>;

export interface ServiceOptions {
  readonly dataFolder: string;
  readonly host?: string;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  /** Another engine than the embedded one. */
  readonly dynamodbEndpoint?: string;
  /** Credentials and region for an engine in AWS, by the names of their environment variables. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Workers per function, at most; 8 by default. */
  readonly concurrency?: number;
  readonly edition?: Edition;
  /** The folder of a cloud assembly to run in place of a fresh synthesis of the app. */
  readonly assembly?: string;
  /** The binary of the embedded engine, in place of the one that npm installed. */
  readonly engineBinary?: string;
  readonly engineProxy?: EngineProxy;
  /** The same between the functions and what stands in for the other services of AWS. */
  readonly standInProxy?: EngineProxy;
  /** Aborting stops a start that is half done, and everything that it had started. */
  readonly signal?: AbortSignal;
}

/** A running service. */
export interface Service extends LocalAccess {
  /** `http://127.0.0.1:8080`; the endpoint for S3, Lambda, EventBridge and SQS, too. */
  readonly origin: string;
  /** Where URLs that are presigned lead. */
  readonly bucketUrl: string;
  /** The engine itself, past any proxy. */
  readonly engineEndpoint: string;
  readonly tableNames: readonly string[];
  readonly functions: Functions;
  /** Resolves, with what to tell the user, should the embedded engine end by itself. */
  readonly engineLost: Promise<PlainError>;
  /** Ends the functions and the engine and frees the port and the data folder; may be called again. */
  stop(): Promise<void>;
}

/**
 * Synthesizes the app and runs its cloud assembly on this computer.
 * @throws PlainError when the port, the data folder, the engine or the assembly cannot be used.
 */
export const startService = async (options: ServiceOptions): Promise<Service> => {
  const undo: (() => unknown)[] = [];
  const undoAll = async (): Promise<void> => {
    for (let step = undo.pop(); step; step = undo.pop()) await step();
  };
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= undoAll();
    return stopped;
  };
  try {
    const service = { ...(await start(options, undo)), stop };
    options.signal?.throwIfAborted();
    return service;
  } catch (error) {
    await stop();
    throw error;
  }
};

/** @param undo is given, step by step, how to take back what was started. */
const start = async (options: ServiceOptions, undo: (() => unknown)[]): Promise<Omit<Service, 'stop'>> => {
  const { host = LOOPBACK, port = 0, concurrency = 8, signal = new AbortController().signal } = options;
  const folder = openDataFolder(options.dataFolder);
  undo.push(() => folder.release());
  const server = await listen(host, port);
  undo.push(() => server.close());

  // At the same time, and both are waited for: whichever of the two fails, the engine is known and can be stopped.
  const [assembled, engineStarted] = await Promise.allSettled([
    assemble(options, folder.assembly, signal),
    embeddedEngine(options, folder),
  ]);
  if (engineStarted.status === 'fulfilled') undo.push(() => engineStarted.value.stop());
  const assembly = settledValue(assembled);
  const engine = settledValue(engineStarted);
  signal.throwIfAborted();

  const access = engineAccess(engine.endpoint, options.credentials);
  const created: string[] = [];
  for (const table of assembly.tables)
    if ((await ensureTable(table, access.sdk)) === 'created') created.push(table.name);
  signal.throwIfAborted();

  const proxy = await options.engineProxy?.(engine.endpoint);
  if (proxy) undo.push(() => proxy.stop());
  const log = openFunctionLog(folder.log);
  undo.push(() => log.close());

  // What stands in for AWS is on ports of its own: the functions reach it whatever address the API listens on.
  const standIn = await listen(LOOPBACK, 0);
  undo.push(() => standIn.close());
  const bucketServer = await listenForBuckets({
    port: folder.readBucketPort(),
    secrets: secretsOf(access.environment),
  });
  undo.push(() => bucketServer.close());
  folder.writeBucketPort(bucketServer.port);
  const proxied = async (endpoint: string): Promise<string> => {
    const between = await options.standInProxy?.(endpoint);
    if (between) undo.push(() => between.stop());
    return between?.endpoint ?? endpoint;
  };
  const standInUrl = await proxied(`http://${LOOPBACK}:${standIn.port}`);
  const bucketUrl = await proxied(`http://${LOOPBACK}:${bucketServer.port}`);

  const followers: ReturnType<typeof followStream>[] = [];
  // After the functions have ended, or this would wait for them.
  undo.push(() => Promise.all(followers.map(({ ended }) => ended)));
  const functions = startFunctions({
    definitions: assembly.functions.map((definition) => ({
      ...definition,
      environment: mapValues(definition.environment, (value) => withQueuesAt(standInUrl, value)),
    })),
    concurrency,
    environment: {
      ...access.environment,
      AWS_ENDPOINT_URL_DYNAMODB: proxy?.endpoint ?? engine.endpoint,
      AWS_ENDPOINT_URL_S3: bucketUrl,
      AWS_ENDPOINT_URL_EVENTBRIDGE: standInUrl,
      AWS_ENDPOINT_URL_KMS: standInUrl,
      AWS_ENDPOINT_URL_LAMBDA: standInUrl,
      AWS_ENDPOINT_URL_SQS: standInUrl,
    },
    log,
  });
  undo.push(() => functions.close());

  const queues = openQueues(assembly.queues, folder.queues, standInUrl);
  const asynchronous = openAsynchronous({
    functions,
    definitions: assembly.asynchronous,
    queues,
    folder: folder.invocations,
    concurrency,
  });
  undo.push(() => asynchronous.close());
  const buses = openBuses(assembly, folder.events, asynchronous);
  bucketServer.serve(openBuckets(assembly.buckets, folder.objects, buses));
  const services = [queues.service, buses.service];
  const control = localControlFor({ functions, asynchronous, services });
  standIn.serve(standInFor([keyServiceFor(folder.readMasterKey(), assembly.keys), control]));

  const origin = `http://${hostInUrl(host)}:${server.port}`;
  const known = created.length > 0 ? undefined : folder.readAccess();
  const local: LocalAccess = { ...(known?.token ? known : await makeDemo(functions)), baseUrl: origin + BASE_PATH };
  folder.writeAccess(local);

  asynchronous.start();
  for (const definition of assembly.streams) {
    const stream = openTableStream(definition.table, access.sdk);
    const follower = followStream({ definition, stream, functions, queues, folder: folder.streams });
    followers.push(follower);
    undo.push(() => follower.stop());
  }
  undo.push(startSchedules(assembly.schedules, functions));

  const gateway = gatewayFor(assembly.api, functions);
  server.serve(async (request) => (await control(request)) ?? gateway(request), bucketServer.divert);
  // First of all that is undone: requests under way are answered while everything behind them still runs.
  undo.push(() => server.close());
  return {
    ...local,
    origin,
    bucketUrl,
    engineEndpoint: engine.endpoint,
    engineLost: engine.lost,
    tableNames: assembly.tables.map(({ name }) => name),
    functions,
  };
};

const settledValue = <T>(result: PromiseSettledResult<T>): T => {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
};

const assemble = async ({ assembly, edition }: ServiceOptions, outdir: string, signal: AbortSignal) =>
  readAssembly(assembly ?? (await synthesizeApart({ outdir, edition }, signal)));

const embeddedEngine = async ({ dynamodbEndpoint, engineBinary }: ServiceOptions, folder: DataFolder) =>
  dynamodbEndpoint === undefined
    ? startEngine(folder.database, engineBinary)
    : { endpoint: dynamodbEndpoint, lost: new Promise<never>(() => {}), stop: async () => {} };

/** Nobody checks these; the SDK wants to sign all the same. */
const anyone = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' } as const;

/** How the functions (by environment) and this process (by the SDK's settings) call the engine. */
const engineAccess = (
  endpoint: string,
  credentials: Readonly<Record<string, string>> = {},
): { environment: Readonly<Record<string, string>>; sdk: EngineAccess } => {
  const region = /\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/.exec(new URL(endpoint).hostname)?.[1];
  // A table in AWS: the SDK finds this user's credentials in the environment or the profile.
  if (region !== undefined) return { environment: { ...credentials, AWS_REGION: region }, sdk: { endpoint, region } };
  return {
    environment: anyone,
    sdk: {
      endpoint,
      region: LOCAL_REGION,
      credentials: { accessKeyId: anyone.AWS_ACCESS_KEY_ID, secretAccessKey: anyone.AWS_SECRET_ACCESS_KEY },
    },
  };
};

const mapValues = (values: Readonly<Record<string, string>>, change: (value: string) => string) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));

/** The stores of the buckets, by name, each in a folder of its own. What is written to them is told to the buses. */
const openBuckets = (names: readonly string[], folder: string, buses: Buses): ReadonlyMap<string, BucketStore> =>
  new Map(
    names.map((name) => [
      name,
      openBucketStore(join(folder, name), (version) =>
        buses.emit('aws.s3', 'Object Created', [`arn:aws:s3:::${name}`], objectCreated(name, version)),
      ),
    ]),
  );

/** What may have been used to presign a URL: by the functions, or by a program that follows the README. */
const secretsOf = (environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  [anyone.AWS_ACCESS_KEY_ID]: anyone.AWS_SECRET_ACCESS_KEY,
  [environment['AWS_ACCESS_KEY_ID'] ?? anyone.AWS_ACCESS_KEY_ID]:
    environment['AWS_SECRET_ACCESS_KEY'] ?? anyone.AWS_SECRET_ACCESS_KEY,
});

/** Where a client on this computer finds a server that listens on the host. */
const hostInUrl = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
};
