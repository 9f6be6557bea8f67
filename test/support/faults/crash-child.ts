/** Local service in its own process, which kills itself at a given call of a function to the engine or to AWS. */
import { createServer, request as send } from 'node:http';
import { flushCompileCache } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { LocalCredentials } from '../../../infra/local/service/data-folder.ts';
import { type StartProxy, startService } from '../../../infra/local/service/service.ts';
import { createFaultProxy, type FaultPlan, type FaultProxy } from './fault-proxy.ts';
import { chained } from './lock-late-proxy.ts';

export interface CrashChildJob {
  readonly dataFolder: string;
  readonly assembly: string;
  /** Whether issuers of identity tokens may be on this computer. */
  readonly signIn?: boolean;
  /** Seed of the faults that a `FaultOrder` requests. */
  readonly seed?: number;
}

/** Message that replaces the faults of calls to the engine. */
export interface FaultOrder {
  readonly faults: FaultPlan;
}

/** Message of the process with the faults that it has injected until now. */
export interface FaultReport {
  readonly counts: FaultProxy['counts'];
}

/** Message of the process after its start. */
export interface Running {
  readonly baseUrl: string;
  readonly token: string;
  readonly origin: string;
  readonly engineEndpoint: string;
  readonly credentials: LocalCredentials;
  readonly tableName: string;
}

/** Call at which the process dies: before the call is forwarded, or after the engine responded. */
export interface Doom {
  readonly calls: number;
  readonly when: 'before' | 'after';
}

/** Response of the process to `spare`: it has not died and will not. */
export type Spared = 'spared';

let doom: { left: number; readonly when: Doom['when'] } | undefined;

/** Kills the process without any cleanup. */
const die = (): never => {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('dead');
};

const dooming: StartProxy = async (endpoint) => {
  const server = createServer((incoming, outgoing) => {
    const isLast = doom !== undefined && doom.left-- === 0;
    if (isLast && doom?.when === 'before') die();
    const { method = 'POST', url = '/', headers } = incoming;
    const forwarded = send(endpoint + url, { method, headers }, async (response) => {
      const body = Buffer.concat(await response.toArray());
      if (isLast) die();
      outgoing.writeHead(response.statusCode ?? 500, response.headers).end(body);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** Milliseconds between two reports of the injected faults. */
const REPORT_MILLISECONDS = 250;

let faultProxy: ReturnType<typeof createFaultProxy> | undefined;

process.on('message', async (message: CrashChildJob | Doom | FaultOrder | 'spare' | 'stop') => {
  if (message === 'spare') {
    doom = undefined;
    process.send?.('spared' satisfies Spared);
  } else if (message === 'stop') process.exit(0);
  else if ('calls' in message) doom = { left: message.calls, when: message.when };
  else if ('faults' in message) faultProxy?.setPlan(message.faults);
  else {
    const { seed, ...job } = message;
    faultProxy = seed === undefined ? undefined : createFaultProxy(seed);
    const engineProxy = faultProxy === undefined ? dooming : chained(dooming, faultProxy.engineProxy);
    const service = await startService({ ...job, engineProxy, awsProxy: dooming });
    // The process will be killed, and would not store the compiled modules at its end.
    flushCompileCache();
    const { baseUrl, token = '', origin, engineEndpoint, credentials, tableNames } = service;
    const tableName = tableNames[0] ?? '';
    process.send?.({ baseUrl, token, origin, engineEndpoint, credentials, tableName } satisfies Running);
    const { counts } = faultProxy ?? {};
    // A process that is killed cannot report at its end.
    if (counts) setInterval(() => process.send?.({ counts } satisfies FaultReport), REPORT_MILLISECONDS).unref();
  }
});
