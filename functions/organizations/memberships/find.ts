import { authorizeRecord, type RecordAccess } from '../../../shared/access/authorize/record.ts';
import { seesMembership } from '../../../shared/access/organization-policy.ts';
import type { Membership } from '../../../shared/domain/directory/records.ts';
import { notFound } from '../../../shared/domain/errors.ts';
import type { OrganizationDependencies } from '../dependencies.ts';

/**
 * Finds a membership by its id for a caller who sees it.
 * @throws DomainError 401, 404.
 */
export const findMembership = (
  { store }: OrganizationDependencies,
  digest: string,
  id: string,
): Promise<RecordAccess<Membership>> =>
  authorizeRecord(
    store,
    digest,
    (consistent) => store.memberships.find(id, consistent),
    (access) => {
      if (!seesMembership(access, access.record)) throw notFound();
    },
  );
