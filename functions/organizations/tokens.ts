import { authenticate } from '../../shared/access/authorize/caller.ts';
import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { authorizeRecord } from '../../shared/access/authorize/record.ts';
import { authorizeTeam } from '../../shared/access/authorize/team.ts';
import { authorizeToken, type TokenAccess } from '../../shared/access/authorize/token.ts';
import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import { mintToken, newToken, type TokenKind } from '../../shared/access/credentials.ts';
import { mayIn, requireOrganizationPermission, tokenAction } from '../../shared/access/organization-policy.ts';
import type { RequestContext } from '../../shared/domain/changes/change-context.ts';
import { requireMatch } from '../../shared/domain/changes/entity-tags.ts';
import type { Organization, Principal } from '../../shared/domain/directory/records.ts';
import { limitExpiry } from '../../shared/domain/directory/token-expiry.ts';
import type { NewToken, Token, TokenSubject } from '../../shared/domain/directory/tokens.ts';
import { DomainError, invalid, notFound } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import type { Operation, Operations } from '../../shared/http/operation.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { listDocument, paginate, readPage, slice } from '../../shared/jsonapi/pagination.ts';
import { readSort } from '../../shared/jsonapi/sort.ts';
import { now } from '../../shared/lib/clock.ts';
import { mapWithConcurrency } from '../../shared/lib/concurrency.ts';
import { readOneOf } from '../../shared/list-index/query-values.ts';
import { type TokenRequest, tokenRequest } from '../../shared/resources/authentication-tokens/request-mapping.ts';
import { newTokenResource, tokenResource } from '../../shared/resources/authentication-tokens/response.ts';
import {
  teamTokenOrderNames,
  teamTokenOrders,
} from '../../shared/resources/authentication-tokens/team-token-orders.ts';
import { tokenExpiries, tokenExpiryStatuses } from '../../shared/resources/authentication-tokens/token-expiries.ts';
import type { TokenOwner } from '../../shared/store/directory/tokens/tokens.ts';
import type { OrganizationDependencies } from './dependencies.ts';

/** Finds the one token of an organization or a team. @throws DomainError 404 when it has none. */
const findOwnToken = async ({ store }: OrganizationDependencies, subject: TokenSubject): Promise<Token> => {
  const token = await store.tokens.findOwn(subject);
  if (token === undefined) throw notFound('There is no token.');
  return token;
};

/** Finds a token by its id for a caller who may manage it, and returns both. */
const findToken = ({ store }: OrganizationDependencies, digest: string, id: string): Promise<TokenAccess> =>
  authorizeToken(store, digest, (consistent) => store.tokens.find(id, consistent));

/**
 * Reads which single token of an organization a request addresses: `?token=audit-trails`, or else the ordinary one.
 * @throws DomainError 400 for another kind (AUTH-18).
 */
const readTokenKind = (query: URLSearchParams): 'organization' | 'audit-trails' => {
  const kind = query.get('token');
  if (kind === null) return 'organization';
  if (kind === 'audit-trails') return kind;
  throw new DomainError('bad-request', 'There is only one kind of token besides the ordinary one: audit-trails', {
    source: { parameter: 'token' },
  });
};

/** Finds an organization for a caller who may manage its tokens. */
const authorizeOrganizationToken = ({ store }: OrganizationDependencies, digest: string, organization: string) =>
  authorizeOrganization(store, digest, { organization }, (access) =>
    requireOrganizationPermission(access, 'organization-token.manage'),
  );

/** Finds a team for a caller who may manage its tokens. */
const authorizeTeamTokens = (dependencies: OrganizationDependencies, digest: string, id: string) =>
  authorizeTeam(dependencies.store, digest, id, (access) =>
    requireOrganizationPermission(access, tokenAction(access.organization, { kind: 'team', id })),
  );

/** Finds an agent pool for a caller who may manage its tokens. */
const authorizePoolTokens = ({ store, directory }: OrganizationDependencies, digest: string, id: string) =>
  authorizeRecord(
    store,
    digest,
    (consistent) => directory.records.findById('agentPool', id, consistent),
    (access) => requireOrganizationPermission(access, 'agent-pool-token.manage'),
  );

/** Requires that the caller is the user with the id: the tokens of other users are concealed. */
const authorizeOwnTokens = async (
  { store }: OrganizationDependencies,
  digest: string,
  id: string,
): Promise<Principal> => {
  const principal = await authenticate(store, digest);
  if (principal.kind !== 'user' || principal.id !== id) throw notFound();
  return principal;
};

