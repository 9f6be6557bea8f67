import { createErrorResponse } from '../error-response.ts';
import type { HttpMiddleware, HttpRequest } from '../request.ts';
import { spelledAsSent } from '../spelled-as-sent.ts';

/** Turns whatever was thrown into a JSON:API error document (HTTP-13). */
export const serializeError = (): HttpMiddleware => {
  const serializeErrorOnError = (request: HttpRequest): void => {
    request.response = createErrorResponse(spelledAsSent(request.error, request.internal.replacedNames));
  };
  return { onError: serializeErrorOnError };
};
