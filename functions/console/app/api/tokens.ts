import { apiQuery } from './query-client.ts';
import { apiRequest } from './request.ts';

/** Builds the query of the tokens of a user, who can list only their own (AUTH-9). */
export const userTokensQuery = (user: string) =>
  apiQuery(apiRequest('get', '/api/v2/users/{user_id}/authentication-tokens', { path: { user_id: user } }));

/** Describes the creation of a token of a user. The response is the only one that shows its text. */
export const createUserToken = (user: string, description: string, expiredAt: string | null) =>
  apiRequest('post', '/api/v2/users/{user_id}/authentication-tokens', {
    path: { user_id: user },
    body: { data: { attributes: { description, 'expired-at': expiredAt } } },
  });

/** Describes the revocation of a token (AUTH-11). */
export const revokeToken = (id: string) =>
  apiRequest('delete', '/api/v2/authentication-tokens/{token_id}', { path: { token_id: id } });
