import { createDryRunErrorResponse, createErrorResponse, createOAuthErrorResponse } from '../error-response.ts';
import type { HttpRequest } from '../request.ts';
import { spelledAsSent } from './unify-names.ts';

/**
 * Turns whatever was thrown into a JSON:API error document (HTTP-13), into the result of a dry run (EDIT-6), or into an error of
 * OAuth 2.0 (WI-8).
 */
export const serializeError = (request: HttpRequest): void => {
  const { event, internal } = request;
  if (internal.route?.oauth) {
    request.response = createOAuthErrorResponse(request.error);
    return;
  }
  const error = spelledAsSent(request.error, internal.replacedNames);
  request.response = internal.isDryRun
    ? createDryRunErrorResponse(event.requestContext.requestId, error)
    : createErrorResponse(error);
};
