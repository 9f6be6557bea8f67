import { fileURLToPath } from 'node:url';
import { createHttpEvent } from '../../infra/local/gateway/http-event.ts';
import { base58 } from '../../shared/lib/random.ts';
import { routeKey, routes } from '../../shared/routes/index.ts';
import type { FunctionName } from '../../shared/runtime/environment.ts';
import { type Count, type CountingProxy, startCountingProxy } from '../support/faults/counting-proxy.ts';
import type { FunctionProcess, Invoked } from '../support/local/function-process.ts';
import { generateLoad, type LoadRequest } from './load.ts';
import { type BenchOperation, type BenchRequest, type Place, pathOf } from './operations.ts';
import type { Spare } from './planned-writes.ts';
import { descendantsOf, isWorkerProcess, startCpuMeter } from './process-cpu.ts';
import { mean, median, type Percentiles, percentilesOf } from './statistics.ts';
import type { Organization, Testbed } from './testbed.ts';

type Counted = Pick<Count, 'calls' | 'rounds' | 'readUnits' | 'writeUnits'>;

/** Cost of one operation in an organization of one size. Times are in milliseconds, memory is in megabytes. */
export interface OperationMeasure {
  readonly operation: string;
  readonly function: FunctionName;
  /** Workspaces of the organization. */
  readonly size: number;
  /** DynamoDB calls for a caller that is not cached, and for one that is. */
  readonly unknownCaller: Counted;
  readonly knownCaller: Counted;
  /** Bytes of the response body. */
  readonly bytesOut: number;
  /** Bytes of the response body, and average processor time, for a client that accepts gzip; only reads have them. */
  readonly compressed?: { readonly bytesOut: number; readonly computing: number };
  /** Events that are published for the operation. */
  readonly events: number;
  /** Duration in the function for a cached caller. */
  readonly handler: Percentiles;
  /** Duration of the bare calls with the same client of DynamoDB, measured alternately with the function. */
  readonly floor: Percentiles;
  /** Duration of the bare calls with the unmodified client of the SDK. */
  readonly sdkFloor: Percentiles;
  /** Average processor time of the function, and of the bare calls. */
  readonly computing: number;
  readonly floorComputing: number;
  /** Processor time of one JSON serialization of the same response. */
  readonly stringifying: number;
  /** Duration over HTTP against the local service with one client. */
  readonly http: Percentiles;
  /** CPU time of a request over HTTP: in the service (gateway and function), and in the engine; NaN where unknown. */
  readonly httpComputing: { readonly service: number; readonly engine: number };
  /** First request of a new process: loading the function, and handling the request. */
  readonly coldLoading: number;
  readonly coldAnswer: number;
  /** Peak memory of the process of the function. */
  readonly memory: number;
}

export interface Effort {
  /** Measured requests of each operation, and requests before the measurement. */
  readonly turns: number;
  readonly warming: number;
  /** Number of new processes for the cold start measurement. */
  readonly starts: number;
}

const FLOOR = fileURLToPath(new URL('floor.ts', import.meta.url));

/** Starts the process that makes the bare calls of all operations. */
export const startFloor = (
  testbed: Testbed,
  options: { readonly endpoint?: string; readonly floorClient?: 'sdk' } = {},
): Promise<FunctionProcess> => testbed.start('workspaces', { module: FLOOR, ...options });

/** Builds the event that API Gateway sends for a request. */
export const eventFor = (
  request: BenchRequest,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): object => {
  const route = routes[request.routeId];
  const [rawPath, rawQueryString] = pathOf(request);
  return createHttpEvent(
    {
      id: base58(16),
      method: route.method,
      protocol: 'HTTP/1.1',
      rawPath,
      rawQueryString,
      rawHeaders: [
        ...['host', 'holdfast.test', 'authorization', `Bearer ${token}`],
        ...(request.body === undefined ? [] : ['content-type', 'application/vnd.api+json']),
        ...Object.entries(headers).flat(),
      ],
      body: Buffer.from(request.body === undefined ? '' : JSON.stringify(request.body)),
      sourceIp: '127.0.0.1',
      port: 443,
      receivedAt: new Date(),
    },
    { apiId: 'bench', routeKey: routeKey(route), pathParameters: request.parameters },
  );
};

