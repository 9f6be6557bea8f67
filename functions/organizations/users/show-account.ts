import { authenticate } from '../../../shared/access/authorize/caller.ts';
import { notFound } from '../../../shared/domain/errors.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import { accountDocument } from '../../../shared/resources/users/response.ts';
import type { OrganizationDependencies } from '../dependencies.ts';
import { mayCreateOrganizations } from './may-create-organizations.ts';

/** `GET /account/details`: the user of the token. Tokens of other kinds have no account (AUTH-7). */
export const showAccount =
  (dependencies: OrganizationDependencies): Operation<'users.account'> =>
  async ({ digest }) => {
    const { store } = dependencies;
    const principal = await authenticate(store, digest);
    const user = principal.kind === 'user' ? await store.users.find(principal.id, true) : undefined;
    if (user === undefined) throw notFound();
    return accountDocument(user, mayCreateOrganizations(user, dependencies), principal.token);
  };
