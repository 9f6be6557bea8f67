import { teamWorkspace } from '../../resources/team-workspaces/openapi.ts';
import type { teamWorkspaces as routes } from '../../routes/team-workspaces.ts';
import { text } from '../../schemas/schema.ts';
import { type Group, list, one } from '../operation.ts';

const NEEDS = 'The caller needs admin access to the workspace; maintaining its project is not enough.';
const PARTS = 'The parts can be set where `access` is `custom`, and are read-only otherwise.';

export const teamWorkspaces: Group<keyof typeof routes> = {
  name: 'Team access to workspaces',
  description: 'Which teams may do what with one workspace, beside what they may on its project and organization.',
  operations: {
    'team-workspaces.list': {
      summary: 'List the teams that have access to a workspace',
      description:
        'The caller needs to read the workspace. Access of secret teams is shown to their members, and to who may change it.',
      rule: 'TEAM-8',
      query: {
        'filter[workspace][id]': { description: 'Id of the workspace.', schema: text(), required: true },
      },
      answers: list(teamWorkspace),
      refuses: { 404: 'The workspace is not there, or not for the caller.' },
    },
    'team-workspaces.create': {
      summary: 'Give a team access to a workspace',
      description: NEEDS,
      rule: 'TEAM-11',
      body: `${PARTS} What is left out of them is the lowest.`,
      answers: one(teamWorkspace),
      refuses: {
        404: 'The workspace, or the team in its organization, is not there, or not for the caller.',
        422: 'The body is wrong, or the team has access already.',
      },
    },
    'team-workspaces.show': {
      summary: 'Show the access of a team to a workspace',
      rule: 'TEAM-12',
      answers: one(teamWorkspace),
    },
    'team-workspaces.update': {
      summary: 'Update the access of a team to a workspace',
      description: NEEDS,
      rule: 'TEAM-10',
      body: `${PARTS} What is left out stays as it was, also where a level becomes \`custom\`.`,
      answers: one(teamWorkspace),
    },
    'team-workspaces.delete': {
      summary: 'Revoke the access of a team to a workspace',
      description: NEEDS,
      rule: 'TEAM-12',
    },
  },
};
