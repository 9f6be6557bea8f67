import { fileURLToPath } from 'node:url';
import { createHttpEvent } from '../../infra/local/gateway/http-event.ts';
import { base58 } from '../../shared/lib/random.ts';
import { routeKey, routes } from '../../shared/routes/index.ts';
import type { FunctionName } from '../../shared/runtime/environment.ts';
import { type Count, type CountingProxy, startCountingProxy } from '../support/faults/counting-proxy.ts';
import type { FunctionProcess, Invoked } from '../support/local/function-process.ts';
import { generateLoad, type LoadRequest } from './load.ts';
import { type BenchOperation, type BenchRequest, type Place, pathOf } from './operations.ts';
import { mean, median, type Percentiles, percentilesOf } from './statistics.ts';
import type { Organization, Testbed } from './testbed.ts';

type Counted = Pick<Count, 'calls' | 'rounds' | 'readUnits' | 'writeUnits'>;

/** What one operation costs in an organization of one size. Times are milliseconds, memory is megabytes. */
export interface OperationMeasure {
  readonly operation: string;
  readonly function: FunctionName;
  /** Workspaces of the organization. */
  readonly size: number;
  /** Of DynamoDB: from a caller who is not remembered, and from one who is. */
  readonly unknownCaller: Counted;
  readonly knownCaller: Counted;
  /** Of the body. */
  readonly bytesOut: number;
  /** Events that follow of it. */
  readonly events: number;
  /** In the function, the caller known: until it answers. */
  readonly handler: Percentiles;
  /** The bare calls that cannot be avoided, in turn with it. */
  readonly floor: Percentiles;
  /** Of a processor, on average, and by the floor. */
  readonly computing: number;
  readonly floorComputing: number;
  /** Of a processor, to write the same answer out once. */
  readonly stringifying: number;
  /** Through HTTP against the local service, one client. */
  readonly http: Percentiles;
  /** The first request of a new process: loading the function, and answering. */
  readonly coldLoading: number;
  readonly coldAnswer: number;
  /** The most that the process of the function ever held. */
  readonly memory: number;
}

export interface Effort {
  /** How often each is asked, and how often before it counts. */
  readonly turns: number;
  readonly warming: number;
  /** New processes for each cold start. */
  readonly starts: number;
}

const FLOOR = fileURLToPath(new URL('floor.ts', import.meta.url));

/** The event that API Gateway makes of a request. */
export const eventFor = (request: BenchRequest, token: string): object => {
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

/** Every operation at every size, one after the other, as nothing else runs. */
export const measureOperations = async (
  testbed: Testbed,
  chosen: readonly BenchOperation[],
  effort: Effort,
  progress: (line: string) => void,
): Promise<OperationMeasure[]> => {
  const floor = await testbed.start('workspaces', { module: FLOOR });
  const proxy = await startCountingProxy(testbed.service.engineEndpoint);
  const measures: OperationMeasure[] = [];
  try {
    for (const organization of testbed.organizations) {
      // One process serves all operations of a function, as an instance of Lambda does.
      const running = new Map<FunctionName, FunctionProcess>();
      for (const operation of chosen) {
        const { function: name } = operation;
        const subject = running.get(name) ?? (await testbed.start(name));
        running.set(name, subject);
        measures.push(await measureOperation({ testbed, organization, operation, subject, floor, proxy, effort }));
        progress(`${organization.size} workspaces: ${operation.name}`);
      }
      for (const subject of running.values()) subject.end();
    }
  } finally {
    floor.end();
    await proxy.stop();
  }
  return measures;
};

interface Measuring {
  readonly testbed: Testbed;
  readonly organization: Organization;
  readonly operation: BenchOperation;
  readonly subject: FunctionProcess;
  readonly floor: FunctionProcess;
  readonly proxy: CountingProxy;
  readonly effort: Effort;
}

const measureOperation = async (measuring: Measuring): Promise<OperationMeasure> => {
  const { testbed, organization, operation, subject, floor, effort } = measuring;
  let turn = 0;
  const placeOf = (): Place => ({ testbed, organization, turn: turn++ });
  const request = async (who: FunctionProcess, place = placeOf()): Promise<Invoked> =>
    succeeded(operation.name, await who.invoke(eventFor(operation.request(place), testbed.token)));

  const times: number[] = [];
  const floorTimes: number[] = [];
  const [computed, floorComputed]: [number[], number[]] = [[], []];
  let last: Invoked | undefined;
  for (let count = -effort.warming; count < effort.turns; count++) {
    const place = placeOf();
    last = await request(subject, place);
    const bare = await floor.invoke({ rounds: operation.floor(place), tableName: testbed.tableName });
    if (count < 0) continue;
    times.push(last.took);
    computed.push(last.computed);
    floorTimes.push(bare.took);
    floorComputed.push(bare.computed);
  }
  const text: string = last?.answer.body ?? '';
  const repeated = { text: text === '' ? 'null' : text, times: 200 };
  await floor.invoke(repeated);
  const { computed: stringified } = await floor.invoke(repeated);

  /** After an even number of turns what was locked is unlocked, for who comes next. */
  const settle = async (): Promise<void> => {
    if (turn % 2 === 1) await request(subject);
  };
  await settle();
  const unknownCaller = await countCalls(measuring, 0);
  const knownCaller = await countCalls(measuring, 4);
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
    events: operation.events,
    handler: percentilesOf(times),
    floor: percentilesOf(floorTimes),
    computing: mean(computed),
    floorComputing: mean(floorComputed),
    stringifying: stringified / repeated.times,
    http: await measureHttp(measuring),
    coldLoading: median(loading),
    coldAnswer: median(cold.map(({ took }) => took)),
    memory: last?.peak ?? Number.NaN,
  };
};

/** @param callerCacheSeconds 0: the caller is read with each request. */
export const countCalls = async (
  { testbed, organization, operation, proxy }: Pick<Measuring, 'testbed' | 'organization' | 'operation' | 'proxy'>,
  callerCacheSeconds: number,
): Promise<Counted> => {
  const counted = await testbed.start(operation.function, { endpoint: proxy.endpoint, callerCacheSeconds });
  let turn = 0;
  const request = async (who: FunctionProcess): Promise<Invoked> =>
    succeeded(
      operation.name,
      await who.invoke(eventFor(operation.request({ testbed, organization, turn: turn++ }), testbed.token)),
    );
  // Twice: what the first brings into memory, and locks, is there for the second. And one to be unlocked again.
  await request(counted);
  await request(counted);
  const { count } = await proxy.count(() => request(counted));
  await request(counted);
  counted.end();
  const { calls, rounds, readUnits, writeUnits } = count;
  return { calls, rounds, readUnits, writeUnits };
};

const measureHttp = async ({ testbed, organization, operation, effort }: Measuring): Promise<Percentiles> => {
  const { service, token } = testbed;
  const requests = [0, 1].map((turn) => requestOf(operation.request({ testbed, organization, turn })));
  const job = { origin: service.origin, token, clients: [requests] };
  await generateLoad({ ...job, milliseconds: 500 });
  const { failures, p50, p95, p99 } = await generateLoad({ ...job, milliseconds: 10 * effort.turns });
  if (Object.keys(failures).length > 0)
    throw new Error(`${operation.name} failed over HTTP: ${JSON.stringify(failures)}`);
  return { p50, p95, p99 };
};
