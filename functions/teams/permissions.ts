import {
  lackingPermission,
  type OrganizationPermission,
  teamPermissions,
} from '../../shared/domain/directory/grants.ts';
import type { Team } from '../../shared/domain/directory/records.ts';
import { DomainError, invalid } from '../../shared/domain/errors.ts';
import type { TeamAttributes } from '../../shared/resources/teams/attributes.ts';

/**
 * Computes the organization permissions of a team after a request; an omitted permission stays as it is.
 * @returns undefined when the request changes none.
 * @throws DomainError 422 for the owners team, and for a permission without another one that it requires (TEAM-4).
 */
export const permissionsAfter = (
  before: Team['permissions'],
  requested: TeamAttributes['organization-access'],
): readonly OrganizationPermission[] | undefined => {
  if (requested === undefined || Object.keys(requested).length === 0) return undefined;
  if (before === 'owners') throw new DomainError('unprocessable', 'The owners team may do everything.');
  const permissions = teamPermissions.filter((name) => requested[name] ?? before.includes(name));
  const lacking = lackingPermission(permissions);
  if (lacking !== undefined) {
    throw invalid(
      `organization-access.${lacking.of}`,
      `Organization access ${lacking.of} requires ${lacking.permission}`,
    );
  }
  return permissions;
};
