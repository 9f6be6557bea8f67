import { BASE58_CLASS, prefixes } from '../../domain/ids.ts';
import { resource, toOne, toOneOrNone } from '../../schemas/resource-schema.ts';
import { id, nullable, optional, text, time } from '../../schemas/schema.ts';

const attributes = {
  description: nullable(text('What it is for.')),
  'created-at': time(),
  'last-used-at': nullable(time('Always null: that a token is used is not written down.')),
  'expired-at': nullable(time('From when on it is refused; null: never.')),
};
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
  description: 'What is known of a token; its text is told when it is made, and never again.',
  attributes,
});

export const newToken = resource('NewAuthenticationToken', {
  ...whole,
  description: 'A token that was just made.',
  attributes: {
    ...attributes,
    token: text('The token itself, this once.', {
      pattern: `^hf[uto]_${BASE58_CLASS}{36}[0-9a-f]{8}$`,
      examples: ['hfu_CvpbqPPtsWSnyrTkCvpbqPPtsWSnyrTkCvpb0a1b2c3d'],
    }),
  },
});
