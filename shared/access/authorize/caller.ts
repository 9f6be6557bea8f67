import type { Caller, Organization, Principal } from '../../domain/directory/records.ts';
import { concealed, DomainError } from '../../domain/errors.ts';
import { acceptsUser, isMember } from '../rights.ts';
import { confirmRejection } from './confirm-rejection.ts';
import type { AuthorizationReader, Identity } from './reader.ts';

/**
 * Returns the holder of the request's token.
 * @throws DomainError 401 for an unknown token; 404 for the token of audit trails, which reads them only (AUTH-19).
 */
export const requireIdentity = (identity: Identity | undefined): Principal => {
  if (identity === undefined) throw new DomainError('unauthorized');
  if (identity.principal.kind === 'audit-trails') throw concealed();
  return identity.principal;
};

/**
 * Rejects the token of a member if the organization accepts no tokens of users (ORG-5), or only those of members who have
 * signed in recently (POLICY-1).
 * @throws DomainError 401. Users who are no members get the 404 of an unknown organization.
 */
export const requireAcceptedToken = (caller: Caller, organization: Organization | undefined): void => {
  if (caller.principal.kind !== 'user' || !organization || !isMember(caller) || acceptsUser(caller, organization))
    return;
  throw new DomainError(
    'unauthorized',
    organization.userTokensEnabled === false
      ? 'The organization accepts no tokens of users.'
      : 'The organization accepts tokens of users only after a recent sign-in. Sign in to the console with your identity provider.',
  );
};

/** Reads which teams of an organization the holder of a token acts for. */
export const findCaller = async (
  reader: Pick<AuthorizationReader, 'identities'>,
  principal: Principal,
  organization: string,
  consistent: boolean,
): Promise<Caller> => {
  if (principal.kind === 'user') {
    const membership = (await reader.identities.findCallerMemberships(principal.id, consistent)).get(organization);
    return { principal, teams: [], member: membership !== undefined, ...membership };
  }
  return { principal, teams: principal.kind === 'team' ? [principal.id] : [] };
};

/**
 * Authenticates a request that concerns no organization.
 * @param digest SHA-256 of the token.
 * @throws DomainError 401.
 */
export const authenticate = (reader: AuthorizationReader, digest: string): Promise<Principal> =>
  confirmRejection(async (consistent) => requireIdentity(await reader.identities.findToken(digest, consistent)));
