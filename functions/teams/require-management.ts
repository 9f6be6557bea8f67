import type { RecordAccess } from '../../shared/access/authorize/record.ts';
import { requireOrganizationPermission } from '../../shared/access/organization-policy.ts';
import { OWNERS_TEAM, type Team } from '../../shared/domain/directory/records.ts';

/** Requires the right to change the team: for the owners team only owners have it (TEAM-3). */
export const requireTeamManagement = (access: RecordAccess<Team>): void =>
  requireOrganizationPermission(access, access.record.name === OWNERS_TEAM ? 'owner.manage' : 'team.manage');
