import type { Change } from '../../changes/conditions.ts';
import { DomainError, invalid } from '../../errors.ts';
import type { OrganizationPermission } from '../grants.ts';
import { OWNERS_TEAM, type Team, type TeamSettings } from '../records.ts';
import type { Token } from '../tokens.ts';
import { changeMapping } from './groups.ts';
import type { Effect } from './plan.ts';
import { noOrganization, type RecordUpdate } from './records.ts';
import { renameTokens } from './tokens.ts';

/** Teams. Their organization permissions are also on the organization, in the same transaction. */

/** A change of a team; an omitted property keeps its value. */
export interface TeamChange extends Partial<TeamSettings> {
  readonly newName?: string;
  readonly permissions?: readonly OrganizationPermission[];
}

/** Builds the change of a team's permissions on its organization; a team without permissions has no entry. */
export const changePermissions = (team: string, permissions: readonly OrganizationPermission[]): Change =>
  permissions.length > 0 ? { set: { [`access.${team}`]: permissions } } : { remove: [`access.${team}`] };

/** Plans the permissions of a team on its organization, which must exist. */
export const grantPermissions = (
  organization: string,
  team: string,
  permissions: readonly OrganizationPermission[],
): Effect => ({
  kind: 'update',
  of: { kind: 'organization', id: organization },
  change: changePermissions(team, permissions),
  rejection: noOrganization,
});

const fixed = (detail: string): DomainError => new DomainError('unprocessable', detail);

/**
 * Plans a change of a team.
 * @param tokens the tokens of the team, if its name changes.
 * @throws DomainError 422 for a change that the owners team does not allow.
 */
export const updateTeam = (
  { id, organization, name, ssoTeamId: group = null }: Team,
  { newName = name, ...fields }: TeamChange,
  tokens: readonly Token[],
): RecordUpdate => {
  const { permissions } = fields;
  if (name === OWNERS_TEAM && newName !== name) throw fixed('The owners team cannot be renamed.');
  if (name === OWNERS_TEAM && permissions !== undefined) throw fixed('The owners team may do everything.');
  if (name === OWNERS_TEAM && fields.ssoTeamId) {
    throw invalid(
      'sso-team-id',
      "Sso team cannot be set on the owners team: owners set the organization's owners-team-saml-role-id",
    );
  }
  return {
    newName,
    change: { set: { ...fields } },
    others: [
      ...(permissions ? [grantPermissions(organization, id, permissions)] : []),
      ...(newName === name ? [] : renameTokens(tokens, newName)),
    ],
    always: changeMapping({ organization, team: id }, group, fields.ssoTeamId),
  };
};
