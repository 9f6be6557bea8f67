import { BASE_PATH } from '../api.ts';
import { ORGANIZATION, type Routes } from '../route.ts';

const ofOrganization = `${ORGANIZATION}/organization-memberships` as const;
const byId = `${BASE_PATH}/organization-memberships/{membership_id}` as const;

/** Memberships of organizations (docs/reference/organizations.md). */
export const memberships = {
  'memberships.list': { method: 'GET', path: ofOrganization, function: 'organizations', status: 200 },
  'memberships.create': {
    method: 'POST',
    path: ofOrganization,
    function: 'organizations',
    status: 201,
    body: { schema: 'membership', required: true },
  },
  'memberships.show': { method: 'GET', path: byId, function: 'organizations', status: 200 },
  'memberships.delete': { method: 'DELETE', path: byId, function: 'organizations', status: 204 },
} as const satisfies Routes;
