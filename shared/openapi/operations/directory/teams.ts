import { text } from '../../../schemas/schema.ts';
import { type Group, one, page } from '../../operation.ts';
import { membership, team, user } from '../../resources.ts';

const MANAGES =
  'The caller needs permission to manage teams, and permission to manage access to change what a team may do.';
const PUTS =
  'The caller needs permission to manage membership, and must be an owner to change the owners team. If one of the users is unknown, nothing is changed.';
const include = { organization_memberships: [membership], users: [user] };

export const teams = {
  name: 'Teams',
  description: 'Groups of users with the same access.',
  operations: {
    'teams.list': {
      summary: 'List teams',
      description:
        'Secret teams are listed only for their members and for callers who manage teams or may see secret teams.',
      rule: 'TEAM-2',
      query: {
        q: { description: 'Part of the name, ignoring case.', schema: text() },
        'filter[names]': { description: 'Comma-separated names.', schema: text() },
      },
      response: page(team),
      include,
    },
    'teams.create': { summary: 'Create a team', description: MANAGES, rule: 'TEAM-1', response: one(team) },
    'teams.show': { summary: 'Show a team', rule: 'TEAM-2', response: one(team), include },
    'teams.update': {
      summary: 'Update a team',
      description: `Omitted attributes stay unchanged. ${MANAGES}`,
      rule: 'TEAM-3',
      response: one(team),
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
    'teams.add-memberships': { summary: 'Add members to a team', description: PUTS, rule: 'TEAM-5' },
    'teams.remove-memberships': {
      summary: 'Remove members from a team',
      description: PUTS,
      rule: 'TEAM-5',
      errors: { 409: 'The organization would have no owner.' },
    },
  },
} satisfies Group;
