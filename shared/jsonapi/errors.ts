import type { ErrorCode } from '../domain/errors.ts';

/** HTTP status and title of each error code (HTTP-13). Titles are lower case, because clients match on them. */
export const wire = {
  'permanent-redirect': { status: 308, title: 'permanent redirect' },
  'bad-request': { status: 400, title: 'bad request' },
  unauthorized: { status: 401, title: 'unauthorized' },
  forbidden: { status: 403, title: 'forbidden' },
  'not-found': { status: 404, title: 'not found' },
  'method-not-allowed': { status: 405, title: 'method not allowed' },
  conflict: { status: 409, title: 'conflict' },
  'precondition-failed': { status: 412, title: 'precondition failed' },
  'precondition-required': { status: 428, title: 'precondition required' },
  'content-too-large': { status: 413, title: 'content too large' },
  'unsupported-media-type': { status: 415, title: 'unsupported media type' },
  'invalid-attribute': { status: 422, title: 'invalid attribute' },
  'invalid-attributes': { status: 422, title: 'invalid attributes' },
  unprocessable: { status: 422, title: 'unprocessable entity' },
  'too-many-requests': { status: 429, title: 'too many requests' },
  unavailable: { status: 503, title: 'service unavailable' },
} as const satisfies Record<ErrorCode, { readonly status: number; readonly title: string }>;

export type ErrorStatus = (typeof wire)[ErrorCode]['status'];
