/**
 * What can go wrong, without a word of HTTP: one table in `jsonapi/errors.ts` turns a code into a status and a
 * title (HTTP-13).
 */
export type ErrorCode =
  | 'bad-request'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'conflict'
  | 'precondition-failed'
  | 'content-too-large'
  | 'unsupported-media-type'
  | 'invalid-attribute'
  | 'unprocessable'
  | 'unavailable';

/** Where in the request the cause is: a JSON pointer into the body, or the name of a query parameter. */
export type Source = { readonly pointer: string } | { readonly parameter: string };

interface Particulars {
  readonly source?: Source;
  /** Seconds after which a retry is worth it. */
  readonly retryAfter?: number;
  /** Methods that the path answers to. */
  readonly allow?: readonly string[];
  readonly cause?: unknown;
}

export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly code: ErrorCode;
  /** For the client; absent where even that would tell too much. */
  readonly detail: string | undefined;
  readonly source: Source | undefined;
  readonly retryAfter: number | undefined;
  readonly allow: readonly string[] | undefined;

  constructor(code: ErrorCode, detail?: string, particulars: Particulars = {}) {
    super(detail ?? code, { cause: particulars.cause });
    this.code = code;
    this.detail = detail;
    this.source = particulars.source;
    this.retryAfter = particulars.retryAfter;
    this.allow = particulars.allow;
  }
}

/** The content of a state version may have come without having been looked at: whoever can look may try again. */
export class StatePending extends DomainError {
  readonly pending: { readonly id: string; readonly at: number };

  constructor({ id, at }: StatePending['pending'], { code, detail, retryAfter }: DomainError) {
    super(code, detail, retryAfter === undefined ? {} : { retryAfter });
    this.pending = { id, at };
  }
}

export const notFound = (detail?: string): DomainError => new DomainError('not-found', detail);
export const conflict = (detail: string): DomainError => new DomainError('conflict', detail);
export const unavailable = (detail: string, cause?: unknown): DomainError =>
  new DomainError('unavailable', detail, { retryAfter: 1, cause });

/** More than can be answered at once. */
export const tooLarge = (): DomainError =>
  new DomainError('unprocessable', 'The answer is larger than 5 MB. Ask for fewer at once with page[size].', {
    source: { parameter: 'page[size]' },
  });

/** An attribute with a value that it cannot have; `attribute` is its name on the wire, dots between levels. */
export const invalid = (attribute: string, detail: string): DomainError =>
  new DomainError('invalid-attribute', detail, {
    source: { pointer: `/data/attributes/${attribute.replaceAll('.', '/')}` },
  });

/** A relationship of the body that names something that is not there, or not to be seen. */
export const invalidRelationship = (relationship: string, detail: string): DomainError =>
  new DomainError('invalid-attribute', detail, { source: { pointer: `/data/relationships/${relationship}` } });
