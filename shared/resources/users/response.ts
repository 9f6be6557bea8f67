import type { User } from '../../domain/directory/records.ts';
import { type Document, REVISED, type Resource } from '../../jsonapi/document.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

type Values = ComputedValues<typeof attributes>;
/** Values of the attributes that only the account of the caller has. */
type OwnValues = Pick<
  Values,
  'email' | 'unconfirmed-email' | 'is-site-admin' | 'is-admin' | 'two-factor' | 'permissions'
>;

const resource = ({ id, username, serviceAccount, revision }: User, own: Partial<OwnValues> = {}): Resource => {
  const values: Omit<Values, keyof OwnValues> = { username, 'is-service-account': serviceAccount, 'avatar-url': null };
  return {
    id,
    [REVISED]: { id, revision },
    type: 'users',
    attributes: { ...values, ...own },
    relationships: {
      'authentication-tokens': { links: { related: `${BASE_PATH}/users/${id}/authentication-tokens` } },
    },
    links: { self: `${BASE_PATH}/users/${id}` },
  };
};

/** Builds the resource of a user for other members of an organization (AUTH-7). */
export const userResource = (user: User): Resource => resource(user);

/** Builds the resource of a user that a membership includes, with the e-mail address that the membership shows (ORG-11). */
export const memberResource = (user: User): Resource => resource(user, { email: user.email });

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
  } satisfies OwnValues),
  meta: { 'token-id': token },
});
