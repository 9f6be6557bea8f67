import { DomainError } from '../domain/errors.ts';
import type { ErrorObject } from '../jsonapi/document.ts';
import { wire } from '../jsonapi/errors.ts';
import { createResponse, type HttpResponse } from './response.ts';

/** Response to an unexpected error. It reveals nothing about the error. */
const INTERNAL_ERROR = { status: 500, title: 'internal server error' };

/**
 * Creates the JSON:API error document for whatever was thrown (HTTP-13).
 * @param error a DomainError determines status, detail and headers; anything else is a 500.
 */
export const createErrorResponse = (error: unknown): HttpResponse => {
  const known = error instanceof DomainError ? error : undefined;
  const { status, title } = known ? wire[known.code] : INTERNAL_ERROR;
  const object: ErrorObject = {
    status: String(status),
    title,
    ...(known?.detail !== undefined && { detail: known.detail }),
    ...(known?.source && { source: known.source }),
  };
  return createResponse(
    status,
    { errors: [object] },
    {
      ...(known?.code === 'unauthorized' && { 'www-authenticate': 'Bearer' }),
      ...(known?.retryAfter !== undefined && { 'retry-after': String(known.retryAfter) }),
      ...(known?.allow && { allow: known.allow.join(', ') }),
    },
  );
};
