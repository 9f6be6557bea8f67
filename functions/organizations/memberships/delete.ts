import { lacking, mayIn, requireOrganizationPermission } from '../../../shared/access/organization-policy.ts';
import { requireMatch } from '../../../shared/domain/changes/entity-tags.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import type { OrganizationDependencies } from '../dependencies.ts';
import { findMembership } from './find.ts';

/** `DELETE /organization-memberships/:membership_id`: the user leaves the organization and all of its teams (ORG-12). */
export const deleteMembership =
  (dependencies: OrganizationDependencies): Operation<'memberships.delete'> =>
  async ({ contextFor, digest, parameters }) => {
    const access = await findMembership(dependencies, digest, parameters.membership_id);
    requireOrganizationPermission(access, 'membership.manage');
    const { id, organization, user } = access.record;
    const request = contextFor(access.caller);
    requireMatch(request.precondition, { id });
    await dependencies.directory.members.leave(request, organization, user, (isOwner) => {
      if (isOwner && !mayIn(access, 'owner.manage')) throw lacking('owner.manage');
    });
    return undefined;
  };
