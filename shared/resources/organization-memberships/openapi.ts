import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toMany, toOne, toOneLinked } from '../../schemas/resource-schema.ts';
import { id, path } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

export const membership = resource('OrganizationMembership', {
  type: 'organization-memberships',
  description: 'The membership of a user in an organization.',
  id: id(prefixes.membership),
  attributes: responseProperties(attributes),
  relationships: {
    organization: toOne('organizations'),
    user: toOneLinked('users'),
    teams: toMany('teams'),
  },
  links: { self: path(`${BASE_PATH}/organization-memberships/ou-CvpbqPPtsWSnyrTk`) },
});
