import { type OrganizationPermission, teamPermissions } from '../../domain/directory/grants.ts';
import type { Membership, Team, User } from '../../domain/directory/records.ts';
import { REVISED, type Resource, toOne } from '../../jsonapi/document.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { type ComputedValues, responseAttributes } from '../attribute-table.ts';
import { attributes } from './attributes.ts';

/** A team with its members, as one caller sees it. */
export interface TeamView {
  readonly team: Team;
  readonly users: readonly Pick<User, 'id'>[];
  /** Memberships of the members that the caller sees; absent unless they are included. */
  readonly memberships?: readonly Pick<Membership, 'id'>[] | undefined;
  /** Permissions of the caller on the team. */
  readonly permissions: NonNullable<ComputedValues<typeof attributes>['permissions']>;
}

const computedAttributes = (
  { name, permissions }: Team,
  view?: Pick<TeamView, 'users' | 'permissions'>,
): ComputedValues<typeof attributes> => ({
  name,
  'organization-access': Object.fromEntries(
    teamPermissions.map((name) => [name, permissions === 'owners' || permissions.includes(name)]),
  ) as Record<OrganizationPermission, boolean>,
  'is-unified': false,
  'users-count': view?.users.length,
  permissions: view?.permissions,
});

const attributesOf = (team: Team, view?: Pick<TeamView, 'users' | 'permissions'>) =>
  responseAttributes(attributes, team, computedAttributes(team, view));

/** Builds the resource of a team without its members (TEAM-1). Owners may do everything. */
export const teamResource = (team: Team): Resource => ({
  id: team.id,
  [REVISED]: team,
  type: 'teams',
  attributes: attributesOf(team),
  relationships: {
    organization: toOne('organizations', team.organization),
    'authentication-token': { links: { related: `${BASE_PATH}/teams/${team.id}/authentication-token` } },
  },
  links: { self: `${BASE_PATH}/teams/${team.id}` },
});

/** Builds the resource of a team with its members. */
export const teamWithMembers = ({ team, memberships, ...view }: TeamView): Resource => {
  const resource = teamResource(team);
  return {
    ...resource,
    attributes: attributesOf(team, view),
    relationships: {
      ...resource.relationships,
      users: { data: view.users.map(({ id }) => ({ type: 'users', id })) },
      ...(memberships && {
        'organization-memberships': { data: memberships.map(({ id }) => ({ type: 'organization-memberships', id })) },
      }),
    },
  };
};
