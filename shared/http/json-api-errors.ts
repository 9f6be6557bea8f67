import type { MiddlewareObj } from '@middy/core';
import { DomainError, type ErrorCode } from '../domain/errors.ts';
import type { ErrorObject } from '../jsonapi/document.ts';
import type { Answer } from './answer.ts';
import { answer } from './answer.ts';

/** The one table from errors to the wire (contract 1.4). Titles are lower case; clients match on them. */
const wire: Readonly<Record<ErrorCode, { readonly status: number; readonly title: string }>> = {
  'bad-request': { status: 400, title: 'bad request' },
  unauthorized: { status: 401, title: 'unauthorized' },
  forbidden: { status: 403, title: 'forbidden' },
  'not-found': { status: 404, title: 'not found' },
  'method-not-allowed': { status: 405, title: 'method not allowed' },
  conflict: { status: 409, title: 'conflict' },
  'content-too-large': { status: 413, title: 'content too large' },
  'unsupported-media-type': { status: 415, title: 'unsupported media type' },
  'invalid-attribute': { status: 422, title: 'invalid attribute' },
  unprocessable: { status: 422, title: 'unprocessable entity' },
  unavailable: { status: 503, title: 'service unavailable' },
};

/** What a fault of ours looks like: nothing of it is told. */
const FAULT = { status: 500, title: 'internal server error' };

/** The answer that an error is; whatever was thrown, it is a JSON:API document. */
export const errorAnswer = (error: unknown): Answer => {
  const known = error instanceof DomainError ? error : undefined;
  const { status, title } = known ? wire[known.code] : FAULT;
  const object: ErrorObject = {
    status: String(status),
    title,
    ...(known?.detail !== undefined && { detail: known.detail }),
    ...(known?.source && { source: known.source }),
  };
  return answer(
    status,
    { errors: [object] },
    {
      ...(known?.code === 'unauthorized' && { 'www-authenticate': 'Bearer' }),
      ...(known?.retryAfter !== undefined && { 'retry-after': String(known.retryAfter) }),
      ...(known?.allow && { allow: known.allow.join(', ') }),
    },
  );
};

export const jsonApiErrors = (): MiddlewareObj => ({
  onError: (request) => {
    request.response = errorAnswer(request.error);
  },
});
