import { findIncluded } from '../../../shared/client/documents.ts';
import { apiRequest } from '../../../shared/client/request.ts';
import type { DocumentOf, Schemas } from '../../../shared/client/types.ts';
import type { Group } from '../command.ts';
import { everyOf } from '../every-of.ts';
import type { Invocation } from '../invocation.ts';
import { attributesOf, defineView, flatten } from '../output/view.ts';
import { choice, filter, text, texts, truth, type ValuesOf } from '../parameters.ts';
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
} from '../resource-commands.ts';
import { given, type Settings } from '../settings.ts';
import { projects } from './project-rows.ts';
import { workspaceArgument } from './workspace-rows.ts';

const LIST = '/api/v2/organizations/{organization_name}/agent-pools';
const ONE = '/api/v2/agent-pools/{agent_pool_id}';
const include: ('allowed_workspaces' | 'allowed_projects' | 'excluded_workspaces')[] = [
  'allowed_workspaces',
  'allowed_projects',
  'excluded_workspaces',
];

type Query = ListQuery<typeof LIST, 'filter[allowed-workspaces][name]', 'sort'>;
type Included = NonNullable<DocumentOf<'get', typeof LIST>['included']>[number];

/** Agent pools of an organization, for other commands that take their names. */
export const agentPools = defineKind({
  noun: 'agent-pool',
  labels: ['an agent pool', 'agent pools'],
  view: defineView(
    ['name', 'organization-scoped', 'created-at'],
    [
      'id',
      'organization-id',
      ...attributesOf<Schemas['AgentPool']>()('name', 'created-at', 'agent-count', 'organization-scoped'),
      ...everyOf<Relationship>()('allowed-workspaces', 'allowed-projects', 'excluded-workspaces'),
    ],
  ),
  details: ['allowed-workspaces', 'allowed-projects', 'excluded-workspaces', 'id'],
  toRow: (pool: Schemas['AgentPool'], document: { readonly included?: readonly Included[] }) => {
    const names = (relationship: Relationship, type: 'workspaces' | 'projects') =>
      pool.relationships[relationship].data.map(
        (identifier) => findIncluded(document, type, identifier)?.attributes.name ?? identifier.id,
      );
    return {
      ...flatten(pool),
      'allowed-workspaces': names('allowed-workspaces', 'workspaces'),
      'allowed-projects': names('allowed-projects', 'projects'),
      'excluded-workspaces': names('excluded-workspaces', 'workspaces'),
    };
  },
  isId: idsWith('apool'),
  list: (organization, query: Query) =>
    apiRequest('get', LIST, { path: { organization_name: organization }, query: { ...query, include } }),
  show: (id) => apiRequest('get', ONE, { path: { agent_pool_id: id }, query: { include } }),
  routes: { list: 'agent-pools.list', show: 'agent-pools.show' },
});

type Body = Schemas['AgentPoolUpdateBody'];
type Relationship = keyof NonNullable<Body['data']['relationships']>;

const settings = {
  'organization-scoped': truth('Whether all workspaces of the organization may use it. Default: true.'),
} satisfies Settings<Body, 'name'>;

const relationshipFlags = {
  'allowed-workspaces': texts('Workspace that may use it, unless all may.', 'NAME', workspaceArgument.complete),
  'allowed-projects': texts('Project whose workspaces may use it, unless all may.', 'NAME', projects.argument.complete),
  'excluded-workspaces': texts('Workspace that may not use it.', 'NAME', workspaceArgument.complete),
} satisfies Record<Relationship, unknown>;

const findWorkspace = async (invocation: Invocation, name: string): Promise<string> =>
  (await invocation.workspace(name)).id;

const finders: Readonly<Record<Relationship, typeof findWorkspace>> = {
  'allowed-workspaces': findWorkspace,
  'allowed-projects': projects.findId,
  'excluded-workspaces': findWorkspace,
};

/** Returns the relationships that the user has set or unset. */
const toRelationships = async (
  invocation: Invocation,
  values: ValuesOf<typeof relationshipFlags>,
  unset: { readonly [N in Relationship]?: unknown } = {},
) => {
  const relationships: { [N in Relationship]?: { data: { id: string }[] } } = {};
  for (const relationship of Object.keys(finders) as Relationship[]) {
    const names = values[relationship];
    if (names.length === 0 && !(relationship in unset)) continue;
    relationships[relationship] = { data: await identify(names, (name) => finders[relationship](invocation, name)) };
  }
  return relationships;
};

const editable = { name: text('New name.', 'NAME'), ...settings };
const lookups = ['projects.list', 'workspaces.show-by-name', 'workspaces.show'] as const;

/** Agent pools (docs/reference/agent-pools-and-vcs-connections.md). */
export const agentPoolCommands: Group = {
  title: 'Agent pools',
  commands: [
    listCommand(agentPools, {
      flags: {
        ...searchFlag,
        'for-workspace': filter('Only those that this workspace may use.', 'NAME', workspaceArgument.complete),
        'for-project': filter(
          'Only those that can be the default of this project.',
          'NAME',
          projects.argument.complete,
        ),
        sort: choice(
          'Order. A hyphen means descending. Default: name.',
          everyOf<NonNullable<Query['sort']>>()('name', '-name', 'created-at', '-created-at'),
          'ORDER',
        ),
      },
      toQuery: ({ search, 'for-workspace': workspace, 'for-project': project, sort }) => ({
        q: search,
        'filter[allowed_workspaces][name]': workspace,
        'filter[allowed_projects][name]': project,
        sort,
      }),
    }),
    showCommand(agentPools, 'build'),
    createCommand(agentPools, {
      description: 'No agent connects to this service: it only stores which pool a workspace uses.',
      flags: { ...settings, ...relationshipFlags },
      route: 'agent-pools.create',
      lookups,
      examples: ['build', 'build --organization-scoped false --allowed-projects Platform'],
      toRequest: async (values, { invocation, organization, name }) =>
        apiRequest('post', LIST, {
          path: { organization_name: organization },
          body: {
            data: {
              type: 'agent-pools',
              attributes: { name, ...given(settings, values) },
              relationships: await toRelationships(invocation, values),
            },
          },
        }),
    }),
    editCommand(agentPools, {
      description: 'Lists of workspaces and projects replace the present ones.',
      flags: { ...editable, ...relationshipFlags },
      emptyValues: { 'allowed-workspaces': [], 'allowed-projects': [], 'excluded-workspaces': [] },
      route: 'agent-pools.update',
      lookups,
      examples: ['build --excluded-workspaces network', 'build --unset excluded-workspaces'],
      toRequest: async (values, { invocation, id, ifMatch, unset }) =>
        apiRequest(
          'patch',
          ONE,
          {
            path: { agent_pool_id: id },
            body: {
              data: {
                type: 'agent-pools',
                attributes: given(editable, values),
                relationships: await toRelationships(invocation, values, unset),
              },
            },
          },
          { ifMatch },
        ),
    }),
    deleteCommand(agentPools, {
      description: 'Its tokens are deleted, too.',
      route: 'agent-pools.delete',
      example: 'build',
      conflict: 'A workspace uses it, or it is the default of a project or the organization.',
      toRequest: (id, ifMatch) => apiRequest('delete', ONE, { path: { agent_pool_id: id } }, { ifMatch }),
    }),
  ],
};
