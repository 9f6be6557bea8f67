import { ApiError, NoResponse, OtherServer } from '../../shared/client/errors.ts';
import { cursorOf } from '../../shared/client/history.ts';
import { type ApiRequest, toCurl } from '../../shared/client/request.ts';
import {
  createIdempotencyKey,
  fetchResponse,
  type Reply,
  type SendOptions,
  sendRequest,
  throwNoResponse,
  withRetries,
} from '../../shared/client/send.ts';
import { startTimeLimit } from '../../shared/lib/clock.ts';
import type { Service } from './context/service.ts';
import { Failure } from './failure.ts';
import { type Io, writeTo } from './io.ts';
import { toFailure } from './output/errors.ts';
import { explainNoResponse } from './output/no-response.ts';

/** Ends a command with `--curl` after its request has been shown. */
export class RequestShown extends Error {}

interface PageDocument<T> {
  readonly data: readonly T[];
  readonly meta?: { readonly pagination?: { readonly 'next-page'?: number | null } | undefined } | undefined;
}

/** A page of a list that names the next one by a cursor. */
export interface CursorPage<T> {
  readonly data: readonly T[];
  readonly links: { readonly next: string | null };
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
  /**
   * Sends a request whose response is content, possibly at another host, which gets no token. Returns the parts as they arrive.
   */
  readonly download: (request: ApiRequest) => AsyncGenerator<Uint8Array>;
  /** Sends content to a presigned URL, which gets no token. */
  readonly upload: (url: string, content: Uint8Array) => Promise<void>;
}

/** Query parameters of a page of a list. */
export const pageQuery = (number: number) => ({ 'page[number]': number, 'page[size]': 100 });

/** Reads the documents of all pages of a list. @param send `api.send` for a result, `api.lookUp` for the preparation of another request. */
export async function* readPages<D extends PageDocument<unknown>>(
  send: Api['send'],
  request: (page: number) => ApiRequest<D>,
): AsyncGenerator<D> {
  for (let page: number | null = 1; page !== null; ) {
    const { document }: Reply<D> = await send(request(page));
    yield document;
    page = document.meta?.pagination?.['next-page'] ?? null;
  }
}

/** Collects the documents of all pages of a list. @param send as that of `readPages`. */
export const readAllPages = async <D extends PageDocument<unknown>>(
  ...list: Parameters<typeof readPages<D>>
): Promise<readonly D[]> => {
  const documents: D[] = [];
  for await (const document of readPages<D>(...list)) documents.push(document);
  return documents;
};

/** Reads the resources of all pages of a list with a cursor. @param send as that of `readPages`. */
export async function* readByCursor<T>(
  send: Api['send'],
  request: (after: string | undefined) => ApiRequest<CursorPage<T>>,
): AsyncGenerator<T> {
  let after: string | undefined;
  do {
    const { document }: Reply<CursorPage<T>> = await send(request(after));
    yield* document.data;
    after = cursorOf(document.links.next);
  } while (after !== undefined);
}

/** Longest time until a response is complete, or a download starts, in milliseconds. A function runs for at most 30 seconds. */
const LONGEST_RESPONSE = 40_000;

/** Cancels an attempt that takes too long. @throws NoResponse then, so that the request is repeated. */
const withTimeLimit = async <T>(signal: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const limit = new AbortController();
  const end = startTimeLimit(LONGEST_RESPONSE, () => limit.abort());
  try {
    return await run(AbortSignal.any([signal, limit.signal]));
  } catch (error) {
    if (signal.aborted || !limit.signal.aborted) throw error;
    const message = `The service does not respond within ${LONGEST_RESPONSE / 1_000} seconds.`;
    throw new NoResponse(message, { cause: new DOMException(message, 'TimeoutError') });
  } finally {
    end();
  }
};

/** Statuses that API Gateway returns without error objects (HTTP-17). */
const GATEWAY_STATUSES: readonly number[] = [413, 429, 431];

/**
 * Returns whether another server has responded. Its 401 says nothing about the token, and its 404 nothing about the resource.
 * @param product the product that should respond. Errors of others than Holdfast can lack error objects.
 */
