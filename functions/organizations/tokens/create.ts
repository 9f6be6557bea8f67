import { concealNotFound } from '../../../shared/access/conceal-not-found.ts';
import { mintToken, newToken, type TokenKind } from '../../../shared/access/credentials.ts';
import type { Principal } from '../../../shared/domain/directory/records.ts';
import { invalid } from '../../../shared/domain/errors.ts';
import { parseTimestamp } from '../../../shared/domain/timestamps.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import type { Document } from '../../../shared/jsonapi/document.ts';
import { now } from '../../../shared/lib/clock.ts';
import type { TokenBody } from '../../../shared/resources/authentication-tokens/request.ts';
import { newTokenResource } from '../../../shared/resources/authentication-tokens/response.ts';
import type { TokenOwner } from '../../../shared/store/directory/tokens/tokens.ts';
import type { OrganizationDependencies } from '../dependencies.ts';
import { authorizeOrganizationToken, authorizeOwnTokens, authorizeTeamTokens } from './find.ts';

const readExpiry = (text: string | null | undefined): number | undefined => {
  if (!text) return undefined;
  const time = parseTimestamp(text);
  if (time === undefined) throw invalid('expired-at', 'Expired at must be a timestamp such as 2027-01-31T08:00:00Z');
  if (time <= now()) throw invalid('expired-at', 'Expired at must be in the future');
  return time;
};

/** Reads description and expiry of a new token; both are optional, and so is the body. */
const readToken = (body: TokenBody | undefined) => {
  const { description, 'expired-at': expiredAt } = body?.data?.attributes ?? {};
  return { description: description || null, expiresAt: readExpiry(expiredAt) };
};

/** Creates a token. Only this response contains its text. */
const create = async (
  { store, directory }: OrganizationDependencies,
  owner: TokenOwner & { readonly kind: TokenKind },
  attributes: ReturnType<typeof readToken>,
  { kind, id }: Principal,
): Promise<Document> => {
  const text = mintToken(owner.kind);
  const { token, replaced } = await concealNotFound(
    directory.createToken(owner, newToken(text, { ...attributes, createdBy: { kind, id } })),
  );
  if (replaced !== undefined) store.forgetToken(replaced);
  return { data: newTokenResource(token, text) };
};

/** `POST /organizations/:organization_name/authentication-token`: replaces the token of the organization. */
export const createOrganizationToken =
  (dependencies: OrganizationDependencies): Operation<'organization-token.create'> =>
  async ({ digest, parameters: { organization_name: organization }, body }) => {
    const attributes = readToken(body);
    const { caller } = await authorizeOrganizationToken(dependencies, digest, organization);
    return create(dependencies, { kind: 'organization', organization }, attributes, caller.principal);
  };

const createForTeam =
  (dependencies: OrganizationDependencies, owner: { readonly single?: true }): Operation<'team-token.create'> =>
  async ({ digest, parameters: { team_id: team }, body }) => {
    const attributes = readToken(body);
    const { caller, record } = await authorizeTeamTokens(dependencies, digest, team);
    const { organization } = record;
    return create(dependencies, { kind: 'team', organization, team, ...owner }, attributes, caller.principal);
  };

/** `POST /teams/:team_id/authentication-token`: replaces the single token of the team. */
export const createTeamToken = (dependencies: OrganizationDependencies): Operation<'team-token.create'> =>
  createForTeam(dependencies, { single: true });

/** `POST /teams/:team_id/authentication-tokens`: adds a token to those that the team has. */
export const createAdditionalTeamToken = (dependencies: OrganizationDependencies): Operation<'team-tokens.create'> =>
  createForTeam(dependencies, {});

/** `POST /users/:user_id/authentication-tokens` */
export const createUserToken =
  (dependencies: OrganizationDependencies): Operation<'user-tokens.create'> =>
  async ({ digest, parameters: { user_id: id }, body }) => {
    const attributes = readToken(body);
    return create(dependencies, { kind: 'user', id }, attributes, await authorizeOwnTokens(dependencies, digest, id));
  };
