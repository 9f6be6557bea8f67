import { organizationPermissions } from '../../domain/directory/grants.ts';
import type { Team, User } from '../../domain/directory/records.ts';
import { type Resource, toOne } from '../../jsonapi/document.ts';
import { BASE_PATH } from '../../routes/api.ts';

/** Builds the resource of a team (TEAM-1). The owners team has every permission. */
export const teamResource = ({ id, name, organization, visibility, permissions }: Team): Resource => ({
  id,
  type: 'teams',
  attributes: {
    name,
    visibility,
    'sso-team-id': null,
    'organization-access': Object.fromEntries(
      organizationPermissions.map((name) => [name, permissions === 'owners' || permissions.includes(name)]),
    ),
  },
  relationships: {
    organization: toOne('organizations', organization),
    'authentication-token': { links: { related: `${BASE_PATH}/teams/${id}/authentication-token` } },
  },
  links: { self: `${BASE_PATH}/teams/${id}` },
});

/** A team with who is in it, as somebody sees it. */
export interface TeamView {
  readonly team: Team;
  readonly users: readonly Pick<User, 'id'>[];
  /** What the caller may do with it. */
  readonly permissions: Readonly<Record<string, boolean>>;
}

export const teamWithMembers = ({ team, users, permissions }: TeamView): Resource => {
  const { attributes, relationships, ...resource } = teamResource(team);
  return {
    ...resource,
    attributes: { ...attributes, 'users-count': users.length, permissions },
    relationships: { ...relationships, users: { data: users.map(({ id }) => ({ type: 'users', id })) } },
  };
};
