import { concealNotFound } from '../../../shared/access/conceal-not-found.ts';
import type { Token } from '../../../shared/domain/directory/tokens.ts';
import type { Operation } from '../../../shared/http/operation.ts';
import type { OrganizationServices } from '../services.ts';
import { authorizeOrganizationToken, authorizeTeamTokens, findOwnToken, findToken } from './find.ts';

/** Revokes a token, and removes it from the cache of this instance. */
const revoke = async ({ store, directory }: OrganizationServices, { id }: Token): Promise<undefined> => {
  store.forgetToken(await concealNotFound(directory.revokeToken(id)));
  return undefined;
};

/** `DELETE /organizations/:organization_name/authentication-token` */
export const deleteOrganizationToken =
  (services: OrganizationServices): Operation<'organization-token.delete'> =>
  async ({ digest, parameters: { organization_name: id } }) => {
    await authorizeOrganizationToken(services, digest, id);
    return revoke(services, await findOwnToken(services, { kind: 'organization', id }));
  };

/** `DELETE /teams/:team_id/authentication-token` */
export const deleteTeamToken =
  (services: OrganizationServices): Operation<'team-token.delete'> =>
  async ({ digest, parameters: { team_id: id } }) => {
    await authorizeTeamTokens(services, digest, id);
    return revoke(services, await findOwnToken(services, { kind: 'team', id }));
  };

/** `DELETE /authentication-tokens/:token_id`: also the token that the caller presents. */
export const deleteToken =
  (services: OrganizationServices): Operation<'tokens.delete'> =>
  async ({ digest, parameters }) =>
    revoke(services, await findToken(services, digest, parameters.token_id));
