import { teamProject } from '../../resources/team-projects/openapi.ts';
import type { teamProjects as routes } from '../../routes/team-projects.ts';
import { text } from '../../schemas/schema.ts';
import { type Group, list, one } from '../operation.ts';

const NEEDS = 'The caller needs permission to manage the teams of the project, as its admins have.';
const PARTS = 'The parts can be set where `access` is `custom`, and are read-only otherwise.';

export const teamProjects: Group<keyof typeof routes> = {
  name: 'Team access to projects',
  description: 'Which teams may do what with a project and all workspaces in it.',
  operations: {
    'team-projects.list': {
      summary: 'List the teams that have access to a project',
      description:
        'The caller needs to read the project. Access of secret teams is shown to their members, and to who may change it.',
      rule: 'TEAM-8',
      query: {
        'filter[project][id]': { description: 'Id of the project.', schema: text(), required: true },
      },
      answers: list(teamProject),
      refuses: { 404: 'The project is not there, or not for the caller.' },
    },
    'team-projects.create': {
      summary: 'Give a team access to a project',
      description: NEEDS,
      rule: 'TEAM-11',
      body: `${PARTS} What is left out of them is the lowest.`,
      answers: one(teamProject),
      refuses: {
        404: 'The project, or the team in its organization, is not there, or not for the caller.',
        422: 'The body is wrong, or the team has access already.',
      },
    },
    'team-projects.show': {
      summary: 'Show the access of a team to a project',
      rule: 'TEAM-12',
      answers: one(teamProject),
    },
    'team-projects.update': {
      summary: 'Update the access of a team to a project',
      description: NEEDS,
      rule: 'TEAM-10',
      body: `${PARTS} What is left out stays as it was, also where a level becomes \`custom\`.`,
      answers: one(teamProject),
    },
    'team-projects.delete': {
      summary: 'Revoke the access of a team to a project',
      description: NEEDS,
      rule: 'TEAM-12',
    },
  },
};
