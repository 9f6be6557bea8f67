import { membership } from '../../resources/organization-memberships/openapi.ts';
import type { memberships as routes } from '../../routes/memberships.ts';
import { oneOf, text } from '../../schemas/schema.ts';
import { type Group, one, page } from '../operation.ts';

export const memberships: Group<keyof typeof routes> = {
  name: 'Organization memberships',
  description: 'Who belongs to an organization. What they may do there, the teams say that they are in.',
  operations: {
    'memberships.list': {
      summary: 'List the memberships of an organization',
      description: 'Who manages membership sees everybody, others themselves. They come in no particular order.',
      rule: 'ORG-11',
      query: {
        q: { description: 'A part of the username or the e-mail address, in any case.', schema: text() },
        'filter[email]': { description: 'E-mail addresses, separated by commas.', schema: text() },
        'filter[status]': { description: 'Everybody is active.', schema: oneOf(['active', 'invited']) },
      },
      answers: page(membership),
    },
    'memberships.create': {
      summary: 'Invite a user',
      description:
        'By e-mail address or by username. They belong to the organization at once; who has an e-mail address that no user has is made one. The caller needs permission to manage membership; and ownership, to make somebody an owner.',
      rule: 'ORG-9',
      answers: one(membership),
    },
    'memberships.show': {
      summary: 'Show a membership',
      description: 'For who manages membership, and for the user.',
      rule: 'ORG-11',
      answers: one(membership),
    },
    'memberships.delete': {
      summary: 'Remove a user from an organization',
      description:
        'They leave all of its teams. The caller needs permission to manage membership; and ownership, to remove an owner.',
      rule: 'ORG-12',
      refuses: { 409: 'It is the only owner.' },
    },
  },
};
