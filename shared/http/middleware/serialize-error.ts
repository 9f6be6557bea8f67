import { createErrorResponse } from '../error-response.ts';
import type { HttpMiddleware, HttpRequest } from '../request.ts';

/** Turns whatever was thrown into a JSON:API error document (HTTP-13). */
export const serializeError = (): HttpMiddleware => {
  const serializeErrorOnError = (request: HttpRequest): void => {
    request.response = createErrorResponse(request.error);
  };
  return { onError: serializeErrorOnError };
};
