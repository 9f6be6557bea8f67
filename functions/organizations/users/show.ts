import { authorizeUser } from '../../../shared/access/authorize/user.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import { userResource } from '../../../shared/resources/users/response.ts';
import type { OrganizationDependencies } from '../dependencies.ts';

/** `GET /users/:user_id` */
export const showUser =
  ({ store }: OrganizationDependencies): Operation<'users.show'> =>
  async ({ digest, parameters }) => ({ data: userResource(await authorizeUser(store, digest, parameters.user_id)) });
