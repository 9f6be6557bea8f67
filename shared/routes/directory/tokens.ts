import { BASE_PATH } from '../api.ts';
import { ORGANIZATION, type Routes } from '../route.ts';

const ofOrganization = `${ORGANIZATION}/authentication-token` as const;
const ofTeam = `${BASE_PATH}/teams/{team_id}/authentication-token` as const;
const allOfTeam = `${ofTeam}s` as const;
const ofTeams = `${ORGANIZATION}/team-tokens` as const;
const ofPool = `${BASE_PATH}/agent-pools/{agent_pool_id}/authentication-tokens` as const;
const ofUser = `${BASE_PATH}/users/{user_id}/authentication-tokens` as const;
const one = `${BASE_PATH}/authentication-tokens/{token_id}` as const;

const body = { schema: 'token', required: false } as const;

/** Tokens of users, teams, organizations and agent pools. A team may have further tokens besides its own one (AUTH-8). */
export const tokens = {
  'organization-token.create': { method: 'POST', path: ofOrganization, function: 'organizations', status: 201, body },
  'organization-token.show': { method: 'GET', path: ofOrganization, function: 'organizations', status: 200 },
  'organization-token.delete': {
    method: 'DELETE',
    path: ofOrganization,
    function: 'organizations',
    status: 204,
    conditional: true,
  },
  'team-token.create': { method: 'POST', path: ofTeam, function: 'organizations', status: 201, body },
  'team-token.show': { method: 'GET', path: ofTeam, function: 'organizations', status: 200 },
  'team-token.delete': { method: 'DELETE', path: ofTeam, function: 'organizations', status: 204, conditional: true },
  'team-tokens.list': { method: 'GET', path: allOfTeam, function: 'organizations', status: 200 },
  'team-tokens.create': { method: 'POST', path: allOfTeam, function: 'organizations', status: 201, body },
  'organization-team-tokens.list': { method: 'GET', path: ofTeams, function: 'organizations', status: 200 },
  'agent-pool-tokens.list': { method: 'GET', path: ofPool, function: 'organizations', status: 200 },
  'agent-pool-tokens.create': { method: 'POST', path: ofPool, function: 'organizations', status: 201, body },
  'user-tokens.list': { method: 'GET', path: ofUser, function: 'organizations', status: 200 },
  'user-tokens.create': { method: 'POST', path: ofUser, function: 'organizations', status: 201, body },
  'tokens.show': { method: 'GET', path: one, function: 'organizations', status: 200 },
  'tokens.delete': { method: 'DELETE', path: one, function: 'organizations', status: 204, conditional: true },
} as const satisfies Routes;
