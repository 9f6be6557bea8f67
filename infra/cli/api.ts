import { ApiError } from '../../shared/client/errors.ts';
import { type ApiRequest, toCurl } from '../../shared/client/request.ts';
import {
  createIdempotencyKey,
  fetchResponse,
  type Reply,
  type SendOptions,
  sendRequest,
  withRetries,
} from '../../shared/client/send.ts';
import type { Service } from './context/service.ts';
import { type Io, writeTo } from './io.ts';
import { toFailure } from './output/errors.ts';

/** Ends a command with `--curl` after its request has been shown. */
export class RequestShown extends Error {}

interface PageDocument<T> {
  readonly data: readonly T[];
  readonly meta?: { readonly pagination?: { readonly 'next-page'?: number | null } | undefined } | undefined;
}

/**
 * Sends requests with the token of the caller. Every write has an idempotency key, and repetitions have the same one. All
 * methods throw a `Failure`, whose details have the status of the response.
 */
export interface Api {
  /** Sends a request of the command. With `--curl` it is shown and not sent, and the command ends. */
  readonly send: <D>(request: ApiRequest<D>) => Promise<Reply<D>>;
  /** Sends a read that prepares a request, such as that of an id. It is also sent with `--curl`. */
  readonly lookUp: <D>(request: ApiRequest<D>) => Promise<Reply<D>>;
  /** Sends the requests of all pages of a list, one after the other. */
  readonly pages: <T, D extends PageDocument<T>>(request: (page: number) => ApiRequest<D>) => AsyncGenerator<D>;
  /** Sends a request whose response is content, possibly at another host, which gets no token. */
  readonly download: (request: ApiRequest) => Promise<Response>;
}

/** Opens the API. @param service resolved with the first request, so that a usage error comes before questions of sign-in. */
export const openApi = (io: Io, service: () => Promise<Service>, isShown: boolean): Api => {
  const show = async (request: ApiRequest): Promise<void> => {
    if (!isShown) return;
    await writeTo(io.stdout, `${toCurl(request, (await service()).origin)}\n`);
    throw new RequestShown();
  };
  const attempt = async <T>(request: ApiRequest, send: (options: SendOptions) => Promise<T>): Promise<T> => {
    const { origin, token, tokenSource } = await service();
    const { signal, fetch } = io;
    const idempotencyKey = createIdempotencyKey();
    const name = `${request.method} ${request.url}`;
    try {
      return await withRetries(() => send({ origin, token, signal, fetch, idempotencyKey }), {
        signal,
        wait: (milliseconds) => io.wait(milliseconds, signal),
        onRetry: (error, milliseconds) =>
          io.stderr.write(`${name}: ${error.message} The next attempt is in ${Math.ceil(milliseconds / 1_000)} s.\n`),
      });
    } catch (error) {
      const isRejected = error instanceof ApiError && error.status === 401;
      throw toFailure(
        error,
        name,
        isRejected ? `${new URL(origin).host} rejects the token from ${tokenSource}.` : undefined,
      );
    }
  };
  const lookUp = <D>(request: ApiRequest<D>): Promise<Reply<D>> =>
    attempt(request, (options) => sendRequest(request, options));
  const send = async <D>(request: ApiRequest<D>): Promise<Reply<D>> => {
    await show(request);
    return lookUp(request);
  };
  return {
    send,
    lookUp,
    async *pages(request) {
      for (let page: number | null = 1; page !== null; ) {
        const { document }: Reply<PageDocument<unknown>> = await send(request(page));
        yield document as never;
        page = document.meta?.pagination?.['next-page'] ?? null;
      }
    },
    download: async (request) => {
      await show(request);
      return attempt(request, (options) => fetchResponse(request, options));
    },
  };
};
