import type { Operation } from '../../../shared/http/operation.ts';
import { tokenResource } from '../../../shared/resources/authentication-tokens/response.ts';
import type { OrganizationServices } from '../services.ts';
import { authorizeOrganizationToken, authorizeTeamTokens, findOwnToken, findToken } from './find.ts';

/** `GET /organizations/:organization_name/authentication-token` */
export const showOrganizationToken =
  (services: OrganizationServices): Operation<'organization-token.show'> =>
  async ({ digest, parameters: { organization_name: id } }) => {
    await authorizeOrganizationToken(services, digest, id);
    return { data: tokenResource(await findOwnToken(services, { kind: 'organization', id })) };
  };

/** `GET /teams/:team_id/authentication-token` */
export const showTeamToken =
  (services: OrganizationServices): Operation<'team-token.show'> =>
  async ({ digest, parameters: { team_id: id } }) => {
    await authorizeTeamTokens(services, digest, id);
    return { data: tokenResource(await findOwnToken(services, { kind: 'team', id })) };
  };

/** `GET /authentication-tokens/:token_id` */
export const showToken =
  (services: OrganizationServices): Operation<'tokens.show'> =>
  async ({ digest, parameters }) => ({
    data: tokenResource(await findToken(services, digest, parameters.token_id)),
  });
