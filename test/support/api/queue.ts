import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A queue in this process: what was sent to it, and whether it answers. */
export interface TestQueue {
  readonly endpoint: string;
  readonly url: string;
  /** The messages since the last look, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: letters hold events of every shape.
  readonly received: () => any[];
  /** From now on it refuses as many calls. */
  readonly refuse: (calls: number) => void;
  readonly stop: () => Promise<void>;
}

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
    refuse: (calls) => {
      refusals = calls;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