export const requestOf = (request: BenchRequest): LoadRequest => {
  const [path, query] = pathOf(request);
  return {
    method: routes[request.routeId].method,
    path: query === '' ? path : `${path}?${query}`,
    ...(request.body !== undefined && { body: JSON.stringify(request.body).replace(/made-\w+/, 'made-{unique}') }),
  };
};

const succeeded = (operation: string, invoked: Invoked): Invoked => {
  const { statusCode, body } = invoked.answer;
  if (statusCode >= 300) throw new Error(`${operation} answered ${statusCode}: ${body}`);
  return invoked;
};

const bytesOf = ({ body = '', isBase64Encoded }: { readonly body?: string; readonly isBase64Encoded?: true }): number =>
  Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');

/** Measures every operation at every size, one after the other. */
export const measureOperations = async (
  testbed: Testbed,
  chosen: readonly BenchOperation[],
  effort: Effort,
  progress: (line: string) => void,
): Promise<OperationMeasure[]> => {
  const proxy = await startCountingProxy(testbed.service.engineEndpoint);
  const measures: OperationMeasure[] = [];
  try {
    for (const organization of testbed.organizations) {
      const spare = await testbed.createSpare(organization);
      // One process serves all operations of a function, as an instance of Lambda does.
      const running = new Map<FunctionName, Processes>();
      for (const operation of chosen) {
        const { function: name } = operation;
        const processes = running.get(name) ?? (await startProcesses(testbed, name));
        running.set(name, processes);
        const context = { testbed, organization, operation, spare, proxy, effort };
        measures.push(await measureOperation({ ...context, ...processes }));
        progress(`${organization.size} workspaces: ${operation.name}`);
      }
      for (const each of [...running.values()].flatMap((processes) => Object.values(processes))) each.end();
    }
  } finally {
    await proxy.stop();
  }
  return measures;
};

/**
 * Processes that are compared. All are new, because V8 compiles the code of a process while it runs: in its first hundreds of
 * requests, a process takes a multiple of the CPU time of later ones.
 */
interface Processes {
  readonly subject: FunctionProcess;
  /** Makes the bare calls with the client of the function. */
  readonly floor: FunctionProcess;
  /** Makes the bare calls with the unmodified client of the SDK. */
  readonly sdkFloor: FunctionProcess;
}

const startProcesses = async (testbed: Testbed, name: FunctionName): Promise<Processes> => ({
  subject: await testbed.start(name),
  floor: await startFloor(testbed),
  sdkFloor: await startFloor(testbed, { floorClient: 'sdk' }),
});

interface Measuring extends Processes {
  readonly testbed: Testbed;
  readonly organization: Organization;
  readonly operation: BenchOperation;
  readonly spare: Spare;
  readonly proxy: CountingProxy;
  readonly effort: Effort;
}

