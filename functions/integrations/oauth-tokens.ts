import { paginate, readPageOf, slice } from '../../shared/jsonapi/pagination.ts';
import { oauthTokenResource } from '../../shared/resources/oauth-clients/response.ts';
import type { IntegrationDependencies } from './dependencies.ts';
import type { OperationsOf } from './record-operations.ts';
import { vcsConnectionId, vcsConnections } from './vcs-connections.ts';

/** Operations on OAuth tokens, which are created, changed and deleted with their client (VCS-1). */
export const oauthTokens = (dependencies: IntegrationDependencies): OperationsOf<'oauth-tokens'> => {
  const connections = vcsConnections(dependencies);
  return {
    'oauth-tokens.list': async (request) => {
      const { rows, pagination } = await connections.listRows(request);
      return { data: rows.map(oauthTokenResource), ...pagination };
    },
    'oauth-tokens.list-of-client': async ({ digest, parameters, query, url }) => {
      const id = vcsConnectionId(parameters.oauth_client_id);
      const rows = [(await connections.find(digest, id, 'organization.read')).record];
      const page = readPageOf(rows, query);
      return { data: slice(rows, page).map(oauthTokenResource), ...paginate(page, rows.length, url, query) };
    },
    'oauth-tokens.show': async ({ digest, parameters }) => {
      const { record } = await connections.find(digest, parameters.oauth_token_id, 'organization.read');
      return { data: oauthTokenResource(record) };
    },
  };
};
