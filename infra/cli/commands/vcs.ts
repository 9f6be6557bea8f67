import { findIncluded } from '../../../shared/client/documents.ts';
import { apiRequest } from '../../../shared/client/request.ts';
import type { DocumentOf, Schemas } from '../../../shared/client/types.ts';
import type { Group } from '../command.ts';
import { everyOf } from '../every-of.ts';
import type { Invocation } from '../invocation.ts';
import { attributesOf, defineView, flatten } from '../output/view.ts';
import { choice, required, text, texts, truth } from '../parameters.ts';
import { readSecret, secretFile } from '../read-secret.ts';
import {
  createCommand,
  defineKind,
  deleteCommand,
  editCommand,
  identify,
  idsWith,
  type ListQuery,
  listCommand,
  searchFlag,
  showCommand,
  toSearch,
} from '../resource-commands.ts';
import { given, type Settings } from '../settings.ts';
import { projects } from './project-rows.ts';

const LIST = '/api/v2/organizations/{organization_name}/oauth-clients';
const ONE = '/api/v2/oauth-clients/{oauth_client_id}';
const include: ('oauth_tokens' | 'projects')[] = ['oauth_tokens', 'projects'];

type Connection = Schemas['OauthClient'];
type Included = NonNullable<DocumentOf<'get', typeof LIST>['included']>[number];

const connections = defineKind({
  noun: 'vcs',
  labels: ['a VCS connection', 'VCS connections'],
  view: defineView(
    ['name', 'service-provider', 'http-url', 'organization-scoped', 'oauth-token-id'],
    [
      'id',
      'organization-id',
      'projects',
      ...attributesOf<Connection>()(
        'name',
        'service-provider',
        'service-provider-display-name',
        'http-url',
        'api-url',
        'created-at',
        'callback-url',
        'connect-path',
        'key',
        'rsa-public-key',
        'organization-scoped',
      ),
    ],
  ),
  details: ['api-url', 'projects', 'created-at', 'id'],
  toRow: (connection: Connection, document: { readonly included?: readonly Included[] }) => ({
    ...flatten(connection),
    'oauth-token-id': connection.relationships['oauth-tokens'].data?.[0]?.id ?? null,
    projects: connection.relationships.projects.data.map(
      (identifier) => findIncluded(document, 'projects', identifier)?.attributes.name ?? identifier.id,
    ),
  }),
  isId: idsWith('oc'),
  list: (organization, query: ListQuery<typeof LIST>) =>
    apiRequest('get', LIST, { path: { organization_name: organization }, query: { ...query, include } }),
  show: (id) => apiRequest('get', ONE, { path: { oauth_client_id: id }, query: { include } }),
  routes: { list: 'oauth-clients.list', show: 'oauth-clients.show' },
});

type Body = Schemas['OauthClientUpdateBody'];

const settings = {
  'http-url': text('Address of the provider, such as https://github.com.', 'URL'),
  'api-url': text('Address of its API. Default: that of the provider.', 'URL'),
  'organization-scoped': truth('Whether all workspaces of the organization may use it. Default: true.'),
} satisfies Settings<Body, 'name' | 'oauth-token-string'>;

const editable = { name: text('New name.', 'NAME'), ...settings };

const projectsFlag = {
  projects: texts('Project whose workspaces may use it, unless all may.', 'NAME', projects.argument.complete),
};

/** Returns the relationship of the projects that the user has set or unset. */
const toProjects = async (invocation: Invocation, names: readonly string[], isUnset = false) =>
  names.length === 0 && !isUnset
    ? {}
    : { projects: { data: await identify(names, (name) => projects.findId(invocation, name)) } };

const providers = everyOf<Connection['attributes']['service-provider']>()(
  'github',
  'github_enterprise',
  'gitlab_hosted',
  'gitlab_community_edition',
  'gitlab_enterprise_edition',
  'bitbucket_hosted',
  'bitbucket_server',
  'bitbucket_data_center',
  'ado_server',
  'ado_services',
);

const secrets = ['oauth-token-string'];

const readToken = async (invocation: Invocation, file: string | undefined): Promise<string> =>
  (await readSecret(invocation, 'token', file)).trim();

/** VCS connections (docs/reference/agent-pools-and-vcs-connections.md). */
export const vcsCommands: Group = {
  title: 'VCS connections',
  commands: [
    listCommand(connections, { flags: searchFlag, toQuery: toSearch }),
    showCommand(connections, 'hub'),
    createCommand(connections, {
      description: 'The token of the provider comes from --file or standard input. No command can print it again.',
      flags: {
        'service-provider': required(choice('Provider.', providers, 'PROVIDER')),
        ...settings,
        'http-url': required(settings['http-url']),
        ...projectsFlag,
        file: secretFile('token'),
      },
      route: 'oauth-clients.create',
      lookups: ['projects.list'],
      examples: ['hub --service-provider github --http-url https://github.com < token'],
      toRequest: async (values, { invocation, organization, name }) =>
        apiRequest(
          'post',
          LIST,
          {
            path: { organization_name: organization },
            body: {
              data: {
                type: 'oauth-clients',
                attributes: {
                  name,
                  'service-provider': values['service-provider'],
                  ...given(settings, values),
                  'http-url': values['http-url'],
                  'oauth-token-string': await readToken(invocation, values.file),
                },
                relationships: await toProjects(invocation, values.projects),
              },
            },
          },
          { secrets },
        ),
    }),
    editCommand(connections, {
      description: 'Projects replace the present ones. A new token comes from --file.',
      flags: { ...editable, ...projectsFlag, file: text('File with a new token; - for standard input.', 'FILE') },
      emptyValues: { projects: [] },
      route: 'oauth-clients.update',
      lookups: ['projects.list'],
      examples: ['hub --organization-scoped false --projects Platform', 'hub --file - < token'],
      toRequest: async (values, { invocation, id, ifMatch, unset }) =>
        apiRequest(
          'patch',
          ONE,
          {
            path: { oauth_client_id: id },
            body: {
              data: {
                type: 'oauth-clients',
                attributes: {
                  ...given(editable, values),
                  ...(values.file !== undefined && { 'oauth-token-string': await readToken(invocation, values.file) }),
                },
                relationships: await toProjects(invocation, values.projects, 'projects' in unset),
              },
            },
          },
          { ifMatch, secrets },
        ),
    }),
    deleteCommand(connections, {
      description: 'Its token is deleted, too.',
      route: 'oauth-clients.delete',
      example: 'hub',
      conflict: 'Workspaces use it.',
      toRequest: (id, ifMatch) => apiRequest('delete', ONE, { path: { oauth_client_id: id } }, { ifMatch }),
    }),
  ],
};
