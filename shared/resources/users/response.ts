import type { User } from '../../domain/directory/records.ts';
import type { Document, Resource } from '../../jsonapi/document.ts';
import { BASE_PATH } from '../../routes/api.ts';

/** A user as anybody sees them who shares an organization with them (AUTH-7). */
export const userResource = ({ id, username, serviceAccount }: User, more: object = {}): Resource => ({
  id,
  type: 'users',
  attributes: {
    username,
    'is-service-account': serviceAccount,
    'avatar-url': null,
    ...more,
  },
  relationships: { 'authentication-tokens': { links: { related: `${BASE_PATH}/users/${id}/authentication-tokens` } } },
  links: { self: `${BASE_PATH}/users/${id}` },
});

/** The caller themselves: their e-mail address is their own. */
export const accountDocument = (user: User): Document => ({
  data: userResource(user, {
    email: user.email,
    'two-factor': { enabled: false, verified: false },
    permissions: {
      'can-create-organizations': false,
      'can-change-email': false,
      'can-change-username': false,
      'can-manage-user-tokens': true,
    },
  }),
});
