import { DomainError } from '../domain/errors.ts';
import { type Logger, messages } from '../logging/log.ts';
import { createErrorResponse } from './error-response.ts';
import type { HttpHandler } from './stack.ts';

/** Time, in seconds, after which clients may try again. A maintenance takes longer, but its end is not known. */
const RETRY_AFTER = 300;

/** Creates the handler that responds to every request with 503 while the service is under maintenance (HTTP-40). */
export const createMaintenanceHandler =
  (logger: Pick<Logger, 'info'>): HttpHandler =>
  async ({ routeKey, requestContext: { requestId } }) => {
    const detail = 'The service is under maintenance. Try again later.';
    const error = new DomainError('unavailable', detail, { retryAfter: RETRY_AFTER });
    const response = createErrorResponse(error);
    logger.info(messages.REQUEST_REJECTED, {
      requestId,
      route: routeKey,
      status: response.statusCode,
      code: error.code,
    });
    return response;
  };
