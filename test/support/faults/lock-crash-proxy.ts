import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CrashProxy {
  readonly endpoint: string;
  /**
   * Runs `work`, whose process dies, as far as the table can tell, after so many calls: none that follows is let through.
   * @returns whether it came to that.
   */
  readonly crashAfter: (calls: number, work: () => Promise<unknown>) => Promise<boolean>;
  readonly stop: () => Promise<void>;
}

/** An error that nobody tries again after. */
const DEAD = JSON.stringify({ __type: 'com.amazon.coral.service#UnrecognizedClientException', message: 'dead' });

/** Stands between the store and the engine, and ends the connection between the two after a number of calls. */
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
    const forwarded = send(engine + url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
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
        // Whatever a dying process says, nobody hears it.
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