const measureOperation = async (measuring: Measuring): Promise<OperationMeasure> => {
  const { testbed, organization, operation, spare, subject, floor, sdkFloor, effort } = measuring;
  const { tableName } = testbed;
  let turn = 0;
  const placeOf = (): Place => ({ tableName, spare, organization, turn: turn++ });
  const request = async (who: FunctionProcess, place = placeOf(), headers = {}): Promise<Invoked> =>
    succeeded(operation.name, await who.invoke(eventFor(operation.request(place), testbed.token, headers)));
  const isRead = routes[operation.request({ organization, turn: 0 }).routeId].method === 'GET';

  const times: number[] = [];
  const floorTimes: number[] = [];
  const sdkFloorTimes: number[] = [];
  const [computed, floorComputed]: [number[], number[]] = [[], []];
  const compressing: Invoked[] = [];
  let last: Invoked | undefined;
  for (let count = -Math.max(effort.warming, operation.warming ?? 0); count < effort.turns; count++) {
    const place = placeOf();
    last = await request(subject, place);
    const bare = await floor.invoke({ rounds: operation.floor(place) });
    const bareSdk = await sdkFloor.invoke({ rounds: operation.floor(place) });
    const zipped = isRead ? await request(subject, place, { 'accept-encoding': 'gzip' }) : undefined;
    if (count < 0) continue;
    if (zipped) compressing.push(zipped);
    times.push(last.took);
    computed.push(last.computed);
    floorTimes.push(bare.took);
    sdkFloorTimes.push(bareSdk.took);
    floorComputed.push(bare.computed);
  }
  const text: string = last?.answer.body ?? '';
  // Long enough that one garbage collection makes no difference.
  const repeated = { text: text === '' ? 'null' : text, times: 2_000 };
  await floor.invoke(repeated);
  const { computed: stringified } = await floor.invoke(repeated);

  /** Ends with an even number of turns, so that every locked workspace is unlocked again. */
  const settle = async (): Promise<void> => {
    if (turn % 2 === 1) await request(subject);
  };
  await settle();
  const counted = async (callerCacheSeconds: number): Promise<Counted> => {
    const { calls, rounds, readUnits, writeUnits } = await countCalls(measuring, callerCacheSeconds);
    return { calls, rounds, readUnits, writeUnits };
  };
  const unknownCaller = await counted(0);
  const knownCaller = await counted(4);
  const cold: Invoked[] = [];
  const loading: number[] = [];
  for (let start = 0; start < effort.starts; start++) {
    const fresh = await testbed.start(operation.function);
    cold.push(await request(fresh));
    loading.push(fresh.loading);
    fresh.end();
  }
  await settle();
  return {
    operation: operation.name,
    function: operation.function,
    size: organization.size,
    unknownCaller,
    knownCaller,
    bytesOut: Buffer.byteLength(text),
    ...(isRead && {
      compressed: {
        bytesOut: median(compressing.map(({ answer }) => bytesOf(answer))),
        computing: mean(compressing.map((one) => one.computed)),
      },
    }),
    events: operation.events,
    handler: percentilesOf(times),
    floor: percentilesOf(floorTimes),
    sdkFloor: percentilesOf(sdkFloorTimes),
    computing: mean(computed),
    floorComputing: mean(floorComputed),
    stringifying: stringified / repeated.times,
    ...(await measureHttp(measuring)),
    coldLoading: median(loading),
    coldAnswer: median(cold.map(({ took }) => took)),
    memory: last?.peak ?? Number.NaN,
  };
};

/** Counts the DynamoDB calls of an operation. @param callerCacheSeconds 0 reads the caller with each request. */
export const countCalls = async (
  { testbed, organization, operation, proxy }: Pick<Measuring, 'testbed' | 'organization' | 'operation' | 'proxy'>,
  callerCacheSeconds: number,
): Promise<Count> => {
  const counted = await testbed.start(operation.function, { endpoint: proxy.endpoint, callerCacheSeconds });
  let turn = 0;
  const request = async (who: FunctionProcess): Promise<Invoked> =>
    succeeded(
      operation.name,
      await who.invoke(eventFor(operation.request({ organization, turn: turn++ }), testbed.token)),
    );
  // Two requests fill the caches and leave the workspace unlocked. The third is counted, and the fourth unlocks again.
  await request(counted);
  await request(counted);
  const { count } = await proxy.count(() => request(counted));
  await request(counted);
  counted.end();
  return count;
};

const measureHttp = async ({
  testbed,
  organization,
  operation,
  effort,
}: Measuring): Promise<Pick<OperationMeasure, 'http' | 'httpComputing'>> => {
  const { token } = testbed;
  const requests = [0, 1].map((turn) => requestOf(operation.request({ organization, turn })));
  const job = { origin: testbed.service.origin, token, clients: [requests] };
  await generateLoad({ ...job, milliseconds: 500 });
  // Apart from the engine, the processes that this one started are functions that wait.
  const started = descendantsOf(process.pid);
  const readServiceTime = startCpuMeter([process.pid, ...started.filter(isWorkerProcess)]);
  const readEngineTime = startCpuMeter(started.filter((pid) => !isWorkerProcess(pid)));
  const { requests: count, failures, p50, p95, p99 } = await generateLoad({ ...job, milliseconds: 10 * effort.turns });
  const service = readServiceTime();
  const engine = readEngineTime();
  if (Object.keys(failures).length > 0)
    throw new Error(`${operation.name} failed over HTTP: ${JSON.stringify(failures)}`);
  return {
    http: { p50, p95, p99 },
    httpComputing: {
      service: service / count,
      engine: started.length === 0 ? Number.NaN : engine / count,
    },
  };
};
