import { apiRequest } from '../../../shared/client/request.ts';
import type { OrganizationAccess, Team } from '../../../shared/client/teams.ts';
import type { Schemas } from '../../../shared/client/types.ts';
import type { Group } from '../command.ts';
import { everyOf } from '../every-of.ts';
import { attributesOf, defineView, flatten } from '../output/view.ts';
import { choice, text, truth } from '../parameters.ts';
import {
  createCommand,
  defineKind,
  deleteCommand,
  editCommand,
  idsWith,
  type ListQuery,
  listCommand,
  searchFlag,
  showCommand,
  toSearch,
} from '../resource-commands.ts';
import { type EmptyValues, type FlagsOf, given, type Settings } from '../settings.ts';

const LIST = '/api/v2/organizations/{organization_name}/teams';
const ONE = '/api/v2/teams/{team_id}';

/** Teams of an organization, for other commands that take their names. */
export const teams = defineKind({
  noun: 'team',
  labels: ['a team', 'teams'],
  view: defineView(
    ['name', 'visibility', 'users-count'],
    [
      'id',
      'organization-id',
      'granted-permissions',
      ...attributesOf<Team>()(
        'name',
        'visibility',
        'sso-team-id',
        'allow-member-token-management',
        'organization-access',
        'is-unified',
        'users-count',
        'permissions',
      ),
    ],
  ),
  details: ['granted-permissions', 'sso-team-id', 'id'],
  toRow: (team: Team) => ({
    ...flatten(team),
    'granted-permissions': Object.entries(team.attributes['organization-access']).flatMap(([name, isGranted]) =>
      isGranted ? [name] : [],
    ),
  }),
  isId: idsWith('team'),
  list: (organization, query: ListQuery<typeof LIST, 'filter[names]'>) =>
    apiRequest('get', LIST, { path: { organization_name: organization }, query }),
  show: (id) => apiRequest('get', ONE, { path: { team_id: id } }),
  routes: { list: 'teams.list', show: 'teams.show' },
});

type Body = Schemas['TeamUpdateBody'];

const settings = {
  visibility: choice(
    'Whether all members of the organization see the team. Default: secret.',
    everyOf<Team['attributes']['visibility']>()('secret', 'organization'),
  ),
  'sso-team-id': text('Group at identity providers whose people are members of the team.', 'GROUP'),
  'allow-member-token-management': truth('Stored, without effect.'),
} satisfies Settings<Body, 'name' | 'organization-access'>;

/** The permissions of a team in the organization (PERM-12, PERM-14). */
const permissions = {
  'manage-workspaces': truth('Admin access to all workspaces, and creating them.'),
  'manage-projects': truth('Admin access to all projects, and creating them. Requires --manage-workspaces.'),
  'read-workspaces': truth('Read all workspaces: settings, runs, variables and states.'),
  'read-projects': truth('Read all projects. Requires --read-workspaces or --manage-workspaces.'),
  'manage-agent-pools': truth('Manage agent pools.'),
  'manage-vcs-settings': truth('Manage VCS connections and SSH keys.'),
  'manage-membership': truth('Invite and remove members.'),
  'manage-teams': truth('Manage teams and their tokens, and manage members.'),
  'manage-organization-access': truth('Change these permissions of teams, also of the own one.'),
  'access-secret-teams': truth('See secret teams.'),
  'read-audit-trail': truth('Read the audit trail.'),
  'manage-policies': truth('Read the runs of all workspaces.'),
  'manage-policy-overrides': truth('Read the runs of all workspaces, and override policies.'),
  'delegate-policy-overrides': truth('Stored, without effect.'),
  'manage-run-tasks': truth('Stored, without effect.'),
  'manage-modules': truth('Stored, without effect.'),
  'manage-providers': truth('Stored, without effect.'),
} satisfies FlagsOf<OrganizationAccess>;

const emptyValues: EmptyValues<Body> = { 'sso-team-id': null };

const editable = { name: text('New name.', 'NAME'), ...settings };

/** Teams (docs/reference/teams.md). */
export const teamCommands: Group = {
  title: 'Teams',
  commands: [
    listCommand(teams, { flags: searchFlag, toQuery: toSearch }),
    showCommand(teams, 'builders'),
    createCommand(teams, {
      description: 'The flags with true or false for tasks in the organization are permissions of its members.',
      flags: { ...settings, ...permissions },
      route: 'teams.create',
      examples: ['builders --visibility organization', 'admins --manage-workspaces true --manage-projects true'],
      toRequest: (values, { organization, name }) =>
        apiRequest('post', LIST, {
          path: { organization_name: organization },
          body: {
            data: {
              type: 'teams',
              attributes: {
                name,
                ...given(settings, values),
                'organization-access': given(permissions, values),
              },
            },
          },
        }),
    }),
    editCommand(teams, {
      flags: { ...editable, ...permissions },
      emptyValues,
      route: 'teams.update',
      examples: ['builders --name platform', 'builders --manage-teams true'],
      toRequest: (values, { id, ifMatch, unset }) => {
        const access = given(permissions, values);
        return apiRequest(
          'patch',
          ONE,
          {
            path: { team_id: id },
            body: {
              data: {
                type: 'teams',
                attributes: {
                  ...given(editable, values),
                  // It takes a further permission, which not everybody has who may change a team (TEAM-3).
                  ...(Object.keys(access).length > 0 && { 'organization-access': access }),
                  ...unset,
                },
              },
            },
          },
          { ifMatch },
        );
      },
    }),
    deleteCommand(teams, {
      description: 'Everything that was granted to it is revoked. Its members stay in the organization.',
      route: 'teams.delete',
      example: 'builders',
      toRequest: (id, ifMatch) => apiRequest('delete', ONE, { path: { team_id: id } }, { ifMatch }),
    }),
  ],
};
