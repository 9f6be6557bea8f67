import type { Token } from '../../../shared/domain/directory/tokens.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import type { Document } from '../../../shared/jsonapi/document.ts';
import { paginate, readPageOf, slice } from '../../../shared/jsonapi/pagination.ts';
import { tokenResource } from '../../../shared/resources/authentication-tokens/response.ts';
import type { OrganizationDependencies } from '../dependencies.ts';
import { authorizeOwnTokens, authorizeTeamTokens } from './find.ts';

/** Oldest first. Ties are broken by id. */
const byAge = (a: Token, b: Token): number => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);

const listDocument = (tokens: readonly Token[], query: URLSearchParams, url: string): Document => {
  const rows = tokens.toSorted(byAge);
  const page = readPageOf(rows, query);
  return { data: slice(rows, page).map(tokenResource), ...paginate(page, rows.length, url, query) };
};

/** `GET /teams/:team_id/authentication-tokens` */
export const listTeamTokens =
  (dependencies: OrganizationDependencies): Operation<'team-tokens.list'> =>
  async ({ digest, parameters: { team_id: id }, query, url }) => {
    await authorizeTeamTokens(dependencies, digest, id);
    return listDocument(await dependencies.store.findTokensOf({ kind: 'team', id }), query, url);
  };

/** `GET /users/:user_id/authentication-tokens` */
export const listUserTokens =
  (dependencies: OrganizationDependencies): Operation<'user-tokens.list'> =>
  async ({ digest, parameters: { user_id: id }, query, url }) => {
    await authorizeOwnTokens(dependencies, digest, id);
    return listDocument(await dependencies.store.findTokensOf({ kind: 'user', id }), query, url);
  };
