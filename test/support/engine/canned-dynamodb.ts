import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Request that arrived at the server. */
export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Response of the server, or a function that responds in another way, such as by closing the connection. */
export type CannedResponse =
  | { readonly status?: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | ((response: ServerResponse) => void);

export interface CannedDynamoDB {
  readonly endpoint: string;
  /** Sets the responses to the next requests, and forgets earlier requests. The last response is repeated. */
  readonly respond: (...responses: readonly CannedResponse[]) => void;
  readonly requests: () => readonly ReceivedRequest[];
  readonly stop: () => Promise<void>;
}

/** Starts a server that has the protocol of DynamoDB, and responds what a test sets. */
export const startCannedDynamoDB = async (): Promise<CannedDynamoDB> => {
  let responses: readonly CannedResponse[] = [{}];
  let received: ReceivedRequest[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const next = responses[Math.min(received.length, responses.length - 1)] ?? {};
    const request = { headers: incoming.headers, body: '' };
    received.push(request);
    Object.assign(request, { body: Buffer.concat(await incoming.toArray()).toString() });
    if (typeof next === 'function') {
      next(outgoing);
      return;
    }
    const { status = 200, body = {}, headers = {} } = next;
    outgoing
      .writeHead(status, { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-requestid': 'REQUEST', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    respond: (...next) => {
      responses = next;
      received = [];
    },
    requests: () => received,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
