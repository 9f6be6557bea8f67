import { concealNotFound } from '../../../shared/access/conceal-not-found.ts';
import type { RequestContext } from '../../../shared/domain/changes/change-context.ts';
import { requireMatch } from '../../../shared/domain/changes/entity-tags.ts';
import type { Token } from '../../../shared/domain/directory/tokens.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import type { OrganizationDependencies } from '../dependencies.ts';
import { authorizeOrganizationToken, authorizeTeamTokens, findOwnToken, findToken, readTokenKind } from './find.ts';

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

/** `DELETE /organizations/:organization_name/authentication-token` */
export const deleteOrganizationToken =
  (dependencies: OrganizationDependencies): Operation<'organization-token.delete'> =>
  async ({ contextFor, digest, parameters: { organization_name: id }, query }) => {
    const kind = readTokenKind(query);
    const { caller } = await authorizeOrganizationToken(dependencies, digest, id);
    return revoke(dependencies, await findOwnToken(dependencies, { kind, id }), contextFor(caller));
  };

/** `DELETE /teams/:team_id/authentication-token` */
export const deleteTeamToken =
  (dependencies: OrganizationDependencies): Operation<'team-token.delete'> =>
  async ({ contextFor, digest, parameters: { team_id: id } }) => {
    const { caller } = await authorizeTeamTokens(dependencies, digest, id);
    return revoke(dependencies, await findOwnToken(dependencies, { kind: 'team', id }), contextFor(caller));
  };

/** `DELETE /authentication-tokens/:token_id`: also the token that the caller presents. */
export const deleteToken =
  (dependencies: OrganizationDependencies): Operation<'tokens.delete'> =>
  async ({ contextFor, digest, parameters }) => {
    const { token, principal } = await findToken(dependencies, digest, parameters.token_id);
    return revoke(dependencies, token, contextFor({ principal }));
  };
