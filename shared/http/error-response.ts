import { DomainError, type ErrorCode, OAuthError } from '../domain/errors.ts';
import type { ErrorObject } from '../jsonapi/document.ts';
import { wire } from '../jsonapi/errors.ts';
import { type Logger, messages } from '../logging/log.ts';
import { dryRunResource } from '../resources/dry-runs/response.ts';
import type { HttpEvent } from './request.ts';
import { createResponse, type HttpResponse } from './response.ts';

/** Response to an unexpected error. It reveals nothing about the error. */
const INTERNAL_ERROR = { status: 500, title: 'internal server error' };

const errorObject = (error: DomainError | undefined): ErrorObject => {
  const { status, title } = error ? wire[error.code] : INTERNAL_ERROR;
  return {
    status: String(status),
    title,
    ...(error?.detail !== undefined && { detail: error.detail }),
    ...(error?.source && { source: error.source }),
    ...(error?.meta && { meta: error.meta }),
  };
};

/** Creates the JSON:API error document of an error, for a response without HTTP. */
export const createErrorDocument = (error: DomainError): { readonly errors: readonly [ErrorObject] } => ({
  errors: [errorObject(error)],
});

/**
 * Creates the JSON:API error document for whatever was thrown (HTTP-13).
 * @param error a DomainError determines status, detail and headers; anything else is a 500.
 */
export const createErrorResponse = (error: unknown): HttpResponse => {
  const known = error instanceof DomainError ? error : undefined;
  const { status } = known ? wire[known.code] : INTERNAL_ERROR;
  return createResponse(
    status,
    { errors: [errorObject(known)] },
    {
      ...(known?.code === 'unauthorized' && { 'www-authenticate': 'Bearer' }),
      ...(known?.retryAfter !== undefined && { 'retry-after': String(known.retryAfter) }),
      ...(known?.allow && { allow: known.allow.join(', ') }),
      ...(known?.location !== undefined && { location: known.location }),
      ...(known?.entityTag !== undefined && { etag: known.entityTag }),
    },
  );
};

/**
 * Creates the error of an endpoint of OAuth 2.0 (RFC 6749, 5.2). Its status is always 400.
 * @param error an error that is none of OAuth 2.0 is one of the form, or of the service.
 */
export const createOAuthErrorResponse = (error: unknown): HttpResponse => {
  const known = error instanceof DomainError ? error : undefined;
  const isBusy = known?.code === 'unavailable';
  const code = known instanceof OAuthError ? known.error : known && !isBusy ? 'invalid_request' : 'server_error';
  const document = { error: code, ...(known?.detail !== undefined && { error_description: known.detail }) };
  return createResponse(400, document, {
    'content-type': 'application/json',
    ...(isBusy && { 'retry-after': '1' }),
  });
};

/** Creates the response to a request that is rejected in front of the middleware stack, and logs the rejection. */
export const rejectEarly = (
  { routeKey: route, requestContext: { requestId } }: HttpEvent,
  error: DomainError,
  logger: Pick<Logger, 'info'> | undefined,
): HttpResponse => {
  const response = createErrorResponse(error);
  logger?.info(messages.REQUEST_REJECTED, { requestId, route, status: response.statusCode, code: error.code });
  return response;
};

/** Errors that a dry run reports: the rules of the operation reject the request. */
const rejectionCodes: ReadonlySet<ErrorCode> = new Set([
  'conflict',
  'precondition-failed',
  'invalid-attribute',
  'invalid-attributes',
  'unprocessable',
]);

/**
 * Creates the response to a dry run that was rejected (EDIT-6): the error is reported as the result, unless it says
 * nothing about the operation, as 401 and 404 do.
 * @param id id of the request.
 */
export const createDryRunErrorResponse = (id: string, error: unknown): HttpResponse =>
  error instanceof DomainError && rejectionCodes.has(error.code)
    ? createResponse(200, { data: dryRunResource(id, { outcome: 'refused', refusal: errorObject(error) }) })
    : createErrorResponse(error);
