import { ApiError, type ErrorObject, isRepeated, NoResponse, OtherServer, retryDelay } from './errors.ts';
import { type ApiRequest, toForm } from './request.ts';

/** A successful response. */
export interface Reply<D> {
  readonly document: D;
  /** Entity tag of the resource (EDIT-1). */
  readonly etag: string | undefined;
}

/** Service and caller of a request, and how it is sent. */
export interface SendOptions {
  /** Scheme and host of the service. Empty in a page of the service, whose URLs are relative. */
  readonly origin: string;
  /** Token of the caller; null sends none. */
  readonly token: string | null;
  readonly signal?: AbortSignal | undefined;
  /** Key of the intention of the user: a repeated request with it is executed once (HTTP-37). */
  readonly idempotencyKey?: string | undefined;
  /** Further headers, such as `User-Agent`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const hasErrors = (value: unknown): value is { readonly errors: readonly ErrorObject[] } => {
  const { errors } = isObject(value) ? (value as { readonly errors?: unknown }) : {};
  return Array.isArray(errors) && errors.every(isObject);
};

const FORM = 'application/x-www-form-urlencoded';

/** @throws an error if the connection breaks before the end. */
const readJson = async (response: Response): Promise<unknown> => {
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
};

/** @throws OtherServer for a response in another format. */
const requireJson = ({ headers }: Response): void => {
  const type = headers.get('content-type');
  if (type !== null && !/\bjson\b/.test(type)) {
    throw new OtherServer(`Another server has responded, with "${type}" in place of JSON.`);
  }
};

/** Reads an error of OAuth 2.0 (RFC 6749, 5.2): its code is the title. */
const oauthErrors = (status: number, value: unknown): readonly ErrorObject[] => {
  const { error, error_description: detail } = (isObject(value) ? value : {}) as Readonly<Record<string, unknown>>;
  if (typeof error !== 'string') return [];
  return [{ status: String(status), title: error, ...(typeof detail === 'string' && { detail }) }];
};

const toError = async (response: Response): Promise<ApiError> => {
  // API Gateway and Lambda have a format of their own (HTTP-17).
  const document = await readJson(response).catch(() => undefined);
  const retryAfter = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
  return new ApiError(response.status, hasErrors(document) ? document.errors : oauthErrors(response.status, document), {
    retryAfter: Number.isNaN(retryAfter) ? undefined : retryAfter,
    etag: response.headers.get('etag') ?? undefined,
  });
};

/**
 * Throws the error of a request whose response did not arrive, or not completely.
 * @throws NoResponse, or the error itself if the request was canceled.
 */
export const throwNoResponse = (error: unknown, signal: AbortSignal | undefined): never => {
  if (signal?.aborted) throw error;
  throw new NoResponse('The service does not respond.', { cause: error });
};

/**
 * Sends a request and returns its successful response, whose body the caller reads, such as that of a download.
 * @throws ApiError for a response that is not successful.
 * @throws NoResponse without a response.
 */
export const fetchResponse = async (
  { method, url, body, ifMatch, isForm = false }: ApiRequest,
  { origin, token, signal, idempotencyKey, headers = {}, fetch: fetchFrom = fetch }: SendOptions,
): Promise<Response> => {
  let response: Response;
  try {
    // A download redirects to a presigned URL of another origin (STATE-13). There `fetch` leaves out `Authorization`, as
    // its standard requires, so that the token is sent to the service only.
    response = await fetchFrom(origin + url, {
      method,
      cache: 'no-store',
      credentials: 'omit',
      headers: {
        ...headers,
        ...(token !== null && !isForm && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': isForm ? FORM : 'application/vnd.api+json' }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        ...(idempotencyKey !== undefined && method !== 'GET' && { 'idempotency-key': `"${idempotencyKey}"` }),
      },
      ...(body !== undefined && { body: isForm ? `${toForm(body)}` : JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
  } catch (error) {
    return throwNoResponse(error, signal);
  }
  if (response.ok) return response;
  throw await toError(response);
};

/**
 * Sends a request once and returns the document of its response.
 * @throws ApiError for a response that is not successful.
 * @throws NoResponse without a complete response, or with the response of another server.
 * @example
 * const { document } = await sendRequest(showAccount(), { origin: 'https://holdfast.example.com', token });
 */
export const sendRequest = async <D>(request: ApiRequest<D>, options: SendOptions): Promise<Reply<D>> => {
  const response = await fetchResponse(request, options);
  requireJson(response);
  const document = await readJson(response).catch((error) => throwNoResponse(error, options.signal));
  return { document: document as D, etag: response.headers.get('etag') ?? undefined };
};

/** Creates a new key for `Idempotency-Key`. `crypto.randomUUID` is missing on hosts without HTTPS. */
export const createIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

const ATTEMPTS = 4;

/** Waits. @throws the reason of the signal as soon as it is aborted. */
export const waitOrAbort = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
  });

interface RetryOptions {
  readonly signal?: AbortSignal | undefined;
  /** Waits for so many milliseconds. */
  readonly wait?: typeof waitOrAbort;
  /** Called before each wait, with its length in milliseconds. */
  readonly onRetry?: (error: Error, milliseconds: number) => void;
}

/**
 * Repeats an attempt to send a request while the service is busy or does not respond.
 * @param attempt sends the request, with the same idempotency key each time.
 * @throws the error of the last attempt.
 */
export const withRetries = async <T>(
  attempt: () => Promise<T>,
  { signal, wait = waitOrAbort, onRetry }: RetryOptions = {},
): Promise<T> => {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (count === ATTEMPTS || !isRepeated(error)) throw error;
      const milliseconds = retryDelay(count, error);
      onRetry?.(error as Error, milliseconds);
      await wait(milliseconds, signal);
    }
  }
};
