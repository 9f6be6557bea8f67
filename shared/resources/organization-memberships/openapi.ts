import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toMany, toOne, toOneLinked } from '../../schemas/resource-schema.ts';
import { id, path, text, time } from '../../schemas/schema.ts';

export const membership = resource('OrganizationMembership', {
  type: 'organization-memberships',
  description: 'That a user belongs to an organization.',
  id: id(prefixes.membership),
  attributes: {
    status: text(undefined, { const: 'active' }),
    username: text(undefined, { examples: ['grace'] }),
    email: text(undefined, { examples: ['grace@example.com'] }),
    'created-at': time(),
  },
  relationships: {
    organization: toOne('organizations'),
    user: toOneLinked('users'),
    teams: toMany('teams'),
  },
  links: { self: path(`${BASE_PATH}/organization-memberships/ou-CvpbqPPtsWSnyrTk`) },
});
