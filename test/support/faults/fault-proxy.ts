import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StartProxy } from '../../../infra/local/service/service.ts';
import { createSeededRandom } from '../models/seeded-random.ts';

/** Faults of calls, each as a fraction of the calls from 0 to 1. */
interface Faults {
  /** The engine executes the call, and the response is lost. */
  readonly lost?: number;
  /** Rejected as throttled before the call reaches the engine. */
  readonly throttled?: number;
  /** Rejected with a transaction conflict before the call reaches the engine. */
  readonly conflicting?: number;
  /** Delayed by up to `delayMillis`. */
  readonly delayed?: number;
  readonly delayMillis?: number;
  /** Texts such as ids: only calls whose body contains one of them have faults. By default, every call may have one. */
  readonly among?: readonly string[];
}

/** Faults by the name of the operation (`UpdateItem`). `*` stands for all other operations. */
export type FaultPlan = Readonly<Record<string, Faults>>;

export interface FaultProxy {
  /** For `startService({ engineProxy })`. */
  readonly engineProxy: StartProxy;
  /** Number of calls, and number of injected faults of each kind. */
  readonly counts: Record<'calls' | 'lost' | 'throttled' | 'conflicting' | 'delayed', number>;
  /** Replaces the plan for all later calls. `{}` ends all faults. */
  setPlan(plan: FaultPlan): void;
}

/**
 * Creates a proxy that injects faults of DynamoDB that the embedded engine does not have: lost responses, throttling,
 * conflicts and delays, chosen by a seed. The demo organization is created through the proxy, so a plan that must not
 * affect the start of the service is set after it.
 */
export const createFaultProxy = (seed: number, initialPlan: FaultPlan = {}): FaultProxy => {
  let plan = initialPlan;
  const draw = createSeededRandom(seed);
  const counts = { calls: 0, lost: 0, throttled: 0, conflicting: 0, delayed: 0 };

  const handle = async (endpoint: string, agent: Agent, request: IncomingMessage, response: ServerResponse) => {
    const body = await readWhole(request);
    const operation = operationOf(request);
    const planned = plan[operation] ?? plan['*'];
    const isExempt = planned?.among !== undefined && !planned.among.some((text) => body.includes(text));
    const { lost = 0, throttled = 0, conflicting = 0, delayed = 0, delayMillis = 50 } = isExempt ? {} : (planned ?? {});
    counts.calls += 1;
    const fault = draw();
    if (draw() < delayed) {
      counts.delayed += 1;
      await sleep(draw() * delayMillis);
    }
    if (fault < throttled) {
      counts.throttled += 1;
      return reject(response, throttling(draw()));
    }
    if (fault < throttled + conflicting) {
      counts.conflicting += 1;
      return reject(response, conflict(operation, body));
    }
    const forwarded = await forward(endpoint, agent, request, body);
    if (fault < throttled + conflicting + lost) {
      counts.lost += 1;
      return response.destroy();
    }
    return response.writeHead(forwarded.status, forwarded.headers).end(forwarded.body);
  };

  return {
    counts,
    setPlan: (next) => {
      plan = next;
    },
    engineProxy: async (endpoint) => {
      const agent = new Agent({ keepAlive: true });
      const server = createServer((request, response) => {
        handle(endpoint, agent, request, response).catch(() => response.destroy());
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return {
        endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        stop: async () => {
          agent.destroy();
          server.closeAllConnections();
          await new Promise((resolve) => server.close(resolve));
        },
      };
    },
  };
};

const operationOf = (request: IncomingMessage): string =>
  String(request.headers['x-amz-target'] ?? '')
    .split('.')
    .at(-1) ?? '';

const readWhole = async (stream: IncomingMessage): Promise<Buffer> => Buffer.concat(await stream.toArray());

const forward = (endpoint: string, agent: Agent, request: IncomingMessage, body: Buffer) =>
  new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>((resolve, reject) => {
    send(endpoint, { agent, method: request.method ?? 'POST', path: request.url ?? '/', headers: request.headers })
      .on('error', reject)
      .on('response', (forwarded: IncomingMessage) => {
        readWhole(forwarded).then(
          (whole) => resolve({ status: forwarded.statusCode ?? 500, headers: forwarded.headers, body: whole }),
          reject,
        );
      })
      .end(body);
  });

const NAMESPACE = 'com.amazonaws.dynamodb.v20120810#';

const reject = (response: ServerResponse, body: object): void => {
  response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
};

const throttling = (which: number): object =>
  which < 0.5
    ? {
        __type: `${NAMESPACE}ProvisionedThroughputExceededException`,
        message: 'The level of configured provisioned throughput for the table was exceeded.',
      }
    : { __type: 'com.amazon.coral.availability#ThrottlingException', message: 'Rate of requests exceeds the allowed.' };

const conflict = (operation: string, body: Buffer): object => {
  const code = 'TransactionConflict';
  if (!operation.startsWith('Transact'))
    return { __type: `${NAMESPACE}TransactionConflictException`, message: 'Transaction is ongoing for the item' };
  const { TransactItems = [] } = JSON.parse(body.toString()) as { TransactItems?: unknown[] };
  const reasons = TransactItems.map((_, i) =>
    i === 0 ? { Code: code, Message: 'Transaction is ongoing for the item' } : { Code: 'None' },
  );
  return {
    __type: `${NAMESPACE}TransactionCanceledException`,
    Message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons.map(({ Code }) => Code).join(', ')}]`,
    CancellationReasons: reasons,
  };
};
