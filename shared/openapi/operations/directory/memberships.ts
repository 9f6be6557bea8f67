import { membershipStatuses } from '../../../resources/organization-memberships/attributes.ts';
import { oneOf, text } from '../../../schemas/schema.ts';
import { type Group, one, page } from '../../operation.ts';
import { membership, team, user } from '../../resources.ts';

const include = { teams: [team], user: [user] };

export const memberships = {
  name: 'Organization memberships',
  description: 'The members of an organization. Their teams determine what they may do.',
  operations: {
    'memberships.list': {
      summary: 'List the memberships of an organization',
      description:
        'Callers who manage membership see all memberships, others only their own. The order is not defined.',
      rule: 'ORG-11',
      query: {
        q: { description: 'Part of the username or of the e-mail address, ignoring case.', schema: text() },
        'filter[email]': { description: 'Comma-separated e-mail addresses.', schema: text() },
        'filter[status]': {
          description: 'Memberships of users with an account, or of those who are only invited.',
          schema: oneOf(membershipStatuses),
        },
      },
      response: page(membership),
      include,
    },
    'memberships.create': {
      summary: 'Invite a user',
      description:
        'Invites by e-mail address or username. The user belongs to the organization at once; for an unknown e-mail address a user is created. The caller needs permission to manage membership, and must be an owner to add an owner.',
      rule: 'ORG-9',
      response: one(membership),
      alwaysIncluded: [user],
    },
    'memberships.show': {
      summary: 'Show a membership',
      description: 'The caller needs permission to manage membership, or is the user.',
      rule: 'ORG-11',
      response: one(membership),
      include,
    },
    'memberships.delete': {
      summary: 'Remove a user from an organization',
      description:
        'Also removes the user from all teams of the organization. The caller needs permission to manage membership, and must be an owner to remove an owner.',
      rule: 'ORG-12',
      errors: { 409: 'The user is the only owner.' },
    },
  },
} satisfies Group;
