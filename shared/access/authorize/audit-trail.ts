import type { Organization } from '../../domain/directory/records.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { confirmRejection } from './confirm-rejection.ts';
import type { AuthorizationReader } from './reader.ts';

/**
 * Authorizes a request with the token of the audit trails of an organization (AUTH-19).
 * @param digest SHA-256 of the token.
 * @returns the organization of the token.
 * @throws DomainError 401; 404 for every other token.
 */
export const authorizeAuditTrail = (
  reader: Pick<AuthorizationReader, 'identities' | 'organizations'>,
  digest: string,
): Promise<Organization> =>
  confirmRejection(async (consistent) => {
    const identity = await reader.identities.findToken(digest, consistent);
    if (identity === undefined) throw new DomainError('unauthorized');
    const { principal } = identity;
    const organization =
      principal.kind === 'audit-trails'
        ? await reader.organizations.find(principal.organization, consistent)
        : undefined;
    if (organization === undefined) throw notFound();
    return organization;
  });