const isOtherServer = (error: unknown, product: string): boolean =>
  error instanceof OtherServer ||
  (product === HOLDFAST &&
    error instanceof ApiError &&
    error.errors.length === 0 &&
    error.status < 500 &&
    !GATEWAY_STATUSES.includes(error.status));

const HOLDFAST = 'Holdfast';

/** The service to which requests go. Without a token, requests have none. */
export type Target = Omit<Service, 'token'> & { readonly token: string | null };

interface ApiOptions {
  /** Whether requests are shown in place of being sent. */
  readonly isShown: boolean;
  /** Reports that a request is repeated. Default: on standard error. */
  readonly note?: (sentence: string) => void;
  /** Names the server in errors. */
  readonly product?: string;
}

/** Opens the API. @param service resolved with the first request, so that a usage error comes before questions of sign-in. */
export const openApi = (
  io: Io,
  service: () => Promise<Target>,
  { isShown, note = (sentence) => void io.stderr.write(`${sentence}\n`), product = HOLDFAST }: ApiOptions,
): Api => {
  const show = async (request: ApiRequest): Promise<void> => {
    if (!isShown) return;
    await writeTo(io.stdout, `${toCurl(request, (await service()).origin)}\n`);
    throw new RequestShown();
  };
  const retry = <T>(name: string, sendOnce: () => Promise<T>): Promise<T> =>
    withRetries(sendOnce, {
      signal: io.signal,
      wait: (milliseconds) => io.wait(milliseconds, io.signal),
      onRetry: (error, milliseconds) =>
        note(`${name}: ${error.message} The next attempt is in ${Math.ceil(milliseconds / 1_000)} s.`),
    });
  const attempt = async <T>(request: ApiRequest, send: (options: SendOptions) => Promise<T>): Promise<T> => {
    const { host, origin, source, token, tokenSource } = await service();
    const { signal, fetch } = io;
    const { idempotencyKey = createIdempotencyKey() } = request;
    const name = `${request.method} ${request.url}`;
    try {
      return await retry(name, () =>
        withTimeLimit(signal, (limited) => send({ origin, token, signal: limited, fetch, idempotencyKey })),
      );
    } catch (error) {
      if (isOtherServer(error, product) && request.isRedirected !== true) {
        const { status } = error as Partial<ApiError>;
        throw new Failure('failed', `${host} does not respond like ${product}.`, {
          status,
          request: name,
          hint: `Check the address. It is from ${source}.`,
          cause: error,
        });
      }
      if (error instanceof NoResponse && !(error instanceof OtherServer)) {
        throw new Failure('failed', explainNoResponse(io, origin, error.cause), {
          hint: `The address is from ${source}. Run "holdfast doctor" to check it.`,
          request: name,
          cause: error,
        });
      }
      const isRejected = error instanceof ApiError && error.status === 401;
      throw toFailure(error, name, isRejected ? `${host} rejects the token from ${tokenSource}.` : undefined);
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
    pages: (request) => readPages(send, request),
    async *download(request) {
      await show(request);
      const { body } = await attempt(request, (options) => fetchResponse(request, options));
      const reader = body?.getReader();
      for (;;) {
        const part = await reader?.read().catch((cause) => {
          if (io.signal.aborted) throw cause;
          const message = 'The connection ended before the content was complete.';
          throw new Failure('failed', message, { cause: new NoResponse(message, { cause }) });
        });
        if (part === undefined || part.done) return;
        yield part.value;
      }
    },
    upload: async (url, content) => {
      const { host } = new URL(url);
      const put = async (): Promise<void> => {
        const response = await io
          .fetch(url, { method: 'PUT', body: new Uint8Array(content), signal: io.signal })
          .catch((error) => throwNoResponse(error, io.signal));
        if (!response.ok) throw new ApiError(response.status, []);
      };
      try {
        await retry(`Upload to ${host}`, put);
      } catch (error) {
        if (io.signal.aborted) throw error;
        throw new Failure('failed', `The content cannot be uploaded to ${host}. ${(error as Error).message}`, {
          cause: error,
        });
      }
    },
  };
};
