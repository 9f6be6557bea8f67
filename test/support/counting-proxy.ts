import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What passed between the store and the engine, as DynamoDB itself counts it. */
export interface Count {
  readonly calls: number;
  /** A call belongs to the round after the last one that was answered before it was sent. */
  readonly rounds: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly operations: readonly string[];
}

export interface CountingProxy {
  readonly endpoint: string;
  /** Counts what passes while `work` runs. */
  readonly count: <T>(work: () => Promise<T>) => Promise<{ readonly result: T; readonly count: Count }>;
  readonly stop: () => Promise<void>;
}

interface Call {
  readonly operation: string;
  readonly round: number;
  readonly units: number;
}

const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan']);

const unitsOf = (answer: string): number => {
  const { ConsumedCapacity } = JSON.parse(answer || '{}') as { ConsumedCapacity?: unknown };
  return [ConsumedCapacity ?? []]
    .flat()
    .reduce<number>((sum, capacity) => sum + ((capacity as { CapacityUnits?: number }).CapacityUnits ?? 0), 0);
};

/** Stands between the store and the engine, so that budgets rest on no counter of the product's own. */
export const startCountingProxy = async (engine: string): Promise<CountingProxy> => {
  const target = new URL(engine);
  let calls: Call[] = [];
  let answered = 0;
  const server = createServer((incoming, outgoing) => {
    const round = answered + 1;
    const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? '';
    const forwarded = send(
      {
        host: target.hostname,
        port: target.port,
        method: incoming.method,
        path: incoming.url,
        headers: incoming.headers,
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          const body = Buffer.concat(chunks);
          answered = Math.max(answered, round);
          calls.push({ operation, round, units: unitsOf(body.toString()) });
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers).end(body);
        });
      },
    );
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sum = (of: readonly Call[]): number => of.reduce((total, { units }) => total + units, 0);
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: async (work) => {
      calls = [];
      answered = 0;
      const result = await work();
      const reads = calls.filter(({ operation }) => READS.has(operation));
      const writes = calls.filter(({ operation }) => !READS.has(operation));
      return {
        result,
        count: {
          calls: calls.length,
          rounds: new Set(calls.map(({ round }) => round)).size,
          readUnits: sum(reads),
          writeUnits: sum(writes),
          operations: calls.map(({ operation }) => operation),
        },
      };
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
