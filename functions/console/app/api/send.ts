import { ApiError, NoResponse } from '../../../../shared/client/errors.ts';
import type { ApiRequest } from '../../../../shared/client/request.ts';
import {
  createIdempotencyKey,
  fetchResponse,
  type Reply,
  sendRequest,
  throwNoResponse,
  withRetries,
} from '../../../../shared/client/send.ts';
import { renewWhenDue } from './browser-session.ts';
import { reportConnection } from './connection.ts';
import { endSession, sessionToken } from './session.ts';

interface Options {
  readonly signal?: AbortSignal | undefined;
  /** Key of the intention of the user: a repeated request with it is executed once (HTTP-37). */
  readonly idempotencyKey?: string | undefined;
  /** Token to use in place of the token of the session. */
  readonly token?: string | undefined;
}

/** Sends with a token, by default that of the session, and reports whether the service responds. */
const withSession = async <T>(
  token: string | undefined,
  sendWith: (target: { readonly origin: string; readonly token: string | null }) => Promise<T>,
): Promise<T> => {
  if (token === undefined) await renewWhenDue();
  const bearer = token ?? sessionToken();
  try {
    const result = await sendWith({ origin: '', token: bearer });
    reportConnection(true);
    return result;
  } catch (error) {
    if (error instanceof NoResponse) reportConnection(false);
    if (error instanceof ApiError) {
      reportConnection(true);
      // Another token may have been entered while the request was on its way.
      if (error.status === 401 && token === undefined && bearer === sessionToken()) endSession('rejected');
    }
    throw error;
  }
};

/**
 * Sends a request with the token of the session.
 * @throws ApiError for a response that is not successful. A 401 also ends the session.
 * @throws NoResponse without a complete response.
 */
export const send = <D>(request: ApiRequest<D>, { token, ...options }: Options = {}): Promise<Reply<D>> =>
  withSession(token, (target) => sendRequest(request, { ...options, ...target }));

interface DownloadOptions {
  readonly signal?: AbortSignal;
  /** Called with the number of bytes that have arrived. */
  readonly onProgress?: (bytes: number) => void;
}

/**
 * Downloads the content to which a request leads.
 * @throws the errors of `send`.
 */
export const download = (
  request: ApiRequest,
  { signal, onProgress = () => undefined }: DownloadOptions = {},
): Promise<Blob> =>
  withSession(undefined, async (target) => {
    const reader = (await fetchResponse(request, { ...target, signal })).body?.getReader();
    const chunks: BlobPart[] = [];
    let size = 0;
    for (;;) {
      const { value } = (await reader?.read().catch((error) => throwNoResponse(error, signal))) ?? {};
      if (value === undefined) return new Blob(chunks);
      chunks.push(value);
      size += value.length;
      onProgress(size);
    }
  });

/**
 * Sends a request, and repeats it with the same idempotency key while the service is busy or does not respond. For work
 * on many resources; a single action uses `useAction`.
 */
export const sendPatiently = <D>(request: ApiRequest<D>): Promise<Reply<D>> => {
  const idempotencyKey = createIdempotencyKey();
  return withRetries(() => send(request, { idempotencyKey }));
};
