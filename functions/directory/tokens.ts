import { authenticate } from '../../shared/access/authorize/caller.ts';
import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { authorizeToken } from '../../shared/access/authorize/token.ts';
import { mintToken, newToken, type TokenKind } from '../../shared/access/credentials.ts';
import { requireOrganizationPermission, tokenAction } from '../../shared/access/organization-policy.ts';
import type { Principal } from '../../shared/domain/directory/records.ts';
import type { Token, TokenSubject } from '../../shared/domain/directory/tokens.ts';
import { invalid, notFound } from '../../shared/domain/errors.ts';
import { parseTimestamp } from '../../shared/domain/timestamps.ts';
import type { Operation } from '../../shared/http/endpoints.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { paginate, readPageOf, slice } from '../../shared/jsonapi/pagination.ts';
import { now } from '../../shared/lib/clock.ts';
import type { TokenBody } from '../../shared/resources/authentication-tokens/request.ts';
import { newTokenResource, tokenResource } from '../../shared/resources/authentication-tokens/response.ts';
import type { TokenOwner } from '../../shared/store/directory/tokens.ts';
import { orAbsent } from './answers.ts';
import type { DirectoryServices, Group } from './services.ts';
import { teamFor } from './teams.ts';

const expiryOf = (text: string | null | undefined): number | undefined => {
  if (!text) return undefined;
  const time = parseTimestamp(text);
  if (time === undefined) throw invalid('expired-at', 'Expired at must be a timestamp such as 2027-01-31T08:00:00Z');
  if (time <= now()) throw invalid('expired-at', 'Expired at must be in the future');
  return time;
};

/** What a body says of a token that is to be made; all of it may be missing. */
const aboutIn = (body: TokenBody | undefined) => {
  const { description, 'expired-at': expiredAt } = body?.data?.attributes ?? {};
  return { description: description || null, expiresAt: expiryOf(expiredAt) };
};

/** Makes a token, and answers its text, which is nowhere else from then on. */
const make = async (
  { store, administration }: DirectoryServices,
  owner: TokenOwner & { readonly kind: TokenKind },
  about: ReturnType<typeof aboutIn>,
  { kind, id }: Principal,
): Promise<Document> => {
  const text = mintToken(owner.kind);
  const { token, replaced } = await orAbsent(
    administration.createToken(owner, newToken(text, { ...about, createdBy: { kind, id } })),
  );
  if (replaced !== undefined) store.forgetToken(replaced);
  return { data: newTokenResource(token, text) };
};

const revoke = async ({ store, administration }: DirectoryServices, { id }: Token): Promise<undefined> => {
  store.forgetToken(await orAbsent(administration.revokeToken(id)));
  return undefined;
};

/** The one token of an organization or a team. @throws DomainError 404 where it has none. */
const ownToken = async ({ store }: DirectoryServices, subject: TokenSubject): Promise<Token> => {
  const token = await store.findOwnToken(subject);
  if (token === undefined) throw notFound('There is no token.');
  return token;
};

const byAge = (a: Token, b: Token): number => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);

const listOf = (tokens: readonly Token[], query: URLSearchParams, url: string): Document => {
  const rows = tokens.toSorted(byAge);
  const page = readPageOf(rows, query);
  return { data: slice(rows, page).map(tokenResource), ...paginate(page, rows.length, url, query) };
};

/** An organization, for who may have its token. */
const organizationFor = ({ store }: DirectoryServices, digest: string, organization: string) =>
  authorizeOrganization(store, digest, { organization }, (access) =>
    requireOrganizationPermission(access, 'organization-token.manage'),
  );