/** Oldest first. Ties are broken by id. */
const byAge = (a: Token, b: Token): number => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);

/** Number of teams whose tokens are read concurrently. */
const CONCURRENCY = 50;

const readOrder = (query: URLSearchParams): ((a: Token, b: Token) => number) => {
  const { name, sign } = readSort(query, teamTokenOrderNames) ?? {};
  if (name === undefined || sign === undefined) return byAge;
  const value: (token: Token) => string | number = teamTokenOrders[name];
  const compare = (a: Token, b: Token): number => Number(value(a) > value(b)) - Number(value(a) < value(b));
  return (a, b) => sign * compare(a, b) || byAge(a, b);
};

/** Reads the filter by the expiry of tokens, which need one of the statuses (AUTH-18). @throws DomainError 400. */
const readExpiryFilter = (query: URLSearchParams, at: number): ((token: Token) => boolean) => {
  const statuses = readOneOf(query, 'filter[expiry_status]', tokenExpiryStatuses);
  return (token) => statuses.length === 0 || statuses.some((status) => tokenExpiries[status](token, at));
};

/**
 * Creates a token. Only this response contains its text.
 * @param organizations those that limit its lifetime.
 */
const create = async (
  { store, directory }: OrganizationDependencies,
  owner: TokenOwner & { readonly kind: TokenKind },
  request: TokenRequest,
  organizations: readonly Organization[],
  context: RequestContext,
): Promise<Document> => {
  const expiresAt = limitExpiry(owner.kind, organizations, request.expiresAt, now());
  const text = mintToken(owner.kind);
  const { kind, id } = context.principal;
  const { token, replaced } = await concealNotFound(
    directory.tokens.create(
      context,
      owner,
      newToken(context, text, {
        description: null,
        ...request,
        expiresAt,
        createdBy: { kind, id } as NewToken['createdBy'],
      }),
    ),
  );
  if (replaced !== undefined) store.identities.forgetToken(replaced);
  return { data: newTokenResource(token, text) };
};

const createForTeam =
  (owner: { readonly single?: true }): Operation<'team-token.create', OrganizationDependencies> =>
  async ({ contextFor, digest, parameters: { team_id: team }, body }, dependencies) => {
    const request = tokenRequest(body?.data?.attributes ?? {});
    const { caller, organization } = await authorizeTeamTokens(dependencies, digest, team);
    const holder = { kind: 'team', organization: organization.name, team, ...owner } as const;
    return create(dependencies, holder, request, [organization], contextFor(caller));
  };

/** Revokes a token, and removes it from the cache of this instance. */
const revoke = async (
  { store, directory }: OrganizationDependencies,
  { id }: Token,
  context: RequestContext,
): Promise<undefined> => {
  requireMatch(context.precondition, { id });
  store.identities.forgetToken(await concealNotFound(directory.tokens.revoke(context, id)));
  return undefined;
};

