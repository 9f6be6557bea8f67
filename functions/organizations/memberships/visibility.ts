import type { OrganizationAccess } from '../../../shared/access/authorize/organization.ts';
import { mayIn } from '../../../shared/access/organization-policy.ts';
import type { Membership } from '../../../shared/domain/directory/records.ts';

/** Checks whether the caller sees a membership: managers of memberships see all, other callers their own (ORG-11). */
export const seesMembership = (access: OrganizationAccess, { user }: Membership): boolean =>
  access.caller.principal.id === user || mayIn(access, 'membership.manage');
