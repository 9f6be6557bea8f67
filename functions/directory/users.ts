import { authenticate } from '../../shared/access/authorize/caller.ts';
import { authorizeUser } from '../../shared/access/authorize/user.ts';
import { notFound } from '../../shared/domain/errors.ts';
import type { Operation } from '../../shared/http/endpoints.ts';
import { accountDocument, userResource } from '../../shared/resources/users/response.ts';
import type { DirectoryServices, Group } from './services.ts';

/** `GET /account/details`: the user whose token it is; behind other tokens there is none (AUTH-7). */
const account =
  ({ store }: DirectoryServices): Operation<'users.account'> =>
  async ({ digest }) => {
    const principal = await authenticate(store, digest);
    const user = principal.kind === 'user' ? await store.findUser(principal.id, true) : undefined;
    if (user === undefined) throw notFound();
    return accountDocument(user);
  };

/** `GET /users/:user_id` */
const show =
  ({ store }: DirectoryServices): Operation<'users.show'> =>
  async ({ digest, parameters }) => ({ data: userResource(await authorizeUser(store, digest, parameters.user_id)) });

export const users = (services: DirectoryServices): Group<'users'> => ({
  'users.account': account(services),
  'users.show': show(services),
});
