import { BASE_PATH } from '../api.ts';
import type { Routes } from '../route.ts';

/** Users, and the account of the caller (docs/reference/authentication.md). */
export const users = {
  'users.account': { method: 'GET', path: `${BASE_PATH}/account/details`, function: 'organizations', status: 200 },
  'users.update-account': {
    method: 'PATCH',
    path: `${BASE_PATH}/account/update`,
    function: 'organizations',
    status: 200,
    conditional: true,
    body: { schema: 'account', required: true },
  },
  'users.show': { method: 'GET', path: `${BASE_PATH}/users/{user_id}`, function: 'organizations', status: 200 },
} as const satisfies Routes;
