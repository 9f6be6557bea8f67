import type { MiddlewareObj } from '@middy/core';
import { DomainError } from '../domain/errors.ts';
import type { ErrorObject } from '../jsonapi/document.ts';
import { wire } from '../jsonapi/errors.ts';
import type { Answer } from './answer.ts';
import { answer } from './answer.ts';

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
