import { sortValues } from '../../jsonapi/sort.ts';
import { membershipStatuses } from '../../resources/organization-memberships/attributes.ts';
import { flag, oneOf, text } from '../../schemas/schema.ts';
import { type Group, list, one, page } from '../operation.ts';
import { membership, project, team, teamProject, teamWorkspace, user, workspace } from '../resources.ts';

const MANAGES =
  'The caller needs permission to manage teams, and permission to manage access to change what a team may do.';
const PUTS =
  'The caller needs permission to manage membership, and must be an owner to change the owners team. If one of the users is unknown, nothing is changed.';
const include = { organization_memberships: [membership], users: [user] };

export const teams = {
  name: 'Teams',
  description: 'Groups of users with the same access.',
  response: one(team),
  operations: {
    'teams.list': {
      summary: 'List teams',
      description:
        'Secret teams are listed only for their members and for callers who manage teams or may see secret teams.',
      rule: 'TEAM-2',
      query: {
        q: text('Part of the name, ignoring case.'),
        'filter[names]': text('Comma-separated names.'),
      },
      response: page(team),
      include,
    },
    'teams.create': { summary: 'Create a team', description: MANAGES, rule: 'TEAM-1' },
    'teams.show': { summary: 'Show a team', rule: 'TEAM-2', include },
    'teams.update': {
      summary: 'Update a team',
      description: `Omitted attributes stay unchanged. ${MANAGES}`,
      rule: 'TEAM-3',
      errors: { 409: 'The team has more than 40 tokens, too many for another name.' },
    },
    'teams.delete': {
      summary: 'Delete a team',
      description: `Its grants are removed with it. A lock that it holds remains and can be force-unlocked. ${MANAGES}`,
      rule: 'TEAM-6',
      errors: { 422: 'The team is the owners team.' },
    },
    'teams.add-users': { summary: 'Add users to a team', description: PUTS, rule: 'TEAM-5' },
    'teams.remove-users': {
      summary: 'Remove users from a team',
      description: PUTS,
      rule: 'TEAM-5',
      errors: { 409: 'The organization would have no owner.' },
    },
    'teams.list-memberships': {
      summary: 'List the memberships of the members of a team',
      description: 'Callers who manage membership see the memberships of all members, others only their own.',
      rule: 'TEAM-15',
      query: {
        'filter[status]': oneOf(
          membershipStatuses,
          'Memberships of users with an account, or of those who are only invited.',
        ),
        'filter[is_service_account]': flag('Only service accounts, or only other users.'),
        sort: oneOf(sortValues(['status']), 'Sort order; a hyphen means descending. Default: by user id.'),
      },
      response: page(membership),
    },
    'teams.add-memberships': { summary: 'Add members to a team', description: PUTS, rule: 'TEAM-5' },
    'teams.remove-memberships': {
      summary: 'Remove members from a team',
      description: PUTS,
      rule: 'TEAM-5',
      errors: { 409: 'The organization would have no owner.' },
    },
  },
} satisfies Group;

const ADMIN_OF_PROJECT = 'The caller needs permission to manage the teams of the project, which admin access includes.';
const PARTS = 'Permissions for single areas can be set only if `access` is `custom`; otherwise they are read-only.';

const projectInclude = { project: [project], team: [team] };

export const teamProjects = {
  name: 'Team access to projects',
  description: 'The access of teams to a project and to all workspaces in it.',
  response: one(teamProject),
  operations: {
    'team-projects.list': {
      summary: 'List the access of teams to projects',
      description:
        'Needs one of the two filters. The access to one project is complete unless a page is requested; the caller needs permission to read the project, and access of secret teams is listed only for their members and for callers who may change it. The access of one team to all projects that the caller may read is paged, 20 on a page by default, and sorted by the name of the project; the caller needs to see the team.',
      rule: 'TEAM-8',
      query: {
        'filter[project][id]': text('Id of the project.'),
        'filter[team][id]': text('Id of the team.'),
      },
      response: list(teamProject),
      include: projectInclude,
      errors: {
        404: 'The project, or the team if only the team is given, does not exist, or the caller may not see it.',
      },
    },
    'team-projects.create': {
      summary: 'Give a team access to a project',
      description: ADMIN_OF_PROJECT,
      rule: 'TEAM-11',
      body: `${PARTS} Omitted ones get the lowest level.`,
      errors: {
        404: 'The project, or the team in its organization, does not exist, or the caller may not see it.',
        422: 'The body is not valid, or the team already has access.',
      },
    },
    'team-projects.show': {
      summary: 'Show the access of a team to a project',
      rule: 'TEAM-12',
      include: projectInclude,
    },
    'team-projects.update': {
      summary: 'Update the access of a team to a project',
      description: ADMIN_OF_PROJECT,
      rule: 'TEAM-10',
      body: `${PARTS} Omitted ones stay unchanged, even if the access changes to \`custom\`.`,
    },
    'team-projects.delete': {
      summary: 'Revoke the access of a team to a project',
      description: ADMIN_OF_PROJECT,
      rule: 'TEAM-12',
    },
  },
} satisfies Group;

const ADMIN_OF_WORKSPACE =
  'The caller needs admin access to the workspace; maintain access to its project is not enough.';

const workspaceInclude = { workspace: [workspace], team: [team] };

export const teamWorkspaces = {
  name: 'Team access to workspaces',
  description: 'The access of teams to one workspace, in addition to their access to its project and organization.',
  response: one(teamWorkspace),
  operations: {
    'team-workspaces.list': {
      summary: 'List the access of teams to workspaces',
      description:
        'Needs one of the two filters. The access to one workspace is complete unless a page is requested; the caller needs permission to read the workspace, and access of secret teams is listed only for their members and for callers who may change it. The access of one team to all workspaces that the caller may read is paged, 20 on a page by default, and sorted by the name of the workspace; the caller needs to see the team.',
      rule: 'TEAM-8',
      query: {
        'filter[workspace][id]': text('Id of the workspace.'),
        'filter[team][id]': text('Id of the team.'),
      },
      response: list(teamWorkspace),
      include: workspaceInclude,
      errors: {
        404: 'The workspace, or the team if only the team is given, does not exist, or the caller may not see it.',
      },
    },
    'team-workspaces.create': {
      summary: 'Give a team access to a workspace',
      description: ADMIN_OF_WORKSPACE,
      rule: 'TEAM-11',
      body: `${PARTS} Omitted ones get the lowest level.`,
      errors: {
        404: 'The workspace, or the team in its organization, does not exist, or the caller may not see it.',
        422: 'The body is not valid, or the team already has access.',
      },
    },
    'team-workspaces.show': {
      summary: 'Show the access of a team to a workspace',
      rule: 'TEAM-12',
      include: workspaceInclude,
    },
    'team-workspaces.update': {
      summary: 'Update the access of a team to a workspace',
      description: ADMIN_OF_WORKSPACE,
      rule: 'TEAM-10',
      body: `${PARTS} Omitted ones stay unchanged, even if the access changes to \`custom\`.`,
    },
    'team-workspaces.delete': {
      summary: 'Revoke the access of a team to a workspace',
      description: ADMIN_OF_WORKSPACE,
      rule: 'TEAM-12',
    },
  },
} satisfies Group;
