import { authorizeOrganization } from '../../../shared/access/authorize/organization.ts';
import { mayIn, requireOrganizationPermission, tokenAction } from '../../../shared/access/organization-policy.ts';
import type { Token } from '../../../shared/domain/directory/tokens.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import type { Document } from '../../../shared/jsonapi/document.ts';
import { paginate, readPage, readPageOf, slice } from '../../../shared/jsonapi/pagination.ts';
import { readSort } from '../../../shared/jsonapi/sort.ts';
import { mapWithConcurrency } from '../../../shared/lib/concurrency.ts';
import { tokenResource } from '../../../shared/resources/authentication-tokens/response.ts';
import {
  teamTokenOrderNames,
  teamTokenOrders,
} from '../../../shared/resources/authentication-tokens/team-token-orders.ts';
import type { OrganizationDependencies } from '../dependencies.ts';
import { authorizeOwnTokens, authorizePoolTokens, authorizeTeamTokens } from './find.ts';

/** Oldest first. Ties are broken by id. */
const byAge = (a: Token, b: Token): number => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);

const listDocument = (tokens: readonly Token[], query: URLSearchParams, url: string, sign: 1 | -1 = 1): Document => {
  const rows = tokens.toSorted((a, b) => sign * byAge(a, b));
  const page = readPageOf(rows, query);
  return { data: slice(rows, page).map(tokenResource), ...paginate(page, rows.length, url, query) };
};

/** `GET /teams/:team_id/authentication-tokens` */
export const listTeamTokens =
  (dependencies: OrganizationDependencies): Operation<'team-tokens.list'> =>
  async ({ digest, parameters: { team_id: id }, query, url }) => {
    await authorizeTeamTokens(dependencies, digest, id);
    return listDocument(await dependencies.store.tokens.listOf({ kind: 'team', id }), query, url);
  };

/** Number of teams whose tokens are read concurrently. */
const CONCURRENCY = 50;

const readOrder = (query: URLSearchParams): ((a: Token, b: Token) => number) => {
  const { name, sign } = readSort(query, teamTokenOrderNames) ?? {};
  if (name === undefined || sign === undefined) return byAge;
  const value: (token: Token) => string | number = teamTokenOrders[name];
  const compare = (a: Token, b: Token): number => Number(value(a) > value(b)) - Number(value(a) < value(b));
  return (a, b) => sign * compare(a, b) || byAge(a, b);
};

/** `GET /organizations/:organization_name/team-tokens`: the tokens of all teams whose tokens the caller manages (AUTH-18). */
export const listTokensOfTeams =
  (dependencies: OrganizationDependencies): Operation<'organization-team-tokens.list'> =>
  async ({ digest, parameters: { organization_name: name }, query, url }) => {
    const { store, directory } = dependencies;
    const [page, order] = [readPage(query), readOrder(query)];
    const access = await authorizeOrganization(store, digest, { organization: name }, (context) =>
      requireOrganizationPermission(context, 'team.manage'),
    );
    const text = (query.get('q') ?? '').toLowerCase();
    const teams = (await directory.records.listAll('team', name)).filter(
      (team) =>
        team.name.toLowerCase().includes(text) &&
        mayIn(access, tokenAction(access.organization, { kind: 'team', id: team.id })),
    );
    const tokens = await mapWithConcurrency(teams, CONCURRENCY, ({ id }) => store.tokens.listOf({ kind: 'team', id }));
    const rows = tokens.flat().sort(order);
    return { data: slice(rows, page).map(tokenResource), ...paginate(page, rows.length, url, query) };
  };

/** `GET /agent-pools/:agent_pool_id/authentication-tokens` (POOL-9) */
export const listPoolTokens =
  (dependencies: OrganizationDependencies): Operation<'agent-pool-tokens.list'> =>
  async ({ digest, parameters: { agent_pool_id: id }, query, url }) => {
    const { sign } = readSort(query, ['created-at']) ?? {};
    await authorizePoolTokens(dependencies, digest, id);
    return listDocument(await dependencies.store.tokens.listOf({ kind: 'agentPool', id }), query, url, sign);
  };

/** `GET /users/:user_id/authentication-tokens` */
export const listUserTokens =
  (dependencies: OrganizationDependencies): Operation<'user-tokens.list'> =>
  async ({ digest, parameters: { user_id: id }, query, url }) => {
    await authorizeOwnTokens(dependencies, digest, id);
    return listDocument(await dependencies.store.tokens.listOf({ kind: 'user', id }), query, url);
  };
