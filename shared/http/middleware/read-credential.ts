import { readBearer } from '../../access/credentials.ts';
import type { RequestContext } from '../../domain/changes/change-context.ts';
import { servicePrincipal } from '../../domain/directory/tokens.ts';
import { DomainError } from '../../domain/errors.ts';
import type { HttpEvent, HttpRequest } from '../request.ts';

/**
 * Returns the service principal of an invocation that IAM has authorized. The API has no authorizer, so API Gateway
 * never sets this field; only a caller with permission to invoke the function can.
 */
const readServicePrincipal = ({ requestContext }: HttpEvent): string | undefined => {
  const { authorizer } = requestContext as { authorizer?: { lambda?: { servicePrincipal?: unknown } } };
  const team = authorizer?.lambda?.servicePrincipal;
  return typeof team === 'string' ? servicePrincipal(team) : undefined;
};

/** Returns the attempt of a command of automation that sends a request; undefined for any other request (AUTO-4). */
export const readServiceAttempt = (event: HttpEvent): RequestContext['attempt'] => {
  if (readServicePrincipal(event) === undefined) return undefined;
  const { authorizer } = event.requestContext as { authorizer?: { lambda?: { attempt?: RequestContext['attempt'] } } };
  return authorizer?.lambda?.attempt;
};

/** Returns whether a request is an invocation that IAM has authorized: one of automation. */
export const isServiceInvocation = (event: HttpEvent): boolean => readServicePrincipal(event) !== undefined;

/**
 * Reads the credential, unless the route needs none (AUTH-3). Checks only the form and checksum of a token, so that
 * malformed tokens cost no read; authorization looks the token up.
 */
export const readCredential = ({ event, internal }: HttpRequest): void => {
  if (internal.route?.authenticated === false) return;
  const digest = readServicePrincipal(event) ?? readBearer(event.headers['authorization']);
  if (digest === undefined) throw new DomainError('unauthorized');
  internal.digest = digest;
};
