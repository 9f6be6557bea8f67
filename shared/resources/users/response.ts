import type { User } from '../../domain/directory/records.ts';
import type { Document, Resource } from '../../jsonapi/document.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

type Values = ComputedValues<typeof attributes>;
type OwnValues = Pick<Values, 'email' | 'two-factor' | 'permissions'>;

const resource = ({ id, username, serviceAccount }: User, own: OwnValues): Resource => {
  const values: Values = { username, 'is-service-account': serviceAccount, 'avatar-url': null, ...own };
  return {
    id,
    type: 'users',
    attributes: values,
    relationships: {
      'authentication-tokens': { links: { related: `${BASE_PATH}/users/${id}/authentication-tokens` } },
    },
    links: { self: `${BASE_PATH}/users/${id}` },
  };
};

/** Builds the resource of a user for other members of an organization (AUTH-7). */
export const userResource = (user: User): Resource =>
  resource(user, { email: undefined, 'two-factor': undefined, permissions: undefined });

/** Builds the account of the caller, the only response with the e-mail address of a user (AUTH-7). */
export const accountDocument = (user: User): Document => ({
  data: resource(user, {
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
