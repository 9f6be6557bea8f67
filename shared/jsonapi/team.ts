import type { Team } from '../domain/directory.ts';
import { organizationPermissions } from '../domain/grants.ts';
import { type Resource, toOne } from './document.ts';

/** Contract 8. Owners may everything. */
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
    'authentication-token': { links: { related: `/api/v2/teams/${id}/authentication-token` } },
  },
  links: { self: `/api/v2/teams/${id}` },
});
