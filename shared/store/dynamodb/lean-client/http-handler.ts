import type { Agent } from 'node:http';
import https from 'node:https';
import { type HttpRequest, HttpResponse } from '@smithy/core/protocols';
import type { NodeHttpHandlerOptions } from '@smithy/types';
import { startTimeLimit } from '../../../lib/clock.ts';

// An import would also evaluate `http.WebSocket`, which loads a client of HTTP that takes longer than all of a bundle.
const http = process.getBuiltinModule('node:http');

/** Codes of errors of lost connections. The SDK names such errors like timeouts, and repeats the request. */
const LOST = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'];

const agentOptions = { keepAlive: true, maxSockets: 50 };

const timeoutError = (event: string, milliseconds: number, code?: string): Error =>
  Object.assign(new Error(`${event} within ${milliseconds} ms`), { name: 'TimeoutError', ...(code && { code }) });
const abortError = ({ reason }: AbortSignal): Error =>
  Object.assign(new Error('Request aborted'), { name: 'AbortError', cause: reason });

/**
 * Creates a handler of HTTP requests with the connections, time limits and errors of the SDK handler, which starts four
 * timers for each request.
 * @param options `connectionTimeout` and `requestTimeout` in milliseconds: the time until a new connection is established, and
 * until the headers of a response arrive. No limit by default.
 */
export const createHttpHandler = ({
  connectionTimeout = 0,
  requestTimeout = 0,
  httpAgent = new http.Agent(agentOptions),
  httpsAgent = new https.Agent(agentOptions),
}: NodeHttpHandlerOptions) => {
  const protocols = {
    'http:': { send: http.request, agent: httpAgent as Agent },
    'https:': { send: https.request, agent: httpsAgent as https.Agent },
  };

  const handle = (request: HttpRequest, { abortSignal }: { readonly abortSignal?: AbortSignal | undefined } = {}) =>
    new Promise<{ readonly response: HttpResponse }>((resolve, reject) => {
      if (abortSignal?.aborted) throw abortError(abortSignal);
      const { hostname, port, method, path, headers } = request;
      // An IPv6 address has brackets in a URL only.
      const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
      const { send, agent } = protocols[request.protocol as keyof typeof protocols];
      const sent = send({ host, port, method, path, headers, agent }, (body) => {
        endLimit();
        const { statusCode = 0 } = body;
        resolve({ response: new HttpResponse({ statusCode, headers: body.headers as Record<string, string>, body }) });
      });
      const fail = (error: Error): void => {
        endLimit();
        sent.destroy();
        reject(error);
      };
      const limit = (milliseconds: number, event: string, code?: string) =>
        milliseconds > 0
          ? startTimeLimit(milliseconds, () => fail(timeoutError(event, milliseconds, code)))
          : () => undefined;

      const endLimit = limit(requestTimeout, 'DynamoDB did not respond', 'ETIMEDOUT');
      sent.once('socket', (socket) => {
        if (!socket.connecting) return;
        const endConnecting = limit(connectionTimeout, 'No connection to DynamoDB was established');
        for (const event of ['connect', 'close']) socket.once(event, endConnecting);
      });
      sent.on('error', (error: NodeJS.ErrnoException) =>
        fail(LOST.includes(error.code ?? '') ? Object.assign(error, { name: 'TimeoutError' }) : error),
      );
      if (abortSignal) {
        const abort = (): void => fail(abortError(abortSignal));
        abortSignal.addEventListener('abort', abort, { once: true });
        sent.once('close', () => abortSignal.removeEventListener('abort', abort));
      }
      sent.end(request.body);
    });
  return { handle };
};
