import { createHash, timingSafeEqual } from 'node:crypto';
import { DomainError } from '../domain/errors.ts';
import { rejectEarly } from '../http/error-response.ts';
import { isServiceInvocation } from '../http/middleware/read-credential.ts';
import type { HttpHandler } from '../http/stack.ts';

/** Header with which the distribution in front of the API shows that a request comes from it. */
export const ORIGIN_SECRET_HEADER = 'x-holdfast-origin';
/** Header in which the distribution sends the address of the client. It replaces a header that a client sends. */
export const CLIENT_ADDRESS_HEADER = 'x-holdfast-client-address';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Creates the handler that rejects requests without the secret of the distribution (HTTP-45). The distribution sends
 * the address of the client. The function sees neither header.
 * @param secrets accepted secrets: the present one, and another one while it is replaced.
 * @param publicUrl origin of the distribution, for the error.
 */
export const createOriginCheck = (
  serve: HttpHandler,
  secrets: readonly string[],
  publicUrl: string | undefined,
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
    if (!isSecret(secret)) {
      const detail = `Direct requests are not accepted. Send the request to ${publicUrl ?? 'the public address'}.`;
      return rejectEarly(event, new DomainError('forbidden', detail, { isAccessDenied: false }), serve.shared?.logger);
    }
    const { requestContext } = event;
    const { http } = requestContext;
    const sourceIp = address ?? http.sourceIp;
    return serve({ ...event, headers, requestContext: { ...requestContext, http: { ...http, sourceIp } } }, context);
  };
};
