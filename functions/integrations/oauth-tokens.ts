import { serviceProviders } from '../../shared/domain/directory/records.ts';
import type { Operations } from '../../shared/http/operation.ts';
import { listDocument } from '../../shared/jsonapi/pagination.ts';
import { readOneOf } from '../../shared/list-index/query-values.ts';
import { oauthTokenResource } from '../../shared/resources/oauth-clients/response.ts';
import type { IntegrationDependencies } from './dependencies.ts';
import { vcsConnectionId, vcsConnections } from './vcs-connections.ts';

/** Operations on OAuth tokens, which are created, changed and deleted with their client (VCS-1). */
export const oauthTokenOperations = {
  'oauth-tokens.list': async (request, dependencies) => {
    const [provider] = readOneOf(request.query, 'filter[provider]', serviceProviders);
    const { rows, pagination } = await vcsConnections.listRows(request, dependencies, async (_, found) =>
      found.filter(({ serviceProvider }) => provider === undefined || serviceProvider === provider),
    );
    return { data: rows.map(oauthTokenResource), ...pagination };
  },
  'oauth-tokens.list-of-client': async (request, dependencies) => {
    const id = vcsConnectionId(request.parameters.oauth_client_id);
    const { record } = await vcsConnections.find(dependencies, request.digest, id);
    return listDocument([record], request, oauthTokenResource);
  },
  'oauth-tokens.show': async ({ digest, parameters }, dependencies) => {
    const { record } = await vcsConnections.find(dependencies, digest, parameters.oauth_token_id);
    return { data: oauthTokenResource(record) };
  },
} satisfies Partial<Operations<'integrations', IntegrationDependencies>>;
