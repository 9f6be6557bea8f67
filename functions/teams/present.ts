import type { OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import { mayIn, seesMembership, tokenAction } from '../../shared/access/organization-policy.ts';
import { presentMemberships } from '../../shared/documents/membership-documents.ts';
import { type Membership, OWNERS_TEAM, type Team } from '../../shared/domain/directory/records.ts';
import type { Document, Resource } from '../../shared/jsonapi/document.ts';
import { type TeamView, teamWithMembers } from '../../shared/resources/teams/response.ts';
import { userResource } from '../../shared/resources/users/response.ts';
import type { TeamInclude } from '../../shared/routes/teams.ts';
import type { TeamDependencies } from './dependencies.ts';

/** Computes the permissions of the caller on a team. Only owners may change the owners team. */
const permissionsOf = (access: OrganizationAccess, { id, name }: Team): TeamView['permissions'] => {
  const isOwners = name === OWNERS_TEAM;
  const mayManage = mayIn(access, isOwners ? 'owner.manage' : 'team.manage');
  return {
    'can-update-membership': mayIn(access, isOwners ? 'owner.manage' : 'membership.manage'),
    'can-update-organization-access': !isOwners && mayIn(access, 'organization-access.manage'),
    'can-update-visibility': mayManage,
    'can-update-api-token': mayIn(access, tokenAction(access.organization, { kind: 'team', id })),
    'can-destroy': !isOwners && mayManage,
  };
};

/** Finds the memberships of the members of teams that the caller sees. */
const findMemberships = async (
  { store }: TeamDependencies,
  access: OrganizationAccess,
  users: readonly string[],
): Promise<ReadonlyMap<string, Membership>> => {
  const memberships = await store.memberships.findAll(access.organization.name, users);
  return new Map(memberships.filter((one) => seesMembership(access, one)).map((one) => [one.user, one]));
};

/** Builds the resources of teams with the ids of their members, and includes users and memberships (TEAM-14). */
export const presentTeams = async (
  dependencies: TeamDependencies,
  access: OrganizationAccess,
  teams: readonly Team[],
  include: ReadonlySet<TeamInclude>,
): Promise<{ readonly data: readonly Resource[]; readonly included?: readonly Resource[] }> => {
  const { store } = dependencies;
  const members = await Promise.all(teams.map(({ id }) => store.teams.listMembers(id)));
  const users = [...new Set(members.flat().map(({ id }) => id))];
  const [found, memberships] = await Promise.all([
    include.has('users') ? store.records.find(users.map((id) => ({ kind: 'user', id }))) : undefined,
    include.has('organization_memberships') ? findMemberships(dependencies, access, users) : undefined,
  ]);
  const data = teams.map((team, index) => {
    const inTeam = members[index] ?? [];
    return teamWithMembers({
      team,
      users: inTeam,
      memberships: memberships && inTeam.flatMap(({ id }) => memberships.get(id) ?? []),
      permissions: permissionsOf(access, team),
    });
  });
  if (include.size === 0) return { data };
  const ofMemberships = memberships && (await presentMemberships(store, access, [...memberships.values()], new Set()));
  return {
    data,
    included: [
      ...users.flatMap((id) => found?.('user', id) ?? []).map((user) => userResource(user)),
      ...(ofMemberships?.data ?? []),
    ],
  };
};

/** Builds the document of one team. */
export const presentTeam = async (
  dependencies: TeamDependencies,
  access: OrganizationAccess,
  team: Team,
  include: ReadonlySet<TeamInclude> = new Set(),
): Promise<Document> => {
  const { data, ...rest } = await presentTeams(dependencies, access, [team], include);
  const [resource] = data;
  if (resource === undefined) throw new TypeError('The response mapping of teams returned no resource');
  return { data: resource, ...rest };
};