const ofOrganization = (services: DirectoryServices): Group<'organization-token'> => ({
  /** `POST /organizations/:organization_name/authentication-token`: in place of the one that it has. */
  'organization-token.create': async ({ digest, parameters: { organization_name: organization }, body }) => {
    const about = aboutIn(body);
    const { caller } = await organizationFor(services, digest, organization);
    return make(services, { kind: 'organization', organization }, about, caller.principal);
  },

  /** `GET /organizations/:organization_name/authentication-token` */
  'organization-token.show': async ({ digest, parameters: { organization_name: id } }) => {
    await organizationFor(services, digest, id);
    return { data: tokenResource(await ownToken(services, { kind: 'organization', id })) };
  },

  /** `DELETE /organizations/:organization_name/authentication-token` */
  'organization-token.delete': async ({ digest, parameters: { organization_name: id } }) => {
    await organizationFor(services, digest, id);
    return revoke(services, await ownToken(services, { kind: 'organization', id }));
  },
});

/** A team, for who may have its tokens. */
const managedTeam = (services: DirectoryServices, digest: string, id: string) =>
  teamFor(services, digest, id, (access) =>
    requireOrganizationPermission(access, tokenAction(access.organization, { kind: 'team', id })),
  );

const ofTeam = (services: DirectoryServices): Group<'team-token' | 'team-tokens'> => {
  const create =
    (more: { readonly single?: true }): Operation<'team-token.create'> =>
    async ({ digest, parameters: { team_id: team }, body }) => {
      const about = aboutIn(body);
      const { caller, record } = await managedTeam(services, digest, team);
      const { organization } = record;
      return make(services, { kind: 'team', organization, team, ...more }, about, caller.principal);
    };

  return {
    /** `POST /teams/:team_id/authentication-token`: in place of the one that it has. */
    'team-token.create': create({ single: true }),

    /** `GET /teams/:team_id/authentication-token` */
    'team-token.show': async ({ digest, parameters: { team_id: id } }) => {
      await managedTeam(services, digest, id);
      return { data: tokenResource(await ownToken(services, { kind: 'team', id })) };
    },

    /** `DELETE /teams/:team_id/authentication-token` */
    'team-token.delete': async ({ digest, parameters: { team_id: id } }) => {
      await managedTeam(services, digest, id);
      return revoke(services, await ownToken(services, { kind: 'team', id }));
    },

    /** `POST /teams/:team_id/authentication-tokens`: beside those that it has. */
    'team-tokens.create': create({}),

    /** `GET /teams/:team_id/authentication-tokens` */
    'team-tokens.list': async ({ digest, parameters: { team_id: id }, query, url }) => {
      await managedTeam(services, digest, id);
      return listOf(await services.store.findTokensOf({ kind: 'team', id }), query, url);
    },
  };
};

/** The user whose token it is, asking about themselves: of others' tokens nobody learns anything. */
const selfFor = async ({ store }: DirectoryServices, digest: string, id: string): Promise<Principal> => {
  const principal = await authenticate(store, digest);
  if (principal.kind !== 'user' || principal.id !== id) throw notFound();
  return principal;
};

const ofUser = (services: DirectoryServices): Group<'user-tokens'> => ({
  /** `GET /users/:user_id/authentication-tokens` */
  'user-tokens.list': async ({ digest, parameters: { user_id: id }, query, url }) => {
    await selfFor(services, digest, id);
    return listOf(await services.store.findTokensOf({ kind: 'user', id }), query, url);
  },

  /** `POST /users/:user_id/authentication-tokens` */
  'user-tokens.create': async ({ digest, parameters: { user_id: id }, body }) => {
    const about = aboutIn(body);
    return make(services, { kind: 'user', id }, about, await selfFor(services, digest, id));
  },
});

const byId = (services: DirectoryServices): Group<'tokens'> => {
  const { store } = services;
  const find = (digest: string, id: string): Promise<Token> =>
    authorizeToken(store, digest, (consistent) => store.findTokenById(id, consistent));

  return {
    /** `GET /authentication-tokens/:token_id` */
    'tokens.show': async ({ digest, parameters }) => ({
      data: tokenResource(await find(digest, parameters.token_id)),
    }),

    /** `DELETE /authentication-tokens/:token_id`: also the very one that is presented. */
    'tokens.delete': async ({ digest, parameters }) => revoke(services, await find(digest, parameters.token_id)),
  };
};

export const tokens = (services: DirectoryServices) => ({
  ...ofOrganization(services),
  ...ofTeam(services),
  ...ofUser(services),
  ...byId(services),
});
