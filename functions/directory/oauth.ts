import { invalid } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import { connectionOf, displayNames, providerOfConnection } from '../../shared/domain/workspace/vcs.ts';
import { paginate, readPageOf, slice } from '../../shared/jsonapi/pagination.ts';
import { oauthClientResource, oauthTokenResource } from '../../shared/resources/oauth-clients/response.ts';
import { refreshRepositories } from '../../shared/store/workspaces/refresh-repositories.ts';
import { recordOperations } from './records.ts';
import type { DirectoryServices, Group } from './services.ts';

/** A client that has no token is no id of ours, and not there. */
const idOf = (client: string): string => (isId('vcsClient', client) ? connectionOf(client) : client);

/** VCS connections: a client and its token, one record that is made, changed and deleted as the client. */
export const oauth = (services: DirectoryServices): Group<'oauth-clients'> & Group<'oauth-tokens'> => {
  const { encrypt } = services;
  const connections = recordOperations(services, {
    kind: 'vcsConnection',
    read: 'organization.read',
    manage: 'vcs-connection.manage',
    resource: oauthClientResource,
  });
  return {
    'oauth-clients.list': connections.list,
    'oauth-clients.show': ({ digest, parameters }) => connections.show(digest, idOf(parameters.oauth_client_id)),
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
      const vcsConnection = idOf(parameters.oauth_client_id);
      const body = { id: data.id && idOf(data.id) };
      const connection = await connections.update({ id, digest }, vcsConnection, body, async (before) => {
        const { 'service-provider': provider = before.serviceProvider } = attributes;
        if (provider !== before.serviceProvider)
          throw invalid('service-provider', 'Service provider cannot be changed');
        const { organization } = before;
        return {
          ...(name && { newName: name }),
          change: {
            set: {
              ...(httpUrl !== undefined && { httpUrl }),
              ...(apiUrl !== undefined && { apiUrl }),
              ...(token !== undefined && { sealed: await encrypt(token, { organization, vcsConnection }) }),
            },
          },
        };
      });
      await refreshRepositories(services, connection.organization, providerOfConnection(connection));
      return { data: oauthClientResource(connection) };
    },
    'oauth-clients.delete': ({ id, digest, parameters }) =>
      connections.remove({ id, digest }, idOf(parameters.oauth_client_id)),

    'oauth-tokens.list': async (request) => {
      const { rows, pagination } = await connections.rows(request);
      return { data: rows.map(oauthTokenResource), ...pagination };
    },
    'oauth-tokens.list-of-client': async ({ digest, parameters, query, url }) => {
      const { record } = await connections.find(digest, idOf(parameters.oauth_client_id), 'organization.read');
      const rows = [record];
      const page = readPageOf(rows, query);
      return { data: slice(rows, page).map(oauthTokenResource), ...paginate(page, rows.length, url, query) };
    },
    'oauth-tokens.show': async ({ digest, parameters }) => {
      const { record } = await connections.find(digest, parameters.oauth_token_id, 'organization.read');
      return { data: oauthTokenResource(record) };
    },
  };
};
