import type { Edition } from '../../shared/domain/editions.ts';
import { BASE_PATH } from '../../shared/routes.ts';
import { readAssembly } from './assembly.ts';
import { type DataFolder, type LocalAccess, openDataFolder } from './data-folder.ts';
import { makeDemo } from './demo.ts';
import { startEngine } from './engine.ts';
import { type EngineAccess, ensureTable } from './engine-table.ts';
import { openFunctionLog } from './function-log.ts';
import { type Functions, startFunctions } from './functions.ts';
import { gatewayFor } from './gateway.ts';
import { localControlFor } from './invoke.ts';
import { keyServiceFor } from './key-service.ts';
import type { PlainError } from './plain-error.ts';
import { startSchedules } from './schedules.ts';
import { listen } from './server.ts';
import { synthesiseApart } from './synthesis.ts';
import { LOCAL_REGION } from './template.ts';

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
  /** Aborting stops a start that is half done, and everything that it had started. */
  readonly signal?: AbortSignal;
}

/** A running service. */
export interface Service extends LocalAccess {
  /** `http://127.0.0.1:8080`; the endpoint for Lambda's `Invoke`, too. */
  readonly origin: string;
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
 * Synthesises the app and runs its cloud assembly on this computer.
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

const LOOPBACK = '127.0.0.1';

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
  // On a port of its own, so that the functions reach it whatever address the API listens on.
  const keyServer = await listen(LOOPBACK, 0);
  undo.push(() => keyServer.close());
  keyServer.serve(keyServiceFor(folder.readMasterKey(), assembly.keys));
  const log = openFunctionLog(folder.log);
  undo.push(() => log.close());
  const functions = startFunctions({
    definitions: assembly.functions,
    concurrency,
    environment: {
      ...access.environment,
      AWS_ENDPOINT_URL_DYNAMODB: proxy?.endpoint ?? engine.endpoint,
      AWS_ENDPOINT_URL_KMS: `http://${LOOPBACK}:${keyServer.port}`,
    },
    log,
  });
  undo.push(() => functions.close());
  undo.push(startSchedules(assembly.schedules, functions));

  const origin = `http://${hostInUrl(host)}:${server.port}`;
  const known = created.length > 0 ? undefined : folder.readAccess();
  const local: LocalAccess = { ...(known?.token ? known : await makeDemo(functions)), baseUrl: origin + BASE_PATH };
  folder.writeAccess(local);

  const gateway = gatewayFor(assembly.api, functions);
  const control = localControlFor(functions);
  server.serve(async (request) => (await control(request)) ?? gateway(request));
  // First of all that is undone: requests under way are answered while everything behind them still runs.
  undo.push(() => server.close());
  return {
    ...local,
    origin,
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
  readAssembly(assembly ?? (await synthesiseApart({ outdir, edition }, signal)));

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

/** Where a client on this computer finds a server that listens on the host. */
const hostInUrl = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
};
