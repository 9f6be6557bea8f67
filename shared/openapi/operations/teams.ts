import { team } from '../../resources/teams/openapi.ts';
import { user } from '../../resources/users/openapi.ts';
import type { teams as routes } from '../../routes/teams.ts';
import { text } from '../../schemas/schema.ts';
import { type Group, one, page } from '../operation.ts';

const MANAGES = 'The caller needs permission to manage teams; to say what they may do, permission to manage access.';
const PUTS =
  'The caller needs permission to manage membership; for the owners team, to be an owner. Nothing is done when one of them is unknown.';
const include = { users: [user] };

export const teams: Group<keyof typeof routes> = {
  name: 'Teams',
  description: 'Users who may do the same, and who is in which.',
  operations: {
    'teams.list': {
      summary: 'List teams',
      description: "Secret ones are for who is in them, and for who manages teams or may see others' secret teams.",
      rule: 'TEAM-2',
      query: {
        q: { description: 'A part of the name, in any case.', schema: text() },
        'filter[names]': { description: 'Names, comma-separated.', schema: text() },
      },
      answers: page(team),
      include,
    },
    'teams.create': { summary: 'Create a team', description: MANAGES, rule: 'TEAM-1', answers: one(team) },
    'teams.show': { summary: 'Show a team', rule: 'TEAM-2', answers: one(team), include },
    'teams.update': {
      summary: 'Update a team',
      description: `What the body leaves out stays as it is. ${MANAGES}`,
      rule: 'TEAM-3',
      answers: one(team),
    },
    'teams.delete': {
      summary: 'Delete a team',
      description: `What it was granted goes with it; a lock that it holds stays, and can be forced. ${MANAGES}`,
      rule: 'TEAM-6',
      refuses: { 422: 'It is the owners team.' },
    },
    'teams.add-users': { summary: 'Add users to a team', description: PUTS, rule: 'TEAM-5' },
    'teams.remove-users': {
      summary: 'Remove users from a team',
      description: PUTS,
      rule: 'TEAM-5',
      refuses: { 409: 'The organization would have no owner.' },
    },
    'teams.add-memberships': { summary: 'Add members to a team', description: PUTS, rule: 'TEAM-5' },
    'teams.remove-memberships': {
      summary: 'Remove members from a team',
      description: PUTS,
      rule: 'TEAM-5',
      refuses: { 409: 'The organization would have no owner.' },
    },
  },
};
