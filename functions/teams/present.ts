import type { OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import { mayIn, tokenAction } from '../../shared/access/organization-policy.ts';
import { OWNERS_TEAM, type Team } from '../../shared/domain/directory/records.ts';
import type { Document, Resource } from '../../shared/jsonapi/document.ts';
import { type TeamView, teamWithMembers } from '../../shared/resources/teams/response.ts';
import { userResource } from '../../shared/resources/users/response.ts';
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

type Include = ReadonlySet<'users'>;

/** Builds the resources of teams with the ids of their members, and includes the users on request. */
export const presentTeams = async (
  { store }: TeamDependencies,
  access: OrganizationAccess,
  teams: readonly Team[],
  include: Include,
): Promise<{ readonly data: readonly Resource[]; readonly included?: readonly Resource[] }> => {
  const members = await Promise.all(teams.map(({ id }) => store.findTeamMembers(id)));
  const data = teams.map((team, index) =>
    teamWithMembers({ team, users: members[index] ?? [], permissions: permissionsOf(access, team) }),
  );
  if (!include.has('users')) return { data };
  const ids = [...new Set(members.flat().map(({ id }) => id))];
  const found = await store.findRecords(ids.map((id) => ({ kind: 'user', id })));
  return { data, included: ids.flatMap((id) => found('user', id) ?? []).map((user) => userResource(user)) };
};

/** Builds the document of one team. */
export const presentTeam = async (
  dependencies: TeamDependencies,
  access: OrganizationAccess,
  team: Team,
  include: Include = new Set(),
): Promise<Document> => {
  const { data, ...rest } = await presentTeams(dependencies, access, [team], include);
  const [resource] = data;
  if (resource === undefined) throw new TypeError('The response mapping of teams returned no resource');
  return { data: resource, ...rest };
};
