/** Kinds of errors, independent of HTTP. A table in `jsonapi/errors.ts` maps them to status and title (HTTP-13). */
export type ErrorCode =
  | 'permanent-redirect'
  | 'bad-request'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'conflict'
  | 'precondition-failed'
  | 'precondition-required'
  | 'content-too-large'
  | 'unsupported-media-type'
  | 'invalid-attribute'
  | 'invalid-attributes'
  | 'unprocessable'
  | 'too-many-requests'
  | 'unavailable';

/** Location of the cause in the request: a JSON pointer into the body, or the name of a query parameter. */
export type Source = { readonly pointer: string } | { readonly parameter: string };

interface Particulars {
  readonly source?: Source;
  /** Seconds after which a retry may succeed. */
  readonly retryAfter?: number;
  /** Methods that the path supports. */
  readonly allow?: readonly string[];
  /** Path, with a query, that the client should request in place of this one. */
  readonly location?: string;
  /** Current entity tag of a resource that has changed since the client read it. */
  readonly entityTag?: string;
  /** Machine-readable facts about the cause, for the member `meta` of the error. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Whether the caller lacks a permission. */
  readonly isAccessDenied?: boolean;
  readonly cause?: unknown;
}

/** An error that is reported to the client. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly code: ErrorCode;
  /** Explanation for the client; absent if it would reveal something. */
  readonly detail: string | undefined;
  readonly source: Source | undefined;
  readonly retryAfter: number | undefined;
  readonly allow: readonly string[] | undefined;
  readonly location: string | undefined;
  readonly entityTag: string | undefined;
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  /** Whether the request was rejected because of who sent it. Rejections are counted in a metric (HIST-17). */
  readonly isAccessDenied: boolean;
  /** Name of the organization in which the request was rejected, once it is known. */
  rejectedIn: string | undefined;

  constructor(code: ErrorCode, detail?: string, particulars: Particulars = {}) {
    super(detail ?? code, { cause: particulars.cause });
    this.code = code;
    this.detail = detail;
    this.source = particulars.source;
    this.retryAfter = particulars.retryAfter;
    this.allow = particulars.allow;
    this.location = particulars.location;
    this.entityTag = particulars.entityTag;
    this.meta = particulars.meta;
    this.isAccessDenied = particulars.isAccessDenied ?? (code === 'unauthorized' || code === 'forbidden');
  }
}

/** Thrown when a suspended user would get a token or a session (SUSPEND-2). */
export class SuspendedUser extends DomainError {
  constructor(username: string) {
    super('conflict', `The user ${username} is suspended.`);
  }
}

/** Thrown when somebody would sign in at an identity provider that is disabled (SIGNIN-12). */
export class DisabledProvider extends DomainError {
  constructor(provider: string) {
    super('conflict', `The identity provider ${provider} is disabled.`);
  }
}

/**
 * Thrown while a state version is pending. Its content may have arrived, so the caller can look for the content and try
 * again.
 */
export class StatePending extends DomainError {
  readonly pending: { readonly id: string; readonly at: number };

  constructor({ id, at }: StatePending['pending'], { code, detail, retryAfter }: DomainError) {
    super(code, detail, retryAfter === undefined ? {} : { retryAfter });
    this.pending = { id, at };
  }
}

/** Thrown for a stored item whose schema version this release does not read (STORE-8). The client may retry. */
export class UnknownItemVersion extends DomainError {
  constructor(cause: Error) {
    super('unavailable', 'The service is being upgraded. Try again shortly.', { retryAfter: 1, cause });
  }
}

/** Errors of the endpoints of OAuth 2.0 (RFC 6749, 5.2; RFC 7009, 2.2.1; RFC 8628, 3.5). */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_token_type'
  | 'authorization_pending'
  | 'slow_down'
  | 'access_denied'
  | 'expired_token';

/** An error that an endpoint of OAuth 2.0 reports to the client. */
export class OAuthError extends DomainError {
  readonly error: OAuthErrorCode;

  constructor(error: OAuthErrorCode, description: string) {
    super('bad-request', description);
    this.error = error;
  }
}

/** Creates a 404 error. */
export const notFound = (detail?: string): DomainError => new DomainError('not-found', detail);
/** Tells whether an error is a 404 error. */
export const isNotFound = (error: unknown): error is DomainError =>
  error instanceof DomainError && error.code === 'not-found';
/** Creates the 404 error for what exists, but not for this caller (PERM-3). */
export const concealed = (detail?: string): DomainError =>
  new DomainError('not-found', detail, { isAccessDenied: true });
/**
 * Creates a 409 error.
 * @param meta machine-readable facts about the conflict.
 */
export const conflict = (detail: string, meta?: Readonly<Record<string, unknown>>): DomainError =>
  new DomainError('conflict', detail, { meta });
/** Creates a 503 error; the client may retry after one second. */
export const unavailable = (detail: string, cause?: unknown): DomainError =>
  new DomainError('unavailable', detail, { retryAfter: 1, cause });

/** Creates the 422 error for a response that would be too large (LIMIT-4). */
export const tooLarge = (): DomainError =>
  new DomainError('unprocessable', 'The response is larger than 5 MB. Request a smaller page with page[size].', {
    source: { parameter: 'page[size]' },
  });

/**
 * Creates the 422 error for an invalid attribute.
 * @param attribute wire name, with dots between levels.
 */
export const invalid = (attribute: string, detail: string): DomainError =>
  new DomainError('invalid-attribute', detail, {
    source: { pointer: `/data/attributes/${attribute.replaceAll('.', '/')}` },
  });

/** Creates the 422 error for a relationship to something that does not exist or that the caller may not read. */
export const invalidRelationship = (relationship: string, detail: string): DomainError =>
  new DomainError('invalid-attribute', detail, { source: { pointer: `/data/relationships/${relationship}` } });
