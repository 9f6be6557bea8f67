import { createHash, timingSafeEqual } from 'node:crypto';
import { DomainError } from '../domain/errors.ts';
import { createErrorResponse } from '../http/error-response.ts';
import { isServiceInvocation } from '../http/middleware/read-credential.ts';
import type { HttpHandler } from '../http/stack.ts';
import { messages } from '../logging/log.ts';
import { CLIENT_ADDRESS_HEADER, ORIGIN_SECRET_HEADER } from '../routes/distribution.ts';

/** Secrets of the distribution, and what happens to requests without one. */
export interface DistributionAccess {
  /** Accepted secrets: the present one, and the previous one while functions and distribution change. */
  readonly secrets: readonly string[];
  /** Whether other requests are rejected. */
  readonly isRequired: boolean;
  /** Origin of the distribution, for the error. */
  readonly publicUrl: string | undefined;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Creates the handler that recognizes the requests of the distribution by the secret in a header (HTTP-45). Only with a
 * right secret, the address of the client is the one that the distribution sends. The function sees neither header.
 */
export const behindDistribution = (
  serve: HttpHandler,
  { secrets, isRequired, publicUrl }: DistributionAccess,
): HttpHandler => {
  const digests = secrets.map(digest);
  const isSecret = (sent: string | undefined): boolean => {
    if (sent === undefined) return false;
    const sentDigest = digest(sent);
    return digests.some((expected) => timingSafeEqual(expected, sentDigest));
  };
  return async (event, context) => {
    // Automation invokes the functions directly, with a permission of IAM.
    if (isServiceInvocation(event)) return serve(event, context);
    const { [ORIGIN_SECRET_HEADER]: secret, [CLIENT_ADDRESS_HEADER]: address, ...headers } = event.headers;
    const { requestContext, routeKey } = event;
    const isTrusted = isSecret(secret);
    if (!isTrusted && isRequired) {
      const detail = `Direct requests are not accepted. Send the request to ${publicUrl ?? 'the public address'}.`;
      const error = new DomainError('forbidden', detail, { isRefusal: false });
      const { requestId } = requestContext;
      serve.shared?.logger?.info(messages.REQUEST_REJECTED, {
        requestId,
        route: routeKey,
        status: 403,
        code: error.code,
      });
      return createErrorResponse(error);
    }
    const { http } = requestContext;
    const sourceIp = (isTrusted ? address : undefined) ?? http.sourceIp;
    return serve({ ...event, headers, requestContext: { ...requestContext, http: { ...http, sourceIp } } }, context);
  };
};
