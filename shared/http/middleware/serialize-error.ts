import { createDryRunErrorResponse, createErrorResponse } from '../error-response.ts';
import type { HttpRequest } from '../request.ts';
import { spelledAsSent } from './unify-names.ts';

/** Turns whatever was thrown into a JSON:API error document (HTTP-13), or into the result of a dry run (EDIT-6). */
export const serializeError = (request: HttpRequest): void => {
  const { event, internal } = request;
  const error = spelledAsSent(request.error, internal.replacedNames);
  request.response = internal.isDryRun
    ? createDryRunErrorResponse(event.requestContext.requestId, error)
    : createErrorResponse(error);
};
