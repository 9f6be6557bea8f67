import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CrashProxy {
  readonly endpoint: string;
  /**
   * Runs `work`, and rejects all its calls after the given number of calls, as if its process had ended.
   * @returns whether a call was rejected.
   */
  readonly crashAfter: (calls: number, work: () => Promise<unknown>) => Promise<boolean>;
  readonly stop: () => Promise<void>;
}

/** An error that clients do not retry. */
const DEAD = JSON.stringify({ __type: 'com.amazon.coral.service#UnrecognizedClientException', message: 'dead' });

/** Starts a proxy between the store and the engine that rejects all calls after a number of calls. */
export const startCrashProxy = async (engine: string): Promise<CrashProxy> => {
  let left = Number.POSITIVE_INFINITY;
  let isDead = false;
  const server = createServer((incoming, outgoing) => {
    left -= 1;
    if (left < 0) {
      isDead = true;
      incoming.resume();
      outgoing.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' }).end(DEAD);
      return;
    }
    const { method = 'POST', url = '/', headers } = incoming;
    const forwarded = send(engine + url, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    crashAfter: async (calls, work) => {
      [left, isDead] = [calls, false];
      try {
        await work();
      } catch {
        // The error of a process that ended has no meaning.
      } finally {
        left = Number.POSITIVE_INFINITY;
      }
      return isDead;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
