import type { OrganizationAccess } from '../../../shared/access/authorize/organization.ts';
import { seesTeam } from '../../../shared/access/organization-policy.ts';
import type { Membership } from '../../../shared/domain/directory/records.ts';
import type { MembershipView } from '../../../shared/resources/organization-memberships/response.ts';
import type { OrganizationDependencies } from '../dependencies.ts';

/** Builds the record reference of the user of a membership. */
export const userReference = ({ user }: Membership) => ({ kind: 'user' as const, id: user });
/** Builds the record reference of a team. */
export const teamReference = (id: string) => ({ kind: 'team' as const, id });

/** Returns the ids of those teams that the caller sees. */
const visibleTeams = async (
  { store }: OrganizationDependencies,
  access: OrganizationAccess,
  ids: readonly string[],
): Promise<ReadonlySet<string>> => {
  // A team that is visible even if secret need not be read.
  const toRead = ids.filter((id) => !seesTeam(access, { id, visibility: 'secret' }));
  const found = toRead.length === 0 ? () => undefined : await store.findRecords(toRead.map(teamReference));
  const seen = toRead.filter((id) => {
    const team = found('team', id);
    return team !== undefined && seesTeam(access, team);
  });
  return new Set([...ids.filter((id) => !toRead.includes(id)), ...seen]);
};

/** Reads users and teams of memberships for the response. A membership of a user that is being deleted is left out. */
export const readMembershipViews = async (
  dependencies: OrganizationDependencies,
  access: OrganizationAccess,
  memberships: readonly Membership[],
): Promise<readonly MembershipView[]> => {
  const [users, teams] = await Promise.all([
    dependencies.store.findRecords(memberships.map(userReference)),
    Promise.all(memberships.map(({ user, organization }) => dependencies.store.findTeams(user, organization, true))),
  ]);
  const visible = await visibleTeams(dependencies, access, [...new Set(teams.flatMap((ids) => ids ?? []))]);
  return memberships.flatMap((membership, index) => {
    const user = users('user', membership.user);
    const inTeams = (teams[index] ?? []).filter((id) => visible.has(id));
    return user === undefined ? [] : [{ membership, user, teams: inTeams }];
  });
};
