import { BASE_PATH } from '../api.ts';
import { ORGANIZATION, type Routes } from '../route.ts';

const all = `${BASE_PATH}/organizations` as const;

/** Organizations (docs/reference/organizations.md). */
export const organizations = {
  'organizations.list': { method: 'GET', path: all, function: 'organizations', status: 200 },
  'organizations.create': {
    method: 'POST',
    path: all,
    function: 'organizations',
    status: 201,
    body: { schema: 'organization', required: true },
  },
  'organizations.show': {
    method: 'GET',
    path: ORGANIZATION,
    function: 'organizations',
    status: 200,
    includes: ['default_project'],
  },
  'organizations.update': {
    method: 'PATCH',
    path: ORGANIZATION,
    function: 'organizations',
    status: 200,
    conditional: true,
    body: { schema: 'organization', required: true },
  },
  'organizations.delete': {
    method: 'DELETE',
    path: ORGANIZATION,
    function: 'organizations',
    status: 204,
    conditional: true,
  },
  'organizations.entitlements': {
    method: 'GET',
    path: `${ORGANIZATION}/entitlement-set`,
    function: 'organizations',
    status: 200,
  },
} as const satisfies Routes;
