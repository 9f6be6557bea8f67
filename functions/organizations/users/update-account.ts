import { authenticate } from '../../../shared/access/authorize/caller.ts';
import { concealNotFound } from '../../../shared/access/conceal-not-found.ts';
import { notFound } from '../../../shared/domain/errors.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import { requireSameId } from '../../../shared/jsonapi/require-same-id.ts';
import { accountRequest } from '../../../shared/resources/users/request-mapping.ts';
import { accountDocument } from '../../../shared/resources/users/response.ts';
import type { OrganizationDependencies } from '../dependencies.ts';
import { mayCreateOrganizations } from './may-create-organizations.ts';

/**
 * `PATCH /account/update`: the user of the token changes their username, and requests another e-mail address (AUTH-20).
 */
export const updateAccount =
  (dependencies: OrganizationDependencies): Operation<'users.update-account'> =>
  async ({ contextFor, digest, body: { data } }) => {
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
  };
