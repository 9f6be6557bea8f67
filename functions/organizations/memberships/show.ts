import { notFound } from '../../../shared/domain/errors.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import { membershipResource } from '../../../shared/resources/organization-memberships/response.ts';
import type { OrganizationServices } from '../services.ts';
import { findMembership } from './find.ts';
import { readMembershipViews } from './present.ts';

/** `GET /organization-memberships/:membership_id` */
export const showMembership =
  (services: OrganizationServices): Operation<'memberships.show'> =>
  async ({ digest, parameters }) => {
    const access = await findMembership(services, digest, parameters.membership_id);
    const [view] = await readMembershipViews(services, access, [access.record]);
    if (view === undefined) throw notFound();
    return { data: membershipResource(view) };
  };
