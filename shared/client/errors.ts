/** An error object of the API (HTTP-13). */
export interface ErrorObject {
  readonly status: string;
  readonly title: string;
  readonly detail?: string | undefined;
  readonly source?: { readonly pointer?: string; readonly parameter?: string } | undefined;
  readonly meta?: unknown;
}

/** A response of the API that is not successful. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly errors: readonly ErrorObject[];
  /** Seconds after which the request can be repeated. */
  readonly retryAfter: number | undefined;
  /** The current entity tag, if the request named another one (EDIT-4). */
  readonly etag: string | undefined;

  constructor(
    status: number,
    errors: readonly ErrorObject[],
    { retryAfter, etag }: { readonly retryAfter?: number | undefined; readonly etag?: string | undefined } = {},
  ) {
    super(errors[0]?.detail ?? errors[0]?.title ?? `Status ${status}`);
    this.status = status;
    this.errors = errors;
    this.retryAfter = retryAfter;
    this.etag = etag;
  }
}

/** Returns whether the resource of a request does not exist, or may not be seen by the caller. */
export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** A request without a response: the network or the service is not available. */
export class NoResponse extends Error {
  override name = 'NoResponse';
}

/** A response of another server, such as the page of a proxy or of a wrong address. */
export class OtherServer extends NoResponse {
  override name = 'OtherServer';
}

/** Returns whether the same request may succeed when it is repeated. A 409 with `Retry-After` is about its first attempt (HTTP-37). */
export const isTransient = (error: unknown): boolean =>
  error instanceof NoResponse ||
  (error instanceof ApiError &&
    (error.status === 429 || error.status >= 500 || (error.status === 409 && error.retryAfter !== undefined)));

/** Longest wait before a request is repeated, in seconds. After a longer one, such as for a maintenance, the user decides. */
const LONGEST_WAIT = 10;

/**
 * Returns whether a request is repeated without the user. A fault of the service and the response of another server are not: they
 * would only take longer to see.
 */
export const isRepeated = (error: unknown): boolean =>
  isTransient(error) &&
  !(error instanceof OtherServer) &&
  !(error instanceof ApiError && (error.status === 500 || (error.retryAfter ?? 0) > LONGEST_WAIT));

/** Computes the wait before a request is repeated, in milliseconds: as the service says, or with exponential backoff. */
export const retryDelay = (attempt: number, error: unknown): number =>
  error instanceof ApiError && error.retryAfter !== undefined
    ? error.retryAfter * 1_000
    : Math.min(500 * 2 ** attempt, 8_000);
