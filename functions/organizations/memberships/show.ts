import { notFound } from '../../../shared/domain/errors.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import { membershipResource } from '../../../shared/resources/organization-memberships/response.ts';
import type { OrganizationDependencies } from '../dependencies.ts';
import { findMembership } from './find.ts';
import { readMembershipViews } from './present.ts';

/** `GET /organization-memberships/:membership_id` */
export const showMembership =
  (dependencies: OrganizationDependencies): Operation<'memberships.show'> =>
  async ({ digest, parameters }) => {
    const access = await findMembership(dependencies, digest, parameters.membership_id);
    const [view] = await readMembershipViews(dependencies, access, [access.record]);
    if (view === undefined) throw notFound();
    return { data: membershipResource(view) };
  };
