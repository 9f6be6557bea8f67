import { authenticate } from '../../shared/access/authorize/caller.ts';
import { authorizeUser } from '../../shared/access/authorize/user.ts';
import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { Operations } from '../../shared/http/operation.ts';
import { requireSameId } from '../../shared/jsonapi/require-same-id.ts';
import { accountRequest } from '../../shared/resources/users/attributes.ts';
import { accountDocument, userResource } from '../../shared/resources/users/response.ts';
import type { OrganizationDependencies } from './dependencies.ts';
import { mayCreateOrganizations } from './organizations.ts';

export const userOperations = {
  /** `GET /account/details`: the user of the token. Tokens of other kinds have no account (AUTH-7). */
  'users.account': async ({ digest }, dependencies) => {
    const { store } = dependencies;
    const principal = await authenticate(store, digest);
    const user = principal.kind === 'user' ? await store.users.find(principal.id, true) : undefined;
    if (user === undefined) throw notFound();
    return accountDocument(user, mayCreateOrganizations(user, dependencies), principal.token);
  },

  /** `GET /users/:user_id` */
  'users.show': async ({ digest, parameters }, { store }) => ({
    data: userResource(await authorizeUser(store, digest, parameters.user_id)),
  }),

  /**
   * `PATCH /account/update`: the user of the token changes their username, and requests another e-mail address (AUTH-20).
   */
  'users.update-account': async ({ contextFor, digest, body: { data } }, dependencies) => {
    const { store, directory } = dependencies;
    const { username: newUsername, email } = accountRequest(data.attributes ?? {});
    const principal = await authenticate(store, digest);
    const before = principal.kind === 'user' ? await store.users.find(principal.id, true) : undefined;
    if (before === undefined) throw notFound();
    requireSameId(data.id, before.id);
    const request = contextFor({ principal });
    const user = await concealNotFound(
      directory.users.update(request, before.username, {
        ...(newUsername !== undefined && { newUsername }),
        ...(email !== undefined && { unconfirmedEmail: email === before.email ? null : email }),
      }),
    );
    return accountDocument(user, mayCreateOrganizations(user, dependencies), principal.token);
  },
} satisfies Partial<Operations<'organizations', OrganizationDependencies>>;
