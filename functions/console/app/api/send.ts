import { reportConnection } from './connection.ts';
import { ApiError, type ErrorObject, isRepeated, isTransient, NoResponse, retryDelay } from './errors.ts';
import type { ApiRequest } from './request.ts';
import { endSession, sessionToken } from './session.ts';

/** A successful response. */
export interface Reply<D> {
  readonly document: D;
  /** Entity tag of the resource (EDIT-1). */
  readonly etag: string | undefined;
}

interface SendOptions {
  readonly signal?: AbortSignal | undefined;
  /** Key of the intention of the user: a repeated request with it is executed once (HTTP-37). */
  readonly idempotencyKey?: string | undefined;
  /** Token to use in place of the token of the session. */
  readonly token?: string | undefined;
}

const hasErrors = (value: unknown): value is { readonly errors: readonly ErrorObject[] } =>
  typeof value === 'object' && value !== null && Array.isArray((value as { errors?: unknown }).errors);

/** @throws an error if the connection breaks before the end, or if another server, such as a proxy, has responded. */
const readJson = async (response: Response): Promise<unknown> => {
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
};

const toError = async (response: Response): Promise<ApiError> => {
  // API Gateway and Lambda have a format of their own (HTTP-17).
  const document = await readJson(response).catch(() => undefined);
  const retryAfter = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
  return new ApiError(response.status, hasErrors(document) ? document.errors : [], {
    retryAfter: Number.isNaN(retryAfter) ? undefined : retryAfter,
    etag: response.headers.get('etag') ?? undefined,
  });
};

/**
 * Sends a request with the token of the session.
 * @throws ApiError for a response that is not successful. A 401 also ends the session.
 * @throws NoResponse without a complete response.
 */
export const send = async <D>(request: ApiRequest<D>, options: SendOptions = {}): Promise<Reply<D>> => {
  const response = await fetchResponse(request, options);
  const document = await readJson(response).catch((error) => throwNoResponse(error, options.signal));
  return { document: document as D, etag: response.headers.get('etag') ?? undefined };
};

interface DownloadOptions {
  readonly signal?: AbortSignal;
  /** Called with the number of bytes that have arrived. */
  readonly onProgress?: (bytes: number) => void;
}

/**
 * Downloads the content to which a request leads.
 * @throws the errors of `send`.
 */
export const download = async (
  request: ApiRequest,
  { signal, onProgress = () => undefined }: DownloadOptions = {},
): Promise<Blob> => {
  const reader = (await fetchResponse(request, { signal })).body?.getReader();
  const chunks: BlobPart[] = [];
  let size = 0;
  for (;;) {
    const { value } = (await reader?.read().catch((error) => throwNoResponse(error, signal))) ?? {};
    if (value === undefined) return new Blob(chunks);
    chunks.push(value);
    size += value.length;
    onProgress(size);
  }
};

/** Reports a lost connection, unless the request was canceled. */
const throwNoResponse = (error: unknown, signal: AbortSignal | undefined): never => {
  if (signal?.aborted) throw error;
  reportConnection(false);
  throw new NoResponse('The service does not respond.', { cause: error });
};

/** @returns a successful response. */
const fetchResponse = async (
  { method, url, body, ifMatch }: ApiRequest,
  { signal, idempotencyKey, token }: SendOptions,
): Promise<Response> => {
  const bearer = token ?? sessionToken();
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      cache: 'no-store',
      credentials: 'omit',
      headers: {
        ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { 'content-type': 'application/vnd.api+json' }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        ...(idempotencyKey !== undefined && method !== 'GET' && { 'idempotency-key': `"${idempotencyKey}"` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
  } catch (error) {
    return throwNoResponse(error, signal);
  }
  reportConnection(true);
  if (response.ok) return response;
  // Another token may have been entered while the request was on its way.
  if (response.status === 401 && token === undefined && bearer === sessionToken()) endSession('rejected');
  throw await toError(response);
};

/** Creates a new key for `Idempotency-Key`. `crypto.randomUUID` is missing on hosts without HTTPS. */
export const createIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

const ATTEMPTS = 4;

const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Idempotency keys of requests that may have been executed although their response is not known, by the requests as JSON. */
export type UnansweredKeys = Map<string, string>;

/**
 * Sends a request, and repeats it with the same idempotency key while the service is busy or does not respond. For work
 * on many resources; a single action uses `useAction`.
 * @param unanswered keeps the key if no attempt gets a response that settles the request, and is read for the key of a former
 * such request. A rejection is not kept: its key would return it again after its cause is gone (HTTP-38).
 */
export const sendPatiently = async <D>(
  request: ApiRequest<D>,
  unanswered: UnansweredKeys = new Map(),
): Promise<Reply<D>> => {
  const text = JSON.stringify(request);
  const idempotencyKey = unanswered.get(text) ?? createIdempotencyKey();
  unanswered.delete(text);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send(request, { idempotencyKey });
    } catch (error) {
      if (attempt === ATTEMPTS || !isRepeated(error)) {
        if (isTransient(error)) unanswered.set(text, idempotencyKey);
        throw error;
      }
      await wait(retryDelay(attempt, error));
    }
  }
};
