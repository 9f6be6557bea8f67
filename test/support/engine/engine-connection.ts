import { connect, type Socket } from 'node:net';

/** Response of an engine. The names of its headers are in lower case. */
export interface EngineResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** The engines require a signature but do not verify it. */
const HEADERS = [
  'content-type: application/x-amz-json-1.0',
  'x-amz-date: 20260101T000000Z',
  'authorization: AWS4-HMAC-SHA256 Credential=local/20260101/eu-central-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
].join('\r\n');

/** Time after which an idle connection is not used again, in milliseconds, because the engine may have closed it. */
const IDLE = 1_000;

interface Connection {
  readonly socket: Socket;
  lastUse: number;
}

/** Idle connections by endpoint. The last one is the one that was used last. */
const idle = new Map<string, Connection[]>();

/** Takes an idle connection, or opens another one. */
const takeConnection = (endpoint: string): Connection => {
  const connections = idle.get(endpoint) ?? [];
  for (let last = connections.pop(); last !== undefined; last = connections.pop()) {
    if (!last.socket.destroyed && performance.now() - last.lastUse < IDLE) return last;
    last.socket.destroy();
  }
  const { hostname, port } = new URL(endpoint);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  // An idle connection that breaks is not used again.
  socket.on('error', () => socket.destroy());
  return { socket, lastUse: 0 };
};

const keepConnection = (endpoint: string, connection: Connection): void => {
  connection.lastUse = performance.now();
  // An idle connection does not keep the process alive.
  connection.socket.unref();
  idle.set(endpoint, [...(idle.get(endpoint) ?? []), connection]);
};

/** Parses a response. Returns undefined while a part of it is missing. */
const parseResponse = (received: Buffer): EngineResponse | undefined => {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = received.toString('latin1', 0, end).split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const length = Number(headers['content-length']);
  if (Number.isNaN(length)) throw new Error(`The engine sent no length: ${statusLine}`);
  const body = received.subarray(end + 4);
  return body.length < length ? undefined : { status: Number(statusLine.split(' ')[1]), headers, body };
};

/**
 * Sends a request to an engine, with a small part of the CPU time that `node:http` and an AWS client need: a run of all tests
 * sends about a million.
 *
 * @param target value of `X-Amz-Target`, such as `DynamoDB_20120810.GetItem`
 * @param body JSON
 */
export const sendToEngine = (endpoint: string, target: string, body: string): Promise<EngineResponse> =>
  new Promise((resolve, reject) => {
    const connection = takeConnection(endpoint);
    const { socket } = connection;
    let received: Buffer = Buffer.alloc(0);
    const release = (): void => {
      socket.off('data', onData).off('close', onClose);
    };
    const onClose = (): void => {
      release();
      reject(new Error(`The engine closed the connection during ${target}`));
    };
    const onData = (chunk: Buffer): void => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      try {
        const response = parseResponse(received);
        if (response === undefined) return;
        release();
        keepConnection(endpoint, connection);
        resolve(response);
      } catch (error) {
        release();
        socket.destroy();
        reject(error);
      }
    };
    socket.on('data', onData).on('close', onClose).ref();
    const { host } = new URL(endpoint);
    const length = Buffer.byteLength(body);
    socket.write(
      `POST / HTTP/1.1\r\nhost: ${host}\r\n${HEADERS}\r\nx-amz-target: ${target}\r\ncontent-length: ${length}\r\n\r\n${body}`,
    );
  });
