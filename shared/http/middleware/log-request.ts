import { DomainError, StatePending, UnknownItemVersion } from '../../domain/errors.ts';
import { now } from '../../lib/clock.ts';
import { type Logger, messages, rejectionMetric } from '../../logging/log.ts';
import type { Meter } from '../../logging/meter.ts';
import type { HttpMiddleware, HttpRequest } from '../request.ts';

interface LogRequestOptions {
  readonly logger: Logger;
  readonly meter?: Meter | undefined;
  /** Name of the deployment, for the metric of rejected attempts; not needed by functions that reject nobody. */
  readonly deployment?: string;
}

/**
 * Logs one line for each request: its route, status, duration and DynamoDB usage. It never logs a token or a value.
 * CloudWatch counts the lines of rejected attempts (HIST-17).
 * Its hooks run first and last, so the line covers what the other middlewares do.
 */
export const logRequest = ({ logger, meter, deployment }: LogRequestOptions): HttpMiddleware => {
  const logRequestBefore = ({ internal }: HttpRequest): void => {
    internal.startedAt = now();
    meter?.reset();
  };

  const requestDetails = ({ event, response, internal }: HttpRequest) => ({
    requestId: event.requestContext.requestId,
    route: event.routeKey,
    status: response?.statusCode,
    milliseconds: now() - (internal.startedAt ?? now()),
    ...(meter && { database: meter.read() }),
  });

  const logRequestAfter = (request: HttpRequest): void => {
    logger.info(messages.REQUEST_COMPLETED, requestDetails(request));
  };

  const logRequestOnError = (request: HttpRequest): void => {
    const { error } = request;
    const details = requestDetails(request);
    if (!(error instanceof DomainError)) logger.error(messages.REQUEST_FAILED, { ...details, error: error as Error });
    else if (error.code === 'unavailable' && !(error instanceof StatePending)) {
      const message =
        error instanceof UnknownItemVersion ? messages.UNKNOWN_ITEM_VERSION : messages.DATABASE_UNAVAILABLE;
      logger.warn(message, { ...details, cause: String(error.cause ?? error.detail) });
    } else {
      const metric = error.isAccessDenied && deployment !== undefined && rejectionMetric(deployment, now());
      logger.info(messages.REQUEST_REJECTED, { ...details, code: error.code, ...metric });
    }
  };

  return { before: logRequestBefore, after: logRequestAfter, onError: logRequestOnError };
};
