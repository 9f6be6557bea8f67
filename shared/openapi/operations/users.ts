import { user } from '../../resources/users/openapi.ts';
import type { users as routes } from '../../routes/users.ts';
import { type Group, one } from '../operation.ts';

export const users: Group<keyof typeof routes> = {
  name: 'Users',
  description: 'Who presents a token, and whom they share organizations with.',
  operations: {
    'users.account': {
      summary: 'Show the user of the token',
      rule: 'AUTH-7',
      answers: one(user),
      refuses: { 404: 'It is the token of a team, an organization or a site administrator: there is no user.' },
    },
    'users.show': {
      summary: 'Show a user',
      description: 'The caller themselves, or who is in an organization with them.',
      rule: 'AUTH-7',
      answers: one(user),
    },
  },
};
