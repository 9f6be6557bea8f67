import { apiRequest } from './request.ts';
import type { InputOf, Schemas } from './types.ts';

/** Describes the request of the tokens of a user, who can list only their own (AUTH-9). */
export const listUserTokens = (user: string) =>
  apiRequest('get', '/api/v2/users/{user_id}/authentication-tokens', { path: { user_id: user } });

/** Describes the creation of a token of a user. The response is the only one that shows its text. */
export const createUserToken = (user: string, description: string, expiredAt: string | null) =>
  apiRequest('post', '/api/v2/users/{user_id}/authentication-tokens', {
    path: { user_id: user },
    body: { data: { attributes: { description: description || null, 'expired-at': expiredAt } } },
  });

/** Describes the revocation of a token (AUTH-11). */
export const revokeToken = (id: string) =>
  apiRequest('delete', '/api/v2/authentication-tokens/{token_id}', { path: { token_id: id } });

/** Kind of a token of an organization: the ordinary token, or the token that only reads the audit trail. */
export type OrganizationTokenKind =
  | 'ordinary'
  | NonNullable<NonNullable<InputOf<'get', typeof ORGANIZATION_TOKEN>['query']>['token']>;

const ORGANIZATION_TOKEN = '/api/v2/organizations/{organization_name}/authentication-token';

const organizationTokenInput = (organization: string, kind: OrganizationTokenKind) => ({
  path: { organization_name: organization },
  ...(kind !== 'ordinary' && { query: { token: kind } }),
});

/** Describes the request of the token of an organization. */
export const showOrganizationToken = (organization: string, kind: OrganizationTokenKind) =>
  apiRequest('get', ORGANIZATION_TOKEN, organizationTokenInput(organization, kind));

/** Describes the creation of the token of an organization, in place of its present one. */
export const createOrganizationToken = (organization: string, kind: OrganizationTokenKind) =>
  apiRequest('post', ORGANIZATION_TOKEN, organizationTokenInput(organization, kind));

/** Describes the revocation of the token of an organization. */
export const revokeOrganizationToken = (organization: string, kind: OrganizationTokenKind) =>
  apiRequest('delete', ORGANIZATION_TOKEN, organizationTokenInput(organization, kind));

/** Describes the request of one page of the tokens of all teams of an organization. */
export const listTeamTokens = (organization: string, number: number) =>
  apiRequest('get', '/api/v2/organizations/{organization_name}/team-tokens', {
    path: { organization_name: organization },
    query: { 'page[number]': number, 'page[size]': 20 },
  });

/** Describes the request of one page of the tokens of one team (AUTH-8). */
export const listTokensOfTeam = (team: string, number: number) =>
  apiRequest('get', '/api/v2/teams/{team_id}/authentication-tokens', {
    path: { team_id: team },
    query: { 'page[number]': number, 'page[size]': 20 },
  });

/** Describes the creation of a token of a team. The response is the only one that shows its text. */
export const createTeamToken = (team: string, description: string, expiredAt: string | null) =>
  apiRequest('post', '/api/v2/teams/{team_id}/authentication-tokens', {
    path: { team_id: team },
    body: { data: { attributes: { description: description || null, 'expired-at': expiredAt } } },
  });

const TTL_POLICIES = '/api/v2/organizations/{organization_name}/token-ttl-policies';

/** Describes the request of the limits of the lifetime of tokens (AUTH-22). The list is complete. */
export const listTokenTtlPolicies = (organization: string) =>
  apiRequest('get', TTL_POLICIES, { path: { organization_name: organization } });

/** Describes setting limits of the lifetime of tokens. Types of tokens that are left out keep their limit. */
export const setTokenTtlPolicies = (
  organization: string,
  policies: Schemas['TokenTtlPoliciesBody']['data']['attributes']['token-ttl-policies'],
) =>
  apiRequest('patch', TTL_POLICIES, {
    path: { organization_name: organization },
    body: { data: { type: 'organization-token-ttl-policies', attributes: { 'token-ttl-policies': policies } } },
  });
