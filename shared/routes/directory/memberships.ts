import { BASE_PATH } from '../api.ts';
import { ORGANIZATION, type Routes } from '../route.ts';

const ofOrganization = `${ORGANIZATION}/organization-memberships` as const;
const byId = `${BASE_PATH}/organization-memberships/{membership_id}` as const;

/** Values of `include` for memberships (ORG-11). */
const membershipIncludes = ['teams', 'user'] as const;
export type MembershipInclude = (typeof membershipIncludes)[number];

/** Memberships of organizations (docs/reference/organizations.md). */
export const memberships = {
  'memberships.list': {
    method: 'GET',
    path: ofOrganization,
    function: 'organizations',
    status: 200,
    includes: membershipIncludes,
  },
  'memberships.create': {
    method: 'POST',
    path: ofOrganization,
    function: 'organizations',
    status: 201,
    body: { schema: 'membership', required: true },
  },
  'memberships.show': {
    method: 'GET',
    path: byId,
    function: 'organizations',
    status: 200,
    includes: membershipIncludes,
  },
  'memberships.delete': { method: 'DELETE', path: byId, function: 'organizations', status: 204, conditional: true },
} as const satisfies Routes;
