import { invalid } from '../../shared/domain/errors.ts';
import { displayNames, providerFromConnection } from '../../shared/domain/workspace/vcs.ts';
import { oauthClientResource } from '../../shared/resources/oauth-clients/response.ts';
import { refreshRepositories } from '../../shared/store/workspaces/refresh-repositories.ts';
import type { IntegrationDependencies } from './dependencies.ts';
import type { OperationsOf } from './record-operations.ts';
import { vcsConnectionId, vcsConnections } from './vcs-connections.ts';

/** Operations on OAuth clients: the VCS connections of an organization (VCS-1). */
export const oauthClients = (dependencies: IntegrationDependencies): OperationsOf<'oauth-clients'> => {
  const { encrypt } = dependencies;
  const connections = vcsConnections(dependencies);
  return {
    'oauth-clients.list': connections.list,
    'oauth-clients.show': ({ digest, parameters }) =>
      connections.show(digest, vcsConnectionId(parameters.oauth_client_id)),
    'oauth-clients.create': ({ digest, parameters: { organization_name: organization }, body: { data } }) =>
      connections.create(digest, organization, async (_, vcsConnection) => {
        const { name, ...attributes } = data.attributes ?? {};
        const { 'service-provider': serviceProvider, 'http-url': httpUrl, 'api-url': apiUrl } = attributes;
        const { 'oauth-token-string': token } = attributes;
        if (serviceProvider === undefined) throw invalid('service-provider', "Service provider can't be blank");
        if (httpUrl === undefined) throw invalid('http-url', "Http url can't be blank");
        return {
          name: name || displayNames[serviceProvider],
          serviceProvider,
          httpUrl,
          ...(apiUrl !== undefined && { apiUrl }),
          ...(token !== undefined && { sealed: await encrypt(token, { organization, vcsConnection }) }),
        };
      }),
    'oauth-clients.update': async ({ id, digest, parameters, body: { data } }) => {
      const { name, ...attributes } = data.attributes ?? {};
      const { 'http-url': httpUrl, 'api-url': apiUrl, 'oauth-token-string': token } = attributes;
      const vcsConnection = vcsConnectionId(parameters.oauth_client_id);
      const body = { id: data.id && vcsConnectionId(data.id) };
      const connection = await connections.update({ id, digest }, vcsConnection, body, async (before) => {
        const { 'service-provider': provider = before.serviceProvider } = attributes;
        if (provider !== before.serviceProvider) {
          throw invalid('service-provider', 'Service provider cannot be changed');
        }
        const { organization } = before;
        return {
          ...(name && { newName: name }),
          fields: {
            httpUrl,
            apiUrl,
            sealed: token === undefined ? undefined : await encrypt(token, { organization, vcsConnection }),
          },
        };
      });
      await refreshRepositories(dependencies, connection.organization, providerFromConnection(connection));
      return { data: oauthClientResource(connection) };
    },
    'oauth-clients.delete': ({ id, digest, parameters }) =>
      connections.remove({ id, digest }, vcsConnectionId(parameters.oauth_client_id)),
  };
};
