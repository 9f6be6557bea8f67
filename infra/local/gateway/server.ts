import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { base58 } from '../../../shared/lib/random.ts';
import { closeServer } from './close-server.ts';
import type { IncomingRequest } from './http-event.ts';
import { type HttpAnswer, type Refusal, refusals, refuse } from './http-response.ts';
import { PlainError } from './plain-error.ts';
import { readBody } from './read-body.ts';

/** A listening port. Until something is served on it, it answers 503. */
export interface Server {
  readonly port: number;
  /** @param divert answers a request in its own way, before it is read, and says whether it does. */
  serve(answer: (request: IncomingRequest) => Promise<HttpAnswer>, divert?: Divert): void;
  /** Takes no more requests, lets those under way finish for a while, and frees the port. */
  close(): Promise<void>;
}

type Divert = (request: IncomingMessage, response: ServerResponse) => boolean;

/** API Gateway's limit on the request line and the headers together. */
const LARGEST_HEAD_BYTES = 10_240;
/** API Gateway's limit on a body. */
const LARGEST_BODY_BYTES = 10 * 1024 * 1024;
/** Above this Node's parser gives up by itself. */
const PARSER_LIMIT_BYTES = 64 * 1024;
/** A client may use a connection again; Node's own 5 s would close it under the next request of a slow one. */
const IDLE_MILLIS = 60_000;
const GRACE_MILLIS = 3_000;

/** @throws PlainError when the port cannot be had. */
export const listen = async (host: string, port: number): Promise<Server> => {
  let answer = async (_request: IncomingRequest): Promise<HttpAnswer> => refuse('unavailable');
  let divert: Divert = () => false;

  const server = createServer({ maxHeaderSize: PARSER_LIMIT_BYTES, requireHostHeader: false }, (request, response) => {
    if (!divert(request, response)) void handle(request, response, (incoming) => answer(incoming));
  });
  server.maxHeadersCount = 0;
  server.keepAliveTimeout = IDLE_MILLIS;
  server.on('clientError', refuseMalformed);
  server.on('connect', (_request, socket: Socket) => refuseMalformed(new Error(), socket));

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenRefusal(error, host, port)));
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    serve: (given, diverting = () => false) => {
      answer = given;
      divert = diverting;
    },
    close: () => closeServer(server, GRACE_MILLIS),
  };
};

const listenRefusal = (error: NodeJS.ErrnoException, host: string, port: number): PlainError => {
  if (error.code === 'EADDRINUSE')
    return new PlainError(`The port ${port} on ${host} is taken: end what uses it, or choose another with PORT`);
  if (error.code === 'EACCES') return new PlainError(`This user may not listen on the port ${port}: choose another`);
  return new PlainError(`The address ${host}, from HOLDFAST_HOST, cannot be listened on: ${error.code}`);
};

const handle = async (
  request: IncomingMessage,
  response: ServerResponse,
  answer: (request: IncomingRequest) => Promise<HttpAnswer>,
): Promise<void> => {
  const id = `${base58(15)}=`;
  try {
    send(request, response, id, await answerTo(request, id, answer));
  } catch (error) {
    if (request.destroyed && !request.complete) return;
    console.error(error);
    send(request, response, id, refuse('internal'));
  }
};

const answerTo = async (
  request: IncomingMessage,
  id: string,
  answer: (request: IncomingRequest) => Promise<HttpAnswer>,
): Promise<HttpAnswer> => {
  const receivedAt = new Date();
  const body = await readBody(request, LARGEST_BODY_BYTES);
  if (headBytes(request) > LARGEST_HEAD_BYTES) return refuse('headersTooLarge');
  if (body === undefined) return refuse('tooLarge');
  // Absolute form (RFC 9112, 3.2.2): a server must take it, and the path is what follows the authority.
  const target = (request.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '');
  const [rawPath = '', ...query] = (target.startsWith('?') ? `/${target}` : target).split('?');
  const lacksHost = request.httpVersion === '1.1' && request.headers.host === undefined;
  if (lacksHost || !rawPath.startsWith('/')) return refuse('badRequest');
  return answer({
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

/** Bytes of the request line and the headers as they were sent: each value with its `: `, each line with its end. */
const headBytes = ({ method = '', url = '', rawHeaders }: IncomingMessage): number => {
  const requestLine = `${method} ${url} HTTP/1.1\r\n`;
  const headers = rawHeaders.reduce((sum, part) => sum + Buffer.byteLength(part, 'latin1') + 2, 0);
  return Buffer.byteLength(requestLine, 'latin1') + headers;
};

const send = (request: IncomingMessage, response: ServerResponse, id: string, answer: HttpAnswer): void => {
  const { status, headers, body } = answer;
  const hasBody = status !== 204 && status !== 304;
  for (const [name, value] of headers) response.appendHeader(name, value);
  response.setHeader('apigw-requestid', id);
  if (hasBody) response.setHeader('content-length', body.length);
  response.writeHead(status);
  response.end(hasBody && request.method !== 'HEAD' ? body : undefined);
};

/** What never became a request: the parser's refusals, on the bare socket. */
const refuseMalformed = (error: NodeJS.ErrnoException, socket: NodeJS.WritableStream & { destroy(): void }): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal: Refusal =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'headersTooLarge'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'requestTimeout'
        : 'badRequest';
  const [status, reason] = refusals[refusal];
  const { body } = refuse(refusal);
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
};
