import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { DEFAULT_CONCURRENCY } from '../../infra/local/service/service.ts';
import { generateLoad, type Load, type LoadRequest } from './load.ts';
import { requestOf } from './measure-operations.ts';
import type { BenchOperation } from './operations.ts';
import { median } from './statistics.ts';
import type { Organization, Testbed } from './testbed.ts';

/** Throughput of the local service for one operation. */
export interface ThroughputMeasure {
  readonly operation: string;
  /** Workspaces of the organization. */
  readonly size: number;
  readonly loads: readonly (Load & { readonly clients: number })[];
}

/** Throughput of the service compared with the bare calls, made by the maximum number of workers of a function. */
export interface ThroughputRatio {
  readonly operation: string;
  readonly clients: number;
  /** Requests per second over HTTP. */
  readonly served: number;
  /** Requests per second whose bare calls the workers can make during an HTTP load of `served`. */
  readonly bare: number;
}

const CLIENTS = [1, 16, 64] as const;

/** Builds the requests of each client. Clients that write use a workspace of their own. */
const requestsFor = (organization: Organization, operation: BenchOperation, clients: number): LoadRequest[][] =>
  Array.from({ length: clients }, (_, client) =>
    [0, 1].map((turn) => requestOf(operation.request({ organization, turn, client }))),
  );

const loadOf = async (
  testbed: Testbed,
  organization: Organization,
  operation: BenchOperation,
  clients: number,
  milliseconds: number,
): Promise<Load> => {
  const { origin } = testbed.service;
  const requests = requestsFor(organization, operation, clients);
  const load = await generateLoad({ origin, token: testbed.token, clients: requests, milliseconds });
  if (Object.keys(load.failures).length > 0)
    throw new Error(`${operation.name}, ${clients} clients: ${JSON.stringify(load.failures)}`);
  return load;
};

export const measureThroughput = async (
  testbed: Testbed,
  organization: Organization,
  chosen: readonly BenchOperation[],
  milliseconds: number,
): Promise<ThroughputMeasure[]> => {
  const measures: ThroughputMeasure[] = [];
  for (const operation of chosen) {
    const loads: (Load & { clients: number })[] = [];
    // The first load starts the workers.
    await loadOf(testbed, organization, operation, Math.max(...CLIENTS), 1_500);
    for (const clients of CLIENTS)
      loads.push({ clients, ...(await loadOf(testbed, organization, operation, clients, milliseconds)) });
    measures.push({ operation: operation.name, size: organization.size, loads });
  }
  return measures;
};

/** Measures the service and the bare calls alternately, and returns the medians. */
export const compareThroughput = async (
  testbed: Testbed,
  organization: Organization,
  operation: BenchOperation,
  milliseconds: number,
): Promise<ThroughputRatio> => {
  const clients = Math.max(...CLIENTS);
  const [served, bare]: [number[], number[]] = [[], []];
  for (let round = 0; round < 3; round++) {
    const { throughput } = await loadOf(testbed, organization, operation, clients, milliseconds);
    served.push(throughput);
    bare.push(await bareThroughput(testbed, organization, operation, { clients, milliseconds, rate: throughput }));
  }
  return { operation: operation.name, clients, served: median(served), bare: median(bare) };
};

/** Measures workers that only make the bare calls, during an HTTP load with immediate responses. */
const bareThroughput = async (
  testbed: Testbed,
  organization: Organization,
  operation: BenchOperation,
  { clients, milliseconds, rate }: { clients: number; milliseconds: number; rate: number },
): Promise<number> => {
  const target = createServer((_, answer) => answer.end('{}'));
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  const requests = requestsFor(organization, operation, clients);
  const {
    tableName,
    service: { engineEndpoint: endpoint },
  } = testbed;
  // Each worker changes a workspace of its own. Its writes are planned before, because their conditions name the last one.
  const turns = Math.ceil(((BARE_WARMING + milliseconds) / 1_000) * BARE_RATE);
  const planRounds = async () => {
    const spare = await testbed.createSpare(organization);
    return Array.from({ length: turns }, (_, turn) => operation.floor({ tableName, spare, organization, turn }));
  };
  const jobs = await Promise.all(Array.from({ length: DEFAULT_CONCURRENCY }, planRounds));
  try {
    const workers = jobs.map((rounds) => runBare({ endpoint, rounds, milliseconds }));
    const [counts] = await Promise.all([
      Promise.all(workers),
      generateLoad({
        origin,
        token: testbed.token,
        clients: requests,
        milliseconds: milliseconds + BARE_WARMING,
        rate,
      }),
    ]);
    return (counts.reduce((sum, count) => sum + count, 0) / milliseconds) * 1_000;
  } finally {
    target.closeAllConnections();
    target.close();
  }
};

export const BARE_WARMING = 1_000;
/** Requests per second whose bare calls no worker exceeds. */
const BARE_RATE = 500;
export interface BareJob {
  readonly endpoint: string;
  /** Calls of each request. */
  readonly rounds: readonly ReturnType<BenchOperation['floor']>[];
  readonly milliseconds: number;
}

const runBare = ({ endpoint, ...job }: BareJob): Promise<number> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('bare-worker.ts', import.meta.url), {
      workerData: job,
      env: {
        AWS_ENDPOINT_URL_DYNAMODB: endpoint,
        AWS_REGION: 'eu-central-1',
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
      },
    });
    worker.once('message', resolve).once('error', reject);
  });
