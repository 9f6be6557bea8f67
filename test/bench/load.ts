/** Load generator in its own process: each client waits for a response before it sends the next request. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Percentiles, percentilesOf } from './statistics.ts';

export interface LoadRequest {
  readonly method: string;
  readonly path: string;
  /** `{unique}` in it is replaced by something that was not sent before. */
  readonly body?: string;
}

export interface LoadJob {
  /** `http://127.0.0.1:8080`. */
  readonly origin: string;
  readonly token: string;
  /** Requests of each client, repeated in order. A client stops only after its last request. */
  readonly clients: readonly (readonly LoadRequest[])[];
  readonly milliseconds: number;
  /** Maximum number of requests per second of all clients together. */
  readonly rate?: number;
}

export interface Load extends Percentiles {
  readonly requests: number;
  /** Responses per second. */
  readonly throughput: number;
  /** Number of failed responses by status. */
  readonly failures: Readonly<Record<string, number>>;
}

/** Runs a load in a separate process. */
export const generateLoad = async (job: LoadJob): Promise<Load> => {
  const child = fork(fileURLToPath(import.meta.url), { execArgv: [] });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`The load ended with ${code}`)));
  const reported = once(child, 'message');
  child.send(job);
  const [load] = await Promise.race([reported, ended]);
  ended.catch(() => undefined);
  child.kill();
  return load;
};

const run = async ({ origin, token, clients, milliseconds, rate }: LoadJob): Promise<Load> => {
  const { hostname, port } = new URL(origin);
  const agent = new Agent({ keepAlive: true, maxSockets: clients.length });
  const latencies: number[] = [];
  const failures: Record<string, number> = {};
  let sent = 0;

  const send = ({ method, path, body }: LoadRequest): Promise<number> =>
    new Promise((resolve, reject) => {
      const content = body?.replaceAll('{unique}', `${process.pid}-${sent}`);
      const headers = {
        authorization: `Bearer ${token}`,
        ...(content !== undefined && {
          'content-type': 'application/vnd.api+json',
          'content-length': Buffer.byteLength(content),
        }),
      };
      const outgoing = request({ agent, host: hostname, port, method, path, headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      });
      outgoing.on('error', reject).end(content);
    });

  const started = performance.now();
  const client = async (requests: readonly LoadRequest[]): Promise<void> => {
    for (let turn = 0; ; turn++) {
      const due = rate === undefined ? 0 : started + (sent / rate) * 1_000 - performance.now();
      sent++;
      if (due > 0) await sleep(due);
      const began = performance.now();
      if (began - started > milliseconds && turn % requests.length === 0) return;
      const status = await send(requests[turn % requests.length] as LoadRequest);
      latencies.push(performance.now() - began);
      if (status >= 300) failures[status] = (failures[status] ?? 0) + 1;
    }
  };
  await Promise.all(clients.map(client));
  const seconds = (performance.now() - started) / 1_000;
  return {
    requests: latencies.length,
    throughput: latencies.length / seconds,
    failures,
    ...percentilesOf(latencies),
  };
};

if (import.meta.main) {
  process.on('message', async (job: LoadJob) => {
    process.send?.(await run(job));
  });
}
