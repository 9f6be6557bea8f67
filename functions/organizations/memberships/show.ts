import { presentMemberships } from '../../../shared/documents/membership-documents.ts';
import { notFound } from '../../../shared/domain/errors.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import type { OrganizationDependencies } from '../dependencies.ts';
import { findMembership } from './find.ts';

/** `GET /organization-memberships/:membership_id` */
export const showMembership =
  (dependencies: OrganizationDependencies): Operation<'memberships.show'> =>
  async ({ digest, parameters, include }) => {
    const access = await findMembership(dependencies, digest, parameters.membership_id);
    const { data, ...rest } = await presentMemberships(dependencies.store, access, [access.record], include);
    const [membership] = data;
    if (membership === undefined) throw notFound();
    return { data: membership, ...rest };
  };
