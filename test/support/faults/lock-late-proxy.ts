import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StartProxy } from '../../../infra/local/service/service.ts';
import { createSeededRandom } from '../models/seeded-random.ts';

export interface LateProxy {
  readonly engineProxy: StartProxy;
  /** Sets the fraction of delayed updates. */
  setFraction(fraction: number): void;
  /** Returns the number of delayed updates. */
  readonly count: () => number;
  /** Resolves when every delayed update so far has reached the engine. */
  readonly settled: () => Promise<void>;
}

/**
 * Creates a proxy for requests that arrive after their sender gave up. It closes the connection at once and sends the
 * update to the engine later, when a retry may have succeeded.
 */
export const createLateProxy = (seed: number, latestMillis: number): LateProxy => {
  const random = createSeededRandom(seed);
  let fraction = 0;
  let count = 0;
  const delayed = new Set<Promise<void>>();

  const forward = (endpoint: string, { method = 'POST', url = '/', headers }: IncomingMessage, body: Buffer) =>
    new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>((resolve, reject) => {
      send(endpoint, { method, path: url, headers })
        .on('error', reject)
        .on('response', async (forwarded: IncomingMessage) => {
          const whole = Buffer.concat(await forwarded.toArray());
          resolve({ status: forwarded.statusCode ?? 500, headers: forwarded.headers, body: whole });
        })
        .end(body);
    });

  return {
    setFraction: (next) => {
      fraction = next;
    },
    count: () => count,
    settled: async () => {
      await Promise.all(delayed);
    },
    engineProxy: async (endpoint) => {
      const server = createServer(async (request, response) => {
        try {
          const body = Buffer.concat(await request.toArray());
          const isUpdate = /\.(UpdateItem|TransactWriteItems)$/.test(String(request.headers['x-amz-target']));
          if (isUpdate && random() < fraction) {
            count += 1;
            response.destroy();
            const sent = sleep(random() * latestMillis).then(() => forward(endpoint, request, body));
            const ended = sent.then(
              () => {},
              () => {},
            );
            delayed.add(ended);
            await ended;
            delayed.delete(ended);
            return;
          }
          const forwarded = await forward(endpoint, request, body);
          response.writeHead(forwarded.status, forwarded.headers).end(forwarded.body);
        } catch {
          response.destroy();
        }
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return {
        endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        stop: async () => {
          server.closeAllConnections();
          await new Promise((resolve) => server.close(resolve));
        },
      };
    },
  };
};

/** Connects two proxies in series. The functions call the first one. */
export const chained =
  (first: StartProxy, second: StartProxy): StartProxy =>
  async (endpoint) => {
    const inner = await second(endpoint);
    const outer = await first(inner.endpoint);
    return {
      endpoint: outer.endpoint,
      stop: async () => {
        await outer.stop();
        await inner.stop();
      },
    };
  };
