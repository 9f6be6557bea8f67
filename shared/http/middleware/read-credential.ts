import { readBearer } from '../../access/credentials.ts';
import { jobCredential } from '../../domain/bulk-jobs/bulk-job.ts';
import type { RequestContext } from '../../domain/changes/change-context.ts';
import { servicePrincipal } from '../../domain/directory/tokens.ts';
import { DomainError } from '../../domain/errors.ts';
import type { HttpEvent, HttpRequest } from '../request.ts';

/** Members of an invocation that IAM has authorized, in the place of the result of an authorizer. */
interface Authorized {
  readonly servicePrincipal?: unknown;
  readonly bulkJob?: unknown;
  readonly attempt?: RequestContext['attempt'];
}

/**
 * Reads what an invocation that IAM has authorized acts as. The API has no authorizer, so API Gateway never sets these members;
 * only a caller with permission to invoke the function can.
 */
const readAuthorized = ({ requestContext }: HttpEvent): Authorized => {
  const { authorizer } = requestContext as { authorizer?: { lambda?: Authorized } };
  return authorizer?.lambda ?? {};
};

/** Returns the credential of an invocation that IAM has authorized: of a service principal, or of a bulk job. */
const readServiceCredential = (event: HttpEvent): string | undefined => {
  const { servicePrincipal: team, bulkJob } = readAuthorized(event);
  if (typeof team === 'string') return servicePrincipal(team);
  return typeof bulkJob === 'string' ? jobCredential(bulkJob) : undefined;
};

/** Returns the attempt of a command of automation or a bulk job that sends a request; undefined for any other request (AUTO-4). */
export const readServiceAttempt = (event: HttpEvent): RequestContext['attempt'] =>
  readServiceCredential(event) === undefined ? undefined : readAuthorized(event).attempt;

/** Returns whether a request is an invocation that IAM has authorized: one of automation or of a bulk job. */
export const isServiceInvocation = (event: HttpEvent): boolean => readServiceCredential(event) !== undefined;

/**
 * Reads the credential, unless the route needs none (AUTH-3). Checks only the form and checksum of a token, so that
 * malformed tokens cost no read; authorization looks the token up.
 */
export const readCredential = ({ event, internal }: HttpRequest): void => {
  if (internal.route?.authenticated === false) return;
  const digest = readServiceCredential(event) ?? readBearer(event.headers['authorization']);
  if (digest === undefined) throw new DomainError('unauthorized');
  internal.digest = digest;
};
