import { invalid } from '../../shared/domain/errors.ts';
import { displayNames, providerFromConnection } from '../../shared/domain/workspace/vcs.ts';
import { preloadEncryption } from '../../shared/encryption/encrypt.ts';
import { oauthClientRequest } from '../../shared/resources/oauth-clients/request-mapping.ts';
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
    'oauth-clients.create': ({
      contextFor,
      digest,
      parameters: { organization_name: organization },
      body: { data },
    }) => {
      preloadEncryption();
      return connections.create({ contextFor, digest }, organization, async (_, vcsConnection) => {
        const { serviceProvider, httpUrl, token, ...fields } = oauthClientRequest(data.attributes ?? {});
        if (serviceProvider === undefined) throw invalid('service-provider', "Service provider can't be blank");
        if (httpUrl === undefined) throw invalid('http-url', "Http url can't be blank");
        return {
          name: displayNames[serviceProvider],
          serviceProvider,
          httpUrl,
          ...fields,
          ...(token !== undefined && { encryptedToken: await encrypt(token, { organization, vcsConnection }) }),
        };
      });
    },
    'oauth-clients.update': async ({ contextFor, digest, parameters, body: { data } }) => {
      const { name: newName, serviceProvider, token, ...fields } = oauthClientRequest(data.attributes ?? {});
      if (token !== undefined) preloadEncryption();
      const vcsConnection = vcsConnectionId(parameters.oauth_client_id);
      const body = { id: data.id && vcsConnectionId(data.id) };
      const connection = await connections.update({ contextFor, digest }, vcsConnection, body, async (before) => {
        if (serviceProvider !== undefined && serviceProvider !== before.serviceProvider) {
          throw invalid('service-provider', 'Service provider cannot be changed');
        }
        const { organization } = before;
        return {
          newName,
          fields: {
            ...fields,
            ...(token !== undefined && { encryptedToken: await encrypt(token, { organization, vcsConnection }) }),
          },
        };
      });
      const { database, store } = dependencies;
      const whose = { database, workspaces: store.workspaces };
      await refreshRepositories(whose, connection.organization, providerFromConnection(connection));
      return { data: oauthClientResource(connection) };
    },
    'oauth-clients.delete': ({ contextFor, digest, parameters }) =>
      connections.remove({ contextFor, digest }, vcsConnectionId(parameters.oauth_client_id)),
  };
};
