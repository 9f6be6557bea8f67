import { serviceProviders } from '../../domain/directory/records.ts';
import { oneOf, text } from '../../schemas/schema.ts';
import { agentPoolInclusions as include, oauthClientInclusions } from '../inclusions.ts';
import { type Group, list, one, page } from '../operation.ts';
import { agent, agentPool, oauthClient, oauthToken, sshKey, workspace } from '../resources.ts';

const MANAGE_POOLS = 'The caller needs permission to manage agent pools.';

export const agentPools = {
  name: 'Agent pools',
  description: 'Pools of agents that execute the runs of workspaces in agent mode.',
  response: one(agentPool),
  operations: {
    'agent-pools.list': {
      summary: 'List agent pools',
      rule: 'POOL-1',
      query: {
        q: text('Part of the name, ignoring case.'),
        sort: oneOf(
          ['name', '-name', 'created-at', '-created-at'],
          'Sort order; a hyphen means descending. Default: `name`.',
        ),
        'filter[allowed_workspaces][name]': text('Name of a workspace that may use the agent pool.'),
        // oapi-codegen would give both spellings one name.
        'filter[allowed-workspaces][name]': text('Another name of `filter[allowed_workspaces][name]`.', {
          'x-go-name': 'FilterAllowedWorkspacesNameHyphenated',
        }),
        'filter[allowed_projects][name]': text('Name of a project whose default the agent pool may be.'),
      },
      include,
      response: list(agentPool),
    },
    'agent-pools.create': { summary: 'Create an agent pool', description: MANAGE_POOLS, rule: 'POOL-2' },
    'agent-pools.show': { summary: 'Show an agent pool', rule: 'POOL-1', include },
    'agent-pools.update': {
      summary: 'Update an agent pool',
      description: `Omitted attributes and lists stay unchanged; an empty list clears. ${MANAGE_POOLS}`,
      rule: 'POOL-1',
    },
    'agent-pools.delete': {
      summary: 'Delete an agent pool',
      description: MANAGE_POOLS,
      rule: 'POOL-3',
      errors: { 409: 'A workspace, a project or the organization uses the agent pool.' },
    },
    'agents.list': {
      summary: 'List the agents of a pool',
      description: 'The list is always empty, because no agent connects to this service.',
      rule: 'POOL-8',
      query: {
        'filter[last-ping-since]': text('Only agents that have reported since this time.', {
          format: 'date-time',
          examples: ['2026-11-21T08:00:00Z'],
        }),
        sort: oneOf(['created-at', '-created-at'], 'Sort order.'),
      },
      response: page(agent),
    },
  },
} satisfies Group;

const MANAGE_VCS = 'The caller needs permission to manage VCS settings.';

export const oauth = {
  name: 'VCS connections',
  description: 'Connections to VCS providers, each an OAuth client with one token.',
  response: one(oauthClient),
  operations: {
    'oauth-clients.list': {
      summary: 'List VCS connections',
      rule: 'VCS-1',
      query: { q: text('Part of the name, ignoring case.') },
      include: oauthClientInclusions,
      response: list(oauthClient),
    },
    'oauth-clients.create': { summary: 'Create a VCS connection', description: MANAGE_VCS, rule: 'VCS-2' },
    'oauth-clients.show': { summary: 'Show a VCS connection', rule: 'VCS-1', include: oauthClientInclusions },
    'oauth-clients.update': {
      summary: 'Update a VCS connection',
      description: `Omitted attributes and an omitted list of projects stay unchanged. ${MANAGE_VCS}`,
      rule: 'VCS-3',
    },
    'oauth-clients.delete': {
      summary: 'Delete a VCS connection',
      description: MANAGE_VCS,
      rule: 'VCS-3',
      errors: { 409: 'A workspace uses the connection.' },
    },
    'oauth-clients.add-projects': {
      summary: 'Add projects to a VCS connection',
      description: `Their workspaces may use the connection. Projects that it has already are ignored. ${MANAGE_VCS}`,
      rule: 'VCS-6',
    },
    'oauth-clients.remove-projects': {
      summary: 'Remove projects from a VCS connection',
      description: `Projects that it does not have are ignored. Workspaces that use the connection keep it. ${MANAGE_VCS}`,
      rule: 'VCS-6',
    },

    'oauth-tokens.list': {
      summary: "List an organization's OAuth tokens",
      rule: 'VCS-1',
      query: {
        q: text('Part of the name, ignoring case.'),
        'filter[provider]': oneOf(serviceProviders, 'Service provider of the connection.'),
      },
      response: list(oauthToken),
    },
    'oauth-tokens.list-of-client': {
      summary: 'List the tokens of a VCS connection',
      rule: 'VCS-1',
      response: list(oauthToken),
    },
    'oauth-tokens.show': { summary: 'Show an OAuth token', rule: 'VCS-1', response: one(oauthToken) },
  },
} satisfies Group;

export const sshKeys = {
  name: 'SSH keys',
  description: 'Keys for fetching modules, assigned to workspaces. Organization tokens cannot read or assign SSH keys.',
  response: one(sshKey),
  operations: {
    'ssh-keys.list': {
      summary: 'List SSH keys',
      rule: 'SSH-3',
      query: { q: text('Part of the name, ignoring case.') },
      response: list(sshKey),
    },
    'ssh-keys.create': { summary: 'Create an SSH key', description: MANAGE_VCS, rule: 'SSH-4' },
    'ssh-keys.show': { summary: 'Show an SSH key', rule: 'SSH-3' },
    'ssh-keys.update': {
      summary: 'Update an SSH key',
      description: `Omitted attributes stay unchanged. ${MANAGE_VCS}`,
      rule: 'SSH-3',
    },
    'ssh-keys.delete': {
      summary: 'Delete an SSH key',
      description: `Also unassigns the key from all workspaces. ${MANAGE_VCS}`,
      rule: 'SSH-5',
    },
  },
} satisfies Group;

/** The SSH key of a workspace (docs/reference/ssh-keys.md). */
export const sshKeyAssignment = {
  name: 'SSH key',
  description: 'The key that the runs of a workspace use to fetch modules.',
  operations: {
    'ssh-key.assign': {
      summary: 'Assign an SSH key to a workspace, or unassign it',
      description: 'The caller needs admin access. Organization tokens cannot assign SSH keys.',
      rule: 'SSH-1',
      body: 'A resource of type `workspaces` with the id of the key in the attribute `id`, or a resource of type `ssh-keys` with that id. Null unassigns the key.',
      response: one(workspace),
      errors: { 404: 'The workspace, or the key in its organization, does not exist, or the caller may not see it.' },
    },
  },
} satisfies Group;
