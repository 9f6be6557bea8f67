import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { linkOnly, resource } from '../../schemas/resource-schema.ts';
import { id, path } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

export const user = resource('User', {
  type: 'users',
  description: 'A user. Only the account of the caller has all attributes.',
  id: id(prefixes.user),
  attributes: responseProperties(attributes),
  relationships: { 'authentication-tokens': linkOnly },
  links: { self: path(`${BASE_PATH}/users/user-CvpbqPPtsWSnyrTk`) },
});
