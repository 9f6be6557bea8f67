import { apiRequest } from '../../../shared/client/request.ts';
import type { ExecutionMode, Schemas } from '../../../shared/client/types.ts';
import type { Group } from '../command.ts';
import { everyOf } from '../every-of.ts';
import type { Invocation } from '../invocation.ts';
import { choice, filters, flag, text, texts, truth } from '../parameters.ts';
import {
  createCommand,
  deleteCommand,
  editCommand,
  listCommand,
  searchFlag,
  showCommand,
} from '../resource-commands.ts';
import { type EmptyValues, given, type Settings } from '../settings.ts';
import { agentPools } from './agent-pools.ts';
import { type ProjectQuery, projects } from './project-rows.ts';
import { toTagQuery } from './tags.ts';

type Body = Schemas['ProjectUpdateBody'];
/** `--unset` replaces `setting-overwrites`. */
type Special = 'name' | 'default-agent-pool-id' | 'setting-overwrites';

const settings = {
  description: text('Description for people.', 'TEXT'),
  'default-execution-mode': choice(
    'Where runs of its workspaces are executed. Default: that of the organization.',
    everyOf<ExecutionMode>()('remote', 'local', 'agent'),
  ),
  'default-deletion-protection': truth('Reject deletions of its workspaces. Default: that of the organization.'),
  'auto-destroy-activity-duration': text(
    'Request a destroy run in its workspaces after so long without activity: 14d, 24h.',
    'DURATION',
  ),
  'allowed-value-references': texts('Prefix of value references that its variables may have.', 'PREFIX'),
} satisfies Settings<Body, Special>;

const emptyValues: EmptyValues<Body, Special> = {
  description: null,
  'default-execution-mode': null,
  'default-deletion-protection': null,
  'auto-destroy-activity-duration': null,
  'allowed-value-references': [],
};

const editable = { name: text('New name.', 'NAME'), ...settings };

const poolFlag = {
  'default-agent-pool': text('Agent pool, for the execution mode "agent".', 'NAME', agentPools.argument.complete),
};

/** Returns the attribute for the agent pool that the user has set. */
const toPool = async (invocation: Invocation, pool: string | undefined) =>
  pool === undefined ? {} : { 'default-agent-pool-id': await agentPools.findId(invocation, pool) };

/** Projects (docs/reference/projects.md). */
export const projectCommands: Group = {
  title: 'Projects',
  commands: [
    listCommand(projects, {
      flags: {
        ...searchFlag,
        tag: filters('Only with this tag.', 'KEY[=VALUE]'),
        'can-create-workspace': flag('Only those in which you may create workspaces.'),
        'can-update': flag('Only those whose settings you may change.'),
        sort: choice(
          'Order. A hyphen means descending. Default: name.',
          everyOf<NonNullable<ProjectQuery['sort']>>()('name', '-name'),
        ),
      },
      toQuery: ({ search, tag, 'can-create-workspace': isCreator, 'can-update': isEditor, sort }) => ({
        q: search,
        'filter[tagged][0][key]': undefined,
        'filter[tagged][0][value]': undefined,
        ...toTagQuery(tag),
        'filter[permissions][create-workspace]': isCreator || undefined,
        'filter[permissions][update]': isEditor || undefined,
        sort,
      }),
    }),
    showCommand(projects, 'Platform'),
    createCommand(projects, {
      flags: { ...settings, ...poolFlag },
      route: 'projects.create',
      lookups: ['agent-pools.list'],
      examples: ['Platform --description "Networks and clusters" --default-deletion-protection true'],
      toRequest: async (values, { invocation, organization, name }) =>
        apiRequest('post', '/api/v2/organizations/{organization_name}/projects', {
          path: { organization_name: organization },
          body: {
            data: {
              type: 'projects',
              attributes: {
                name,
                ...given(settings, values),
                ...(await toPool(invocation, values['default-agent-pool'])),
              },
            },
          },
        }),
    }),
    editCommand(projects, {
      flags: { ...editable, ...poolFlag },
      emptyValues,
      route: 'projects.update',
      lookups: ['agent-pools.list'],
      examples: ['Platform --name Foundation', 'Platform --unset default-execution-mode'],
      toRequest: async (values, { invocation, id, ifMatch, unset }) =>
        apiRequest(
          'patch',
          '/api/v2/projects/{project_id}',
          {
            path: { project_id: id },
            body: {
              data: {
                type: 'projects',
                attributes: {
                  ...given(editable, values),
                  ...(await toPool(invocation, values['default-agent-pool'])),
                  ...unset,
                },
              },
            },
          },
          { ifMatch },
        ),
    }),
    deleteCommand(projects, {
      description: 'Only a project without workspaces can be deleted.',
      route: 'projects.delete',
      example: 'Platform',
      conflict: 'The project has workspaces.',
      toRequest: (id, ifMatch) =>
        apiRequest('delete', '/api/v2/projects/{project_id}', { path: { project_id: id } }, { ifMatch }),
    }),
  ],
};
