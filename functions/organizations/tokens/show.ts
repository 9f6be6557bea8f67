import type { Operation } from '../../../shared/http/operation.ts';
import { tokenResource } from '../../../shared/resources/authentication-tokens/response.ts';
import type { OrganizationDependencies } from '../dependencies.ts';
import { authorizeOrganizationToken, authorizeTeamTokens, findOwnToken, findToken, readTokenKind } from './find.ts';

/** `GET /organizations/:organization_name/authentication-token` */
export const showOrganizationToken =
  (dependencies: OrganizationDependencies): Operation<'organization-token.show'> =>
  async ({ digest, parameters: { organization_name: id }, query }) => {
    const kind = readTokenKind(query);
    await authorizeOrganizationToken(dependencies, digest, id);
    return { data: tokenResource(await findOwnToken(dependencies, { kind, id })) };
  };

/** `GET /teams/:team_id/authentication-token` */
export const showTeamToken =
  (dependencies: OrganizationDependencies): Operation<'team-token.show'> =>
  async ({ digest, parameters: { team_id: id } }) => {
    await authorizeTeamTokens(dependencies, digest, id);
    return { data: tokenResource(await findOwnToken(dependencies, { kind: 'team', id })) };
  };

/** `GET /authentication-tokens/:token_id` */
export const showToken =
  (dependencies: OrganizationDependencies): Operation<'tokens.show'> =>
  async ({ digest, parameters }) => ({
    data: tokenResource((await findToken(dependencies, digest, parameters.token_id)).token),
  });
