import { concealNotFound } from '../../../shared/access/conceal-not-found.ts';
import { mintToken, newToken, type TokenKind } from '../../../shared/access/credentials.ts';
import type { RequestContext } from '../../../shared/domain/changes/change-context.ts';
import type { NewToken } from '../../../shared/domain/directory/tokens.ts';
import { invalid } from '../../../shared/domain/errors.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import type { Document } from '../../../shared/jsonapi/document.ts';
import { type TokenRequest, tokenRequest } from '../../../shared/resources/authentication-tokens/request-mapping.ts';
import { newTokenResource } from '../../../shared/resources/authentication-tokens/response.ts';
import type { TokenOwner } from '../../../shared/store/directory/tokens/tokens.ts';
import type { OrganizationDependencies } from '../dependencies.ts';
import {
  authorizeOrganizationToken,
  authorizeOwnTokens,
  authorizePoolTokens,
  authorizeTeamTokens,
  readTokenKind,
} from './find.ts';

/** Creates a token. Only this response contains its text. */
const create = async (
  { store, directory }: OrganizationDependencies,
  owner: TokenOwner & { readonly kind: TokenKind },
  request: TokenRequest,
  context: RequestContext,
): Promise<Document> => {
  const text = mintToken(owner.kind);
  const { kind, id } = context.principal;
  const { token, replaced } = await concealNotFound(
    directory.tokens.create(
      context,
      owner,
      newToken(context, text, { description: null, ...request, createdBy: { kind, id } as NewToken['createdBy'] }),
    ),
  );
  if (replaced !== undefined) store.identities.forgetToken(replaced);
  return { data: newTokenResource(token, text) };
};

/** `POST /organizations/:organization_name/authentication-token`: replaces the token of the organization, or that of its audit trails. */
export const createOrganizationToken =
  (dependencies: OrganizationDependencies): Operation<'organization-token.create'> =>
  async ({ contextFor, digest, parameters: { organization_name: organization }, query, body }) => {
    const kind = readTokenKind(query);
    const request = tokenRequest(body?.data?.attributes ?? {});
    const { caller } = await authorizeOrganizationToken(dependencies, digest, organization);
    return create(dependencies, { kind, organization }, request, contextFor(caller));
  };

const createForTeam =
  (dependencies: OrganizationDependencies, owner: { readonly single?: true }): Operation<'team-token.create'> =>
  async ({ contextFor, digest, parameters: { team_id: team }, body }) => {
    const request = tokenRequest(body?.data?.attributes ?? {});
    const { caller, record } = await authorizeTeamTokens(dependencies, digest, team);
    const { organization } = record;
    return create(dependencies, { kind: 'team', organization, team, ...owner }, request, contextFor(caller));
  };

/** `POST /teams/:team_id/authentication-token`: replaces the single token of the team. */
export const createTeamToken = (dependencies: OrganizationDependencies): Operation<'team-token.create'> =>
  createForTeam(dependencies, { single: true });

/** `POST /teams/:team_id/authentication-tokens`: adds a token to those that the team has. */
export const createAdditionalTeamToken = (dependencies: OrganizationDependencies): Operation<'team-tokens.create'> =>
  createForTeam(dependencies, {});

/** `POST /agent-pools/:agent_pool_id/authentication-tokens` (POOL-9) */
export const createPoolToken =
  (dependencies: OrganizationDependencies): Operation<'agent-pool-tokens.create'> =>
  async ({ contextFor, digest, parameters: { agent_pool_id: id }, body }) => {
    const request = tokenRequest(body?.data?.attributes ?? {});
    const { caller, record } = await authorizePoolTokens(dependencies, digest, id);
    if (!request.description) throw invalid('description', "Description can't be blank");
    const owner = { kind: 'agentPool', organization: record.organization, id } as const;
    return create(dependencies, owner, request, contextFor(caller));
  };

/** `POST /users/:user_id/authentication-tokens` */
export const createUserToken =
  (dependencies: OrganizationDependencies): Operation<'user-tokens.create'> =>
  async ({ contextFor, digest, parameters: { user_id: id }, body }) => {
    const request = tokenRequest(body?.data?.attributes ?? {});
    const principal = await authorizeOwnTokens(dependencies, digest, id);
    return create(dependencies, { kind: 'user', id }, request, contextFor({ principal }));
  };
