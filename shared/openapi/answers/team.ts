import { teamVisibilities } from '../../domain/directory.ts';
import { organizationPermissions } from '../../domain/grants.ts';
import { prefixes } from '../../domain/ids.ts';
import { flag, id, linkOnly, nullable, object, oneOf, path, resource, text, toOne } from '../schema.ts';

export const team = resource('Team', {
  type: 'teams',
  description: 'Users who may do the same.',
  id: id(prefixes.team),
  attributes: {
    name: text(),
    visibility: oneOf(teamVisibilities, 'Whether members of other teams can see it.'),
    'sso-team-id': nullable(text()),
    'organization-access': object(Object.fromEntries(organizationPermissions.map((name) => [name, flag()])), {
      description: 'What it may do in the organization.',
    }),
  },
  relationships: { organization: toOne('organizations'), 'authentication-token': linkOnly },
  links: { self: path('/api/v2/teams/team-CvpbqPPtsWSnyrTk') },
});
