import type { User } from '../../domain/directory/records.ts';
import { type Document, REVISED, type Resource } from '../../jsonapi/document.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

type Values = ComputedValues<typeof attributes>;
type OwnValues = Pick<
  Values,
  'email' | 'unconfirmed-email' | 'is-site-admin' | 'is-admin' | 'two-factor' | 'permissions'
>;

/** Values of the attributes that only the account of the caller has, for other users. */
const NOT_SHOWN: OwnValues = {
  email: undefined,
  'unconfirmed-email': undefined,
  'is-site-admin': undefined,
  'is-admin': undefined,
  'two-factor': undefined,
  permissions: undefined,
};

const resource = ({ id, username, serviceAccount, revision }: User, own: OwnValues): Resource => {
  const values: Values = { username, 'is-service-account': serviceAccount, 'avatar-url': null, ...own };
  return {
    id,
    [REVISED]: { id, revision },
    type: 'users',
    attributes: values,
    relationships: {
      'authentication-tokens': { links: { related: `${BASE_PATH}/users/${id}/authentication-tokens` } },
    },
    links: { self: `${BASE_PATH}/users/${id}` },
  };
};

/** Builds the resource of a user for other members of an organization (AUTH-7). */
export const userResource = (user: User): Resource => resource(user, NOT_SHOWN);

/** Builds the resource of a user that a membership includes, with the e-mail address that the membership shows (ORG-11). */
export const memberResource = (user: User): Resource => resource(user, { ...NOT_SHOWN, email: user.email });

/**
 * Builds the account of the caller (AUTH-7).
 * @param mayCreate whether the user may create organizations.
 * @param token id of the token of the request.
 */
export const accountDocument = (user: User, mayCreate: boolean, token: string | undefined): Document => ({
  data: resource(user, {
    email: user.email,
    'unconfirmed-email': user.unconfirmedEmail ?? null,
    'is-site-admin': user.siteAdmin ?? false,
    'is-admin': user.siteAdmin ?? false,
    'two-factor': { enabled: false, verified: false },
    permissions: {
      'can-create-organizations': mayCreate,
      'can-change-email': true,
      'can-change-username': true,
      'can-manage-user-tokens': true,
    },
  }),
  meta: { 'token-id': token },
});