export const tokenOperations = {
  /** `GET /teams/:team_id/authentication-tokens` */
  'team-tokens.list': async ({ digest, parameters: { team_id: id }, query, url }, dependencies) => {
    await authorizeTeamTokens(dependencies, digest, id);
    const tokens = await dependencies.store.tokens.listOf({ kind: 'team', id });
    return listDocument(tokens.toSorted(byAge), { query, url }, tokenResource);
  },

  /** `GET /organizations/:organization_name/team-tokens`: the tokens of all teams whose tokens the caller manages (AUTH-18). */
  'organization-team-tokens.list': async (
    { digest, parameters: { organization_name: name }, query, url },
    dependencies,
  ) => {
    const { store, directory } = dependencies;
    const [page, order, isExpiry] = [readPage(query), readOrder(query), readExpiryFilter(query, now())];
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
    const rows = tokens.flat().filter(isExpiry).sort(order);
    return { data: slice(rows, page).map(tokenResource), ...paginate(page, rows.length, url, query) };
  },

  /** `GET /agent-pools/:agent_pool_id/authentication-tokens` (POOL-9) */
  'agent-pool-tokens.list': async ({ digest, parameters: { agent_pool_id: id }, query, url }, dependencies) => {
    const { sign } = readSort(query, ['created-at']) ?? { sign: 1 };
    await authorizePoolTokens(dependencies, digest, id);
    const tokens = await dependencies.store.tokens.listOf({ kind: 'agentPool', id });
    return listDocument(
      tokens.toSorted((a, b) => sign * byAge(a, b)),
      { query, url },
      tokenResource,
    );
  },

  /** `GET /users/:user_id/authentication-tokens`: without those of sessions, which expire soon (SESSION-2). */
  'user-tokens.list': async ({ digest, parameters: { user_id: id }, query, url }, dependencies) => {
    await authorizeOwnTokens(dependencies, digest, id);
    const tokens = await dependencies.store.tokens.listOf({ kind: 'user', id });
    const own = tokens.filter(({ session }) => session === undefined);
    return listDocument(own.sort(byAge), { query, url }, tokenResource);
  },

  /** `GET /organizations/:organization_name/authentication-token` */
  'organization-token.show': async ({ digest, parameters: { organization_name: id }, query }, dependencies) => {
    const kind = readTokenKind(query);
    await authorizeOrganizationToken(dependencies, digest, id);
    return { data: tokenResource(await findOwnToken(dependencies, { kind, id })) };
  },

  /** `GET /teams/:team_id/authentication-token` */
  'team-token.show': async ({ digest, parameters: { team_id: id } }, dependencies) => {
    await authorizeTeamTokens(dependencies, digest, id);
    return { data: tokenResource(await findOwnToken(dependencies, { kind: 'team', id })) };
  },

  /** `GET /authentication-tokens/:token_id` */
  'tokens.show': async ({ digest, parameters }, dependencies) => ({
    data: tokenResource((await findToken(dependencies, digest, parameters.token_id)).token),
  }),

  /** `POST /organizations/:organization_name/authentication-token`: replaces its token or its audit trail token. */
  'organization-token.create': async (
    { contextFor, digest, parameters: { organization_name: name }, query, body },
    dependencies,
  ) => {
    const kind = readTokenKind(query);
    const request = tokenRequest(body?.data?.attributes ?? {});
    const { caller, organization } = await authorizeOrganizationToken(dependencies, digest, name);
    return create(dependencies, { kind, organization: name }, request, [organization], contextFor(caller));
  },

  /** `POST /teams/:team_id/authentication-token`: replaces the single token of the team. */
  'team-token.create': createForTeam({ single: true }),

  /** `POST /teams/:team_id/authentication-tokens`: adds a token to those that the team has. */
  'team-tokens.create': createForTeam({}),

  /** `POST /agent-pools/:agent_pool_id/authentication-tokens` (POOL-9) */
  'agent-pool-tokens.create': async ({ contextFor, digest, parameters: { agent_pool_id: id }, body }, dependencies) => {
    const request = tokenRequest(body?.data?.attributes ?? {});
    const { caller, organization } = await authorizePoolTokens(dependencies, digest, id);
    if (!request.description) throw invalid('description', "Description can't be blank");
    const owner = { kind: 'agentPool', organization: organization.name, id } as const;
    return create(dependencies, owner, request, [organization], contextFor(caller));
  },

  /** `POST /users/:user_id/authentication-tokens` */
  'user-tokens.create': async ({ contextFor, digest, parameters: { user_id: id }, body }, dependencies) => {
    const request = tokenRequest(body?.data?.attributes ?? {});
    const { store } = dependencies;
    // Read at the same time as the token, which saves a round trip. The result for another user is not used.
    const [principal, memberships] = await Promise.all([
      authorizeOwnTokens(dependencies, digest, id),
      isId('user', id) ? store.identities.findMemberships(id, false) : new Map(),
    ]);
    const organizations = await store.organizations.findAll([...memberships.keys()]);
    return create(dependencies, { kind: 'user', id }, request, organizations, contextFor({ principal }));
  },

  /** `DELETE /organizations/:organization_name/authentication-token` */
  'organization-token.delete': async (
    { contextFor, digest, parameters: { organization_name: id }, query },
    dependencies,
  ) => {
    const kind = readTokenKind(query);
    const { caller } = await authorizeOrganizationToken(dependencies, digest, id);
    return revoke(dependencies, await findOwnToken(dependencies, { kind, id }), contextFor(caller));
  },

  /** `DELETE /teams/:team_id/authentication-token` */
  'team-token.delete': async ({ contextFor, digest, parameters: { team_id: id } }, dependencies) => {
    const { caller } = await authorizeTeamTokens(dependencies, digest, id);
    return revoke(dependencies, await findOwnToken(dependencies, { kind: 'team', id }), contextFor(caller));
  },

  /** `DELETE /authentication-tokens/:token_id`: also the token that the caller presents. */
  'tokens.delete': async ({ contextFor, digest, parameters }, dependencies) => {
    const { token, principal } = await findToken(dependencies, digest, parameters.token_id);
    return revoke(dependencies, token, contextFor({ principal }));
  },
} satisfies Partial<Operations<'organizations', OrganizationDependencies>>;
