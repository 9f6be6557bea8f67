import { prefixes } from '../../domain/ids.ts';
import { flag, id, linkOnly, nullable, path, resource, text } from '../schema.ts';

export const user = resource('User', {
  type: 'users',
  description: 'A user as others see them.',
  id: id(prefixes.user),
  attributes: {
    username: text(undefined, { examples: ['ada'] }),
    'is-service-account': flag(),
    'avatar-url': nullable(text()),
  },
  relationships: { 'authentication-tokens': linkOnly },
  links: { self: path('/api/v2/users/user-CvpbqPPtsWSnyrTk') },
});
