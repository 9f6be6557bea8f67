import { DomainError } from '../domain/errors.ts';
import type { Logger } from '../logging/log.ts';
import { rejectEarly } from './error-response.ts';
import type { HttpHandler } from './stack.ts';

/** Time, in seconds, after which clients may try again. A maintenance takes longer, but its end is not known. */
const RETRY_AFTER = 300;

/** Creates the handler that responds to every request with 503 while the service is under maintenance (HTTP-40). */
export const createMaintenanceHandler =
  (logger: Pick<Logger, 'info'>): HttpHandler =>
  async (event) => {
    const detail = 'The service is under maintenance. Try again later.';
    return rejectEarly(event, new DomainError('unavailable', detail, { retryAfter: RETRY_AFTER }), logger);
  };
