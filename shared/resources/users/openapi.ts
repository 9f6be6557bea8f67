import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { linkOnly, resource } from '../../schemas/resource-schema.ts';
import { flag, id, nullable, object, optional, path, text } from '../../schemas/schema.ts';

export const user = resource('User', {
  type: 'users',
  description: 'A user. The caller sees more of themselves than of others.',
  id: id(prefixes.user),
  attributes: {
    username: text(undefined, { examples: ['grace'] }),
    'is-service-account': flag('Whether it is a program rather than a person.'),
    'avatar-url': nullable(text()),
    email: optional(text(undefined, { examples: ['grace@example.com'] })),
    'two-factor': optional(object({ enabled: flag(), verified: flag() })),
    permissions: optional(
      object({
        'can-create-organizations': flag(),
        'can-change-email': flag(),
        'can-change-username': flag(),
        'can-manage-user-tokens': flag(),
      }),
    ),
  },
  relationships: { 'authentication-tokens': linkOnly },
  links: { self: path(`${BASE_PATH}/users/user-CvpbqPPtsWSnyrTk`) },
});
