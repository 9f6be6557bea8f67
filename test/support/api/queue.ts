import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** In-memory queue that records messages and can reject requests. */
export interface TestQueue {
  readonly endpoint: string;
  readonly url: string;
  /** Returns the parsed messages since the last call. */
  // biome-ignore lint/suspicious/noExplicitAny: messages contain events of every shape.
  readonly received: () => any[];
  /** Rejects the next calls with 503. */
  readonly reject: (calls: number) => void;
  readonly stop: () => Promise<void>;
}

/** Starts an empty queue on a local port. */
export const startQueue = async (): Promise<TestQueue> => {
  let messages: unknown[] = [];
  let refusals = 0;
  const server = createServer(async (request, response) => {
    const { MessageBody } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { MessageBody: string };
    if (refusals > 0) {
      refusals -= 1;
      response.writeHead(503).end('{}');
      return;
    }
    messages.push(JSON.parse(MessageBody));
    const MD5OfMessageBody = createHash('md5').update(MessageBody).digest('hex');
    response
      .writeHead(200, { 'content-type': 'application/x-amz-json-1.0' })
      .end(JSON.stringify({ MessageId: String(messages.length), MD5OfMessageBody }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    endpoint,
    url: `${endpoint}/000000000000/dead-letters`,
    received: () => {
      const seen = messages;
      messages = [];
      return seen;
    },
    reject: (calls) => {
      refusals = calls;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
