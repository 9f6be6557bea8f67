import { BASE_PATH } from './api.ts';
import { ORGANIZATION, optional, type Routes, required, routesOf } from './route.ts';

const { get, post, patch, remove } = routesOf('organizations');

const all = `${BASE_PATH}/organizations` as const;

/** Organizations (docs/reference/organizations.md). */
export const organizations = {
  'organizations.list': get(all, 200),
  'organizations.create': post(all, 201, { body: required('organization') }),
  'organizations.show': get(ORGANIZATION, 200, { includes: ['default_project'] }),
  'organizations.update': patch(ORGANIZATION, 200, { conditional: true, body: required('organization') }),
  'organizations.delete': remove(ORGANIZATION, 204, { conditional: true }),
  'organizations.entitlements': get(`${ORGANIZATION}/entitlement-set`, 200),
} satisfies Routes;

/** Values of `include` for memberships (ORG-11). */
const membershipIncludes = ['teams', 'user'] as const;
export type MembershipInclude = (typeof membershipIncludes)[number];

const membershipsOfOrganization = `${ORGANIZATION}/organization-memberships` as const;
const ownMemberships = `${BASE_PATH}/organization-memberships` as const;
const membership = `${ownMemberships}/{membership_id}` as const;

/** Memberships of organizations (docs/reference/organizations.md). */
export const memberships = {
  'memberships.list': get(membershipsOfOrganization, 200, { includes: membershipIncludes }),
  'memberships.list-own': get(ownMemberships, 200, { includes: membershipIncludes }),
  'memberships.create': post(membershipsOfOrganization, 201, { body: required('membership') }),
  'memberships.show': get(membership, 200, { includes: membershipIncludes }),
  'memberships.delete': remove(membership, 204, { conditional: true }),
} satisfies Routes;

/** Users, and the account of the caller (docs/reference/authentication.md). */
export const users = {
  'users.account': get(`${BASE_PATH}/account/details`, 200),
  'users.update-account': patch(`${BASE_PATH}/account/update`, 200, { conditional: true, body: required('account') }),
  'users.show': get(`${BASE_PATH}/users/{user_id}`, 200),
} satisfies Routes;

/** Sessions and linked identities of users (docs/reference/sessions.md). */
export const sessions = {
  'sessions.list': get(`${BASE_PATH}/users/{user_id}/sessions`, 200),
  'sessions.delete': remove(`${BASE_PATH}/sessions/{session_id}`, 204, { conditional: true }),
  'linked-identities.list': get(`${BASE_PATH}/users/{user_id}/linked-identities`, 200),
} satisfies Routes;

const keysOfOrganization = `${ORGANIZATION}/reserved-tag-keys` as const;
const key = `${BASE_PATH}/reserved-tag-keys/{reserved_tag_key_id}` as const;

/** Reserved tag keys (docs/reference/tags.md). */
export const reservedTagKeys = {
  'reserved-tag-keys.list': get(keysOfOrganization, 200),
  'reserved-tag-keys.create': post(keysOfOrganization, 201, { body: required('reservedTagKey') }),
  'reserved-tag-keys.update': patch(key, 200, { conditional: true, body: required('reservedTagKey') }),
  'reserved-tag-keys.delete': remove(key, 204, { conditional: true }),
} satisfies Routes;

const identities = `${ORGANIZATION}/workload-identities` as const;
const identity = `${BASE_PATH}/workload-identities/{workload_identity_id}` as const;

/** Workload identities (docs/reference/workload-identities.md). */
export const workloadIdentities = {
  'workload-identities.list': get(identities, 200),
  'workload-identities.create': post(identities, 201, { body: required('workloadIdentity') }),
  'workload-identities.show': get(identity, 200),
  'workload-identities.update': patch(identity, 200, { conditional: true, body: required('workloadIdentity') }),
  'workload-identities.delete': remove(identity, 204, { conditional: true }),
} satisfies Routes;

const ofOrganization = `${ORGANIZATION}/authentication-token` as const;
const ofTeam = `${BASE_PATH}/teams/{team_id}/authentication-token` as const;
const allOfTeam = `${ofTeam}s` as const;
const ofPool = `${BASE_PATH}/agent-pools/{agent_pool_id}/authentication-tokens` as const;
const ofUser = `${BASE_PATH}/users/{user_id}/authentication-tokens` as const;
const token = `${BASE_PATH}/authentication-tokens/{token_id}` as const;
const creation = { body: optional('token') };

/** Tokens of users, teams, organizations and agent pools. A team may have further tokens besides its own one (AUTH-8). */
export const tokens = {
  'organization-token.create': post(ofOrganization, 201, creation),
  'organization-token.show': get(ofOrganization, 200),
  'organization-token.delete': remove(ofOrganization, 204, { conditional: true }),
  'team-token.create': post(ofTeam, 201, creation),
  'team-token.show': get(ofTeam, 200),
  'team-token.delete': remove(ofTeam, 204, { conditional: true }),
  'team-tokens.list': get(allOfTeam, 200),
  'team-tokens.create': post(allOfTeam, 201, creation),
  'organization-team-tokens.list': get(`${ORGANIZATION}/team-tokens`, 200),
  'agent-pool-tokens.list': get(ofPool, 200),
  'agent-pool-tokens.create': post(ofPool, 201, creation),
  'user-tokens.list': get(ofUser, 200),
  'user-tokens.create': post(ofUser, 201, creation),
  'tokens.show': get(token, 200),
  'tokens.delete': remove(token, 204, { conditional: true }),
} satisfies Routes;

const ttlPolicies = `${ORGANIZATION}/token-ttl-policies` as const;

/** Limits of the lifetime of tokens (AUTH-22). */
export const tokenTtlPolicies = {
  'token-ttl-policies.list': get(ttlPolicies, 200),
  'token-ttl-policies.update': patch(ttlPolicies, 200, { body: required('tokenTtlPolicies') }),
} satisfies Routes;
