import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Calls between the store and the engine, with their capacity units. */
export interface Count {
  readonly calls: number;
  /** Number of groups of parallel calls: the store waits once for each round. */
  readonly rounds: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly operations: readonly string[];
  /** Bodies of the requests, in the order of `operations`. */
  readonly bodies: readonly string[];
  /** The IAM permissions that the calls need: `GetItem`, `Query on list`. A transaction needs those of its parts. */
  readonly rights: readonly string[];
}

export interface CountingProxy {
  readonly endpoint: string;
  /** Counts the calls while `work` runs. */
  readonly count: <T>(work: () => Promise<T>) => Promise<{ readonly result: T; readonly count: Count }>;
  readonly stop: () => Promise<void>;
}

interface Call {
  readonly operation: string;
  readonly body: string;
  readonly rights: readonly string[];
  readonly units: number;
}

const parts = { Put: 'PutItem', Update: 'UpdateItem', Delete: 'DeleteItem', ConditionCheck: 'ConditionCheckItem' };

const requiredPermissions = (operation: string, request: string): string[] => {
  const { IndexName, TransactItems } = JSON.parse(request || '{}');
  if (Array.isArray(TransactItems)) {
    return TransactItems.flatMap((item) => Object.keys(item)).map((part) => parts[part as keyof typeof parts]);
  }
  return [IndexName === undefined ? operation : `${operation} on ${IndexName}`];
};

/**
 * Time without a new call after which held responses are released, in milliseconds. Holding them keeps the calls of a
 * round together on a slow machine, and the next round cannot start before the round is counted.
 */
const QUIET = 15;

/** Operations that use read units; the others use write units. */
export const READS: ReadonlySet<string> = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan']);

/** Returns the capacity units in the body of a response of DynamoDB. */
export const readConsumedUnits = (response: string): number => {
  const { ConsumedCapacity } = JSON.parse(response || '{}') as { ConsumedCapacity?: unknown };
  return [ConsumedCapacity ?? []]
    .flat()
    .reduce<number>((sum, capacity) => sum + ((capacity as { CapacityUnits?: number }).CapacityUnits ?? 0), 0);
};

/** Starts a proxy that counts the calls between the store and the engine, independently of the code under test. */
export const startCountingProxy = async (engine: string): Promise<CountingProxy> => {
  const target = new URL(engine);
  let calls: Call[] = [];
  let rounds = 0;
  let isCounting = false;
  let underWay = 0;
  let arrived = 0;
  let held: (() => void)[] = [];
  let quiet: NodeJS.Timeout | undefined;

  const release = (): void => {
    if (underWay > 0) return;
    if (held.length > 0) rounds++;
    for (const respond of held) respond();
    held = [];
  };
  const waitForQuiet = (): void => {
    clearTimeout(quiet);
    // Calls that arrived while the process was suspended are handled first, because they may belong to this round.
    const seen = arrived;
    const isQuiet = (): unknown => seen === arrived && release();
    quiet = setTimeout(() => setImmediate(isQuiet), isCounting ? QUIET : 0);
  };

  const server = createServer((incoming, outgoing) => {
    const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? '';
    underWay++;
    arrived++;
    clearTimeout(quiet);
    const { method = 'POST', url = '/', headers } = incoming;
    // A new connection for each call: the engine closes idle ones, which this process may notice too late.
    const options = { host: target.hostname, port: target.port, method, path: url, headers, agent: false };
    const forwarded = send(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const body = Buffer.concat(chunks);
        const sent = Buffer.concat(requestChunks).toString();
        const rights = requiredPermissions(operation, sent);
        calls.push({ operation, body: sent, rights, units: readConsumedUnits(body.toString()) });
        underWay--;
        held.push(() => outgoing.writeHead(response.statusCode ?? 500, response.headers).end(body));
        waitForQuiet();
      });
    });
    const requestChunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => requestChunks.push(chunk));
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sum = (of: readonly Call[]): number => of.reduce((total, { units }) => total + units, 0);
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: async (work) => {
      calls = [];
      rounds = 0;
      isCounting = true;
      const result = await work().finally(() => {
        isCounting = false;
      });
      const reads = calls.filter(({ operation }) => READS.has(operation));
      const writes = calls.filter(({ operation }) => !READS.has(operation));
      return {
        result,
        count: {
          calls: calls.length,
          rounds,
          readUnits: sum(reads),
          writeUnits: sum(writes),
          operations: calls.map(({ operation }) => operation),
          bodies: calls.map(({ body }) => body),
          rights: [...new Set(calls.flatMap(({ rights }) => rights))].sort(),
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
