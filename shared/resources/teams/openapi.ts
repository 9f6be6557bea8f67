import { organizationPermissions } from '../../domain/directory/grants.ts';
import { teamVisibilities } from '../../domain/directory/records.ts';
import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { linkOnly, resource, toMany, toOne } from '../../schemas/resource-schema.ts';
import { count, flag, id, nullable, object, oneOf, optional, path, text } from '../../schemas/schema.ts';

export const team = resource('Team', {
  type: 'teams',
  description: 'Users who may do the same. Included with workspaces, it comes without who is in it.',
  id: id(prefixes.team),
  attributes: {
    name: text(),
    visibility: oneOf(teamVisibilities, 'Whether members of other teams can see it.'),
    'sso-team-id': nullable(text()),
    'users-count': optional(count()),
    'organization-access': object(Object.fromEntries(organizationPermissions.map((name) => [name, flag()])), {
      description: 'What it may do in the organization.',
    }),
    permissions: optional(
      object(
        {
          'can-update-membership': flag(),
          'can-update-organization-access': flag(),
          'can-update-visibility': flag(),
          'can-update-api-token': flag(),
          'can-destroy': flag(),
        },
        { description: 'What the caller may do with it.' },
      ),
    ),
  },
  relationships: {
    organization: toOne('organizations'),
    users: optional(toMany('users')),
    'authentication-token': linkOnly,
  },
  links: { self: path(`${BASE_PATH}/teams/team-CvpbqPPtsWSnyrTk`) },
});
