import { Agent, createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StartProxy } from '../../infra/local/service/service.ts';
import { READS, readConsumedUnits } from '../support/faults/counting-proxy.ts';

/** Calls of DynamoDB, with their capacity units. */
export interface Usage {
  readonly calls: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** Proxy of an engine that adds up calls and units, and holds nothing back, so that it can stay in a service under load. */
export interface MeterProxy {
  readonly engineProxy: StartProxy;
  /** Returns the usage since the last call. */
  readonly take: () => Usage;
  /** Returns the usage since the last call, after a time without a call to the table, in milliseconds. */
  readonly takeWhenQuiet: (milliseconds: number) => Promise<Usage>;
}

/** Creates a proxy that counts calls. */
export const createMeterProxy = (): MeterProxy => {
  let [calls, readUnits, writeUnits] = [0, 0, 0];
  let lastCall = 0;
  const count = (operation: string, body: string): void => {
    // Readers of the stream ask for records again and again, at no cost for each table.
    if (operation.includes('Stream') || operation === 'GetRecords' || operation.includes('Shard')) return;
    lastCall = Date.now();
    calls += 1;
    if (READS.has(operation)) readUnits += readConsumedUnits(body);
    else writeUnits += readConsumedUnits(body);
  };
  const take = (): Usage => {
    const usage = { calls, readUnits, writeUnits };
    [calls, readUnits, writeUnits] = [0, 0, 0];
    return usage;
  };
  return {
    engineProxy: async (engine) => {
      const target = new URL(engine);
      const agent = new Agent({ keepAlive: true });
      const server = createServer((incoming, outgoing) => {
        const { method = 'POST', url = '/', headers } = incoming;
        const operation = String(headers['x-amz-target']).split('.')[1] ?? '';
        const options = { host: target.hostname, port: target.port, method, path: url, headers, agent };
        const forwarded = send(options, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            const body = Buffer.concat(chunks);
            count(operation, body.toString());
            outgoing.writeHead(response.statusCode ?? 500, response.headers).end(body);
          });
        });
        // The client repeats a call whose connection was lost.
        forwarded.on('error', () => outgoing.destroy());
        incoming.pipe(forwarded);
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
    take,
    takeWhenQuiet: async (milliseconds) => {
      while (Date.now() - lastCall < milliseconds) await new Promise((resolve) => setTimeout(resolve, 100));
      return take();
    },
  };
};
