import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { linkOnly, resource, toMany, toOne } from '../../schemas/resource-schema.ts';
import { id, optional, path } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

export const team = resource('Team', {
  type: 'teams',
  description: 'A group of users with the same access. If it is included with a workspace, it has no members.',
  id: id(prefixes.team),
  attributes: responseProperties(attributes),
  relationships: {
    organization: toOne('organizations'),
    users: optional(toMany('users')),
    'organization-memberships': optional(toMany('organization-memberships')),
    'authentication-token': linkOnly,
  },
  links: { self: path(`${BASE_PATH}/teams/team-CvpbqPPtsWSnyrTk`) },
});
