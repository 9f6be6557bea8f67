import { isDeepStrictEqual } from 'node:util';
import type { VcsConnection } from '../../shared/domain/directory/records.ts';
import { invalid } from '../../shared/domain/errors.ts';
import { displayNames, providerFromConnection } from '../../shared/domain/workspace/vcs.ts';
import { preloadEncryption } from '../../shared/encryption/encrypt.ts';
import type { OperationRequest, Operations } from '../../shared/http/operation.ts';
import { oauthClientRequest } from '../../shared/resources/oauth-clients/attributes.ts';
import { oauthClientResource } from '../../shared/resources/oauth-clients/response.ts';
import { refreshRepositories } from '../../shared/store/workspaces/refresh-repositories.ts';
import type { IntegrationDependencies } from './dependencies.ts';
import { includeWithClients } from './oauth-client-includes.ts';
import { checkProjects, readProjects, withProjects } from './oauth-client-projects.ts';
import { vcsConnectionId, vcsConnections } from './vcs-connections.ts';

/** Changes the projects of a connection (VCS-6). Nothing is written if they stay the same. */
const changeProjects = async (
  request: OperationRequest<'oauth-clients.add-projects' | 'oauth-clients.remove-projects'>,
  dependencies: IntegrationDependencies,
  change: (before: VcsConnection) => Promise<readonly string[]> | readonly string[],
): Promise<undefined> => {
  const id = vcsConnectionId(request.parameters.oauth_client_id);
  await vcsConnections.update(request, dependencies, id, {}, async (before) => {
    const projects = await change(before);
    return isDeepStrictEqual(projects, before.projects ?? []) ? {} : { fields: { projects } };
  });
  return undefined;
};

/** Operations on OAuth clients: the VCS connections of an organization (VCS-1). */
export const oauthClientOperations = {
  'oauth-clients.list': async (request, dependencies) => {
    const { access, rows, pagination } = await vcsConnections.listRows(request, dependencies);
    const data = rows.map(oauthClientResource);
    if (request.include.size === 0) return { data, ...pagination };
    return { data, included: await includeWithClients(dependencies, access, rows, request.include), ...pagination };
  },
  'oauth-clients.show': async ({ digest, parameters, include }, dependencies) => {
    const access = await vcsConnections.find(dependencies, digest, vcsConnectionId(parameters.oauth_client_id));
    const data = oauthClientResource(access.record);
    if (include.size === 0) return { data };
    return { data, included: await includeWithClients(dependencies, access, [access.record], include) };
  },
  'oauth-clients.create': (request, dependencies) => {
    preloadEncryption();
    const { encrypt } = dependencies;
    const { organization_name: organization } = request.parameters;
    return vcsConnections.create(request, dependencies, organization, async (_, vcsConnection) => {
      const { data } = request.body;
      const { serviceProvider, httpUrl, token, ...fields } = oauthClientRequest(data.attributes ?? {});
      if (serviceProvider === undefined) throw invalid('service-provider', "Service provider can't be blank");
      if (httpUrl === undefined) throw invalid('http-url', "Http url can't be blank");
      const projects = await readProjects(dependencies, organization, data.relationships?.projects);
      return {
        name: displayNames[serviceProvider],
        serviceProvider,
        httpUrl,
        ...fields,
        ...projects,
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
          ...(await readProjects(dependencies, organization, data.relationships?.projects, before)),
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
  'oauth-clients.add-projects': (request, dependencies) =>
    changeProjects(request, dependencies, async (before) => {
      const ids = request.body.data.map(({ id }) => id);
      await checkProjects(dependencies, before.organization, ids, before.projects ?? [], '/data');
      return withProjects(before.projects ?? [], ids);
    }),
  'oauth-clients.remove-projects': (request, dependencies) =>
    changeProjects(request, dependencies, ({ projects = [] }) => {
      const removed = new Set(request.body.data.map(({ id }) => id));
      return projects.filter((id) => !removed.has(id));
    }),
} satisfies Partial<Operations<'integrations', IntegrationDependencies>>;
