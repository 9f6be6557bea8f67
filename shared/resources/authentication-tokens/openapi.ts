import { prefixes } from '../../domain/ids.ts';
import { resource, toOne, toOneOrNone } from '../../schemas/resource-schema.ts';
import { id, optional } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes, newTokenAttributes } from './attributes.ts';

const whole = {
  type: 'authentication-tokens',
  id: id(prefixes.token),
  relationships: {
    'created-by': toOneOrNone('users', 'teams', 'organizations'),
    team: optional(toOne('teams')),
  },
};

export const token = resource('AuthenticationToken', {
  ...whole,
  description: 'A token. Only the response that creates it contains the token itself.',
  attributes: responseProperties(attributes),
});

export const newToken = resource('NewAuthenticationToken', {
  ...whole,
  description: 'A new token.',
  attributes: responseProperties(newTokenAttributes),
});
