import { type CallerInOrganization, seesTeam } from '../access/organization-policy.ts';
import type { Membership, Team } from '../domain/directory/records.ts';
import type { Resource } from '../jsonapi/document.ts';
import { membershipResource } from '../resources/organization-memberships/response.ts';
import { teamResource } from '../resources/teams/response.ts';
import { memberResource } from '../resources/users/response.ts';
import type { MembershipInclude } from '../routes/organizations.ts';
import type { Found } from '../store/directory/directory-reader.ts';
import type { Store } from '../store/store.ts';

type Reader = Pick<Store, 'records' | 'identities'>;

/** Resources of memberships, without pagination. */
export interface MembershipDocuments {
  readonly data: readonly Resource[];
  readonly included?: readonly Resource[];
}

/** Builds the record reference of the user of a membership. */
export const userReference = ({ user }: Pick<Membership, 'user'>) => ({ kind: 'user' as const, id: user });
/** Builds the record reference of a team. */
export const teamReference = (id: string) => ({ kind: 'team' as const, id });

/** Returns those teams that the caller sees. A team that is visible even if secret is read only if it is included. */
const readVisibleTeams = async (
  { records }: Reader,
  access: CallerInOrganization,
  ids: readonly string[],
  isIncluded: boolean,
): Promise<{ readonly isVisible: (id: string) => boolean; readonly teams: readonly Team[] }> => {
  const isAlwaysVisible = (id: string): boolean => seesTeam(access, { id, visibility: 'secret' });
  const toRead = isIncluded ? ids : ids.filter((id) => !isAlwaysVisible(id));
  const found: Found = toRead.length === 0 ? () => undefined : await records.find(toRead.map(teamReference));
  const teams = toRead.flatMap((id) => found('team', id) ?? []).filter((team) => seesTeam(access, team));
  const visible = new Set(teams.map(({ id }) => id));
  return { teams, isVisible: (id) => visible.has(id) || (!isIncluded && isAlwaysVisible(id)) };
};

/**
 * Builds the resources of memberships with the teams that the caller may know of, and includes users and teams on
 * request (ORG-11). A membership of a user who is being deleted is left out.
 */
export const presentMemberships = async (
  reader: Reader,
  access: CallerInOrganization,
  memberships: readonly Membership[],
  include: ReadonlySet<MembershipInclude>,
): Promise<MembershipDocuments> => {
  const [users, teamIds] = await Promise.all([
    reader.records.find(memberships.map(userReference)),
    Promise.all(memberships.map(({ user, organization }) => reader.identities.findTeams(user, organization))),
  ]);
  const ids = [...new Set(teamIds.flatMap((one) => one ?? []))];
  const { teams, isVisible } = await readVisibleTeams(reader, access, ids, include.has('teams'));
  const shown = memberships.flatMap((membership, index) => {
    const user = users('user', membership.user);
    return user === undefined ? [] : [{ membership, user, teams: (teamIds[index] ?? []).filter(isVisible) }];
  });
  const data = shown.map(membershipResource);
  if (include.size === 0) return { data };
  const included = [
    ...(include.has('user') ? shown.map(({ user }) => memberResource(user)) : []),
    ...(include.has('teams') ? teams.map(teamResource) : []),
  ];
  return { data, included };
};
