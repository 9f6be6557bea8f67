import { invalid } from '../../shared/domain/errors.ts';
import { displayNames, providerFromConnection } from '../../shared/domain/workspace/vcs.ts';
import { preloadEncryption } from '../../shared/encryption/encrypt.ts';
import type { Operations } from '../../shared/http/operation.ts';
import { oauthClientRequest } from '../../shared/resources/oauth-clients/attributes.ts';
import { oauthClientResource } from '../../shared/resources/oauth-clients/response.ts';
import { refreshRepositories } from '../../shared/store/workspaces/refresh-repositories.ts';
import type { IntegrationDependencies } from './dependencies.ts';
import { vcsConnectionId, vcsConnections } from './vcs-connections.ts';

/** Operations on OAuth clients: the VCS connections of an organization (VCS-1). */
export const oauthClientOperations = {
  'oauth-clients.list': vcsConnections.list,
  'oauth-clients.show': (request, dependencies) =>
    vcsConnections.show(request, dependencies, vcsConnectionId(request.parameters.oauth_client_id)),
  'oauth-clients.create': (request, dependencies) => {
    preloadEncryption();
    const { encrypt } = dependencies;
    const { organization_name: organization } = request.parameters;
    return vcsConnections.create(request, dependencies, organization, async (_, vcsConnection) => {
      const { serviceProvider, httpUrl, token, ...fields } = oauthClientRequest(request.body.data.attributes ?? {});
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
  'oauth-clients.update': async (request, dependencies) => {
    const { data } = request.body;
    const { name: newName, serviceProvider, token, ...fields } = oauthClientRequest(data.attributes ?? {});
    if (token !== undefined) preloadEncryption();
    const { database, store, encrypt } = dependencies;
    const vcsConnection = vcsConnectionId(request.parameters.oauth_client_id);
    const body = { id: data.id && vcsConnectionId(data.id) };
    const connection = await vcsConnections.update(request, dependencies, vcsConnection, body, async (before) => {
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
    const whose = { database, workspaces: store.workspaces };
    await refreshRepositories(whose, connection.organization, providerFromConnection(connection));
    return { data: oauthClientResource(connection) };
  },
  'oauth-clients.delete': (request, dependencies) =>
    vcsConnections.remove(request, dependencies, vcsConnectionId(request.parameters.oauth_client_id)),
} satisfies Partial<Operations<'integrations', IntegrationDependencies>>;
