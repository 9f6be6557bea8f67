import { text } from '../../../schemas/schema.ts';
import { type Group, list, one } from '../../operation.ts';
import { team, teamWorkspace, workspace } from '../../resources.ts';

const NEEDS = 'The caller needs admin access to the workspace; maintain access to its project is not enough.';
const PARTS = 'Permissions for single areas can be set only if `access` is `custom`; otherwise they are read-only.';

const include = { workspace: [workspace], team: [team] };

export const teamWorkspaces = {
  name: 'Team access to workspaces',
  description: 'The access of teams to one workspace, in addition to their access to its project and organization.',
  operations: {
    'team-workspaces.list': {
      summary: 'List the teams that have access to a workspace',
      description:
        'The caller needs permission to read the workspace. Access of secret teams is listed only for their members and for callers who may change it.',
      rule: 'TEAM-8',
      query: {
        'filter[workspace][id]': { description: 'Id of the workspace.', schema: text(), required: true },
      },
      response: list(teamWorkspace),
      include,
      errors: { 404: 'The workspace does not exist, or the caller may not see it.' },
    },
    'team-workspaces.create': {
      summary: 'Give a team access to a workspace',
      description: NEEDS,
      rule: 'TEAM-11',
      body: `${PARTS} Omitted ones get the lowest level.`,
      response: one(teamWorkspace),
      errors: {
        404: 'The workspace, or the team in its organization, does not exist, or the caller may not see it.',
        422: 'The body is not valid, or the team already has access.',
      },
    },
    'team-workspaces.show': {
      summary: 'Show the access of a team to a workspace',
      rule: 'TEAM-12',
      response: one(teamWorkspace),
      include,
    },
    'team-workspaces.update': {
      summary: 'Update the access of a team to a workspace',
      description: NEEDS,
      rule: 'TEAM-10',
      body: `${PARTS} Omitted ones stay unchanged, even if the access changes to \`custom\`.`,
      response: one(teamWorkspace),
    },
    'team-workspaces.delete': {
      summary: 'Revoke the access of a team to a workspace',
      description: NEEDS,
      rule: 'TEAM-12',
    },
  },
} satisfies Group;
