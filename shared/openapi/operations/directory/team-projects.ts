import { text } from '../../../schemas/schema.ts';
import { type Group, list, one } from '../../operation.ts';
import { project, team, teamProject } from '../../resources.ts';

const NEEDS = 'The caller needs permission to manage the teams of the project, which admin access includes.';
const PARTS = 'Permissions for single areas can be set only if `access` is `custom`; otherwise they are read-only.';

const include = { project: [project], team: [team] };

export const teamProjects = {
  name: 'Team access to projects',
  description: 'The access of teams to a project and to all workspaces in it.',
  operations: {
    'team-projects.list': {
      summary: 'List the teams that have access to a project',
      description:
        'The caller needs permission to read the project. Access of secret teams is listed only for their members and for callers who may change it.',
      rule: 'TEAM-8',
      query: {
        'filter[project][id]': { description: 'Id of the project.', schema: text(), required: true },
      },
      response: list(teamProject),
      include,
      errors: { 404: 'The project does not exist, or the caller may not see it.' },
    },
    'team-projects.create': {
      summary: 'Give a team access to a project',
      description: NEEDS,
      rule: 'TEAM-11',
      body: `${PARTS} Omitted ones get the lowest level.`,
      response: one(teamProject),
      errors: {
        404: 'The project, or the team in its organization, does not exist, or the caller may not see it.',
        422: 'The body is not valid, or the team already has access.',
      },
    },
    'team-projects.show': {
      summary: 'Show the access of a team to a project',
      rule: 'TEAM-12',
      response: one(teamProject),
      include,
    },
    'team-projects.update': {
      summary: 'Update the access of a team to a project',
      description: NEEDS,
      rule: 'TEAM-10',
      body: `${PARTS} Omitted ones stay unchanged, even if the access changes to \`custom\`.`,
      response: one(teamProject),
    },
    'team-projects.delete': {
      summary: 'Revoke the access of a team to a project',
      description: NEEDS,
      rule: 'TEAM-12',
    },
  },
} satisfies Group;
