import { authorizeOrganization, type OrganizationAccess } from '../../../shared/access/authorize/organization.ts';
import { concealNotFound } from '../../../shared/access/conceal-not-found.ts';
import { requireOrganizationPermission, seesTeam } from '../../../shared/access/organization-policy.ts';
import { teamReference } from '../../../shared/documents/membership-documents.ts';
import { invalid, invalidRelationship } from '../../../shared/domain/errors.ts';
import { isId } from '../../../shared/domain/ids.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import { membershipRequest } from '../../../shared/resources/organization-memberships/request-mapping.ts';
import { membershipResource } from '../../../shared/resources/organization-memberships/response.ts';
import { memberResource } from '../../../shared/resources/users/response.ts';
import type { OrganizationDependencies } from '../dependencies.ts';

/** @throws DomainError 404 if a caller who is not an owner adds an owner; 422 for a team that the caller does not see (ORG-10). */
const checkTeams = async (
  { store }: OrganizationDependencies,
  access: OrganizationAccess,
  ids: readonly string[],
): Promise<void> => {
  const { organization } = access;
  if (ids.includes(organization.ownersTeam)) requireOrganizationPermission(access, 'owner.manage');
  const found = await store.records.find(ids.filter((id) => isId('team', id)).map(teamReference));
  const isVisible = (id: string): boolean => {
    const team = found('team', id);
    return team?.organization === organization.name && seesTeam(access, team);
  };
  if (!ids.every(isVisible)) throw invalidRelationship('teams', 'Team does not exist in this organization');
};

/** Checks whether the caller has a site token, and may add the first owner of an organization without owners (ORG-2). */
const addsFirstOwner = ({ caller, organization }: OrganizationAccess): boolean =>
  caller.principal.kind === 'site' && organization.ownerless === true;

/** `POST /organizations/:organization_name/organization-memberships`: adds a user, or invites an e-mail address (ORG-9). */
export const createMembership =
  (dependencies: OrganizationDependencies): Operation<'memberships.create'> =>
  async ({ contextFor, digest, parameters: { organization_name: name }, body: { data } }) => {
    const { email, username } = membershipRequest(data.attributes ?? {});
    const requested = [...new Set((data.relationships?.teams?.data ?? []).map(({ id }) => id))];
    const target = { organization: name, admits: 'site' } as const;
    const access = await authorizeOrganization(dependencies.store, digest, target, (context) => {
      if (!addsFirstOwner(context)) requireOrganizationPermission(context, 'membership.manage');
    });
    if (email === undefined && username === undefined) throw invalid('email', "Email can't be blank");
    if (email !== undefined && username !== undefined) {
      throw invalid('username', 'Username and email cannot be given both');
    }
    const isFirstOwner = addsFirstOwner(access);
    const teams = isFirstOwner ? [access.organization.ownersTeam] : requested;
    if (!isFirstOwner) await checkTeams(dependencies, access, teams);
    const invited = username === undefined ? { email: email ?? '' } : { username };
    const request = contextFor(access.caller);
    const { membership, user, created } = await concealNotFound(
      dependencies.directory.members.join(request, name, invited, teams, isFirstOwner),
    );
    if (!created) {
      throw invalid(username === undefined ? 'email' : 'username', 'User belongs to the organization already');
    }
    return { data: membershipResource({ membership, user, teams }), included: [memberResource(user)] };
  };
