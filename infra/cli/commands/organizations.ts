import { showOrganization, updateOrganization } from '../../../shared/client/organizations.ts';
import { apiRequest } from '../../../shared/client/request.ts';
import type { ExecutionMode, Schemas } from '../../../shared/client/types.ts';
import type { Group } from '../command.ts';
import { everyOf } from '../every-of.ts';
import { attributesOf, defineView } from '../output/view.ts';
import { choice, count, required, text, texts, truth } from '../parameters.ts';
import {
  createCommand,
  defineKind,
  deleteCommand,
  editCommand,
  type ListQuery,
  listCommand,
  searchFlag,
  showCommand,
  toSearch,
} from '../resource-commands.ts';
import { type EmptyValues, given, type Settings } from '../settings.ts';
import { agentPools } from './agent-pools.ts';

const LIST = '/api/v2/organizations';
const ONE = '/api/v2/organizations/{organization_name}';

type Organization = Schemas['Organization'];

/** Organizations by their names, which are their ids. */
export const organizations = defineKind({
  noun: 'org',
  labels: ['an organization', 'organizations'],
  view: defineView(
    ['name', 'email', 'default-execution-mode', 'created-at'],
    [
      'id',
      'default-project-id',
      'default-agent-pool-id',
      'data-retention-policy-id',
      ...attributesOf<Organization>()(
        'name',
        'external-id',
        'email',
        'created-at',
        'default-execution-mode',
        'default-deletion-protection',
        'production-tag',
        'allow-force-delete-workspaces',
        'allowed-value-references',
        'speculative-plan-management-enabled',
        'send-passing-statuses-for-untriggered-speculative-plans',
        'aggregated-commit-status-enabled',
        'user-tokens-enabled',
        'sign-in-policy',
        'max-ttl-enabled',
        'enforce-hyok',
        'stacks-enabled',
        'owners-team-saml-role-id',
        'collaborator-auth-policy',
        'cost-estimation-enabled',
        'session-timeout',
        'session-remember',
        'plan-expired',
        'is-unified',
        'remaining-testable-count',
        'trial-expires-at',
        'saml-enabled',
        'two-factor-conformant',
        'permissions',
      ),
    ],
  ),
  details: [
    'default-agent-pool-id',
    'default-deletion-protection',
    'production-tag',
    'allow-force-delete-workspaces',
    'allowed-value-references',
    'user-tokens-enabled',
    'sign-in-policy',
    'max-ttl-enabled',
    'external-id',
  ],
  isId: () => true,
  scope: () => Promise.resolve(''),
  accepts: 'Name',
  list: (_, query: ListQuery<typeof LIST, 'q[name]' | 'q[email]'>) => apiRequest('get', LIST, { query }),
  show: showOrganization,
  routes: { list: 'organizations.list', show: 'organizations.show' },
});

type Body = Schemas['OrganizationUpdateBody'];

const settings = {
  email: text('E-mail address for questions about it.', 'EMAIL'),
  'default-execution-mode': choice(
    'Where runs of workspaces are executed that neither have a mode nor inherit one from a project. Default: remote.',
    everyOf<ExecutionMode>()('remote', 'local', 'agent'),
  ),
  'default-deletion-protection': truth('Reject deletions of workspaces. Default: false.'),
  'production-tag': text('Tag of the workspaces that are production, or of their projects.', 'KEY[=VALUE]'),
  'allow-force-delete-workspaces': truth('Let admins of a workspace force-delete it. Default: false.'),
  'allowed-value-references': texts('Prefix of value references that variables may have.', 'PREFIX'),
  'user-tokens-enabled': truth('Accept tokens of users. Default: true.'),
  'sign-in-policy': choice(
    'Whether tokens of users need a recent sign-in at an identity provider: sso. Default: any.',
    everyOf<Organization['attributes']['sign-in-policy']>()('any', 'sso'),
  ),
  'speculative-plan-management-enabled': truth('Cancel pending speculative plans of older commits. Default: true.'),
  'send-passing-statuses-for-untriggered-speculative-plans': truth(
    'Give a passing status to a commit that triggers no plan. Default: false.',
  ),
  'aggregated-commit-status-enabled': truth('Give one status to a commit for all workspaces. Default: true.'),
  'max-ttl-enabled': truth('Put the limits of "org token-ttl" in force. Default: false.'),
  'enforce-hyok': truth('Stored, without effect.'),
  'stacks-enabled': truth('Stored, without effect.'),
  'cost-estimation-enabled': truth('Stored, without effect.'),
  'owners-team-saml-role-id': text('Group at identity providers whose people are owners.', 'GROUP'),
  'collaborator-auth-policy': choice(
    'Stored, without effect.',
    everyOf<Organization['attributes']['collaborator-auth-policy']>()('password', 'two_factor_mandatory'),
  ),
  'session-timeout': count('Minutes after which idle sessions of members end.', 'MINUTES'),
  'session-remember': count('Minutes after which sessions of members end.', 'MINUTES'),
} satisfies Settings<Body, 'default-agent-pool-id'>;

const emptyValues: EmptyValues<Body, 'default-agent-pool-id'> = {
  'allowed-value-references': [],
  'owners-team-saml-role-id': null,
  'production-tag': null,
  'session-timeout': null,
  'session-remember': null,
};

/** Organizations (docs/reference/organizations.md). */
export const organizationCommands: Group = {
  title: 'Organizations',
  commands: [
    listCommand(organizations, { flags: searchFlag, toQuery: toSearch }),
    showCommand(organizations, 'acme'),
    createCommand(organizations, {
      description: 'The name can never change. You become its owner.',
      flags: {
        ...settings,
        email: required(settings.email),
        owner: text('First owner, for a site token. Without one, it has no owner yet.', 'USERNAME'),
      },
      route: 'organizations.create',
      examples: ['acme --email ada@example.com'],
      toRequest: (values, { name }) =>
        apiRequest('post', LIST, {
          body: {
            data: {
              type: 'organizations',
              attributes: {
                name,
                ...given(settings, values),
                email: values.email,
                ...(values.owner !== undefined && { owner: values.owner }),
              },
            },
          },
        }),
    }),
    editCommand(organizations, {
      flags: {
        ...settings,
        'default-agent-pool': text('Agent pool, for the execution mode "agent".', 'NAME', agentPools.argument.complete),
      },
      emptyValues,
      route: 'organizations.update',
      lookups: ['agent-pools.list'],
      examples: ['acme --default-deletion-protection true'],
      toRequest: async (values, { invocation, id, ifMatch, unset }) => {
        const pool = values['default-agent-pool'];
        return updateOrganization(
          id,
          {
            ...given(settings, values),
            ...(pool !== undefined && { 'default-agent-pool-id': await agentPools.findId(invocation, pool, id) }),
            ...unset,
          },
          ifMatch,
        );
      },
    }),
    deleteCommand(organizations, {
      description: 'Only an organization without workspaces can be deleted. Nobody can restore it.',
      route: 'organizations.delete',
      example: 'acme',
      conflict: 'The organization has workspaces, or deleted ones that can be restored.',
      toRequest: (name, ifMatch) => apiRequest('delete', ONE, { path: { organization_name: name } }, { ifMatch }),
    }),
  ],
};
