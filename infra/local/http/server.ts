import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { base58 } from '../../../shared/lib/random.ts';
import { PlainError } from '../../command-line.ts';
import { gatewayError, gatewayErrors, type HttpResponse, type IncomingRequest } from './messages.ts';

type RequestHandler = (request: IncomingRequest) => Promise<HttpResponse>;
type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;
type Guard = (request: IncomingMessage) => boolean;

/** Limit of API Gateway on the request line and the headers together. */
const MAX_HEAD_BYTES = 10_240;
/** Limit of API Gateway on a body. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
/**
 * Size up to which a body that is too large is read, because many clients read the response only after they have sent the
 * whole body.
 */
const MAX_DISCARDED_BYTES = 8 * MAX_BODY_BYTES;
/** Larger heads are rejected by the parser of Node itself. */
const PARSER_LIMIT_BYTES = 64 * 1024;
/** With the default of Node, 5 s, a connection could be closed just when a slow client sends its next request. */
const IDLE_MILLIS = 60_000;
/** Time after which `close` closes connections with a response in progress. */
const GRACE_MILLIS = 3_000;

/**
 * Starts an HTTP server with the limits of API Gateway. It responds with 503 until `serve` is called.
 * @param port 0 chooses any free port.
 * @throws PlainError when the server cannot listen on the port.
 */
export const listen = async (host: string, port: number) => {
  let handler: RequestHandler = async () => gatewayError('unavailable');
  let intercept: Intercept = () => false;
  let guard: Guard = () => true;

  const server = createServer({ maxHeaderSize: PARSER_LIMIT_BYTES, requireHostHeader: false }, (request, response) => {
    if (!guard(request)) reject(request, response);
    else if (!intercept(request, response)) void handle(request, response, (incoming) => handler(incoming));
  });
  server.maxHeadersCount = 0;
  server.keepAliveTimeout = IDLE_MILLIS;
  // `readBody` has a limit of its own. The upload of a state of 100 MB to a bucket takes long over a slow connection.
  server.requestTimeout = 0;
  server.on('clientError', rejectMalformed);
  server.on('connect', (_request, socket: Socket) => rejectMalformed(new Error(), socket));

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    /**
     * Sets the handler of requests.
     * @param newIntercept handles a request whose body has not been read, and returns true; returns false for others.
     * @param newGuard reports whether a request is allowed. Any other request is rejected with 403.
     */
    serve: (newHandler: RequestHandler, newIntercept: Intercept = () => false, newGuard: Guard = () => true): void => {
      handler = newHandler;
      intercept = newIntercept;
      guard = newGuard;
    },
    /** Stops accepting requests, waits a few seconds for responses in progress, and frees the port. */
    close: () =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), GRACE_MILLIS);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
};

const listenError = (error: NodeJS.ErrnoException, host: string, port: number): PlainError => {
  if (error.code === 'EADDRINUSE')
    return new PlainError(
      `Port ${port} on ${host} is already in use: stop the program that uses it, or choose another port with PORT`,
    );
  if (error.code === 'EACCES')
    return new PlainError(`This user may not listen on port ${port}: choose another port with PORT`);
  return new PlainError(`Cannot listen on ${host}, the address in HOLDFAST_HOST: ${error.code}`);
};

/** Responds with 403. */
const reject = (request: IncomingMessage, response: ServerResponse): void => {
  send(request, response, `${base58(15)}=`, gatewayError('forbidden'));
};

const handle = async (request: IncomingMessage, response: ServerResponse, handler: RequestHandler): Promise<void> => {
  const id = `${base58(15)}=`;
  try {
    send(request, response, id, await createResponse(request, id, handler));
  } catch (error) {
    if (request.destroyed && !request.complete) return;
    console.error(error);
    send(request, response, id, gatewayError('internal'));
  }
};

const createResponse = async (request: IncomingMessage, id: string, handler: RequestHandler): Promise<HttpResponse> => {
  const receivedAt = new Date();
  const body = await readBody(request);
  if (headBytes(request) > MAX_HEAD_BYTES) return gatewayError('headersTooLarge');
  if (!Buffer.isBuffer(body)) return gatewayError(body);
  // A server must accept the absolute form (RFC 9112, section 3.2.2). The path follows the authority.
  const target = (request.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '');
  const [rawPath = '', ...query] = (target.startsWith('?') ? `/${target}` : target).split('?');
  const lacksHost = request.httpVersion === '1.1' && request.headers.host === undefined;
  if (lacksHost || !rawPath.startsWith('/')) return gatewayError('badRequest');
  return handler({
    id,
    method: request.method ?? 'GET',
    protocol: `HTTP/${request.httpVersion}`,
    rawPath,
    rawQueryString: query.join('?'),
    rawHeaders: request.rawHeaders,
    body,
    sourceIp: (request.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
    port: request.socket.localPort ?? 0,
    receivedAt,
  });
};

/** Time for a body, as Node has it for the headers, so that no client can hold a connection by sending slowly. */
const BODY_MILLIS = 60_000;

/** Reads the whole body of a request. @returns the name of the error when it is too large or arrives too slowly. */
const readBody = async (request: IncomingMessage): Promise<Buffer | 'tooLarge' | 'requestTimeout'> => {
  const { promise: timeout, resolve } = Promise.withResolvers<'requestTimeout'>();
  const timer = setTimeout(resolve, BODY_MILLIS, 'requestTimeout');
  try {
    return await Promise.race([readChunks(request), timeout]);
  } finally {
    clearTimeout(timer);
  }
};

const readChunks = async (request: IncomingMessage): Promise<Buffer | 'tooLarge'> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
    if (size > MAX_DISCARDED_BYTES) {
      request.destroy();
      throw new RangeError('the body is many times larger than the limit');
    }
  }
  return size <= MAX_BODY_BYTES ? Buffer.concat(chunks, size) : 'tooLarge';
};

/** Counts the bytes of the request line and the headers, with the `: ` and the line end of each header. */
const headBytes = ({ method = '', url = '', rawHeaders }: IncomingMessage): number => {
  const requestLine = `${method} ${url} HTTP/1.1\r\n`;
  const headers = rawHeaders.reduce((sum, part) => sum + Buffer.byteLength(part, 'latin1') + 2, 0);
  return Buffer.byteLength(requestLine, 'latin1') + headers;
};

const send = (
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
  { status, headers, body }: HttpResponse,
): void => {
  const hasBody = status !== 204 && status !== 304;
  for (const [name, value] of headers) response.appendHeader(name, value);
  response.setHeader('apigw-requestid', id);
  // The rest of the body would be read as the next request.
  if (!request.complete) response.setHeader('connection', 'close');
  if (hasBody) response.setHeader('content-length', body.length);
  response.writeHead(status);
  response.end(hasBody && request.method !== 'HEAD' ? body : undefined);
};

/** Responds on the socket itself when the parser of Node rejected a request. */
const rejectMalformed = (error: NodeJS.ErrnoException, socket: NodeJS.WritableStream & { destroy(): void }): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const name =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'headersTooLarge'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'requestTimeout'
        : 'badRequest';
  const [status, reason] = gatewayErrors[name];
  const { body } = gatewayError(name);
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
};
